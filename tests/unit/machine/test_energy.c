/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Energy, clocks and topology, from a fake of NVIDIA's library and fake powercap zones. */
#include "harness/machine/energy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/machine/nvml.h"
#include "harness/base/outfile.h"
#include "harness/machine/rapl.h"
#include "tests/unit/base/temporary_folder.h"

static bool have_fake;

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	struct err e;

	if (outfile_write(in_folder(name), text, strlen(text), &e) != 0)
		fail_msg("%s", e.text);
}

static struct nvml *open_fake(const char *lacking)
{
	struct nvml *n;
	struct err e;

	if (!have_fake)
		skip();
	setenv("FAKE_NVML", lacking, 1);
	if (nvml_open_library(&n, in_folder("fake.so"), &e) != 0)
		fail_msg("%s", e.text);
	return n;
}

static void missing_nvml_is_not_a_failure(void **state)
{
	struct nvml *n;
	struct err e;

	(void)state;
	assert_int_equal(nvml_open_library(&n, "/nonexistent/library.so", &e), ERR_UNSUPPORTED);
	assert_null(n);
	assert_non_null(strstr(e.text, "/nonexistent/library.so"));
	nvml_close(NULL);
}

static void missing_driver_gives_a_reason(void **state)
{
	struct nvml *n;
	struct err e;

	(void)state;
	if (!have_fake)
		skip();
	setenv("FAKE_NVML", "driver", 1);
	assert_int_equal(nvml_open_library(&n, in_folder("fake.so"), &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "Driver Not Loaded"));
}

static void figures_are_read_and_missing_functions_reported(void **state)
{
	struct nvml *n = open_fake("");
	char text[64];
	int64_t bytes;
	int count, mhz;
	bool ecc;
	nvml_gpu gpu;
	struct err e;

	(void)state;
	assert_int_equal(nvml_count(n, &count, &e), 0);
	assert_int_equal(count, 2);
	assert_int_equal(nvml_by_index(n, 2, &gpu, &e), ERR_UNSUPPORTED);
	assert_int_equal(nvml_by_index(n, 0, &gpu, &e), 0);
	assert_int_equal(nvml_name(n, gpu, text, sizeof(text), &e), 0);
	assert_string_equal(text, "NVIDIA Fake 9000");
	assert_int_equal(nvml_memory(n, gpu, &bytes, &e), 0);
	assert_true(bytes == INT64_C(1) << 37);
	assert_int_equal(nvml_clock_mhz(n, gpu, NVML_SM, &mhz, &e), 0);
	assert_int_equal(mhz, 1980);
	assert_int_equal(nvml_clock_mhz(n, gpu, NVML_MEMORY, &mhz, &e), 0);
	assert_int_equal(mhz, 2600);
	assert_int_equal(nvml_ecc(n, gpu, &ecc, &e), ERR_UNSUPPORTED); /* missing */
	assert_non_null(strstr(e.text, "ECC"));
	nvml_close(n);
}

static void links_between_gpus_are_named(void **state)
{
	struct nvml *n = open_fake("");
	nvml_gpu a, b;
	char text[16];
	struct err e;

	(void)state;
	assert_int_equal(nvml_by_index(n, 0, &a, &e), 0);
	assert_int_equal(nvml_by_index(n, 1, &b, &e), 0);
	assert_int_equal(nvml_link(n, a, b, text, sizeof(text), &e), 0);
	assert_string_equal(text, "NV18");
	setenv("FAKE_NVML", "nvlink", 1);
	assert_int_equal(nvml_link(n, a, b, text, sizeof(text), &e), 0);
	assert_string_equal(text, "NODE");
	nvml_close(n);
}

/* Both fake GPUs draw 400 W: by the counter and by sampled power alike. */
static void check_meter(const char *lacking, bool sampled)
{
	struct nvml *n = open_fake(lacking);
	nvml_gpu gpus[2];
	struct energy_meter *m;
	struct energy_reading r;
	char text[64];
	struct err e;

	assert_int_equal(nvml_by_index(n, 0, &gpus[0], &e), 0);
	assert_int_equal(nvml_by_index(n, 1, &gpus[1], &e), 0);
	assert_int_equal(energy_create_from(&m, n, gpus, 2, "/nonexistent", &e), 0);
	for (int round = 0; round < 2; round++) { /* a meter can be used again */
		double before = clock_wall(), begun, ends;

		energy_begin(m, ENERGY_ALL);
		begun = clock_wall();
		clock_sleep(0.25);
		ends = clock_wall();
		energy_end(m, &r);
		assert_true(r.gpu_known);
		assert_int_equal(r.gpu_sampled, sampled);
		assert_true(r.gpu_joules > 0.99 * 800 * (ends - begun));
		assert_true(r.gpu_joules < 1.01 * 800 * (clock_wall() - before));
		assert_false(r.cpu_known);
		assert_true(r.clock_known);
		assert_true(r.sm_clock_mhz == 1200); /* the slower of the two */
		assert_true(r.sm_clock_max_mhz == 1980);
		assert_true(energy_clock_low(&r));
		energy_throttle_text(r.throttle, text, sizeof(text));
		assert_string_equal(text, "power cap"); /* idle is not a throttle reason */
	}
	energy_begin(m, ENERGY_ALL);
	energy_end(m, &r);
	/* too short for a reliable counter difference, unless the machine was busy */
	assert_int_equal(r.gpu_known, r.seconds >= ENERGY_SHORTEST);
	energy_destroy(m);
}

