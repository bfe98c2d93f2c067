/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/machine/environment.h"

#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/hash.h"
#include "harness/machine/nvml.h"

/* ---- NVIDIA GPUs ---- */

/* What a GPU does not report stays 0 or empty, so the statuses are ignored. */
static void capture_gpu(struct nvml *n, nvml_gpu gpu, struct env_gpu *g)
{
	if (nvml_name(n, gpu, g->name, sizeof(g->name), NULL) != 0)
		snprintf(g->name, sizeof(g->name), "unknown GPU");
	nvml_uuid(n, gpu, g->uuid, sizeof(g->uuid), NULL);
	nvml_vbios(n, gpu, g->vbios, sizeof(g->vbios), NULL);
	nvml_memory(n, gpu, &g->memory_bytes, NULL);
	nvml_clock_mhz(n, gpu, NVML_SM, &g->sm_clock_mhz, NULL);
	nvml_clock_max_mhz(n, gpu, NVML_SM, &g->sm_clock_max_mhz, NULL);
	nvml_clock_mhz(n, gpu, NVML_MEMORY, &g->memory_clock_mhz, NULL);
	nvml_power_limit_mw(n, gpu, &g->power_limit_mw, NULL);
	nvml_pcie(n, gpu, &g->pcie_generation, &g->pcie_width, NULL);
	nvml_persistence(n, gpu, &g->persistence, NULL);
	g->ecc_known = nvml_ecc(n, gpu, &g->ecc, NULL) == 0;
}

static void capture_links(struct nvml *n, const nvml_gpu *gpus, struct environment *env)
{
	for (int i = 0; i < env->gpu_count; i++)
		for (int j = 0; j < env->gpu_count; j++) {
			char *link = env->gpus[i].link[j];
			size_t size = sizeof(env->gpus[i].link[j]);

			if (i == j)
				snprintf(link, size, "self");
			else if (nvml_link(n, gpus[i], gpus[j], link, size, NULL) != 0)
				snprintf(link, size, "?");
		}
}

static void capture_nvidia_gpus(struct environment *env)
{
	nvml_gpu handles[ENV_GPUS];
	struct nvml *n;
	int count = 0;

	if (nvml_open(&n, NULL) != 0)
		return;
	nvml_driver(n, env->gpu_driver, sizeof(env->gpu_driver), NULL);
	nvml_cuda_version(n, &env->cuda_driver_version, NULL);
	if (nvml_count(n, &count, NULL) != 0)
		count = 0;
	for (int i = 0; i < count && env->gpu_count < ENV_GPUS; i++) {
		if (nvml_by_index(n, i, &handles[env->gpu_count], NULL) != 0)
			continue; /* exists, but not accessible to this user */
		capture_gpu(n, handles[env->gpu_count], &env->gpus[env->gpu_count]);
		env->gpu_count++;
	}
	capture_links(n, handles, env);
	nvml_close(n);
}

enum { PATH_SIZE = 512, LINE_SIZE = 4096 };

static FILE *open_part(const char *root, const char *format, va_list args)
{
	char path[PATH_SIZE];
	int used = snprintf(path, sizeof(path), "%s", root);

	if (used < 0 || (size_t)used >= sizeof(path))
		return NULL;
	vsnprintf(path + used, sizeof(path) - (size_t)used, format, args);
	return fopen(path, "re");
}

/* Reads the first line of a file below root, without its end; false if there is none. */
__attribute__((format(printf, 4, 5))) static bool read_line(const char *root, char *line,
							    size_t size, const char *format, ...)
{
	va_list args;
	FILE *f;
	bool found;

	va_start(args, format);
	f = open_part(root, format, args);
	va_end(args);
	line[0] = '\0';
	if (!f)
		return false;
	found = fgets(line, (int)size, f) != NULL;
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return found;
}

