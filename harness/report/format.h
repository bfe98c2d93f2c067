/* Numbers formatted for a reader. */
#ifndef COPRA_REPORT_FORMAT_H
#define COPRA_REPORT_FORMAT_H

#include <stddef.h>

enum { FORMAT_UNKNOWN = -1 };

/* The format with this name in tables.csv (seconds, factor, rate, percent, joules, bytes, count,
 * flag, plain), or FORMAT_UNKNOWN. */
int format_by_name(const char *name);
const char *format_name(int format);
/* Three significant digits, or all of them for plain: "12.9 s", "8.41 ms", "14.7", "2.1 T/s", "5.2
 * %", "yes". */
void format_number(char *out, size_t size, int format, double value);

/* "12.4 GB/s" for 12.4e9 and the unit "B/s". The unit "s" gives seconds as above. */
void format_unit(char *out, size_t size, double value, const char *unit);
/* Four significant digits, "11.31 ms": for times whose ratio is of interest. */
void format_seconds_fine(char *out, size_t size, double value);
/* "10,000": a whole number gets separators between thousands. */
void format_grouped(char *out, size_t size, double value);

#endif
