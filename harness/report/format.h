/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Formats numbers for tables. The output is cut to `size` bytes. */
#ifndef COPRA_REPORT_FORMAT_H
#define COPRA_REPORT_FORMAT_H

#include <stddef.h>

enum format {
	FORMAT_SECONDS, /* "12.9 s", "8.41 ms" */
	FORMAT_FACTOR,  /* "14.7" */
	FORMAT_RATE,    /* "2.1 T/s" */
	FORMAT_PERCENT, /* 0.052: "5.2 %" */
	FORMAT_JOULES,  /* "1.53 kJ" */
	FORMAT_BYTES,   /* "3.00 GiB" */
	FORMAT_COUNT,   /* rounded to a whole number: "10,000" */
	FORMAT_FLAG,    /* "yes", "no" */
	FORMAT_PLAIN,   /* all digits: "12.86" */
	FORMAT_NAMED,
	/* formats without a name in tables.csv */
	FORMAT_SECONDS_FINE =
		FORMAT_NAMED, /* four significant digits, for comparisons: "11.31 ms" */
	FORMAT_GROUPED,       /* whole numbers with thousands separators, others as they are */
	FORMAT_UNKNOWN
};

/* The names in tables.csv: seconds, factor, rate, ... */
extern const char *const format_names[FORMAT_NAMED];
/* The format with this name in tables.csv, or FORMAT_UNKNOWN. */
enum format format_by_name(const char *name);

/* Formats a value, with three significant digits unless the format says otherwise. */
void format_number(char *out, size_t size, enum format format, double value);
/* Formats 12.4e9 with the unit "B/s" as "12.4 GB/s". The unit "s" gives "12.9 s" or "8.41 ms". */
void format_unit(char *out, size_t size, double value, const char *unit);

#endif
