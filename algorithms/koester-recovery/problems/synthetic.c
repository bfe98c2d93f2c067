/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The synthetic model: the domain, runs of it, and the schedules of its assignments. */
#include "algorithms/koester-recovery/problems/synthetic.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/koester-recovery/synthetic.h"
#include "datasets/matrix/matrix_states.h"
#include "harness/base/checked.h"
#include "harness/base/rng.h"

struct track_synthetic_domain {
	struct track_domain domain; /* first member: the caller holds a pointer to it */
	struct track_synthetic parameters;
	struct matrix_states model;
	float *weights; /* E, then A */
};

_Static_assert((int)TRACK_SYNTHETIC_COLUMNS_MOST == (int)MATRIX_COLUMNS_MOST, "one limit");

static size_t weight_bytes(const struct track_synthetic *s)
{
	return 2 * sizeof(float) * s->columns * s->columns;
}

static int enter(const struct track_domain *d, struct track_place *p, void *parameters, void **held,
		 struct err *e)
{
	struct track_synthetic *s = parameters;
	int status = track_alloc(p, held, weight_bytes(s), e);

	(void)d;
	if (status)
		return err_prefix(e, "matrices of the synthetic model");
	status = track_to(p, *held, s->host_weights, weight_bytes(s), e);
	if (status) {
		track_free(p, *held, weight_bytes(s));
		return status;
	}
	s->weights = *held;
	return 0;
}

static void leave(const struct track_domain *d, struct track_place *p, void *held)
{
	track_free(p, held, weight_bytes(d->parameters));
}

static bool power_of_two(uint32_t x)
{
	return x && !(x & (x - 1));
}

static int check(const struct track_synthetic_options *o, struct err *e)
{
	uint64_t matrix = (uint64_t)o->rows * o->columns * sizeof(float);

	if (o->rows < 1 || o->columns < 1 || o->columns > TRACK_SYNTHETIC_COLUMNS_MOST)
		return err_set(e, ERR_USAGE,
			       "a state has at least 1 row and 1 to %d columns, not %u x %u",
			       TRACK_SYNTHETIC_COLUMNS_MOST, o->rows, o->columns);
	if (o->state_bytes < matrix || (o->state_bytes - matrix) % 16)
		return err_set(e, ERR_USAGE,
			       "a state of a %u x %u matrix has %llu bytes and a multiple of 16 "
			       "bytes for variables, not %u bytes",
			       o->rows, o->columns, (unsigned long long)matrix, o->state_bytes);
	if (!(o->break_probability >= 0 && o->break_probability <= 1))
		return err_set(e, ERR_USAGE,
			       "the probability to wait must be between 0 and 1, not %g",
			       o->break_probability);
	if (o->load < 1)
		return err_set(e, ERR_USAGE, "an assignment needs at least one product");
	if (o->unit_bytes && o->unit_bytes != o->state_bytes &&
	    (!power_of_two(o->unit_bytes) || o->unit_bytes < 4 || o->state_bytes % o->unit_bytes))
		return err_set(e, ERR_USAGE, "states of %u bytes cannot have units of %u bytes",
			       o->state_bytes, o->unit_bytes);
	return 0;
}

static bool in_registers(enum track_synthetic_form f)
{
	return f == TRACK_SYNTHETIC_TUNED || f == TRACK_SYNTHETIC_REGISTERS ||
	       f == TRACK_SYNTHETIC_ROWS;
}

/* The requested form, or the paper's if it does not exist for this number of columns. */
static enum track_synthetic_form form_of(const struct track_synthetic_options *o)
{
	uint32_t c = o->columns;
	bool sized = c == 8 || c == 12 || c == 16 || c == 24 || c == 32;

	return sized || !in_registers(o->form) ? o->form : TRACK_SYNTHETIC_ELEMENTS;
}

/* Units of 16 bytes do not divide every state. */
static uint32_t unit_of(const struct track_synthetic_options *o)
{
	switch (form_of(o)) {
	case TRACK_SYNTHETIC_ELEMENTS:
	case TRACK_SYNTHETIC_SUMS:
		return 4;
	case TRACK_SYNTHETIC_VECTORS:
	case TRACK_SYNTHETIC_REGISTERS:
		return o->state_bytes % 16 ? 4 : 16;
	default:
		return o->state_bytes;
	}
}

