/* Clusters of blocks on sim: kernels/common/cluster.cuh says what these do. */
#ifndef COPRA_DEVICE_SIM_CLUSTER_H
#define COPRA_DEVICE_SIM_CLUSTER_H

#include "harness/device/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIM_CLUSTER_MAX = 16 };

/* A launch, cooperative as to what is resident, of blocks in clusters of so many. */
int sim_launch_clusters(struct dev_stream *s, const struct sim_kernel *k, unsigned cluster,
			struct err *e, const char *file, int line);

void sim_cluster_barrier(struct sim_place at);
unsigned sim_cluster_rank(void);
void *sim_cluster_shared(void *p, unsigned rank, struct sim_place at);

#ifdef __cplusplus
}
#endif
#endif
