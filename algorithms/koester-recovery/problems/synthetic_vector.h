/* Products of rows with a matrix by the vectors of the processor; bit for bit those of
 * track_synthetic_product. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SYNTHETIC_VECTOR_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SYNTHETIC_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* x <- x w, `times` times; x is rows x columns, w columns x columns, row by row without gaps.
 * False, and nothing done: this build has no vectors for that many columns. */
bool track_synthetic_vector_products(float *x, uint32_t rows, uint32_t columns, const float *w,
				     uint32_t times);

#endif
