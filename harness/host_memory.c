#include "host_memory.h"

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

int host_memory_check(double bytes, const char *what, struct err *e)
{
	int64_t available = host_memory_available();

	if (bytes <= (double)available)
		return 0;
	return err_set(e, ERR_MEMORY, "%s needs %.4g bytes, %" PRId64 " are available", what, bytes,
		       available);
}
