/* Our learner: the data in words, families counted by population counts.
 *
 * Only variables that have both values take part; one with a single value gains nothing and gives
 * nothing. They are called kept, in the order of their ranks: kept variable c may have the parents
 * 0 .. c - 1.
 *
 * Counts are of subsets: of a set S of the family of v (v itself and its parents) the number of
 * individuals in which all of S are 1. For the next parent the same counts with each candidate u
 * are needed; those of sets without the parent added last are already there. Differences of them
 * (Moebius inversion) are the counts of configurations. */
#ifndef COPRA_GBOA_LEARN_PACKED_H
#define COPRA_GBOA_LEARN_PACKED_H

#include "harness/base/team.h"
#include "algorithms/gboa/learn_parts.h"

/* Candidates counted together, and words before other targets have their turn: what a first-level
 * cache holds. */
enum { PACK_TILE = 64, PACK_WORDS = 96 };
/* Variables learned together: they share the candidates' words. */
enum { PACK_TARGETS = 4 };

/* Candidates in tiles: word w of kept variable c at
 * ((c / PACK_TILE) words + w) PACK_TILE + c % PACK_TILE. */
struct pack {
	size_t words;
	uint32_t *tiles;
};

struct pack_block;

struct learn_packed {
	struct boa_options options;
	int32_t n, count;
	struct team *workers;
	struct k2_table table;
	struct pack pack;
	int32_t kept;
	int32_t *kept_from;            /* n + 1: [r]: kept variables of ranks below r */
	uint32_t *variable;            /* of kept ones, padded to whole tiles */
	uint32_t *ones;                /* in them, padded too */
	struct pack_block **block;     /* one a thread */
	const struct boa_limit *limit; /* NULL: none */
};

int learn_packed_create(struct learn_packed *l, int32_t n, int32_t count,
			const struct boa_options *o, struct team *w, struct err *e);
void learn_packed_destroy(struct learn_packed *l);

/* Parents and thresholds of the variables of ranks first .. last - 1. ERR_LIMIT as learn.h says. */
int learn_packed_some(struct learn_packed *l, const struct boa_data *d, const int32_t *order,
		      struct boa_network *b, int32_t first, int32_t last, struct err *e);

/* ---- its parts ---- */

/* A call's work, for the threads. */
struct pack_call {
	struct learn_packed *l;
	const struct boa_data *d;
	const int32_t *order;
	struct boa_network *b;
	int32_t first_kept, kept, blocks;
};

static inline size_t pack_whole_tiles(int32_t variables)
{
	return ((size_t)variables + PACK_TILE - 1) / PACK_TILE * PACK_TILE;
}

static inline const uint32_t *pack_row(const struct boa_data *d, int32_t variable)
{
	return d->words + (size_t)variable * d->stride;
}

/* What learning up to PACK_TARGETS variables needs. */
int pack_block_create(struct pack_block **out, const struct learn_packed *l, struct err *e);
void pack_block_destroy(struct pack_block *s);
/* Parents and thresholds of kept variables first .. last - 1. */
void pack_block_learn(const struct pack_call *p, struct pack_block *s, int32_t first, int32_t last);

/* A set whose counts with the candidates are wanted: its individuals, and where counts are added.
 */
struct pack_job {
	const uint32_t *set; /* words */
	uint32_t *counts;    /* by candidate */
};

/* Counts with candidates 0 .. candidates - 1, rounded up to whole vectors. */
void pack_count(const struct pack *p, int32_t candidates, const struct pack_job *job, int jobs);

struct pack_choice {
	int32_t gain;      /* 0: none has one */
	int32_t candidate; /* kept variable */
};

/* The candidate of the greatest gain, of equal ones the lowest variable. counts[S]: of sets with
 * candidates; S: bit 0 the variable itself, bit r + 1 its parent r; total[S]: of the sets alone. */
struct pack_choice pack_choose(const struct learn_packed *l, int parents, int32_t candidates,
			       uint32_t *const *counts, const uint32_t *total, uint32_t score);

/* Counts of sets become counts of configurations, in place; values 2^sets. */
static inline void pack_configurations(uint32_t *count, int sets)
{
	for (int s = 0; s < sets; s++)
		for (uint32_t c = 0; c < UINT32_C(1) << sets; c++)
			if (!(c >> s & 1))
				count[c] -= count[c | UINT32_C(1) << s];
}

#endif
