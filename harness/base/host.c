#include "harness/base/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int64_t host_memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	int64_t kilobytes = -1;
	char line[128];

	while (f && kilobytes < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemAvailable: %" SCNd64, &kilobytes) != 1)
			kilobytes = -1;
	}
	if (f)
		fclose(f);
	if (kilobytes >= 0)
		return kilobytes * 1024;
	return (int64_t)sysconf(_SC_AVPHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
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
			/* takes the lowest free number, which is fd; the wrong direction */
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int host_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}
