/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The environment of a measurement: machine, build, load. Captured once at the start of a run and
 * written into the context of every result file.
 *
 * Nothing fails if parts of /proc, /sys or a driver are missing: texts are then "unknown" or empty
 * and numbers 0, so that measuring works in restricted containers too. */
#ifndef COPRA_MACHINE_ENVIRONMENT_H
#define COPRA_MACHINE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/json_writer.h"

enum { ENV_CACHES = 16, ENV_GPUS = 16, ENV_TEXT = 160 };

struct env_cache {
	char type[16]; /* "Data", "Instruction", "Unified" */
	int level;
	int64_t bytes;
	int sharing; /* logical processors that share one such cache */
};

struct env_gpu {
	char name[96];
	char uuid[96];
	char vbios[32];
	int64_t memory_bytes;
	int sm_clock_mhz, sm_clock_max_mhz, memory_clock_mhz; /* current; maximum; current */
	int power_limit_mw;
	int pcie_generation, pcie_width;
	bool ecc, ecc_known;
	bool persistence;
	char link[ENV_GPUS][8]; /* to each GPU: self, NV18, PIX, PXB, PHB, NODE, SYS */
};

struct environment {
	char machine[64];   /* slug: "h200-x4", "amd-epyc-2c"; COPRA_MACHINE replaces it */
	char host_hash[20]; /* 16 hex digits: distinguishes machines without naming them */
	char cpu_model[ENV_TEXT];
	char cpu_flags[ENV_TEXT]; /* the vector extensions that matter: "avx2 avx512f ..." */
	int cpus;                 /* logical processors of the machine */
	int cpus_usable;          /* that this process may use (affinity and cgroup quota) */
	int cores;                /* physical */
	int sockets, numa_nodes;
	double cpu_mhz;   /* maximum, as reported by the system */
	bool cpu_scaling; /* a governor other than "performance" */
	char governor[32];
	bool aslr;
	bool virtual_machine;
	double load[3];
	int64_t memory_total, memory_available; /* bytes */
	int cache_count;
	struct env_cache caches[ENV_CACHES];
	char kernel[ENV_TEXT]; /* "Linux 6.1.0 x86_64" */
	char distribution[ENV_TEXT];

	int gpu_count;
	struct env_gpu gpus[ENV_GPUS];
	char gpu_driver[64];
	int cuda_driver_version; /* 13000: 13.0 */
};

void env_capture(struct environment *env);
/* The member cpus_usable alone, at least 1. env_capture() asks the driver about every GPU, which
 * takes longer than many searches. */
int env_usable_cpus(void);
/* Captures the processor's part from /proc, /sys and /etc below another root ("": this system). For
 * tests. */
void env_capture_from(struct environment *env, const char *root);
/* Adds the AMD GPUs that the kernel driver lists below a root, and the driver's version. A GPU is
 * named by its product, which not all report, or by the compiler's target, as "AMD gfx90a".
 * env_capture calls it in programs that are built for HIP, if there is no NVIDIA GPU. */
void env_capture_amd_gpus(struct environment *env, const char *root);

/* The time now as Google Benchmark writes it: 2026-01-31T12:34:56+01:00. */
enum { ENV_DATE = 40 };
void env_date(char text[ENV_DATE]);

/* Members of Google Benchmark's context, in its order: host_name (the hash), executable (given),
 * num_cpus, mhz_per_cpu, cpu_scaling_enabled, aslr_enabled, caches (always an array), load_avg,
 * library_build_type. The writer stands inside the context object. `date` is written too, in Google
 * Benchmark's format, from the clock at the call. */
void env_write_standard(const struct environment *env, const char *executable,
			struct json_writer *w);
/* Additional members, not nested: copra_machine, copra_revision, copra_dirty, copra_build,
 * cpu_model, gpu_0_name, gpu_0_..., cuda_driver, ... Strings and numbers only. */
void env_write_extra(const struct environment *env, struct json_writer *w);

/* Slug of a text: lower-case letters and digits; every run of other characters becomes one '-'. For
 * tests and file names. */
void env_slug(const char *text, char *slug, size_t size);
/* The slug of a machine from its parts; with gpus == 0 it names the processor. */
void env_machine_slug(const char *cpu_model, int cores, const char *gpu_name, int gpus, char *slug,
		      size_t size);

/* results/local/<machine>/, or COPRA_RESULTS/<machine>/ when that is set. */
void env_results_folder(const struct environment *env, char *path, size_t size);

#endif
