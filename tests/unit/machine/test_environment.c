/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Environment capture on this machine, on a machine described by files, and without any files. */
#include "harness/base/build.h"
#include "harness/machine/environment.h"

#include <jansson.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/base/host.h"
#include "harness/base/outfile.h"
#include "tests/unit/base/temporary_folder.h"

static void put(const char *path, const char *text)
{
	char full[256];
	struct err e;

	snprintf(full, sizeof(full), "%s%s", folder, path);
	if (outfile_write(full, text, strlen(text), &e) != 0)
		fail_msg("%s", e.text);
}

#define CPU "/sys/devices/system/cpu/cpu"
static void describe_machine(void)
{
	static const char *const core[] = { "0", "1", "0", "1" };
	char path[128];

	put("/proc/cpuinfo", "processor\t: 0\n"
			     "model name\t: Intel(R) Xeon(R) Gold 6430 CPU @ 2.10GHz\n"
			     "cpu MHz\t\t: 800.5\nflags\t\t: fpu avx2 avx512f hypervisor\n\n"
			     "processor\t: 1\nmodel name\t: other\ncpu MHz\t\t: 900.5\n\n"
			     "processor\t: 2\n\nprocessor\t: 3\n");
	for (int i = 0; i < 4; i++) { /* two cores of two threads */
		snprintf(path, sizeof(path), CPU "%d/topology/physical_package_id", i);
		put(path, "0\n");
		snprintf(path, sizeof(path), CPU "%d/topology/core_id", i);
		put(path, core[i]);
	}
	put(CPU "0/cache/index0/type", "Data\n");
	put(CPU "0/cache/index0/level", "1\n");
	put(CPU "0/cache/index0/size", "48K\n");
	put(CPU "0/cache/index0/shared_cpu_map", "00000005\n");
	put(CPU "0/cache/index1/type", "Unified\n");
	put(CPU "0/cache/index1/level", "2\n");
	put(CPU "0/cache/index1/size", "2M\n");
	put(CPU "0/cache/index1/shared_cpu_map", "ffffffff,0000000f\n");
	put(CPU "0/cpufreq/scaling_governor", "powersave\n");
	put(CPU "0/cpufreq/cpuinfo_max_freq", "3400000\n");
	put("/sys/fs/cgroup/cpu.max", "250000 100000\n");
	put("/proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    600 kB\n");
	put("/proc/loadavg", "0.50 1.25 2.00 1/100 1234\n");
	put("/etc/os-release", "NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
}

static void machine_is_read_from_proc_and_sys(void **state)
{
	struct environment env;

	(void)state;
	describe_machine();
	env_capture_from(&env, folder);
	assert_int_equal(env.cpus, 4);
	assert_int_equal(env.cores, 2);
	assert_int_equal(env.sockets, 1);
	assert_int_equal(env.cpus_usable, 3); /* the quota allows 2.5 */
	assert_string_equal(env.machine, "intel-xeon-gold-6430-2c");
	assert_string_equal(env.cpu_flags, "avx2 avx512f");
	assert_true(env.virtual_machine && env.cpu_scaling);
	assert_string_equal(env.governor, "powersave");
	assert_true(env.cpu_mhz == 3400);
	assert_int_equal(env.cache_count, 2);
	assert_int_equal(env.caches[0].bytes, 48 << 10);
	assert_int_equal(env.caches[0].sharing, 2);
	assert_int_equal(env.caches[1].bytes, 2 << 20);
	assert_int_equal(env.caches[1].sharing, 36);
	assert_int_equal(env.memory_total, 1024000);
	assert_int_equal(env.memory_available, 614400);
	assert_true(env.load[1] == 1.25);
	assert_string_equal(env.distribution, "Debian GNU/Linux 12 (bookworm)");
}

static void amd_gpus_are_read_from_the_driver(void **state)
{
	static const char nodes[] = "/sys/class/kfd/kfd/topology/nodes/";
	char path[128];
	struct environment env = { 0 };

	(void)state;
	put("/sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 64\nsimd_count 0\n");
	for (int i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), "%s%d/properties", nodes, i);
		put(path, i == 1 ? "cpu_cores_count 0\nsimd_count 440\nsimd_per_cu 4\n"
				   "gfx_target_version 90010\ndrm_render_minor 128\n"
				   "max_engine_clk_fcompute 1700\n" :
				   "simd_count 120\ngfx_target_version 100300\n"
				   "drm_render_minor 129\n");
		snprintf(path, sizeof(path), "%s%d/mem_banks/0/properties", nodes, i);
		put(path, "heap_type 1\nsize_in_bytes 68702699520\n");
	}
	put("/sys/class/drm/renderD129/device/product_name", "AMD Radeon RX 6900 XT\n");
	put("/sys/module/amdgpu/version", "6.3.6\n");
	env_capture_amd_gpus(&env, folder);
	assert_int_equal(env.gpu_count, 2);
	assert_string_equal(env.gpus[0].name, "AMD gfx90a");
	assert_int_equal(env.gpus[0].sm_clock_max_mhz, 1700);
	assert_int_equal(env.gpus[0].memory_bytes, 68702699520);
	assert_string_equal(env.gpus[1].name, "AMD Radeon RX 6900 XT");
	assert_string_equal(env.gpu_driver, "6.3.6");
	memset(&env, 0, sizeof(env));
	env_capture_amd_gpus(&env, "/nonexistent");
	assert_int_equal(env.gpu_count, 0);
}

