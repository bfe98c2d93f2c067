/* Steps of a generation that are done in one way only, and the choice between plain and wide. */
#include "algorithms/gboa/steps.h"

#include "algorithms/gboa/random.h"
#include "algorithms/gboa/steps_parts.h"

void boa_first_population(uint64_t seed, int32_t n, int32_t count, size_t stride, uint32_t *words)
{
	size_t row = boa_words(count);

	for (int32_t v = 0; v < n; v++)
		for (size_t w = 0; w < row; w++)
			words[(size_t)v * stride + w] =
				boa_initial_word(seed, (uint32_t)v, (uint32_t)w);
}

static int32_t at_least(const int32_t *fitness, int32_t count, int32_t value)
{
	int32_t n = 0;

	for (int32_t i = 0; i < count; i++)
		n += fitness[i] >= value;
	return n;
}

/* The greatest value that `selected` of them reach: a search by halves, whose passes are over words
 * in a row. */
static int32_t cut_of(const int32_t *fitness, int32_t count, int32_t selected)
{
	int32_t least = fitness[0], greatest = fitness[0];

	for (int32_t i = 1; i < count; i++) {
		least = fitness[i] < least ? fitness[i] : least;
		greatest = fitness[i] > greatest ? fitness[i] : greatest;
	}
	while (least < greatest) {
		int64_t above = (int64_t)greatest - least;
		int32_t middle = (int32_t)(least + (above + 1) / 2);

		if (at_least(fitness, count, middle) >= selected)
			least = middle;
		else
			greatest = middle - 1;
	}
	return least;
}

void boa_select(const int32_t *fitness, int32_t count, int32_t selected, int32_t *positions)
{
	int32_t cut = cut_of(fitness, count, selected), taken = 0, equal = selected;

	for (int32_t i = 0; i < count; i++)
		equal -= fitness[i] > cut;
	for (int32_t i = 0; taken < selected; i++) {
		bool tied = fitness[i] == cut && equal > 0;

		equal -= tied;
		positions[taken] = i; /* kept or written over: no branch that is random */
		taken += tied || fitness[i] > cut;
	}
}

void boa_gather(const struct boa_data *from, const int32_t *positions, int32_t count, uint32_t *to,
		size_t to_stride, bool plain, struct team *w)
{
	if (plain)
		boa_gather_plain(from, positions, count, to, to_stride);
	else
		boa_gather_wide(from, positions, count, to, to_stride, w);
}

int boa_sample(const struct boa_network *b, uint64_t seed, uint32_t generation, int32_t count,
	       uint32_t *words, size_t stride, bool plain, struct team *w, struct err *e)
{
	int32_t *order = malloc((size_t)b->n * sizeof(*order));

	if (!order)
		return err_set(e, ERR_MEMORY, "no memory for the order of %d variables", b->n);
	for (int32_t v = 0; v < b->n; v++)
		order[b->rank[v]] = v;
	struct boa_sampling s = { b, order, seed, generation, boa_words(count), words, stride };

	if (plain)
		boa_sample_plain(&s);
	else
		boa_sample_wide(&s, w);
	free(order);
	return 0;
}

void boa_evaluate(const struct landscape *l, const uint32_t *words, size_t stride, int32_t count,
		  int32_t *fitness, bool plain, struct team *w)
{
	struct boa_evaluation v = { fitness_view_of(l, l->data), words, stride, count, fitness };

	if (plain)
		boa_evaluate_plain(&v);
	else
		boa_evaluate_wide(&v, w);
}

/* Bits of individuals that are not there are 0 and would hide that all others are 1. */
static bool alike(const uint32_t *row, int32_t count)
{
	uint32_t all = row[0] & 1 ? ~0u : 0, differ = 0;
	int32_t whole = count / 32;

	for (int32_t w = 0; w < whole; w++)
		differ |= row[w] ^ all;
	if (count % 32)
		differ |= (row[whole] ^ all) & ((1u << count % 32) - 1);
	return differ == 0;
}

bool boa_all_alike(const struct boa_data *d)
{
	for (int32_t v = 0; v < d->n; v++)
		if (!alike(d->words + (size_t)v * d->stride, d->count))
			return false;
	return true;
}
