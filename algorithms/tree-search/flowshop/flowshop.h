/* Flowshop: bounds and node evaluation of the tree searches, once for host and device.
 *
 * A node has a prefix (jobs fixed at the front), a suffix (jobs fixed at the end, empty in forward
 * branching) and the set U of the jobs left. What its bounds need:
 *   front[k]  completion time of the prefix on machine k; the EMPTY prefix counts as head[k]
 *   back[k]   the same from the end; the EMPTY suffix counts as tail[k]
 *   rem[k]    sum of the times of U on machine k
 * A first job is added to a zero front (back), not to head (tail).
 *
 *   LB1 (one machine):  max_k front[k] + rem[k] + back[k]
 *   LB2 (Lageweg, Lenstra, Rinnooy Kan 1978, all pairs u < v of machines): Johnson's order of U for
 *       times (p_u + lag, p_v + lag), lag_j = sum of p_jk for u < k < v, run from front[u],
 *       front[v]: max over pairs of max(t1 + back[v], t0 + back[u]).
 * LB2 >= LB1 where all pairs are used. For U empty both are the makespan. Ties of Johnson's order
 * do not change the value.
 *
 * Since Johnson's pass from (front[u], front[v]) ends at max(front[v] + sum p_v, front[u] +
 * C_uv(U)), with C a function of the set alone, LB2 is a lookup by set: see flowshop_sets.h.
 *
 * All times are int32_t; flowshop.h in datasets/ guarantees that no sum overflows. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "datasets/flowshop/flowshop.h"
#include "harness/base/error.h"
#include "harness/base/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fsp_bound { FSP_LB1, FSP_LB2 };
enum fsp_branching {
	FSP_FORWARD,   /* children extend the prefix (Helbecque) */
	FSP_MAXSUM,    /* the side with the larger sum of bounds, ties to the back (Gmys 2017) */
	FSP_MINBRANCH, /* the side where more children reach the initial bound; tie: larger sum */
};
/* Which machine pairs LB2 uses; all but FSP_ALL_PAIRS are weaker and give other trees. */
enum fsp_pairs {
	FSP_ALL_PAIRS,      /* m(m-1)/2 */
	FSP_LAST_PAIRS,     /* (u, m-1), Lageweg et al.: m-1 */
	FSP_ADJACENT_PAIRS, /* (u, u+1), Nabeshima: m-1 */
};

/* The tables of an instance. Plain arrays, so that a kernel takes a struct of the same shape whose
 * pointers are in device memory (fsp_tables_bytes, one block: see flowshop.c). */
struct fsp_tables {
	int jobs, machines, pairs;
	const int32_t *time;   /* [job * machines + machine]: a job's times lie together */
	const int32_t *head;   /* [machine] least sum of times before it, over all jobs */
	const int32_t *tail;   /* [machine] least sum of times behind it */
	const int32_t *total;  /* [machine] sum over all jobs */
	const int32_t *pair_u; /* [pair], u < v */
	const int32_t *pair_v;
	const int32_t *johnson; /* [pair * jobs + position] the job */
	const int32_t *lag;     /* [pair * jobs + job] */
};

/* ERR_MEMORY. One allocation holds all arrays. */
int fsp_tables_make(struct fsp_tables *t, const struct flowshop *f, enum fsp_pairs pairs,
		    struct err *e);
void fsp_tables_free(struct fsp_tables *t);
/* For a copy in other memory: the block that all pointers point into, and the same struct with its
 * pointers moved to `block`. */
const void *fsp_tables_block(const struct fsp_tables *t, size_t *bytes);
struct fsp_tables fsp_tables_moved(const struct fsp_tables *t, const void *block);
/* LB1 or LB2, the latter over the pairs of the tables, of the root: no schedule is shorter. */
int32_t fsp_root_bound(const struct fsp_tables *t, enum fsp_bound bound);

/* ---- host and device ---- */

/* front after the job with times `p` (one job's row) was appended; `next` may be `front` itself. */
HD void fsp_append(const int32_t *p, const int32_t *front, int32_t *next, int machines)
{
	int32_t t = front[0] + p[0];

	next[0] = t;
	for (int k = 1; k < machines; k++) {
		t = (t > front[k] ? t : front[k]) + p[k];
		next[k] = t;
	}
}

/* back after the job was put before the suffix; `next` may be `back` itself. */
HD void fsp_prepend(const int32_t *p, const int32_t *back, int32_t *next, int machines)
{
	int32_t t = back[machines - 1] + p[machines - 1];

	next[machines - 1] = t;
	for (int k = machines - 2; k >= 0; k--) {
		t = (t > back[k] ? t : back[k]) + p[k];
		next[k] = t;
	}
}

HD int32_t fsp_lb1(const int32_t *front, const int32_t *rem, const int32_t *back, int machines)
{
	int32_t lb = 0;

	for (int k = 0; k < machines; k++) {
		int32_t x = front[k] + rem[k] + back[k];

		lb = x > lb ? x : lb;
	}
	return lb;
}

/* One pair's value; `left[job]` is non-zero for the jobs of U. */
HD int32_t fsp_lb2_pair(const struct fsp_tables *t, int pair, const int32_t *front,
			const int32_t *back, const uint8_t *left)
{
	int u = t->pair_u[pair], v = t->pair_v[pair];
	int32_t t0 = front[u], t1 = front[v], x;

	for (int i = 0; i < t->jobs; i++) {
		int j = t->johnson[pair * t->jobs + i];

		if (!left[j])
			continue;
		t0 += t->time[j * t->machines + u];
		x = t0 + t->lag[pair * t->jobs + j];
		t1 = (x > t1 ? x : t1) + t->time[j * t->machines + v];
	}
	t0 += back[u];
	t1 += back[v];
	return t0 > t1 ? t0 : t1;
}

/* Maximum over the pairs; stops at the first value >= stop_at (INT32_MAX: never, as sums of bounds
 * need). With no pair (one machine) it is LB1's single value. */
HD int32_t fsp_lb2(const struct fsp_tables *t, const int32_t *front, const int32_t *rem,
		   const int32_t *back, const uint8_t *left, int32_t stop_at)
{
	int32_t lb = t->pairs ? 0 : fsp_lb1(front, rem, back, t->machines);

	for (int pair = 0; pair < t->pairs && lb < stop_at; pair++) {
		int32_t x = fsp_lb2_pair(t, pair, front, back, left);

		lb = x > lb ? x : lb;
	}
	return lb;
}

/* ---- heuristics: where a search without an incumbent starts ---- */

/* NEH (Nawaz, Enscore, Ham 1983) with Taillard's acceleration; order gets `jobs` entries. Returns
 * the makespan, or an error. */
int64_t fsp_neh(const struct flowshop *f, int64_t *order, struct err *e);
/* Iterated greedy (Ruiz, Stuetzle 2007) from `order`, improved in place, for `seconds` or until
 * *stop (may be NULL) is set or the makespan reaches `target`. What it holds after any number of
 * steps depends on order and seed alone; only how many steps the time allows differs. Returns the
 * makespan, or an error: ERR_USAGE where `order` is no permutation, ERR_MEMORY. */
int64_t fsp_iterated_greedy(const struct flowshop *f, int64_t *order, double seconds,
			    int64_t target, uint64_t seed, const volatile sig_atomic_t *stop,
			    struct err *e);

#ifdef __cplusplus
}
#endif
#endif