/* "key : value" or "key=value" with the key at the line's start: the value, or NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return NULL;
	line += length;
	while (*line == ' ' || *line == '\t')
		line++;
	if (*line != ':' && *line != '=')
		return NULL;
	line++;
	while (*line == ' ' || *line == '\t' || *line == '"')
		line++;
	return line;
}

static void copy_text(char *out, size_t size, const char *text)
{
	size_t length = strcspn(text, "\"\n");

	snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), text);
}

/* Adds the vector extensions that affect the speed of our code. */
static void read_flags(struct environment *env, const char *flags)
{
	static const char *const wanted[] = {
		"sse4_2",   "popcnt",  "avx",      "avx2",     "fma",
		"bmi2",     "avx512f", "avx512bw", "avx512vl", "avx512_vpopcntdq",
		"amx_int8", "asimd",   "sve",      "sve2"
	};
	char padded[LINE_SIZE + 2], word[32];
	size_t used = 0;

	snprintf(padded, sizeof(padded), " %.*s ", (int)strcspn(flags, "\n"), flags);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		snprintf(word, sizeof(word), " %s ", wanted[i]);
		if (!strstr(padded, word) || used + strlen(word) >= sizeof(env->cpu_flags))
			continue;
		used += (size_t)snprintf(env->cpu_flags + used, sizeof(env->cpu_flags) - used,
					 "%s%s", used ? " " : "", wanted[i]);
	}
	env->virtual_machine = strstr(padded, " hypervisor ") != NULL;
}

__attribute__((format(printf, 2, 3))) static FILE *open_under(const char *root, const char *format,
							      ...)
{
	va_list args;
	FILE *f;

	va_start(args, format);
	f = open_part(root, format, args);
	va_end(args);
	return f;
}

static void read_cpuinfo(struct environment *env, const char *root)
{
	FILE *f = open_under(root, "/proc/cpuinfo");
	char line[LINE_SIZE];
	const char *value;

	while (f && fgets(line, sizeof(line), f)) {
		if (value_of(line, "processor"))
			env->cpus++;
		value = value_of(line, "model name");
		if (value && !env->cpu_model[0])
			copy_text(env->cpu_model, sizeof(env->cpu_model), value);
		value = value_of(line, "cpu MHz");
		if (value && strtod(value, NULL) > env->cpu_mhz)
			env->cpu_mhz = strtod(value, NULL);
		value = value_of(line, "flags");
		if (!value)
			value = value_of(line, "Features");
		if (value && !env->cpu_flags[0])
			read_flags(env, value);
	}
	if (f)
		fclose(f);
}

static int read_number(const char *root, int cpu, const char *what)
{
	char line[64];

	if (!read_line(root, line, sizeof(line), "/sys/devices/system/cpu/cpu%d/%s", cpu, what))
		return -1;
	return atoi(line);
}

/* Physical cores and sockets: distinct (package, core) pairs and packages. */
static void read_topology(struct environment *env, const char *root)
{
	enum { MOST = 4096 };
	static const char package_file[] = "topology/physical_package_id";
	int(*seen)[2] = calloc(MOST, sizeof(*seen));
	int cores = 0, sockets = 0;

	for (int cpu = 0; seen && cpu < env->cpus && cpu < MOST; cpu++) {
		int package = read_number(root, cpu, package_file);
		int core = read_number(root, cpu, "topology/core_id");
		bool new_core = core >= 0, new_socket = package >= 0;

		for (int i = 0; i < cores; i++) {
			new_core &= seen[i][0] != package || seen[i][1] != core;
			new_socket &= seen[i][0] != package;
		}
		sockets += new_socket;
		if (new_core) {
			seen[cores][0] = package;
			seen[cores++][1] = core;
		}
	}
	free(seen);
	env->cores = cores ? cores : env->cpus;
	env->sockets = sockets ? sockets : 1;
	for (env->numa_nodes = 0; env->numa_nodes < 1024; env->numa_nodes++) {
		char line[64];

		if (!read_line(root, line, sizeof(line), "/sys/devices/system/node/node%d/cpulist",
			       env->numa_nodes))
			break;
	}
	env->numa_nodes += env->numa_nodes == 0;
}

/* Processors in a mask like "00000003,ffffffff". */
static int bits_of(const char *mask)
{
	int bits = 0;

	for (; *mask; mask++)
		if (isxdigit((unsigned char)*mask))
			bits += __builtin_popcount((unsigned)(isdigit((unsigned char)*mask) ?
								      *mask - '0' :
								      (*mask | 32) - 'a' + 10));
	return bits;
}

