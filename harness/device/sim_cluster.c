/* Clusters: blocks of a launch that share a barrier and reach each other's shared memory. All
 * blocks of such a launch are resident; a worker may have any of them, so that the barrier is a
 * flag that one thread of each block spins on. */
#include <stdlib.h>

#include "harness/device/sim_engine.h"

bool sim_clusters_create(struct sim_run *run)
{
	if (run->cluster)
		run->clusters = calloc(run->blocks / run->cluster, sizeof(*run->clusters));
	return !run->cluster || run->clusters;
}

static struct sim_cluster *cluster_of(const struct sim_block *b)
{
	const struct sim_run *run = b->worker->run;

	return run->clusters ? &run->clusters[b->view.block_index.x / run->cluster] : NULL;
}

static unsigned rank_of(const struct sim_block *b)
{
	return b->view.block_index.x % b->worker->run->cluster;
}

void sim_cluster_enter(struct sim_block *b)
{
	struct sim_cluster *c = cluster_of(b);

	if (c)
		atomic_store(&c->shared[rank_of(b)], b->view.shared);
}

unsigned sim_cluster_rank(void)
{
	const struct sim_thread *t = sim_current();

	return t->block->worker->run->clusters ? rank_of(t->block) : 0;
}

/* One thread a block. */
static void arrive_and_wait(const struct sim_thread *t, struct sim_cluster *c, struct sim_place at)
{
	unsigned turn = atomic_load(&c->turn);

	if (atomic_fetch_add(&c->arrived, 1) + 1 == t->block->worker->run->cluster) {
		atomic_store(&c->arrived, 0);
		atomic_store(&c->turn, turn + 1);
		return;
	}
	while (atomic_load(&c->turn) == turn)
		sim_spin(at);
}

void sim_cluster_barrier(struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_cluster *c = cluster_of(t->block);

	if (!c) {
		t->at = at;
		sim_fail(t, "cluster_sync needs LAUNCH_CLUSTERS");
	}
	sim_barrier(SIM_BARRIER, 0, at);
	if (t->index == 0)
		arrive_and_wait(t, c, at);
	sim_barrier(SIM_BARRIER, 0, at);
}

/* A block that asks before another began would do so on a device, too. */
void *sim_cluster_shared(void *p, unsigned rank, struct sim_place at)
{
	struct sim_thread *t = sim_current();
	struct sim_cluster *c = cluster_of(t->block);
	size_t offset = (size_t)((unsigned char *)p - t->block->view.shared);

	t->at = at;
	if (!c || rank >= t->block->worker->run->cluster)
		sim_fail(t, "the cluster has no block %u", rank);
	if (offset > t->block->worker->run->kernel->shared_bytes)
		sim_fail(t, "%p is not in the block's shared memory", p);
	unsigned char *base = atomic_load(&c->shared[rank]);

	if (!base)
		sim_fail(t, "block %u of the cluster may not have begun: cluster_sync() first",
			 rank);
	return base + offset;
}
