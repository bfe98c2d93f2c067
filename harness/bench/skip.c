#include "harness/bench/skip.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *unit;
} reasons[SKIP_REASONS] = {
	[SKIP_UNSUPPORTED] = { "unsupported", NULL },
	[SKIP_NEEDS_GPUS] = { "needs_gpus", "GPUs" },
	[SKIP_NEEDS_MEMORY] = { "needs_memory", "bytes" },
	[SKIP_TOO_LONG] = { "too_long", "s" },
	[SKIP_TAKES_HOURS] = { "takes_hours", "s" },
	[SKIP_TOO_LARGE_TO_SIMULATE] = { "too_large_to_simulate", NULL },
	[SKIP_SIMULATED] = { "simulated", NULL },
	[SKIP_FEWER_GPUS] = { "fewer_gpus", "GPUs" },
	[SKIP_DEVICE] = { "device", NULL },
	[SKIP_NOT_KEPT] = { "not_kept", NULL },
};

const char *skip_reason_name(enum skip_reason r)
{
	return reasons[r].name;
}

enum skip_reason skip_reason_from(const char *name)
{
	for (int r = 0; r < SKIP_REASONS; r++)
		if (strcmp(name, reasons[r].name) == 0)
			return (enum skip_reason)r;
	return SKIP_UNSUPPORTED;
}

const char *skip_reason_unit(enum skip_reason r)
{
	return reasons[r].unit;
}
