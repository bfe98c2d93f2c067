#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/base/build.h"
#include "harness/machine/environment.h"

/* 2026-01-31T12:34:56+01:00, as Google Benchmark writes it. */
static void write_date(struct json_writer *w)
{
	time_t now = time(NULL);
	struct tm local;
	char text[40] = "", zone[16] = "";

	if (localtime_r(&now, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &local) &&
	    strftime(zone, sizeof(zone), "%z", &local) == 5)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.3s:%.2s", zone,
			 zone + 3);
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
