/* The pieces of ivm_published_kernels, by source file. */
#ifndef COPRA_KERNELS_GMYS_IVM_PUBLISHED_PARTS_H
#define COPRA_KERNELS_GMYS_IVM_PUBLISHED_PARTS_H

#include "kernels/common/gpu.cuh"

#include "kernels/gmys-ivm/published.h"

/* published_bound.cu */
int BACKEND_SYMBOL(ivm_bound)(struct dev_stream *s, const struct ivm_fleet *f, bool table,
			      int blocks, struct err *e);
int BACKEND_SYMBOL(ivm_bound_blocks)(struct dev_stream *s, const struct ivm_fleet *f,
				     size_t shared_per_block, bool *table, int *blocks,
				     struct err *e);
/* published_steps.cu */
int BACKEND_SYMBOL(ivm_steps)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
			      int trigger, int most, bool staged, struct err *e);
int BACKEND_SYMBOL(ivm_staged)(struct dev_stream *s, const struct ivm_fleet *f, int sm_count,
			       size_t shared_per_block, bool *staged, bool *all_staged,
			       struct err *e);
/* published_steal.cu */
int BACKEND_SYMBOL(ivm_lengths)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
int BACKEND_SYMBOL(ivm_victims)(struct dev_stream *s, const struct ivm_fleet *f,
				const struct victims *v, struct err *e);
int BACKEND_SYMBOL(ivm_steal)(struct dev_stream *s, const struct ivm_fleet *f, int parts,
			      struct err *e);
int BACKEND_SYMBOL(ivm_split)(struct dev_stream *s, const struct ivm_fleet *f, struct ivm_parcel to,
			      int first, int count, struct err *e);
int BACKEND_SYMBOL(ivm_accept)(struct dev_stream *s, const struct ivm_fleet *f,
			       struct ivm_parcel from, int first, int count, struct err *e);

#endif
