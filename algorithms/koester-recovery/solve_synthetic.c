#include "algorithms/koester-recovery/solve_synthetic.h"

#include <math.h>
#include <stdlib.h>

const char *synthetic_schedule_name(enum synthetic_schedule s)
{
	static const char *const names[] = { "printed", "together", "each" };

	return names[s];
}

struct synthetic_setup synthetic_setup_default(void)
{
	return (struct synthetic_setup){
		.model = { .rows = 16,
			   .columns = 16,
			   .load = 10,
			   .state_bytes = 1024,
			   .break_probability = 0.09,
			   .seed = 1 },
		.states = 16384,
		.beam = 1024,
		.schedule = SYNTHETIC_PRINTED,
		.fill_rate = 0.6,
		.look_ahead = 8,
		.engine = TRACK_TUNED,
		.archive = { .recovery = RECOVERY_REPLAY,
			     .cache = true,
			     .distance = 1,
			     .adapt = 1 },
		.seed = 1,
	};
}

/* Breaks are given for 8 steps; a shorter evaluation keeps those that it reaches. */
uint32_t synthetic_breaks(const struct synthetic_setup *s)
{
	uint32_t breaks = synthetic_printed_breaks((int)lround(100 * s->fill_rate));

	return s->look_ahead < 32 ? breaks & ((UINT32_C(1) << s->look_ahead) - 1) : breaks;
}

static struct track_options options_of(const struct synthetic_setup *s)
{
	static const enum track_schedule schedules[] = { TRACK_FIXED, TRACK_TOGETHER, TRACK_EACH };
	struct track_options o = track_options_default();

	o.engine = s->engine;
	o.slots = s->states;
	o.beam = s->beam;
	o.look_ahead = s->look_ahead;
	o.forward = 1;
	o.assign_first = s->schedule != SYNTHETIC_PRINTED;
	o.schedule = schedules[s->schedule];
	o.expansion = TRACK_REGULAR;
	o.fill_rate = s->fill_rate;
	o.breaks = s->schedule == SYNTHETIC_PRINTED ? synthetic_breaks(s) : 0;
	o.prune_on_host = s->engine == TRACK_PUBLISHED;
	o.wide_history = s->states > 65536;
	o.archive = s->archive;
	o.seed = s->seed;
	o.stop = s->stop;
	return o;
}

static int begin(struct synthetic_run *r, struct err *e)
{
	void *inputs = NULL;
	uint32_t count = r->setup.inputs;
	int status = synthetic_inputs(r->domain, count, &inputs, e);

	if (!status)
		status = track_begin(r->tracker, inputs, count, e);
	free(inputs);
	return status;
}

int synthetic_run_open(struct synthetic_run *r, const struct synthetic_setup *s,
		       const struct track_places *places, struct err *e)
{
	struct track_options o = options_of(s);
	int status;

	*r = (struct synthetic_run){ .setup = *s };
	r->setup.model.plain = s->engine == TRACK_PUBLISHED;
	r->setup.inputs = s->inputs ? s->inputs : s->beam;
	status = synthetic_create(&r->domain, &r->setup.model, e);
	if (!status)
		status = track_create(&r->tracker, r->domain, &o, places->at, places->count, e);
	if (!status)
		status = begin(r, e);
	if (status)
		synthetic_run_close(r);
	return status;
}

int synthetic_run_iterate(struct synthetic_run *r, uint32_t iterations, struct err *e)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < iterations; i++) {
		status = track_iterate(r->tracker, e);
		r->iterations += !status;
	}
	return status ? status : track_wait(r->tracker, e);
}

void synthetic_run_close(struct synthetic_run *r)
{
	if (r->tracker)
		track_destroy(r->tracker);
	if (r->domain)
		synthetic_destroy(r->domain);
	*r = (struct synthetic_run){ 0 };
}
