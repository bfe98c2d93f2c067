/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_pair_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/clock.h"

/* Shares of the sample. The first pair must prune FIRST of the nodes of LB1's tree, where its gain
 * was either above 0.45 or below 0.06; while pairs are in use it must prune KEEP of the nodes
 * taken, which no longer include those below pruned ones. A further pair must prune MORE of the
 * nodes that the others leave. */
#define FIRST 0.3
#define KEEP 0.05
#define MORE 0.1

enum {
	LEAST = FSP_PAIR_TESTS_SAMPLE / 4, /* nodes for a choice */
	PARTS = 4, /* of the sample; most often the first one shows that no pair pays */
};
#define STEP_SECONDS 2e-9 /* of a pass, at most about */
#define LEAST_WORK 100    /* a choice takes at most one part in this of the time */

bool fsp_pair_tests_support(const struct fsp_tables *t)
{
	return t->pairs > 0 && t->jobs <= FSP_PAIR_TESTS_JOBS;
}

static void begin_sample(struct fsp_pair_tests *p)
{
	p->sampled = 0;
	p->interval = p->wait = 1;
}

int fsp_pair_tests_create(struct fsp_pair_tests **p, const struct fsp_tables *t, double seconds,
			  struct err *e)
{
	size_t machines = (size_t)t->machines, pairs = (size_t)t->pairs, bytes;
	double choice = STEP_SECONDS * FSP_PAIR_TESTS_SAMPLE * t->pairs * t->jobs;
	struct fsp_pair_tests *made = calloc(1, sizeof(*made));

	*p = made;
	if (!made)
		return err_set(e, ERR_MEMORY, "no memory for machine pairs");
	made->tables = t;
	made->step = fsp_steps_make(t, &bytes);
	made->edges = malloc(FSP_PAIR_TESTS_SAMPLE * 2 * machines * sizeof(*made->edges));
	made->pruned = malloc(pairs * sizeof(*made->pruned));
	if (!made->step || !made->edges || !made->pruned)
		return err_set(e, ERR_MEMORY, "no memory for %zu machine pairs", pairs);
	made->begin = clock_wall();
	made->due = made->begin + seconds;
	if (seconds > 0.01)
		made->due = made->begin + fmax(seconds, LEAST_WORK * choice);
	begin_sample(made);
	return 0;
}

void fsp_pair_tests_destroy(struct fsp_pair_tests *p)
{
	if (!p)
		return;
	free(p->step);
	free(p->edges);
	free(p->pruned);
	free(p);
}

void fsp_pair_prepare(struct fsp_pair *p, const struct fsp_tables *t, int pair)
{
	const int32_t *order = t->johnson + (size_t)pair * (size_t)t->jobs;
	const int32_t *lag = t->lag + (size_t)pair * (size_t)t->jobs;

	*p = (struct fsp_pair){ .pair = pair, .u = t->pair_u[pair], .v = t->pair_v[pair] };
	for (int i = 0; i < t->jobs; i++) {
		int job = order[i];
		const int32_t *time = t->time + (size_t)job * (size_t)t->machines;

		p->step[i] = (struct fsp_step){ job, time[p->u], time[p->v], lag[job] };
		for (int set = 0; set < 16; set++)
			if (set >> job % 4 & 1)
				p->place[job / 4][set] |= UINT64_C(1) << i;
	}
}

/* ---- the sample ---- */

static int32_t *edges_of(const struct fsp_pair_tests *p, int node)
{
	return p->edges + (size_t)node * 2 * (size_t)p->tables->machines;
}

/* Keeps every second node of a full sample. */
static void thin_out(struct fsp_pair_tests *p)
{
	size_t bytes = 2 * (size_t)p->tables->machines * sizeof(*p->edges);

	p->sampled /= 2;
	p->interval *= 2;
	for (int i = 0; i < p->sampled; i++) {
		p->set[i] = p->set[2 * i + 1];
		memmove(edges_of(p, i), edges_of(p, 2 * i + 1), bytes);
	}
}

