#include "algorithms/koester-recovery/experiment_model.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "algorithms/koester-recovery/measured.h"
#include "algorithms/koester-recovery/verify.h"

enum { BEAM_MOST = 1024, SAMPLES = 4 };

struct model_case {
	struct track_places places;
	struct synthetic_run run;
	uint32_t iterations; /* of one timed run */
};

static bool schedule_is(const struct bench_case *c, const char *name)
{
	return strcmp(bench_text(c, "schedule"), name) == 0;
}

struct synthetic_setup model_case_default(const struct bench_case *c)
{
	struct synthetic_setup s = synthetic_setup_default();

	s.states = (uint32_t)bench_int(c, "states");
	s.beam = s.states < 16 * BEAM_MOST ? (s.states + 15) / 16 : BEAM_MOST;
	s.model.load = (uint32_t)bench_int(c, "load");
	s.model.break_probability =
		schedule_is(c, "fitted") ? 0.09 : (double)bench_int(c, "P") / 100;
	s.fill_rate = (double)bench_int(c, "F") / 100;
	s.schedule = schedule_is(c, "printed") ? SYNTHETIC_PRINTED :
		     schedule_is(c, "each")    ? SYNTHETIC_EACH :
						 SYNTHETIC_TOGETHER;
	s.engine = track_case_engine(c);
	s.stop = bench_stop(c);
	return s;
}

/* Assignments that a state takes in an evaluation, in the mean. */
static double assignments_of(const struct synthetic_setup *s)
{
	bool certain;

	switch (s->schedule) {
	case SYNTHETIC_PRINTED:
		return __builtin_popcount(synthetic_breaks(s) | UINT32_C(1) << (s->look_ahead - 1));
	case SYNTHETIC_EACH:
		return 1 + s->model.break_probability * s->look_ahead;
	default:
		return 1 + synthetic_many_breaks(s, 0, &certain);
	}
}

double model_case_work(const struct bench_case *c, const struct synthetic_setup *s)
{
	double product = (double)s->model.rows * s->model.columns * s->model.columns;
	double evaluated = s->look_ahead + s->model.load * assignments_of(s);

	(void)c;
	return product * (s->states * evaluated + s->beam * (1.0 + s->model.load));
}

double model_case_estimate(const struct bench_case *c)
{
	struct synthetic_setup s = model_case_default(c);

	return track_case_seconds(c, model_case_work(c, &s), 2.0 * s.states * s.model.state_bytes);
}

/* One core does the printed schedule with one P alone, as all do in a quick run, where P does not
 * matter; the fitted probability is one for all P; states by themselves know no fill rate; and
 * nothing takes cores minutes. */
bool model_case_exists(const struct bench_case *c)
{
	static const double most[][BENCH_SCALES] = {
		/* multiply-adds */
		[SOLVE_SERIAL] = { 1e9, 3e9, 2e10 },
		[SOLVE_CPU] = { 1e9, 1e11, 1e12 },
		[SOLVE_PUBLISHED] = { 1e9, 1e12, 3e12 },
		[SOLVE_TUNED] = { 1e9, 1e12, 3e12 },
	};
	enum solve_variant v = bench_variant(c);
	struct synthetic_setup s = model_case_default(c);

	if (!bench_gpus_fit(c) || model_case_work(c, &s) > most[v][bench_scale(c)])
		return false;
	if (schedule_is(c, "each") && bench_int(c, "F") > 0)
		return false;
	if (bench_int(c, "P") == 30 &&
	    (v == SOLVE_SERIAL || schedule_is(c, "fitted") ||
	     (schedule_is(c, "printed") && bench_scale(c) == BENCH_QUICK)))
		return false;
	return v != SOLVE_SERIAL || schedule_is(c, "printed");
}

int model_case_setup(struct bench_case *c, struct err *e)
{
	return model_case_setup_several(c, 1, e);
}

int model_case_setup_several(struct bench_case *c, uint32_t iterations, struct err *e)
{
	struct synthetic_setup s = model_case_default(c);
	double bytes = 3.0 * s.states * s.model.state_bytes;
	struct model_case *m;
	int status = track_case_check_machine(c, model_case_work(c, &s), bytes, false, e);

	if (status)
		return status;
	m = bench_new_data(c, sizeof(*m), e);
	if (!m)
		return ERR_MEMORY;
	m->iterations = iterations;
	status = track_case_places(c, false, 0, &m->places, e);
	if (!status)
		status = synthetic_run_open(&m->run, &s, &m->places, e);
	if (status)
		model_case_teardown(c);
	return status;
}

void model_case_teardown(struct bench_case *c)
{
	struct model_case *m = bench_data(c);

	synthetic_run_close(&m->run);
	track_places_close(&m->places);
	free(m);
	bench_set_data(c, NULL);
}

/* Multiply-adds that were made between two looks at the figures. */
static double work_between(const struct synthetic_run *r, const struct track_figures *before,
			   const struct track_figures *after)
{
	double executions = (double)(after->executions - before->executions);
	double assignments = (double)(after->assignments - before->assignments);

	return (double)synthetic_products(r->domain) *
	       (executions + assignments * r->setup.model.load);
}

int model_case_run(struct bench_case *c, struct err *e)
{
	struct model_case *m = bench_data(c);
	struct track_figures before, after;
	double began, work;
	int status;

	track_figures(m->run.tracker, &before);
	began = clock_wall();
	status = synthetic_run_iterate(&m->run, m->iterations, e);
	bench_set_seconds(c, clock_wall() - began);
	if (status)
		return status;
	track_figures(m->run.tracker, &after);
	work = work_between(&m->run, &before, &after);
	bench_work(c, work, "multiply_adds");
	bench_counter(c, "breaks", (double)after.breaks, BENCH_COUNT);
	bench_counter(c, "assigned", (double)(after.assignments - before.assignments), BENCH_COUNT);
	bench_counter(c, "memory_peak", (double)track_places_peak(&m->places), BENCH_COUNT);
	bench_counter(c, "history_bytes", (double)after.history_bytes, BENCH_COUNT);
	track_floor(c, bench_variant(c), &m->places, work, 0);
	bench_label(c, "%u steps, breaks %u", m->run.setup.look_ahead, (unsigned)after.breaks);
	return 0;
}

/* The hash is of the history's last layer: sources, successors and ratings of the best. */
static void report_hash(struct bench_case *c, const struct synthetic_run *r)
{
	const struct history *h = track_history(r->tracker);
	struct history_node n = { track_layer(r->tracker), 0 };
	uint32_t source, successor, rating;
	uint64_t hash = hash_u64(HASH_INIT, n.layer);

	for (; n.slot < history_count(h, n.layer); n.slot++) {
		history_get(h, n, &source, &successor, &rating);
		hash = hash_u64(hash_u64(hash, (uint64_t)source << 32 | successor), rating);
	}
	bench_output_hash(c, hash);
}

int model_case_check(struct bench_case *c, struct err *e)
{
	struct model_case *m = bench_data(c);
	int status = synthetic_verify_counts(&m->run, e);

	report_hash(c, &m->run);
	return status ? status : synthetic_verify(&m->run, SAMPLES, e);
}
