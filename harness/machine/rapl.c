/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/machine/rapl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool read_u64(const char *path, uint64_t *value)
{
	FILE *f = fopen(path, "re");
	bool found;

	if (!f)
		return false;
	found = fscanf(f, "%" SCNu64, value) == 1;
	fclose(f);
	return found;
}

void rapl_find(struct rapl *r, const char *folder)
{
	memset(r, 0, sizeof(*r));
	for (int i = 0; i < RAPL_PACKAGES; i++) {
		char *file = r->file[r->packages], range[256], name[256], kind[32] = "";
		uint64_t now;
		FILE *f;

		snprintf(name, sizeof(name), "%.200s/intel-rapl:%d/name", folder, i);
		f = fopen(name, "re");
		if (!f)
			continue;
		if (fscanf(f, "%31s", kind) != 1)
			kind[0] = '\0';
		fclose(f);
		snprintf(file, sizeof(r->file[0]), "%.200s/intel-rapl:%d/energy_uj", folder, i);
		snprintf(range, sizeof(range), "%.200s/intel-rapl:%d/max_energy_range_uj", folder,
			 i);
		if (strncmp(kind, "package", 7) == 0 && read_u64(file, &now) &&
		    read_u64(range, &r->range_uj[r->packages]))
			r->packages++;
	}
}

void rapl_read(const struct rapl *r, struct rapl_reading *reading)
{
	reading->valid = r->packages > 0;
	for (int i = 0; i < r->packages; i++)
		reading->valid &= read_u64(r->file[i], &reading->uj[i]);
}

bool rapl_joules(const struct rapl *r, const struct rapl_reading *from,
		 const struct rapl_reading *to, double *joules)
{
	*joules = 0;
	if (!from->valid || !to->valid)
		return false;
	for (int i = 0; i < r->packages; i++) {
		uint64_t a = from->uj[i], b = to->uj[i];

		*joules += 1e-6 * (double)(b >= a ? b - a : r->range_uj[i] - a + b);
	}
	return true;
}
