/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Package energy counters of the processor, as reported by Linux powercap. */
#ifndef COPRA_MACHINE_RAPL_H
#define COPRA_MACHINE_RAPL_H

#include <stdbool.h>
#include <stdint.h>

enum { RAPL_PACKAGES = 16 };

struct rapl {
	int packages; /* number of readable counters; 0: energy is unknown */
	char file[RAPL_PACKAGES][256];
	uint64_t range_uj[RAPL_PACKAGES]; /* the counter wraps after this */
};

struct rapl_reading {
	bool valid;
	uint64_t uj[RAPL_PACKAGES];
};

/* Finds <folder>/intel-rapl:<n>, also the name of AMD's counters. Sub-zones belong to a package
 * and are not added. */
void rapl_find(struct rapl *r, const char *folder);
void rapl_read(const struct rapl *r, struct rapl_reading *reading);
/* Joules from one reading to a later one, over at most one wrap; false when unknown. */
bool rapl_joules(const struct rapl *r, const struct rapl_reading *from,
		 const struct rapl_reading *to, double *joules);

#endif