void fsp_pair_tests_keep(struct fsp_pair_tests *p, uint64_t left, const int32_t *front,
			 const int32_t *back)
{
	size_t machines = (size_t)p->tables->machines;
	int32_t *edges;

	if (p->sampled == FSP_PAIR_TESTS_SAMPLE)
		thin_out(p);
	edges = edges_of(p, p->sampled);
	p->set[p->sampled++] = left;
	memcpy(edges, front, machines * sizeof(*edges));
	memcpy(edges + machines, back, machines * sizeof(*edges));
	p->wait = p->interval;
}

/* ---- the choice ---- */

/* The bound of any pair for a node of the sample, as fsp_pair_bound(). */
static int32_t bound_of(const struct fsp_pair_tests *p, int pair, int node)
{
	const struct fsp_tables *t = p->tables;
	const int32_t *front = edges_of(p, node), *back = front + t->machines;
	int u = t->pair_u[pair], v = t->pair_v[pair];
	uint32_t left[2] = { (uint32_t)p->set[node], (uint32_t)(p->set[node] >> 32) };
	int32_t t0 = front[u], t1 = front[v];

	fsp_steps_run(p->step + (size_t)pair * (size_t)t->jobs, t->jobs, left, 1, &t0, &t1);
	t0 += back[u];
	t1 += back[v];
	return t0 > t1 ? t0 : t1;
}

/* Tests all pairs on the nodes of a part. Returns the most nodes that one prunes. */
static int test_part(struct fsp_pair_tests *p, int part, int64_t ub)
{
	int most = 0;

	for (int pair = 0; pair < p->tables->pairs; pair++) {
		int count = 0;

		for (int i = part; i < p->sampled; i += PARTS) {
			if (bound_of(p, pair, i) < ub)
				continue;
			p->pruned[pair][i / 64] |= UINT64_C(1) << i % 64;
			count++;
		}
		most = count > most ? count : most;
	}
	return most;
}

/* The nodes of `left` that the pair prunes. */
static int count_pruned(const struct fsp_pair_tests *p, int pair, const uint64_t *left)
{
	int count = 0;

	for (int i = 0; i < FSP_PAIR_TESTS_SAMPLE / 64; i++)
		count += __builtin_popcountll(p->pruned[pair][i] & left[i]);
	return count;
}

/* Takes the pair that prunes most of the sample, then the one that prunes most of the rest, and so
 * on. */
static void take_best(struct fsp_pair_tests *p)
{
	uint64_t left[FSP_PAIR_TESTS_SAMPLE / 64];
	int rest = p->sampled, used = 0;
	double share = p->count ? KEEP : FIRST;

	memset(left, 0xff, sizeof(left));
	for (; used < FSP_PAIR_TESTS_MOST && rest > 0; used++, share = MORE) {
		int best = 0, most = -1;

		for (int pair = 0; pair < p->tables->pairs; pair++) {
			int count = count_pruned(p, pair, left);

			if (count > most) {
				best = pair;
				most = count;
			}
		}
		if (most < share * rest)
			break;
		fsp_pair_prepare(&p->use[used], p->tables, best);
		rest -= most;
		for (int i = 0; i < FSP_PAIR_TESTS_SAMPLE / 64; i++)
			left[i] &= ~p->pruned[best][i];
	}
	p->count = used;
}

bool fsp_pair_tests_due(const struct fsp_pair_tests *p)
{
	return clock_wall() >= p->due;
}

void fsp_pair_tests_choose(struct fsp_pair_tests *p, int64_t ub)
{
	double now = clock_wall();
	int most;

	if (now < p->due || p->sampled < LEAST)
		return;
	memset(p->pruned, 0, (size_t)p->tables->pairs * sizeof(*p->pruned));
	most = test_part(p, 0, ub);
	if (p->count || most > FIRST / 2 * p->sampled / PARTS) {
		for (int part = 1; part < PARTS; part++)
			test_part(p, part, ub);
		take_best(p);
	}
	p->due = now + fmax(now - p->begin, LEAST_WORK * (clock_wall() - now));
	begin_sample(p);
}
