/* tuned, engine grid: a run after the other on each device, every one by the whole device. */
#include "algorithms/gboa/tuned_grid.h"

#include "harness/base/clock.h"
#include "algorithms/gboa/limit.h"

/* All runs of a call. */
struct grid_crowd {
	struct grid_place place[DEV_MAX];
	int places, next;
	struct boa_limit limit;
	double ticks[GRID_STEPS];
};

static int open_places(struct grid_crowd *c, const struct boa_setup *s, const struct boa_run *runs,
		       int count, struct err *e)
{
	int status = 0, devices = s->devices->count;

	if (s->gpus > 0 && s->gpus < devices)
		devices = s->gpus;
	if (count < devices)
		devices = count;
	for (; !status && c->places < devices; c->places += !status)
		status = grid_place_open(&c->place[c->places], s, s->devices->dev[c->places],
					 runs->words || runs->fitness, e);
	return status;
}

static void close_places(struct grid_crowd *c)
{
	for (int i = 0; i < c->places; i++)
		grid_place_close(&c->place[i]);
}

/* Every device that is idle begins the next run; all launch. */
static int launch_all(struct grid_crowd *c, const struct boa_setup *s, struct boa_run *runs,
		      int count, bool *any, struct err *e)
{
	int status = 0;

	*any = false;
	for (int i = 0; !status && i < c->places; i++) {
		struct grid_place *p = &c->place[i];

		if (!p->run && c->next < count) {
			status = grid_place_begin(p, &runs[c->next],
						  s->options->seed + (uint64_t)c->next, e);
			c->next++;
		}
		if (!status && p->run) {
			status = grid_place_launch(p, e);
			*any = true;
		}
	}
	return status;
}

static void end_run(struct grid_crowd *c, struct grid_place *p)
{
	for (int i = 0; i < GRID_STEPS; i++)
		c->ticks[i] += (double)p->outcome->state.ticks[i];
	p->run = NULL;
}

static int finish_all(struct grid_crowd *c, struct err *e)
{
	int status = 0;

	for (int i = 0; i < c->places; i++) {
		struct grid_place *p = &c->place[i];
		bool done = false;

		if (!p->run)
			continue;
		int now = grid_place_finish(p, &done, status ? NULL : e);

		status = status ? status : now;
		if (done || now)
			end_run(c, p);
	}
	return status;
}

static int stop_early(struct grid_crowd *c, const struct boa_setup *s, struct boa_run *runs,
		      int count, struct err *e)
{
	int ended = c->next;

	for (int i = 0; i < c->places; i++)
		ended -= c->place[i].run != NULL;
	for (int r = c->next; r < count; r++)
		boa_not_begun(s->landscape, &runs[r]);
	return err_set(e, ERR_LIMIT, "stopped when %d of %d runs had ended", ended, count);
}

static double ticks_of(const struct grid_crowd *c, int first, int end)
{
	double sum = 0;

	for (int i = first; i < end; i++)
		sum += c->ticks[i];
	return sum;
}

/* Steps by their shares of the ticks. */
static void share_times(const struct grid_crowd *c, struct boa_times *times)
{
	double all = ticks_of(c, 0, GRID_STEPS);

	if (all <= 0)
		return;
	times->select = times->total * ticks_of(c, GRID_WAIT, GRID_ROUNDS) / all;
	times->learn = times->total * ticks_of(c, GRID_ROUNDS, GRID_PREPARE) / all;
	times->sample = times->total * ticks_of(c, GRID_PREPARE, GRID_EVALUATE) / all;
	times->evaluate = times->total * ticks_of(c, GRID_EVALUATE, GRID_STEPS) / all;
}

int boa_grid_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		  struct boa_times *times, struct err *e)
{
	struct grid_crowd c = { .places = 0 };
	double begin = clock_wall();
	bool any = true;
	int status = open_places(&c, s, runs, count, e);

	times->set_up = clock_wall() - begin;
	begin = clock_wall();
	c.limit = boa_limit_from(s, begin);
	while (!status && any) {
		if (boa_limit_reached(&c.limit)) {
			status = stop_early(&c, s, runs, count, e);
			break;
		}
		status = launch_all(&c, s, runs, count, &any, e);
		if (!status)
			status = finish_all(&c, e);
	}
	times->total = clock_wall() - begin;
	share_times(&c, times);
	close_places(&c);
	return status;
}
