/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"

/* The number after `name`, as in "MemAvailable: 1024 kB", in a file of /proc; -1 without it. */
static int64_t kilobytes(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	const size_t length = strlen(name);
	int64_t number = -1;
	char line[128];

	while (f && number < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, length) && sscanf(line + length, "%" SCNd64, &number) != 1)
			number = -1;
	if (f)
		fclose(f);
	return number;
}

static int64_t look_at_memory(void)
{
	int64_t available = kilobytes("/proc/meminfo", "MemAvailable:");

	if (available >= 0)
		return available * 1024;
	return (int64_t)sysconf(_SC_AVPHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
}

/* A look takes 10 us. Searches of a few hundred us ask before each of dozens of buffers. */
int64_t host_memory_available(void)
{
	static _Atomic double looked = -1;
	static _Atomic int64_t bytes;
	double now = clock_wall(), last = atomic_load(&looked);

	if (now < last || now > last + 0.01) {
		atomic_store(&bytes, look_at_memory());
		atomic_store(&looked, now);
	}
	return atomic_load(&bytes);
}

uint64_t host_memory_peak(void)
{
	int64_t peak = kilobytes("/proc/self/status", "VmHWM:");

	return peak < 0 ? 0 : 1024 * (uint64_t)peak;
}

bool host_memory_restart(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, "5", 1) == 1; /* proc(5): resets VmHWM only */

	if (fd >= 0)
		close(fd);
	return done;
}

int64_t host_cache_bytes(int level, int64_t otherwise)
{
	static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
				     _SC_LEVEL3_CACHE_SIZE };
	long bytes = level >= 1 && level <= 3 ? sysconf(names[level - 1]) : 0;

	return bytes > 0 ? bytes : otherwise;
}

int host_memory_check(double bytes, const char *what, struct err *e)
{
	int64_t available = host_memory_available();

	if (bytes <= (double)available)
		return 0;
	return err_set(e, ERR_MEMORY, "%s needs %.4g bytes, %" PRId64 " are available", what, bytes,
		       available);
}

void host_streams_guard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
			/* gets the lowest free descriptor, which is fd; opened in the wrong
			 * direction on purpose */
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int host_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The number in the first of the variables that is set; 0: none is. */
static int first_number(const char *const *variables, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = getenv(variables[i]);

		if (text && *text)
			return atoi(text);
	}
	return 0;
}

int host_rank(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
						 "SLURM_PROCID" };

	return first_number(variables, sizeof(variables) / sizeof(variables[0]));
}

int host_ranks(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
						 "SLURM_STEP_NUM_TASKS" };

	return first_number(variables, sizeof(variables) / sizeof(variables[0]));
}