static void read_caches(struct environment *env, const char *root)
{
	static const char folder[] = "/sys/devices/system/cpu/cpu0/cache/index";
	char line[256];

	for (int i = 0; i < ENV_CACHES; i++) {
		struct env_cache *c = &env->caches[i];
		char *unit;

		if (!read_line(root, line, sizeof(line), "%s%d/type", folder, i))
			break;
		copy_text(c->type, sizeof(c->type), line);
		read_line(root, line, sizeof(line), "%s%d/level", folder, i);
		c->level = atoi(line);
		read_line(root, line, sizeof(line), "%s%d/size", folder, i);
		c->bytes = strtol(line, &unit, 10);
		c->bytes *= *unit == 'K' ? 1 << 10 : *unit == 'M' ? 1 << 20 : 1;
		read_line(root, line, sizeof(line), "%s%d/shared_cpu_map", folder, i);
		c->sharing = bits_of(line);
		env->cache_count++;
	}
}

/* Number of processors that the cgroup quota allows, at most `most`. */
static int quota(const char *root, int most)
{
	char line[64];
	double limit = 0, period = 0;

	if (read_line(root, line, sizeof(line), "/sys/fs/cgroup/cpu.max")) {
		if (sscanf(line, "%lf %lf", &limit, &period) != 2)
			return most; /* "max" */
	} else if (read_line(root, line, sizeof(line), "/sys/fs/cgroup/cpu/cpu.cfs_quota_us")) {
		limit = atof(line);
		read_line(root, line, sizeof(line), "/sys/fs/cgroup/cpu/cpu.cfs_period_us");
		period = atof(line);
	}
	if (!(limit > 0 && period > 0) || limit / period >= most)
		return most;
	return (int)ceil(limit / period);
}

