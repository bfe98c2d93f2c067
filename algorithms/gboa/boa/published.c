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
	uint8_t *population;
	int32_t *rank;
	uint32_t *ln_factorial;
	/* Pinned host memory. */
	uint8_t *host_population;
	int32_t *host_rank, *host_parents, *host_parent_count;
	/* The host's share: the variables of the highest ranks, bd.ranks .. n - 1. */
	struct team *team;
	struct boa_learner *learner;
};

/* Counts all candidates together if a block's shared memory holds them. */
static int choose_together(struct published *p, struct err *e)
{
	struct boa_bd one = p->bd, two = p->bd;
	struct dev_info info;
	int status = dev_get_info(p->dev, &info, e);

	if (status)
		return status;
	one.together = 0;
	two.together = 1;
	size_t fixed = boa_bd_shared(&one, p->threads);
	size_t each = boa_bd_shared(&two, p->threads) - fixed;

	if (info.shared_per_block < fixed + each)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d variables need %zu bytes of shared memory per block; the device "
			       "has %zu",
			       p->bd.n, fixed + each, info.shared_per_block);
	size_t fit = (info.shared_per_block - fixed) / each;

	p->bd.together = fit < (size_t)p->bd.n ? (int32_t)fit : p->bd.n;
	return 0;
}

static int allocate(struct published *p, struct err *e)
{
	size_t n = (size_t)p->bd.n, ints = n * sizeof(int32_t);
	size_t edges = ints * (size_t)(p->bd.k > 0 ? p->bd.k : 1);
	size_t bytes = n * (size_t)p->bd.count;
	size_t table = ((size_t)p->bd.count + 2) * sizeof(uint32_t);
	int status = dev_alloc(p->dev, (void **)&p->population, bytes, e);

	if (!status)
		status = dev_alloc(p->dev, (void **)&p->rank, ints, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->ln_factorial, table, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->bd.parents, edges, e);
	if (!status)
		status = dev_alloc(p->dev, (void **)&p->bd.parent_count, ints, e);
	if (!status)
		status = dev_host_alloc(p->dev, (void **)&p->host_population, bytes, e);
	if (!status)
		status = dev_host_alloc(p->dev, (void **)&p->host_rank, ints, e);
	if (!status)
		status = dev_host_alloc(p->dev, (void **)&p->host_parents, edges, e);
	if (!status)
		status = dev_host_alloc(p->dev, (void **)&p->host_parent_count, ints, e);
	/* clear: entries that are never written are copied as well */
	if (!status)
		status = dev_fill(p->stream, p->bd.parents, 0, edges, e);
	if (!status)
		status = dev_fill(p->stream, p->bd.parent_count, 0, ints, e);
	p->bd.population = p->population;
	p->bd.rank = p->rank;
	p->bd.ln_factorial = p->ln_factorial;
	return status;
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

static void unpack(const struct boa_data *d, uint8_t *bytes)
{
	for (int32_t v = 0; v < d->n; v++) {
		const uint32_t *row = d->words + (size_t)v * d->stride;
		uint8_t *to = bytes + (size_t)v * (size_t)d->count;

		for (int32_t i = 0; i < d->count; i += 32)
			for (int b = 0; b < 32; b++)
				to[i + b] = row[i / 32] >> b & 1;
	}
}

static int send_selected(struct published *p, const struct boa_data *d, const struct boa_network *b,
			 struct err *e)
{
	size_t ranks = (size_t)d->n * sizeof(*b->rank);

	unpack(d, p->host_population);
	memcpy(p->host_rank, b->rank, ranks);
	int status = dev_copy_to(p->stream, p->population, p->host_population,
				 (size_t)d->n * (size_t)d->count, e);

	if (!status)
		status = dev_copy_to(p->stream, p->rank, p->host_rank, ranks, e);
	return dev_drain(p->stream, status, e);
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

static int learn(void *context, const struct boa_data *d, struct boa_network *b,
		 struct boa_times *t, struct err *e)
{
	struct published *p = context;
	double at[5] = { clock_wall() };
	int status = send_selected(p, d, b, e);

	at[1] = clock_wall();
	if (!status)
		status = build(p, d, b, e);
	at[2] = clock_wall();
	if (!status)
		status = fetch_parents(p, b, e);
	at[3] = clock_wall();
	for (int32_t v = 0; !status && v < d->n; v++)
		boa_fill_thresholds(d, p->setup->options->smoothing, b, v);
	at[4] = clock_wall();
	t->learn += at[2] - at[1];
	t->transfer += at[1] - at[0] + at[3] - at[2];
	t->sample += at[4] - at[3];
	return status;
}

static int share_with_host(struct published *p, struct err *e)
{
	const struct boa_setup *s = p->setup;
	int32_t n = s->landscape->n, share = (int32_t)lround(s->host_share * n);
	int status;

	p->bd.ranks = n - share;
	if (share == 0)
		return 0;
	status = team_create(&p->team, s->threads, e);
	return status ? status :
			boa_learner_create(&p->learner, n, s->options->selected, s->options, false,
					   p->team, e);
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
	p->bd = (struct boa_bd){ .n = s->landscape->n,
				 .count = s->options->selected,
				 .k = s->options->max_parents };
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
	if (!p->dev)
		return;
	dev_free(p->dev, p->population);
	dev_free(p->dev, p->rank);
	dev_free(p->dev, p->ln_factorial);
	dev_free(p->dev, p->bd.parents);
	dev_free(p->dev, p->bd.parent_count);
	dev_host_free(p->dev, p->host_population);
	dev_host_free(p->dev, p->host_rank);
	dev_host_free(p->dev, p->host_parents);
	dev_host_free(p->dev, p->host_parent_count);
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
		status = boa_sequential_runs(s, learn, &p, runs, count, times, e);
	close_published(&p);
	return status;
}
