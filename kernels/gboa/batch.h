/* Many runs of BOA (algorithms/gboa/boa.h) at the same time, each by a block of threads or by a
 * cluster of blocks: from the first population to the last in shared memory, without the host.
 *
 * Blocks draw runs by a ticket. A run's memory, of a cluster of C blocks: every block has the
 * selected of all variables, the planes of fitness and the network; the offspring's variable v is
 * in block v mod C. Fitness is kept as planes: bit p of (fitness - least) of 32 individuals in a
 * word.
 *
 * A generation: the selected are found by the planes, the highest first; rows of variables are
 * compressed to them; gains of all parents come from counts by the matrix units (8 variables x 8
 * candidates at a time), ln m! from a table; offspring are sampled, compared digit by digit for 32
 * at once, and evaluated. With a cluster, blocks gather their variables and hand them to all, learn
 * eighths of variables in turn, and sample a share of the words. */
#ifndef COPRA_KERNELS_GBOA_BATCH_H
#define COPRA_KERNELS_GBOA_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/gboa/fitness.h"
#include "harness/device/device.h"
#include "harness/base/error.h"

enum {
	BOA_BATCH_PARENTS_MAX = 3,
	BOA_BATCH_CLUSTER_MAX = 16,
	BOA_BATCH_SELECTED_MAX = 32 * 1000, /* counts are kept in 16 bits, times 2^16 in 32 */
	BOA_BATCH_POPULATION_MAX = 65472,   /* so are places */
	BOA_BATCH_TRAP_PLANES = 10,         /* of traps that are evaluated 32 at once */
	BOA_BATCH_GROUP = 8,                /* variables that are learned together */
	BOA_BATCH_STEP = 16,                /* words that are counted together */
	BOA_BATCH_MASKS = 8,                /* words of masks for a word of the population */
	BOA_BATCH_CONTROL = 8,              /* words that steer a block */
	BOA_BATCH_SUMS = 32,                /* and sums, one a plane of fitness */
	BOA_BATCH_TOP = 1 << 20,            /* in a sum: a warp has one of the best */
	BOA_BATCH_WORDS = 4,                /* of the population, a thread's at most */
};

/* What runs have in common. Sizes are words of 32 individuals or bits. */
struct boa_batch_plan {
	struct boa_fitness fitness; /* its data on the device */
	uint64_t seed;              /* of run 0 */
	int32_t runs, n, k, generations;
	int32_t optimum;
	bool stop_at_optimum; /* which is known */
	bool stop_converged, laplace;
	int32_t planes;
	int32_t population, selected, offspring, kept; /* words; kept: the selected stay, or 0 */
	int32_t individuals;                           /* selected ones */
	int32_t steps; /* of BOA_BATCH_STEP words that cover the selected */
	int32_t selected_stride, offspring_stride;
	int32_t cluster, cluster_log, rows; /* blocks a run, rows of offspring a block */
	int32_t slice, slice_stride; /* words of offspring that a block samples (cluster > 1) */
	bool by_items;               /* few words a block: variables are sampled side by side */
	int32_t copies_log;          /* of the table of ln m!: 2^this, lane by lane */
	int32_t slots;               /* variables that a block learns */
	/* positions in shared memory, in words */
	int32_t at_offspring, at_slice, at_coins, at_planes, at_table, at_order, at_keys, at_slots,
		at_records, at_control;
	size_t shared_bytes;
};

struct boa_batch_result {
	int64_t edges;
	int32_t best, generations;
	int32_t begun, halted; /* not begun: the rest is 0 */
};

/* On the device. */
struct boa_batch_memory {
	const uint32_t *ln_factorial;     /* individuals + 2 */
	struct boa_batch_result *results; /* runs, zeros */
	uint8_t *bits;                    /* runs x n */
	uint32_t *words;                  /* runs x n x population, or NULL */
	int32_t *fitness;                 /* runs x 32 population, or NULL */
	unsigned *ticket;                 /* 0 */
	const unsigned *halt;       /* on the host; becomes 1 where it wants an end. Or NULL */
	unsigned long long *clocks; /* BOA_BATCH_PHASES sums of a block's clocks, or NULL */
};

enum boa_batch_phase {
	BOA_BATCH_FIRST,
	BOA_BATCH_SELECT,
	BOA_BATCH_SORT,
	BOA_BATCH_GATHER,
	BOA_BATCH_GATHERED,
	BOA_BATCH_SINGLES,
	BOA_BATCH_LEARN,
	BOA_BATCH_TABLES,
	BOA_BATCH_LEARNED,
	BOA_BATCH_SAMPLE,
	BOA_BATCH_SAMPLED,
	BOA_BATCH_END,
	BOA_BATCH_PHASES
};

struct boa_batch_kernels {
	/* Runs, or clusters, that a device has at the same time; 0: the plan does not fit. */
	int (*resident)(struct dev_stream *s, const struct boa_batch_plan *p, int threads,
			int *clusters, struct err *e);
	int (*run)(struct dev_stream *s, const struct boa_batch_plan *p,
		   const struct boa_batch_memory *m, int threads, int clusters, struct err *e);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct boa_batch_kernels boa_batch_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct boa_batch_kernels boa_batch_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif

#endif