static int usable_cpus(const char *root, int cpus)
{
	cpu_set_t set;
	int allowed = cpus;

	if (!*root && sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		allowed = CPU_COUNT(&set);
	return quota(root, allowed);
}

int env_usable_cpus(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return usable_cpus("", online > 0 ? (int)online : 1);
}

static void read_clocks(struct environment *env, const char *root)
{
	int khz = read_number(root, 0, "cpufreq/cpuinfo_max_freq");

	if (khz > 0)
		env->cpu_mhz = khz / 1000.0;
	if (!read_line(root, env->governor, sizeof(env->governor),
		       "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
		snprintf(env->governor, sizeof(env->governor), "unknown");
	else
		env->cpu_scaling = strcmp(env->governor, "performance") != 0;
}

static void read_memory(struct environment *env, const char *root)
{
	FILE *f = open_under(root, "/proc/meminfo");
	char line[256];
	const char *value;

	while (f && fgets(line, sizeof(line), f)) {
		value = value_of(line, "MemTotal");
		if (value)
			env->memory_total = strtoll(value, NULL, 10) * 1024;
		value = value_of(line, "MemAvailable");
		if (value)
			env->memory_available = strtoll(value, NULL, 10) * 1024;
	}
	if (f)
		fclose(f);
}

static void read_load(struct environment *env, const char *root)
{
	char line[128];

	if (!read_line(root, line, sizeof(line), "/proc/loadavg") ||
	    sscanf(line, "%lf %lf %lf", &env->load[0], &env->load[1], &env->load[2]) != 3)
		env->load[0] = env->load[1] = env->load[2] = 0;
}

static void read_system(struct environment *env, const char *root)
{
	FILE *f = open_under(root, "/etc/os-release");
	struct utsname u;
	char line[256];
	const char *value;

	if (uname(&u) == 0)
		snprintf(env->kernel, sizeof(env->kernel), "%.50s %.50s %.50s", u.sysname,
			 u.release, u.machine);
	while (f && fgets(line, sizeof(line), f)) {
		value = value_of(line, "PRETTY_NAME");
		if (value)
			copy_text(env->distribution, sizeof(env->distribution), value);
	}
	if (f)
		fclose(f);
	if (!env->distribution[0])
		snprintf(env->distribution, sizeof(env->distribution), "unknown");
	if (!env->cpu_model[0]) /* Arm's /proc/cpuinfo has numbers only */
		snprintf(env->cpu_model, sizeof(env->cpu_model), "%.60s",
			 uname(&u) == 0 ? u.machine : "unknown");
}

/* ---- AMD GPUs: the kernel driver's topology, a folder for each node ---- */

enum { KFD_NODES = 64, KFD_BANKS = 8 };

/* The number after the key in a file of lines "key number"; 0 if there is none. */
__attribute__((format(printf, 3, 4))) static long long kfd_number(const char *root, const char *key,
								  const char *format, ...)
{
	char line[LINE_SIZE];
	size_t length = strlen(key);
	long long value = 0;
	va_list args;
	FILE *f;

	va_start(args, format);
	f = open_part(root, format, args);
	va_end(args);
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			value = strtoll(line + length, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

void env_capture_amd_gpus(struct environment *env, const char *root)
{
	static const char node[] = "/sys/class/kfd/kfd/topology/nodes";

	for (int i = 0; i < KFD_NODES && env->gpu_count < ENV_GPUS; i++) {
		struct env_gpu *g = &env->gpus[env->gpu_count];
		int target =
			(int)kfd_number(root, "gfx_target_version", "%s/%d/properties", node, i);
		int minor = (int)kfd_number(root, "drm_render_minor", "%s/%d/properties", node, i);

		if (kfd_number(root, "simd_count", "%s/%d/properties", node, i) <= 0)
			continue;
		if (!read_line(root, g->name, sizeof(g->name),
			       "/sys/class/drm/renderD%d/device/product_name", minor) ||
		    !g->name[0])
			snprintf(g->name, sizeof(g->name), "AMD gfx%d%x%x", target / 10000,
				 (unsigned)(target / 100 % 100), (unsigned)(target % 100));
		g->sm_clock_max_mhz = (int)kfd_number(root, "max_engine_clk_fcompute",
						      "%s/%d/properties", node, i);
		for (int bank = 0; bank < KFD_BANKS; bank++)
			g->memory_bytes +=
				kfd_number(root, "size_in_bytes", "%s/%d/mem_banks/%d/properties",
					   node, i, bank);
		env->gpu_count++;
	}
	if (env->gpu_count > 0)
		read_line(root, env->gpu_driver, sizeof(env->gpu_driver),
			  "/sys/module/amdgpu/version");
}

static void hash_host(struct environment *env, const char *root)
{
	char name[256] = "", id[128];
	uint64_t h;

	if (gethostname(name, sizeof(name) - 1) != 0)
		name[0] = '\0';
	read_line(root, id, sizeof(id), "/etc/machine-id");
	h = hash_text(hash_text(HASH_INIT, name), id);
	snprintf(env->host_hash, sizeof(env->host_hash), "%016llx", (unsigned long long)h);
}

void env_slug(const char *text, char *slug, size_t size)
{
	size_t used = 0;

	for (; *text && used + 1 < size; text++) {
		unsigned char c = (unsigned char)*text;

		/* plain ASCII, whatever the locale */
		if (c >= 'A' && c <= 'Z')
			c = (unsigned char)(c + 32);
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			slug[used++] = (char)c;
		else if (used > 0 && slug[used - 1] != '-')
			slug[used++] = '-';
	}
	while (used > 0 && slug[used - 1] == '-')
		used--;
	slug[used] = '\0';
}

/* Removes "(R)", "(TM)" and "CPU @ 2.40GHz" from a processor's name. */
static void plain_cpu_name(const char *model, char *out, size_t size)
{
	static const char *const noise[] = { "(R)", "(TM)", "(tm)", " CPU", " Processor" };
	char *at;

	copy_text(out, size, model);
	at = strchr(out, '@');
	if (at)
		*at = '\0';
	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++)
		while ((at = strstr(out, noise[i])) != NULL)
			memmove(at, at + strlen(noise[i]), strlen(at + strlen(noise[i])) + 1);
}

void env_machine_slug(const char *cpu_model, int cores, const char *gpu_name, int gpus, char *slug,
		      size_t size)
{
	char name[ENV_TEXT];

	if (gpus > 0) {
		if (strncmp(gpu_name, "NVIDIA ", 7) == 0)
			gpu_name += 7;
		else if (strncmp(gpu_name, "AMD ", 4) == 0)
			gpu_name += 4;
		env_slug(gpu_name, name, sizeof(name));
		snprintf(slug, size, "%.40s-x%d", name[0] ? name : "gpu", gpus);
		return;
	}
	plain_cpu_name(cpu_model, slug, size);
	env_slug(slug, name, sizeof(name));
	snprintf(slug, size, "%.40s-%dc", name[0] ? name : "cpu", cores);
}

static void name_machine(struct environment *env)
{
	env_machine_slug(env->cpu_model, env->cores, env->gpus[0].name, env->gpu_count,
			 env->machine, sizeof(env->machine));
}

void env_capture_from(struct environment *env, const char *root)
{
	int persona;

	memset(env, 0, sizeof(*env));
	read_cpuinfo(env, root);
	if (env->cpus == 0) {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		env->cpus = online > 0 ? (int)online : 1;
	}
	read_topology(env, root);
	read_caches(env, root);
	env->cpus_usable = usable_cpus(root, env->cpus);
	if (env->cores > env->cpus_usable)
		env->cores = env->cpus_usable;
	read_clocks(env, root);
	read_memory(env, root);
	read_load(env, root);
	read_system(env, root);
	hash_host(env, root);
	persona = personality(0xffffffff);
	env->aslr = persona != -1 && !(persona & ADDR_NO_RANDOMIZE);
	name_machine(env);
}

void env_capture(struct environment *env)
{
	const char *given = getenv("COPRA_MACHINE");

	env_capture_from(env, "");
	capture_nvidia_gpus(env);
	if (COPRA_HAVE_HIP && env->gpu_count == 0) /* as --device=auto chooses */
		env_capture_amd_gpus(env, "");
	name_machine(env);
	if (given && *given)
		env_slug(given, env->machine, sizeof(env->machine));
}

void env_results_folder(const struct environment *env, char *path, size_t size)
{
	const char *results = getenv("COPRA_RESULTS");

	snprintf(path, size, "%s/%s", results && *results ? results : "results/local",
		 env->machine);
}

/* ---- the context of result files ---- */

void env_date(char text[ENV_DATE])
{
	time_t now = time(NULL);
	struct tm local;
	char zone[16] = "";

	text[0] = '\0';
	if (localtime_r(&now, &local) && strftime(text, ENV_DATE, "%Y-%m-%dT%H:%M:%S", &local) &&
	    strftime(zone, sizeof(zone), "%z", &local) == 5)
		snprintf(text + strlen(text), ENV_DATE - strlen(text), "%.3s:%.2s", zone, zone + 3);
}

static void write_date(struct json_writer *w)
{
	char text[ENV_DATE];

	env_date(text);
	jw_string(w, "date", text);
}

static void write_caches(const struct environment *env, struct json_writer *w)
{
	jw_begin_array(w, "caches");
	for (int i = 0; i < env->cache_count; i++) {
		const struct env_cache *c = &env->caches[i];

		jw_begin_object(w, NULL);
		jw_string(w, "type", c->type);
		jw_int(w, "level", c->level);
		jw_int(w, "size", c->bytes);
		jw_int(w, "num_sharing", c->sharing);
		jw_end_object(w);
	}
	jw_end_array(w);
}

void env_write_standard(const struct environment *env, const char *executable,
			struct json_writer *w)
{
	write_date(w);
	jw_string(w, "host_name", env->host_hash);
	jw_string(w, "executable", executable);
	jw_int(w, "num_cpus", env->cpus);
	jw_int(w, "mhz_per_cpu", (int64_t)(env->cpu_mhz + 0.5));
	jw_bool(w, "cpu_scaling_enabled", env->cpu_scaling);
	jw_bool(w, "aslr_enabled", env->aslr);
	write_caches(env, w);
	jw_begin_array(w, "load_avg");
	for (int i = 0; i < 3; i++)
		jw_double(w, NULL, env->load[i]);
	jw_end_array(w);
	jw_string(w, "library_build_type", build_info()->optimised ? "release" : "debug");
}

static void write_build(struct json_writer *w)
{
	const struct build_info *b = build_info();
	char hash[20];

	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)build_hash());
	jw_string(w, "copra_revision", b->revision);
	jw_int(w, "copra_dirty", b->dirty);
	jw_string(w, "copra_build", hash);
	jw_string(w, "compiler", b->compiler);
	jw_string(w, "compiler_flags", b->flags);
	jw_string(w, "nvcc", b->nvcc);
	jw_string(w, "nvcc_flags", b->nvcc_flags);
	jw_string(w, "sanitizer", b->sanitizer);
}

static void write_processor(const struct environment *env, struct json_writer *w)
{
	jw_string(w, "cpu_model", env->cpu_model);
	jw_string(w, "cpu_flags", env->cpu_flags);
	jw_int(w, "cpu_cores", env->cores);
	jw_int(w, "cpus_usable", env->cpus_usable);
	jw_int(w, "cpu_sockets", env->sockets);
	jw_int(w, "numa_nodes", env->numa_nodes);
	jw_string(w, "cpu_governor", env->governor);
	jw_int(w, "virtual_machine", env->virtual_machine);
	jw_int(w, "memory_total", env->memory_total);
	jw_int(w, "memory_available", env->memory_available);
	jw_string(w, "kernel", env->kernel);
	jw_string(w, "distribution", env->distribution);
}

/* The key of one GPU's member: gpu_<index>_<name>. */
static const char *gpu_key(char *key, size_t size, int index, const char *name)
{
	snprintf(key, size, "gpu_%d_%s", index, name);
	return key;
}

static void write_gpu(const struct environment *env, int i, struct json_writer *w)
{
	const struct env_gpu *g = &env->gpus[i];
	char key[48], links[ENV_GPUS * 9] = "";
	size_t used = 0;

#define GPU_KEY(name) gpu_key(key, sizeof(key), i, name)
	jw_string(w, GPU_KEY("name"), g->name);
	jw_string(w, GPU_KEY("uuid"), g->uuid);
	jw_string(w, GPU_KEY("vbios"), g->vbios);
	jw_int(w, GPU_KEY("memory"), g->memory_bytes);
	jw_int(w, GPU_KEY("sm_clock_mhz"), g->sm_clock_mhz);
	jw_int(w, GPU_KEY("sm_clock_max_mhz"), g->sm_clock_max_mhz);
	jw_int(w, GPU_KEY("memory_clock_mhz"), g->memory_clock_mhz);
	jw_double(w, GPU_KEY("power_limit_watts"), g->power_limit_mw / 1000.0);
	jw_string(w, GPU_KEY("ecc"), !g->ecc_known ? "unknown" : g->ecc ? "on" : "off");
	jw_string(w, GPU_KEY("persistence"), g->persistence ? "on" : "off");
	jw_int(w, GPU_KEY("pcie_generation"), g->pcie_generation);
	jw_int(w, GPU_KEY("pcie_width"), g->pcie_width);
	for (int j = 0; j < env->gpu_count; j++)
		used += (size_t)snprintf(links + used, sizeof(links) - used, "%s%.7s", j ? " " : "",
					 g->link[j]);
	jw_string(w, GPU_KEY("links"), links);
#undef GPU_KEY
}

void env_write_extra(const struct environment *env, struct json_writer *w)
{
	char version[32];

	jw_string(w, "copra_machine", env->machine);
	write_build(w);
	write_processor(env, w);
	jw_int(w, "gpu_count", env->gpu_count);
	if (env->gpu_count == 0)
		return;
	snprintf(version, sizeof(version), "%d.%d", env->cuda_driver_version / 1000,
		 env->cuda_driver_version % 1000 / 10);
	jw_string(w, "gpu_driver", env->gpu_driver);
	jw_string(w, "cuda_driver", version);
	for (int i = 0; i < env->gpu_count; i++)
		write_gpu(env, i, w);
}
