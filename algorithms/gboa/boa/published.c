/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/engines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/host.h"
#include "algorithms/gboa/boa/learn.h"
#include "algorithms/gboa/boa/network.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"
#include "harness/device/device.h"
#include "kernels/gboa/published.h"

enum { PAPER_THREADS = 480 };

struct published {
	const struct boa_setup *setup;
	struct dev *dev;
	struct dev_stream *stream;
	const struct boa_published_kernels *kernels;
	int threads; /* of a block */
	struct boa_bd bd;
	/* Device memory; `bd` has the same pointers as const, since the kernel only reads them. */
	void *population;
	int32_t *rank;
	uint32_t *ln_factorial;
	/* Host memory. */
	size_t row; /* bytes of a variable: one byte per individual, or words */
	uint8_t *host_population;
	int32_t *host_parents, *host_parent_count;
	struct team *team; /* of the form `cores` or of the host's share, or NULL */
	/* The host's share: the variables of the highest ranks, bd.ranks .. n - 1. */
	struct boa_learner *learner;
};

/* ---- shapes and memory ---- */

/* Chooses how many candidates are counted together: all of them, in global memory if a block's
 * shared memory does not hold their data structures; with the form `groups`, as many as fit. */
static int choose_together(struct published *p, struct err *e)
{
	size_t most = p->setup->block_shared;
	struct dev_info info;
	int status = dev_get_info(p->dev, &info, e);

	if (status)
		return status;
	if (most == 0 || most > info.shared_per_block)
		most = info.shared_per_block;
	p->bd.together = 0;
	size_t fixed = boa_bd_shared(&p->bd, p->threads);

	p->bd.together = 1;
	size_t each = boa_bd_shared(&p->bd, p->threads) - fixed;

	p->bd.together = p->bd.n;
	if (boa_bd_shared(&p->bd, p->threads) <= most)
		return 0;
	if (p->bd.form == BOA_BD_LITERAL)
		p->bd.form = BOA_BD_GLOBAL;
	size_t least =
		p->bd.form == BOA_BD_GLOBAL ? boa_bd_shared(&p->bd, p->threads) : fixed + each;

	if (most < least)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d variables need %zu bytes of shared memory per block; there are "
			       "%zu",
			       p->bd.n, least, most);
	if (p->bd.form != BOA_BD_GLOBAL)
		p->bd.together = (int32_t)((most - fixed) / each);
	return 0;
}

static int allocate_on_device(struct published *p, size_t ints, size_t edges, struct err *e)
{
	size_t table = ((size_t)p->bd.count + 2) * sizeof(uint32_t), n = (size_t)p->bd.n;
	size_t ticks = BOA_BD_STEPS * sizeof(*p->bd.ticks);
	size_t structures = p->bd.form == BOA_BD_GLOBAL ? n * boa_bd_structures(&p->bd) : 0;
	int status = dev_alloc(p->dev, &p->population, n * p->row, e);

	if (!status)
		status = dev_alloc(p->dev, (void **)&p->rank, ints, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->ln_factorial, table, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->bd.parents, edges, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->bd.parent_count, ints, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->bd.ticks, ticks, e);
	if (!status)
		status = dev_fill(p->stream, p->bd.ticks, 0, ticks, e);
	if (!status && structures)
		status = dev_alloc(p->dev, (void **)&p->bd.structures, structures, e);
	/* clear: entries that are never written are copied as well */
	if (!status)
		status = dev_fill(p->stream, p->bd.parents, 0, edges, e);
	if (!status)
		status = dev_fill(p->stream, p->bd.parent_count, 0, ints, e);
	p->bd.population = p->population;
	p->bd.words = p->population;
	p->bd.rank = p->rank;
	p->bd.ln_factorial = p->ln_factorial;
	return status;
}

static int allocate(struct published *p, struct err *e)
{
	size_t ints = (size_t)p->bd.n * sizeof(int32_t);
	size_t edges = ints * (size_t)(p->bd.k > 0 ? p->bd.k : 1);

	p->host_population = malloc((size_t)p->bd.n * p->row);
	p->host_parents = malloc(edges);
	p->host_parent_count = malloc(ints);
	if (!p->host_population || !p->host_parents || !p->host_parent_count)
		return err_set(e, ERR_MEMORY, "no memory for a population of %d variables",
			       p->bd.n);
	return allocate_on_device(p, ints, edges, e);
}

