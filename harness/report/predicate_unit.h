/* The units of numbers in the evidence. */
#ifndef COPRA_REPORT_PREDICATE_UNIT_H
#define COPRA_REPORT_PREDICATE_UNIT_H

#include "harness/report/predicate.h"

/* Of a counter, by its name: seconds or ..._seconds, joules or ..._joules, bytes, ..._bytes,
 * ..._bytes_... and memory_..., ..._per_second and ..._a_second; any other counts something. "": of
 * the time. */
struct pred_unit unit_of_counter(const char *counter);
/* Of the product (sign 1) or quotient (sign -1). */
struct pred_unit unit_product(struct pred_unit a, struct pred_unit b, int sign);
/* Of numbers that are added or compared; not known where they differ. */
struct pred_unit unit_common(struct pred_unit a, struct pred_unit b);
/* " s", " /s", " B/s"; "" for a plain number and for what is not known. */
const char *unit_text(struct pred_unit u);

#endif
