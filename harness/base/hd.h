/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* HD: marks a small function that host C code, host C++ code and kernels share.
 *
 *     HD int64_t cell_update(int64_t keep, int64_t take, int64_t profit) { ... }
 *
 * Such a header is plain C that is also valid C++: no designated initialisers out of order, no
 * implicit conversion from void *, no variable-length arrays, no `restrict` (write HD_RESTRICT). */
#ifndef COPRA_BASE_HD_H
#define COPRA_BASE_HD_H

#if defined(__CUDACC__) || defined(__HIP__)
#define HD static __host__ __device__ __forceinline__
#else
#define HD static inline
#endif
#define HD_RESTRICT __restrict__

#endif
