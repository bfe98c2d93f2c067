/* Individuals packed by variable: 32 of them in a word, all words of a variable in a row.
 *
 * Bit b of word w of variable v, words[v * stride + w], is variable v of individual 32 w + b. Bits
 * of individuals that are not there are 0, and counting does not look at them. Host and device have
 * the same layout. */
#ifndef COPRA_GBOA_DATA_H
#define COPRA_GBOA_DATA_H

#include <stddef.h>
#include <stdint.h>

struct boa_data {
	int32_t n;     /* variables */
	int32_t count; /* individuals, M, >= 1 */
	size_t stride; /* words from a variable to the next, >= boa_words(count) */
	const uint32_t *words;
};

static inline size_t boa_words(int64_t individuals)
{
	return (size_t)((individuals + 31) / 32);
}

static inline int boa_bit(const struct boa_data *d, int32_t variable, int32_t individual)
{
	return d->words[(size_t)variable * d->stride + (size_t)individual / 32] >>
		       (individual % 32) &
	       1;
}

#endif