static json_t *context_of(const struct environment *env)
{
	struct json_writer w;
	struct err e;
	json_t *root;

	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	env_write_standard(env, "build/bin/target", &w);
	env_write_extra(env, &w);
	jw_end_object(&w);
	if (jw_finish(&w, &e) != 0)
		fail_msg("%s", e.text);
	root = json_loads(w.data, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	jw_destroy(&w);
	return root;
}

static void missing_files_give_unknown(void **state)
{
	struct environment env;
	json_t *context;

	(void)state;
	env_capture_from(&env, "/nonexistent");
	assert_true(env.cpus >= 1 && env.cores >= 1 && env.cpus_usable >= 1);
	assert_true(env.sockets == 1 && env.numa_nodes == 1);
	assert_true(env.machine[0] != '\0');
	context = context_of(&env);
	assert_true(json_is_array(json_object_get(context, "caches"))); /* consumers need it */
	assert_int_equal(json_array_size(json_object_get(context, "caches")), 0);
	json_decref(context);
}

/* The members, with their types, that four consumers of Google Benchmark's JSON read. */
static void context_has_the_members_of_google_benchmark(void **state)
{
	struct environment env;
	json_t *context, *value;
	const char *key, *date;

	(void)state;
	unsetenv("HOME");
	setlocale(LC_ALL, "tr_TR.UTF-8"); /* the Turkish lower-case I is not i */
	env_capture(&env);
	assert_int_equal(env_usable_cpus(), env.cpus_usable);
	context = context_of(&env);
	setlocale(LC_ALL, "C");
	date = json_string_value(json_object_get(context, "date"));
	assert_int_equal(strlen(date), strlen("2026-01-31T12:34:56+01:00"));
	assert_true(date[10] == 'T' && date[22] == ':');
	assert_true(json_integer_value(json_object_get(context, "num_cpus")) >= 1);
	assert_true(json_is_integer(json_object_get(context, "mhz_per_cpu")));
	assert_true(json_is_boolean(json_object_get(context, "cpu_scaling_enabled")));
	assert_true(json_is_array(json_object_get(context, "caches")));
	assert_int_equal(json_array_size(json_object_get(context, "load_avg")), 3);
	assert_string_equal(json_string_value(json_object_get(context, "executable")),
			    "build/bin/target");
	assert_int_equal(strlen(json_string_value(json_object_get(context, "host_name"))), 16);
	json_object_foreach(context, key, value) /* additional members are not nested */
		if (strcmp(key, "caches") != 0 && strcmp(key, "load_avg") != 0)
			assert_false(json_is_object(value) || json_is_array(value));
	assert_true(json_integer_value(json_object_get(context, "memory_total")) > 0);
	json_decref(context);
}

static void host_name_is_not_written(void **state)
{
	struct environment env;
	char name[256] = "";
	json_t *context;
	char *text;

	(void)state;
	assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
	if (strlen(name) < 4)
		skip();
	env_capture(&env);
	context = context_of(&env);
	text = json_dumps(context, 0);
	assert_null(strstr(text, name));
	free(text);
	json_decref(context);
}

static void expect_slug(const char *cpu, int cores, const char *gpu, int gpus, const char *expected)
{
	char slug[64];

	env_machine_slug(cpu, cores, gpu, gpus, slug, sizeof(slug));
	assert_string_equal(slug, expected);
}

static void machine_slugs_name_processor_or_gpus(void **state)
{
	char slug[8];

	(void)state;
	expect_slug("AMD EPYC", 2, "", 0, "amd-epyc-2c");
	expect_slug("Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz", 4, "", 0, "intel-core-i7-8650u-4c");
	expect_slug("AMD EPYC", 2, "NVIDIA H200", 4, "h200-x4");
	expect_slug("AMD EPYC", 2, "NVIDIA A100-SXM4-80GB", 1, "a100-sxm4-80gb-x1");
	expect_slug("AMD EPYC", 2, "AMD gfx90a", 8, "gfx90a-x8");
	expect_slug("AMD EPYC", 2, "Tesla V100/../etc", 1, "tesla-v100-etc-x1");
	expect_slug("", 3, "", 0, "cpu-3c");
	env_slug("--A  very long name--", slug, sizeof(slug));
	assert_string_equal(slug, "a-very");
}

static void copra_machine_names_the_machine(void **state)
{
	struct environment env;
	char path[128];

	(void)state;
	setenv("COPRA_MACHINE", "Node 17/../x", 1);
	env_capture(&env);
	unsetenv("COPRA_MACHINE");
	assert_string_equal(env.machine, "node-17-x");
	unsetenv("COPRA_RESULTS");
	env_results_folder(&env, path, sizeof(path));
	assert_string_equal(path, "results/local/node-17-x");
	setenv("COPRA_RESULTS", "/somewhere", 1);
	env_results_folder(&env, path, sizeof(path));
	unsetenv("COPRA_RESULTS");
	assert_string_equal(path, "/somewhere/node-17-x");
}

static void build_is_recorded(void **state)
{
	const struct build_info *b = build_info();

	(void)state;
	assert_true(strcmp(b->revision, "unknown") == 0 || strlen(b->revision) == 40);
	assert_non_null(strstr(b->flags, "-std=c11"));
	assert_true(strlen(b->compiler) > 3);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	assert_string_not_equal(b->sanitizer, "none");
	assert_false(b->optimised);
#else
	assert_string_equal(b->sanitizer, "none");
#endif
}

static void caches_grow_with_their_level(void **state)
{
	int64_t bytes = 1;

	(void)state;
	assert_int_equal(host_cache_bytes(0, 7), 7);
	assert_int_equal(host_cache_bytes(4, 7), 7);
	/* an unknown size is no larger than that of the level before */
	for (int level = 1; level <= 3; level++) {
		assert_true(host_cache_bytes(level, bytes) >= bytes);
		bytes = host_cache_bytes(level, bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_is_read_from_proc_and_sys),
		cmocka_unit_test(amd_gpus_are_read_from_the_driver),
		cmocka_unit_test(missing_files_give_unknown),
		cmocka_unit_test(context_has_the_members_of_google_benchmark),
		cmocka_unit_test(host_name_is_not_written),
		cmocka_unit_test(machine_slugs_name_processor_or_gpus),
		cmocka_unit_test(copra_machine_names_the_machine),
		cmocka_unit_test(build_is_recorded),
		cmocka_unit_test(caches_grow_with_their_level),
	};

	return cmocka_run_group_tests_name("environment", tests, make_folder, remove_folder);
}
