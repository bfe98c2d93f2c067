#include "harness/compare/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"

enum { MOST_PLACES = 2 * GATE_ARMS };

/* Which arm is launched at each place of a block. Returns the number of places. */
static int draw_order(struct rng *rng, enum gate_control control, enum gate_arm *order)
{
	enum gate_arm arms[GATE_ARMS] = { GATE_OLD, GATE_AGAIN, GATE_NEW };
	int count = GATE_ARMS;

	if (control == GATE_NEW_AGAIN) {
		arms[0] = GATE_NEW;
		count = 2;
	}
	for (int i = count - 1; i > 0; i--) {
		int j = (int)rng_below(rng, (uint64_t)i + 1);
		enum gate_arm swapped = arms[i];

		arms[i] = arms[j];
		arms[j] = swapped;
	}
	for (int i = 0; i < count; i++)
		order[i] = order[2 * count - 1 - i] = arms[i];
	return 2 * count;
}

static bool all_settled(const struct gate_session *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->bench[i].settled)
			return false;
	return true;
}

static int launch(struct gate_session *s, enum gate_arm arm, int block, double *seconds,
		  struct err *e)
{
	/* rows of another time know no blocks */
	int shared = s->control == GATE_NEW_AGAIN ? 0 : block;
	int status;

	if (s->stop && *s->stop)
		return err_set(e, ERR_LIMIT, "interrupted");
	for (size_t i = 0; i < s->count; i++)
		seconds[i] = NAN;
	status = s->sample(s->ctx, s, arm, block, seconds, e);
	for (size_t i = 0; i < s->count && status == 0; i++)
		if (!s->bench[i].settled && isfinite(seconds[i]))
			status =
				gate_samples_add(&s->bench[i].samples,
						 (struct gate_value){ seconds[i], shared, arm }, e);
	return status;
}

/* How many samples a benchmark has that cannot be tested. */
static void count_samples(struct gate_bench *b, enum gate_control control)
{
	size_t news = 0;

	for (size_t i = 0; i < b->samples.count; i++) {
		enum gate_arm arm = b->samples.value[i].arm;

		news += arm == GATE_NEW || (arm == GATE_AGAIN && control == GATE_NEW_AGAIN);
	}
	b->now.test.news = news;
	b->now.test.olds = b->samples.count - news;
}

static bool has_both(const struct gate_samples *s, enum gate_control control)
{
	unsigned arms = 0;

	for (size_t i = 0; i < s->count; i++)
		arms |= 1u << s->value[i].arm;
	return arms == (1u << GATE_ARMS) - 1 && (control == GATE_OLD_AGAIN || s->count > 2);
}

/* A benchmark that some arm lacks has nothing to be tested and is settled. */
int gate_session_test(struct gate_session *s, struct err *e)
{
	int status = 0;

	for (size_t i = 0; i < s->count && status == 0; i++) {
		struct gate_bench *b = &s->bench[i];
		struct err none = { 0 };

		if (b->settled)
			continue;
		if (has_both(&b->samples, s->control))
			status = gate_test(&b->samples, s->control, &s->rule, &b->now, &none);
		else
			count_samples(b, s->control);
		if (status == ERR_USAGE) /* not one whole block yet */
			status = 0;
		else if (status && e)
			*e = none;
	}
	return status;
}

static int run_block(struct gate_session *s, struct rng *rng, double *seconds, struct err *e)
{
	enum gate_arm order[MOST_PLACES];
	int places = draw_order(rng, s->control, order), status = 0;

	for (int i = 0; i < places && status == 0; i++)
		status = launch(s, order[i], s->blocks, seconds, e);
	return status;
}

static void settle(struct gate_session *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct gate_bench *b = &s->bench[i];

		b->settled = b->settled || !has_both(&b->samples, s->control) ||
			     gate_settled(&b->now, &s->rule);
	}
}

int gate_session_run(struct gate_session *s, struct err *e)
{
	struct rng rng = rng_seeded(s->seed);
	double *seconds = malloc((s->count + 1) * sizeof(*seconds));
	int status = 0;

	if (!seconds)
		return err_set(e, ERR_MEMORY, "no memory for %zu benchmarks", s->count);
	s->blocks = 0;
	while (status == 0 && s->blocks < s->most && !all_settled(s)) {
		status = run_block(s, &rng, seconds, e);
		s->blocks += status == 0;
		if (status == 0)
			status = gate_session_test(s, e);
		if (status == 0 && s->blocks >= s->least)
			settle(s);
		if (status == 0 && s->told)
			s->told(s->ctx, s, s->blocks);
	}
	free(seconds);
	if (status == ERR_LIMIT) {
		struct err later;

		gate_session_test(s, &later);
	}
	return status;
}
