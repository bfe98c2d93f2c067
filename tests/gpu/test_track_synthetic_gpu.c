/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares the kernels of the synthetic model on a CUDA device with the oracle, bit for bit, in
 * sizes that fill many blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/synthetic_form.h"
#include "tests/gpu/cuda_devices.h"

static const struct track_synthetic_options shapes[] = {
	{ .rows = 16, .columns = 16, .state_bytes = 1024 },
	{ .rows = 16, .columns = 16, .state_bytes = 4096, .unit_bytes = 64 },
	{ .rows = 16, .columns = 16, .state_bytes = 1024 + 48, .unit_bytes = 4 },
	{ .rows = 8, .columns = 8, .state_bytes = 256 + 160, .unit_bytes = 16 },
	{ .rows = 12, .columns = 12, .state_bytes = 576 + 16 },
	{ .rows = 24, .columns = 24, .state_bytes = 2304 },
	{ .rows = 130, .columns = 32, .state_bytes = 16640 + 32 },
	{ .rows = 4, .columns = 5, .state_bytes = 80 + 64 },
};

/* Of states above 4 KiB fewer, because the oracle, on one core, takes long for them. */
enum { STATES = 2011, LARGE_STATES = 509 };
static uint32_t states_of(const struct track_synthetic_options *o)
{
	return o->state_bytes > 4096 ? LARGE_STATES : STATES;
}

static void in_all_forms(void (*check)(struct form *f))
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		for (int form = 0; form < TRACK_SYNTHETIC_FORMS; form++) {
			struct track_synthetic_options o = shapes[i];
			struct form f;

			o.load = 10;
			o.break_probability = 0.09;
			o.seed = 5 + i;
			o.form = (enum track_synthetic_form)form;
			form_open(&f, &o, devices.dev[0], states_of(&o));
			check(&f);
			form_close(&f);
		}
	}
}

static void check_steps(struct form *f)
{
	form_advance(f, states_of(&f->options), 1, TRACK_ASSIGN_LAST);
	form_advance(f, states_of(&f->options), 8, TRACK_ASSIGN_FIRST);
	form_replay(f, states_of(&f->options), 15, TRACK_ASSIGN_LAST, false);
}

static void check_evaluation(struct form *f)
{
	form_together(f, states_of(&f->options), 8, 0.3, true);
	if (!f->ops->rate_children)
		return;
	form_rate_children(f, states_of(&f->options), 8, TRACK_ASSIGN_FIXED | TRACK_ASSIGN_LAST,
			   0x88);
	form_rate_children(f, states_of(&f->options), 8, 0, 0);
}

static void steps_match_the_oracle(void **state)
{
	(void)state;
	in_all_forms(check_steps);
}

static void evaluations_match_the_oracle(void **state)
{
	(void)state;
	in_all_forms(check_evaluation);
}

/* Blocks for several rounds, with and without a rest. */
static void full_devices_match_the_oracle(void **state)
{
	static const uint32_t counts[] = { 16384, 17000 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct track_synthetic_options o = {
			.rows = 16, .columns = 16, .load = 3, .state_bytes = 1024 + 1536
		};
		struct form f;

		o.seed = i;
		form_open(&f, &o, devices.dev[0], counts[i]);
		form_advance(&f, counts[i], 1, TRACK_ASSIGN_LAST);
		form_replay(&f, counts[i], 4, TRACK_ASSIGN_LAST, false);
		form_replay(&f, counts[i], 4, TRACK_ASSIGN_LAST, true);
		form_rate_children(&f, counts[i], 3, TRACK_ASSIGN_FIXED | TRACK_ASSIGN_LAST, 2);
		form_close(&f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_match_the_oracle),
		cmocka_unit_test(evaluations_match_the_oracle),
		cmocka_unit_test(full_devices_match_the_oracle),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
