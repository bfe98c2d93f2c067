/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every rung of the ladder makes the runs of serial bit by bit, on simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gboa/rungs.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/gboa/boa_replay.h"
#include "tests/unit/device/simulated_devices.h"

static void the_ladder_leads_from_published_to_tuned(void **state)
{
	struct boa_form none = { .groups = false };
	struct boa_setup first = { .threads = 1 }, last = { .threads = 1 };
	int count = 0;

	(void)state;
	while (boa_rungs[count].name)
		count++;
	assert_in_range(count, 5, 9);
	assert_string_equal(boa_rungs[0].name, "literal");
	boa_rung_apply(&boa_rungs[0], &first);
	boa_rung_apply(&boa_rungs[count - 1], &last);
	assert_int_equal(first.variant, SOLVE_PUBLISHED);
	assert_int_equal(last.variant, SOLVE_TUNED);
	assert_int_equal(last.engine, BOA_AUTO);
	assert_memory_equal(&first.form, &none, sizeof(none));
	assert_memory_equal(&last.form, &none, sizeof(none));
}

/* The rungs must also differ: no two have the same variant, engine and form. */
static void every_rung_is_a_form_of_its_own(void **state)
{
	(void)state;
	for (const struct solve_rung *r = boa_rungs; r->name; r++)
		for (const struct solve_rung *q = boa_rungs; q < r; q++) {
			struct boa_setup a = { .threads = 1 }, b = { .threads = 1 };

			boa_rung_apply(r, &a);
			boa_rung_apply(q, &b);
			assert_string_not_equal(r->name, q->name);
			assert_true(a.variant != b.variant || a.engine != b.engine ||
				    memcmp(&a.form, &b.form, sizeof(a.form)) != 0);
		}
}

static void every_rung_makes_the_runs_of_serial(void **state)
{
	static const struct {
		const char *n;
		int32_t population, selected, k, generations;
		enum boa_replacement replacement;
	} c[] = {
		{ "20", 128, 64, 3, UNDER_TSAN ? 2 : 3, BOA_REPLACE_WORST },
		{ "15", 192, 96, 2, UNDER_TSAN ? 2 : 4, BOA_REPLACE_ALL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct landscape l = replay_landscape("trap5", c[i].n);
		struct boa_options o =
			replay_options(c[i].population, c[i].selected, c[i].k, c[i].generations);
		struct dev_set set;
		struct boa_setup s = {
			.landscape = &l, .options = &o, .threads = 2, .devices = &set
		};

		o.replacement = c[i].replacement;
		open_devices(&set, 1, "random", (int)i);
		s.variant = SOLVE_SERIAL;
		struct kept_runs serial = keep_good_runs(&s, 2);

		for (const struct solve_rung *r = boa_rungs; r->name; r++) {
			struct boa_setup own = s;

			boa_rung_apply(r, &own);
			struct kept_runs k = keep_good_runs(&own, 2);

			assert_same_runs(&serial, &k, l.n);
			free_runs(&k);
		}
		free_runs(&serial);
		dev_set_close(&set);
		landscape_free(&l);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ladder_leads_from_published_to_tuned),
		cmocka_unit_test(every_rung_is_a_form_of_its_own),
		cmocka_unit_test(every_rung_makes_the_runs_of_serial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
