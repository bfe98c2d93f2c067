/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command line: flags and their values, one argument per line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/options.h"
#include "harness/device/device.h"
#include "tests/fuzz/fuzz.h"

enum { ARGUMENTS = 40 };

static int split(char *text, char **argv)
{
	int argc = 0;

	for (char *one; argc < ARGUMENTS && (one = strsep(&text, "\n")) != NULL;)
		argv[argc++] = one;
	return argc;
}

static void check_options(const struct bench_options *o)
{
	FUZZ_CHECK(o->repetitions >= 0 && o->gpus >= 0 && o->gpus <= DEV_MAX && o->threads >= 0);
	FUZZ_CHECK(o->selection.scale >= 0 && o->selection.scale < BENCH_SCALES);
	FUZZ_CHECK(o->format < REPORTER_FORMATS && o->out_format < REPORTER_FORMATS);
	FUZZ_CHECK(isfinite(o->min_time.seconds) && o->min_time.seconds >= 0);
	FUZZ_CHECK(!o->min_time.is_iterations || o->min_time.iterations >= 1);
	FUZZ_CHECK(isfinite(o->min_warmup_time) && o->min_warmup_time >= 0);
	FUZZ_CHECK(isfinite(o->precision) && isfinite(o->case_time));
	FUZZ_CHECK(o->selection.axes.count <= FLAG_LIST_MAX && o->context.count <= FLAG_LIST_MAX);
}

/* The values of an axis, as given by --copra_axis=n=... */
static void read_axis(const struct bench_selection *s, enum bench_axis_type type)
{
	const struct bench_axis axis = { .name = "n", .type = type };
	struct bench_plan owner = { 0 };
	struct bench_axis_values v;
	struct err e = { 0 };

	bench_axis_values(&v, &axis, s, &owner, &e);
	FUZZ_CHECK(e.code == 0 ? v.count > 0 : e.text[0] != '\0');
	free(v.at);
	bench_plan_destroy(&owner);
}

/* The text of a device. sim is opened; CUDA is not in this build. */
static void read_device(const char *text, int64_t gpus)
{
	struct dev_set set;
	struct err e = { 0 };
	int status = dev_set_open(&set, text, (int)gpus, &e);

	FUZZ_CHECK(status == 0 || status == ERR_USAGE || status == ERR_DEVICE);
	FUZZ_CHECK(status == 0 || (e.text[0] && set.count == 0));
	dev_set_close(&set);
}

FUZZ_READER(flags)
{
	struct bench_options o;
	struct err e = { 0 };
	char *text = fuzz_text(data, size), *argv[ARGUMENTS];
	bool help;

	if (fuzz_status(bench_options_parse(&o, split(text, argv), argv, &help, &e), &e) && !help) {
		check_options(&o);
		read_axis(&o.selection, BENCH_INT);
		read_axis(&o.selection, BENCH_TEXT);
		read_device(o.device, o.gpus);
	}
	free(text);
}
