#include "measured.h"

#include <string.h>

static int common_figures(const struct search_outcome *o, struct ivm_figure *f)
{
	const struct ivm_figure all[] = {
		{ "setup_seconds", o->seconds_setup, true },
		{ "table_seconds", o->seconds_tables, true },
		{ "workers", o->workers, false },
		{ "memory_peak", (double)o->memory_peak, false },
	};

	memcpy(f, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static int published_figures(const struct ivm_outcome *o, struct ivm_figure *f)
{
	const struct ivm_figure all[] = {
		{ "ivms", o->ivms, false },
		{ "mode", o->mode, false },
		{ "trigger", o->trigger > 0 ? (double)o->trigger : 0, false },
		{ "busy", o->busy, false },
		{ "inside_phases", (double)o->inside_phases, false },
		{ "inside_steals", (double)o->inside_steals, false },
		{ "h2h_steals", (double)o->steal_done[IVM_H2H], false },
		{ "d2d_steals", (double)o->steal_done[IVM_D2D], false },
		{ "h2d_steals", (double)o->steal_done[IVM_H2D], false },
		{ "d2h_steals", (double)o->steal_done[IVM_D2H], false },
		{ "expand_seconds", o->seconds_expand, true },
		{ "bound_seconds", o->seconds_bound, true },
		{ "inside_seconds", o->seconds_inside, true },
		{ "wait_seconds", o->seconds_wait, true },
		{ "other_seconds", o->seconds_other, true },
		{ "device_decomposed", (double)o->device_decomposed, false },
		{ "host_decomposed", (double)o->host_decomposed, false },
	};

	memcpy(f, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

int ivm_figures(const struct ivm_outcome *o, bool published,
		     struct ivm_figure figures[IVM_FIGURES])
{
	int count = common_figures(&o->common, figures);

	return published ? count + published_figures(o, figures + count) : count;
}