static void lay_out(struct track_synthetic_domain *s, const struct track_synthetic_options *o)
{
	uint32_t unit = o->unit_bytes ? o->unit_bytes : unit_of(o);
	struct track_synthetic *p = &s->parameters;

	p->form = form_of(o);
	p->rows = o->rows;
	p->columns = o->columns;
	p->load = o->load;
	p->variables = (o->state_bytes - o->rows * o->columns * 4) / 16;
	p->unit_shift = unit == o->state_bytes ? 31 : (uint32_t)__builtin_ctz(unit / 4);
	p->unit_mask = (1u << p->unit_shift) - 1;
	p->vectors = o->columns % 4 == 0 && unit % 16 == 0;
	p->break_below = (uint64_t)(o->break_probability * 4294967296.0);
	p->weights = p->host_weights = s->weights;
	s->domain.layout.unit_bytes = unit;
	s->domain.layout.units = o->state_bytes / unit;
}

static int make_weights(struct track_synthetic_domain *s, const struct track_synthetic_options *o,
			struct err *e)
{
	struct matrix_states sizes = { .rows = o->rows,
				       .columns = o->columns,
				       .load = o->load,
				       .state_bytes = o->state_bytes,
				       .break_probability = o->break_probability,
				       .seed = o->seed };
	size_t elements = (size_t)o->columns * o->columns;
	int status = matrix_states_create(&s->model, &sizes, e);

	if (status)
		return status;
	/* aligned for the vectors of the host */
	s->weights = aligned_alloc(64, (2 * elements * sizeof(float) + 63) / 64 * 64);
	if (!s->weights)
		return err_set(e, ERR_MEMORY, "no memory for the synthetic model's matrices");
	memcpy(s->weights, s->model.execute, elements * sizeof(float));
	memcpy(s->weights + elements, s->model.assign, elements * sizeof(float));
	return 0;
}

int track_synthetic_create(struct track_domain **out, const struct track_synthetic_options *o,
			   struct err *e)
{
	struct track_synthetic_domain *s;
	int status = check(o, e);
	bool rows;

	*out = NULL;
	if (status)
		return status;
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for the synthetic model");
	status = make_weights(s, o, e);
	if (status) {
		track_synthetic_destroy(&s->domain);
		return status;
	}
	lay_out(s, o);
	s->domain.name = "synthetic";
	s->domain.parameters = &s->parameters;
	s->domain.parameter_bytes = sizeof(s->parameters);
	s->domain.enter = enter;
	s->domain.leave = leave;
	rows = in_registers(s->parameters.form);
	s->domain.host = rows ? &track_synthetic_vector_ops_host : &track_synthetic_ops_host;
	s->domain.sim = rows ? &track_synthetic_rows_ops_sim : &track_synthetic_ops_sim;
#if COPRA_HAVE_CUDA
	s->domain.cuda = rows ? &track_synthetic_rows_ops_cuda : &track_synthetic_ops_cuda;
#endif
#if COPRA_HAVE_HIP
	s->domain.hip = rows ? &track_synthetic_rows_ops_hip : &track_synthetic_ops_hip;
#endif
	*out = &s->domain;
	return 0;
}

void track_synthetic_destroy(struct track_domain *d)
{
	struct track_synthetic_domain *s = (struct track_synthetic_domain *)d;

	if (!s)
		return;
	matrix_states_free(&s->model);
	free(s->weights);
	free(s);
}

/* Allocates `count` consecutive input states, which the caller frees. */
static int make_inputs(const struct track_domain *d, uint32_t count, void **inputs, struct err *e)
{
	const struct track_synthetic_domain *s = (const struct track_synthetic_domain *)d;
	size_t bytes;

	*inputs = NULL;
	if (checked_mul_size(count ? count : 1, s->model.state_bytes, &bytes))
		*inputs = malloc(bytes);
	if (!*inputs)
		return err_set(e, ERR_MEMORY, "no memory for %u input states of %u bytes", count,
			       s->model.state_bytes);
	for (uint32_t i = 0; i < count; i++)
		matrix_states_input(&s->model, i,
				    (char *)*inputs + (size_t)i * s->model.state_bytes);
	return 0;
}

/* ==== runs ==== */