static int copy_table(struct published *p, struct err *e)
{
	struct boa_k2_table t;
	int status = boa_k2_table_create(&t, p->bd.count, e);

	if (status)
		return status;
	status = dev_copy_to(p->stream, p->ln_factorial, t.at,
			     ((size_t)p->bd.count + 2) * sizeof(*t.at), e);
	status = dev_drain(p->stream, status, e);
	boa_k2_table_destroy(&t);
	return status;
}

/* ---- a generation ---- */

static void unpack(const uint32_t *row, int32_t count, uint8_t *to)
{
	for (int32_t i = 0; i < count; i += 32)
		for (int b = 0; b < 32; b++)
			to[i + b] = row[i / 32] >> b & 1;
}

static int send_selected(struct published *p, const struct boa_data *d, const struct boa_network *b,
			 struct err *e)
{
	size_t n = (size_t)d->n;

	for (size_t v = 0; v < n; v++) {
		const uint32_t *row = d->words + v * d->stride;
		uint8_t *to = p->host_population + v * p->row;

		if (p->bd.form == BOA_BD_WORDS)
			memcpy(to, row, p->row);
		else
			unpack(row, d->count, to);
	}
	int status = dev_copy_to(p->stream, p->population, p->host_population, n * p->row, e);

	if (!status)
		status = dev_copy_to(p->stream, p->rank, b->rank, n * sizeof(*b->rank), e);
	return dev_drain(p->stream, status, e);
}

/* The kernel looks for one more parent until there are k or none gains. The candidates of round p
 * are the variables of lower rank without the p parents found. */
static void count_candidates(const struct published *p, int32_t rank, int32_t parents)
{
	for (int32_t round = 0; round <= parents && round < p->bd.k && round < rank; round++)
		p->setup->candidates[round] += (uint64_t)(rank - round);
}

static int fetch_parents(struct published *p, struct boa_network *b, struct err *e)
{
	size_t n = (size_t)b->n, k = (size_t)b->k;
	int status = dev_copy_from(p->stream, p->host_parent_count, p->bd.parent_count,
				   n * sizeof(int32_t), e);

	if (!status && k > 0)
		status = dev_copy_from(p->stream, p->host_parents, p->bd.parents,
				       n * k * sizeof(int32_t), e);
	status = dev_drain(p->stream, status, e);
	for (size_t v = 0; !status && v < n; v++) {
		if (b->rank[v] >= p->bd.ranks)
			continue;
		b->parent_count[v] = p->host_parent_count[v];
		if (p->setup->candidates)
			count_candidates(p, b->rank[v], b->parent_count[v]);
		memcpy(b->parents + v * k, p->host_parents + v * k, k * sizeof(*b->parents));
	}
	return status;
}

/* Runs the kernel and, in the meantime, the host's share. */
static int build(struct published *p, const struct boa_data *d, struct boa_network *b,
		 struct err *e)
{
	int status = 0, shared = 0;

	if (p->bd.ranks > 0)
		status = p->kernels->bd(p->stream, &p->bd, p->threads, e);
	if (!status && p->learner)
		shared = boa_learn(p->learner, d, b, p->bd.ranks, d->n, NULL, e);
	if (!status)
		status = dev_stream_sync(p->stream, shared ? NULL : e);
	return shared ? shared : status;
}

struct tables {
	const struct boa_data *selected;
	enum boa_smoothing smoothing;
	bool plain;
	struct boa_network *network;
};

static void fill_tables(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct tables *t = context;

	(void)thread;
	for (uint64_t v = from; v < to; v++)
		boa_fill_thresholds(t->selected, t->smoothing, t->plain, t->network, (int32_t)v);
}

static int learn(void *context, const struct boa_data *d, struct boa_network *b,
		 struct boa_times *t, struct err *e)
{
	struct published *p = context;
	struct tables tables = { d, p->setup->options->smoothing, !p->setup->form.host_words, b };
	double at[5] = { clock_wall() };
	int status = send_selected(p, d, b, e);

