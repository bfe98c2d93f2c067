/* Formats numbers for tables. The output is cut to `size` bytes. */
#ifndef COPRA_REPORT_FORMAT_H
#define COPRA_REPORT_FORMAT_H

#include <stddef.h>

enum { FORMAT_UNKNOWN = -1 };

/* The format with this name in tables.csv (seconds, factor, rate, percent, joules, bytes, count,
 * flag, plain), or FORMAT_UNKNOWN. */
int format_by_name(const char *name);
/* The name of a format. */
const char *format_name(int format);
/* Formats a value with three significant digits, or with all digits for `plain`: "12.9 s", "8.41
 * ms", "14.7", "2.1 T/s", "5.2 %", "yes". */
void format_number(char *out, size_t size, int format, double value);

/* Formats 12.4e9 with the unit "B/s" as "12.4 GB/s". The unit "s" gives "12.9 s" or "8.41 ms". */
void format_unit(char *out, size_t size, double value, const char *unit);
/* Formats seconds with four significant digits, "11.31 ms", for times that are compared. */
void format_seconds_fine(char *out, size_t size, double value);
/* Formats a whole number with thousands separators: "10,000". */
void format_grouped(char *out, size_t size, double value);

#endif