struct track_synthetic_setup track_synthetic_setup_default(void)
{
	return (struct track_synthetic_setup){
		.model = { .rows = 16,
			   .columns = 16,
			   .load = 10,
			   .state_bytes = 1024,
			   .break_probability = 0.09,
			   .seed = 1 },
		.states = 16384,
		.beam = 1024,
		.schedule = TRACK_SYNTHETIC_PRINTED,
		.fill_rate = 0.6,
		.look_ahead = 8,
		.engine = TRACK_TUNED,
		.archive = { .recovery = TRACK_RECOVERY_REPLAY,
			     .cache = true,
			     .distance = 1,
			     .adapt = 1 },
		.seed = 1,
	};
}

static struct track_options options_of(const struct track_synthetic_setup *s)
{
	static const enum track_schedule schedules[] = { TRACK_FIXED, TRACK_TOGETHER, TRACK_EACH };
	struct track_options o = track_options_default();

	o.engine = s->engine;
	o.slots = s->states;
	o.beam = s->beam;
	o.look_ahead = s->look_ahead;
	o.forward = 1;
	o.assign_first = s->schedule != TRACK_SYNTHETIC_PRINTED;
	o.schedule = schedules[s->schedule];
	o.expansion = TRACK_REGULAR;
	o.fill_rate = s->fill_rate;
	o.breaks = s->schedule == TRACK_SYNTHETIC_PRINTED ? track_synthetic_breaks(s) : 0;
	o.prune_on_host = s->engine == TRACK_PUBLISHED;
	o.plans = s->plans;
	o.wide_history = s->states > 65536;
	o.archive = s->archive;
	o.seed = s->seed;
	o.stop = s->stop;
	return o;
}

static int begin(struct track_synthetic_run *r, struct err *e)
{
	void *inputs = NULL;
	uint32_t count = r->setup.inputs;
	int status = make_inputs(r->domain, count, &inputs, e);

	if (!status)
		status = track_begin(r->tracker, inputs, count, e);
	free(inputs);
	return status;
}

int track_synthetic_run_open(struct track_synthetic_run *r, const struct track_synthetic_setup *s,
			     const struct track_places *places, struct err *e)
{
	struct track_options o = options_of(s);
	int status;

	*r = (struct track_synthetic_run){ .setup = *s };
	if (s->engine == TRACK_PUBLISHED && s->model.form == TRACK_SYNTHETIC_TUNED)
		r->setup.model.form = TRACK_SYNTHETIC_ELEMENTS;
	r->setup.inputs = s->inputs ? s->inputs : s->beam;
	status = track_synthetic_create(&r->domain, &r->setup.model, e);
	if (!status)
		status = track_create(&r->tracker, r->domain, &o, places->at, places->count, e);
	if (!status)
		status = begin(r, e);
	if (status)
		track_synthetic_run_close(r);
	return status;
}

int track_synthetic_run_iterate(struct track_synthetic_run *r, uint32_t iterations, struct err *e)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < iterations; i++) {
		status = track_iterate(r->tracker, e);
		r->iterations += !status;
	}
	return status ? status : track_wait(r->tracker, e);
}

void track_synthetic_run_close(struct track_synthetic_run *r)
{
	if (r->tracker)
		track_destroy(r->tracker);
	if (r->domain)
		track_synthetic_destroy(r->domain);
	*r = (struct track_synthetic_run){ 0 };
}

/* ==== schedules ==== */

#define FITTED_PROBABILITY 0.09
#define ROUNDING 1e-12
enum { PAPER_STEPS = 8 };

uint32_t track_synthetic_expected_breaks(double q, double fill_rate, uint32_t steps)
{
	uint32_t breaks = 0;
	double running = 1.0;

	for (uint32_t s = 0; s < steps; s++) {
		running *= 1.0 - q;
		if (1.0 - running > fill_rate + ROUNDING) {
			breaks |= 1u << s;
			running = 1.0;
		}
	}
	return steps ? breaks | 1u << (steps - 1) : 0;
}

static uint32_t printed_breaks(int fill_percent)
{
	return track_synthetic_expected_breaks(FITTED_PROBABILITY, fill_percent / 100.0,
					       PAPER_STEPS);
}

/* The printed breaks are defined for 8 steps. A shorter evaluation has those of its steps. */
uint32_t track_synthetic_breaks(const struct track_synthetic_setup *s)
{
	uint32_t breaks = printed_breaks((int)lround(100 * s->fill_rate));

	return s->look_ahead < 32 ? breaks & ((UINT32_C(1) << s->look_ahead) - 1) : breaks;
}

/* ==== plain operations on the host ==== */

#define TRACK_DOMAIN track_synthetic
#include "algorithms/koester-recovery/states/domain_host.h"