	at[1] = clock_wall();
	if (!status)
		status = build(p, d, b, e);
	at[2] = clock_wall();
	if (!status)
		status = fetch_parents(p, b, e);
	at[3] = clock_wall();
	if (!status)
		team_for(p->setup->form.cores ? p->team : NULL, (uint64_t)d->n, 8, fill_tables,
			 &tables);
	at[4] = clock_wall();
	t->learn += at[2] - at[1];
	t->transfer += at[1] - at[0] + at[3] - at[2];
	t->sample += at[4] - at[3];
	return status;
}

/* ---- runs ---- */

/* Divides the time of learning among the steps of the kernel in proportion to their ticks. */
static int share_times(struct published *p, struct boa_times *t, struct err *e)
{
	unsigned long long ticks[BOA_BD_STEPS];
	int status = dev_copy_from(p->stream, ticks, p->bd.ticks, sizeof(ticks), e);
	double all = 0;

	status = dev_drain(p->stream, status, e);
	for (int i = 0; !status && i < BOA_BD_STEPS; i++)
		all += (double)ticks[i];
	if (status || all <= 0)
		return status;
	t->count = t->learn * (double)ticks[BOA_BD_COUNT] / all;
	t->gain = t->learn * (double)ticks[BOA_BD_GAIN] / all;
	t->max = t->learn * (double)ticks[BOA_BD_MAX] / all;
	return 0;
}

static int share_with_host(struct published *p, struct err *e)
{
	const struct boa_setup *s = p->setup;
	int32_t n = s->landscape->n, share = (int32_t)lround(s->host_share * n);
	int status = 0;

	p->bd.ranks = n - share;
	if (share > 0 || s->form.cores)
		status = team_create(&p->team, s->threads, e);
	if (share > 0 && !status)
		status = boa_learner_create(&p->learner, n, s->options->selected, s->options, false,
					    p->team, e);
	return status;
}

static int open_published(struct published *p, struct err *e)
{
	const struct boa_setup *s = p->setup;

	p->threads = s->block_threads ? s->block_threads : PAPER_THREADS;
	if (p->threads < 32 || p->threads > 1024)
		return err_set(e, ERR_USAGE, "%d threads per block: must be between 32 and 1024",
			       p->threads);
	if (!(s->host_share >= 0 && s->host_share <= 1))
		return err_set(e, ERR_USAGE, "a host share of %g: must be between 0 and 1",
			       s->host_share);
	p->dev = s->devices->dev[0];
	p->kernels = boa_published_kernels_for(p->dev);
	p->bd = (struct boa_bd){ .form = s->form.words  ? BOA_BD_WORDS :
					 s->form.groups ? BOA_BD_GROUPS :
							  BOA_BD_LITERAL,
				 .n = s->landscape->n,
				 .count = s->options->selected,
				 .k = s->options->max_parents };
	p->row = s->form.words ? boa_words(p->bd.count) * sizeof(uint32_t) : (size_t)p->bd.count;
	int status = share_with_host(p, e);

	if (!status)
		status = choose_together(p, e);
	if (!status)
		status = dev_stream_create(p->dev, &p->stream, e);
	if (!status)
		status = allocate(p, e);
	return status ? status : copy_table(p, e);
}

static void close_published(struct published *p)
{
	boa_learner_destroy(p->learner);
	team_destroy(p->team);
	free(p->host_population);
	free(p->host_parents);
	free(p->host_parent_count);
	if (!p->dev)
		return;
	dev_free(p->dev, p->population);
	dev_free(p->dev, p->rank);
	dev_free(p->dev, p->ln_factorial);
	dev_free(p->dev, p->bd.parents);
	dev_free(p->dev, p->bd.parent_count);
	dev_free(p->dev, p->bd.structures);
	dev_free(p->dev, p->bd.ticks);
	dev_stream_destroy(p->stream);
}

int boa_published_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		       struct boa_times *times, struct err *e)
{
	double begin = clock_wall();
	struct published p = { .setup = s };
	int status = open_published(&p, e);

	times->set_up = clock_wall() - begin;
	if (!status)
		status = boa_sequential_runs(s, s->form.cores ? p.team : NULL, learn, &p, runs,
					     count, times, e);
	if (!status)
		status = share_times(&p, times, e);
	close_published(&p);
	return status;
}