static void energy_of_unused_devices_is_not_counted(void **state)
{
	struct nvml *n = open_fake("");
	nvml_gpu gpus[2];
	struct energy_meter *m;
	struct energy_reading r;
	double begun, ends, before;
	struct err e;

	(void)state;
	assert_int_equal(nvml_by_index(n, 0, &gpus[0], &e), 0);
	assert_int_equal(nvml_by_index(n, 1, &gpus[1], &e), 0);
	assert_int_equal(energy_create_from(&m, n, gpus, 2, "/nonexistent", &e), 0);
	before = clock_wall();
	energy_begin(m, 1);
	begun = clock_wall();
	clock_sleep(0.25);
	ends = clock_wall();
	energy_end(m, &r);
	assert_true(r.gpu_known);
	assert_true(r.gpu_joules > 0.99 * 400 * (ends - begun));
	assert_true(r.gpu_joules < 1.01 * 400 * (clock_wall() - before));
	assert_true(r.sm_clock_mhz == 1980);
	energy_begin(m, 0);
	energy_end(m, &r);
	assert_false(r.gpu_known || r.clock_known);
	energy_destroy(m);
}

static void energy_is_read_from_the_counter(void **state)
{
	(void)state;
	check_meter("", false);
}

static void energy_is_integrated_from_power_samples(void **state)
{
	(void)state;
	check_meter("energy", true);
}

static void without_meters_energy_is_unknown(void **state)
{
	struct energy_meter *m;
	struct energy_reading r;
	struct err e;

	(void)state;
	assert_int_equal(energy_create_from(&m, NULL, NULL, 0, "/nonexistent", &e), 0);
	energy_begin(m, ENERGY_ALL);
	clock_sleep(0.001);
	energy_end(m, &r);
	assert_true(r.seconds >= 0.001);
	assert_false(r.gpu_known || r.cpu_known || r.clock_known || energy_clock_low(&r));
	energy_destroy(m);
	assert_int_equal(energy_create(&m, NULL, &e), 0);
	energy_destroy(m);
	energy_destroy(NULL);
}

static void processor_energy_sums_packages_over_a_wrap(void **state)
{
	struct rapl r;
	struct rapl_reading from, to;
	double joules;

	(void)state;
	put("powercap/intel-rapl:0/name", "package-0\n");
	put("powercap/intel-rapl:0/energy_uj", "9000000\n");
	put("powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
	/* psys contains the packages, so it must not be added */
	put("powercap/intel-rapl:1/name", "psys\n");
	put("powercap/intel-rapl:1/energy_uj", "5\n");
	put("powercap/intel-rapl:1/max_energy_range_uj", "10\n");
	put("powercap/intel-rapl:3/name", "package-1\n");
	put("powercap/intel-rapl:3/energy_uj", "100\n");
	put("powercap/intel-rapl:3/max_energy_range_uj", "10000000\n");
	rapl_find(&r, in_folder("powercap"));
	assert_int_equal(r.packages, 2);
	rapl_read(&r, &from);
	/* wrapped: 1 J before the wrap, then 2 J */
	put("powercap/intel-rapl:0/energy_uj", "2000000\n");
	put("powercap/intel-rapl:3/energy_uj", "1500100\n");
	rapl_read(&r, &to);
	assert_true(rapl_joules(&r, &from, &to, &joules));
	assert_true(fabs(joules - 4.5) < 1e-9);
	put("powercap/intel-rapl:3/energy_uj", "damaged\n");
	rapl_read(&r, &to);
	assert_false(rapl_joules(&r, &from, &to, &joules));
	rapl_find(&r, "/nonexistent");
	rapl_read(&r, &to);
	assert_false(rapl_joules(&r, &to, &to, &joules));
}

static void throttle_reasons_are_named(void **state)
{
	char text[64], shorter[8];

	(void)state;
	energy_throttle_text(0, text, sizeof(text));
	assert_string_equal(text, "none");
	energy_throttle_text(0x4 | 0x8, text, sizeof(text));
	assert_string_equal(text, "power cap, hardware slowdown");
	energy_throttle_text(0xff, shorter, sizeof(shorter));
	assert_true(strlen(shorter) < sizeof(shorter));
}

/* The fake is compiled here, because a library that is loaded at run time cannot be part of the
 * test. */
static int make_fake(void **state)
{
	const char *cc = getenv("CC");
	char command[512];

	if (make_folder(state))
		return -1;
	snprintf(command, sizeof(command),
		 "%s -shared -fPIC -o %s/fake.so tests/unit/machine/fake_nvml.c 2>/dev/null",
		 cc && *cc ? cc : "cc", folder);
	have_fake = system(command) == 0;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_nvml_is_not_a_failure),
		cmocka_unit_test(missing_driver_gives_a_reason),
		cmocka_unit_test(figures_are_read_and_missing_functions_reported),
		cmocka_unit_test(links_between_gpus_are_named),
		cmocka_unit_test(energy_of_unused_devices_is_not_counted),
		cmocka_unit_test(energy_is_read_from_the_counter),
		cmocka_unit_test(energy_is_integrated_from_power_samples),
		cmocka_unit_test(without_meters_energy_is_unknown),
		cmocka_unit_test(processor_energy_sums_packages_over_a_wrap),
		cmocka_unit_test(throttle_reasons_are_named),
	};

	return cmocka_run_group_tests_name("energy", tests, make_fake, remove_folder);
}
