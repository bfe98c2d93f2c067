/* Numbers as a reader wants them. */
#ifndef COPRA_REPORT_FORMAT_H
#define COPRA_REPORT_FORMAT_H

#include <stddef.h>

enum { FORMAT_UNKNOWN = -1 };

/* By its name in tables.csv: seconds, factor, rate, percent, joules, bytes, count, flag. */
int format_by_name(const char *name);
/* "12.9 s", "8.41 ms", "14.7", "2.1 T/s", "5.2 %", "yes". Three significant digits. */
void format_number(char *out, size_t size, int format, double value);

#endif
