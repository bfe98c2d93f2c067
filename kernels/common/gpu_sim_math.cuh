/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Integer and bit functions of CUDA. Included by gpu_sim.cuh.
 * Sums wrap around as on the device, without undefined behaviour on the host. */
#ifndef COPRA_KERNELS_COMMON_GPU_SIM_MATH_CUH
#define COPRA_KERNELS_COMMON_GPU_SIM_MATH_CUH

#include <math.h>

#define SIM_MIN_MAX(R, A, B)                                                                       \
	static inline R min(A a, B b)                                                              \
	{                                                                                          \
		return (R)a < (R)b ? (R)a : (R)b;                                                  \
	}                                                                                          \
	static inline R max(A a, B b)                                                              \
	{                                                                                          \
		return (R)a > (R)b ? (R)a : (R)b;                                                  \
	}
SIM_MIN_MAX(int, int, int)
SIM_MIN_MAX(unsigned, unsigned, unsigned)
SIM_MIN_MAX(unsigned, int, unsigned)
SIM_MIN_MAX(unsigned, unsigned, int)
SIM_MIN_MAX(long, long, long)
SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIM_MIN_MAX(unsigned long, long, unsigned long)
SIM_MIN_MAX(unsigned long, unsigned long, long)
SIM_MIN_MAX(long long, long long, long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, long long)
SIM_MIN_MAX(float, float, float)
SIM_MIN_MAX(double, double, double)
SIM_MIN_MAX(double, float, double)
SIM_MIN_MAX(double, double, float)
#undef SIM_MIN_MAX

/* ---- bits ---- */

static inline int __popc(unsigned v)
{
	return __builtin_popcount(v);
}
static inline int __popcll(unsigned long long v)
{
	return __builtin_popcountll(v);
}
static inline int __clz(int v)
{
	return v ? __builtin_clz((unsigned)v) : 32;
}
static inline int __clzll(long long v)
{
	return v ? __builtin_clzll((unsigned long long)v) : 64;
}
static inline int __ffs(int v)
{
	return __builtin_ffs(v);
}
static inline int __ffsll(long long v)
{
	return __builtin_ffsll(v);
}
static inline unsigned __brev(unsigned v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}
static inline unsigned long long __brevll(unsigned long long v)
{
	return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
	uint64_t both = (uint64_t)y << 32 | x;
	unsigned r = 0;
	for (unsigned i = 0; i < 4; i++) {
		unsigned s =
			selector >> (4 * i) & 7; /* the fourth bit of a prmt selector is ignored */
		r |= ((unsigned)(both >> (8 * s)) & 0xff) << (8 * i);
	}
	return r;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift)
{
	return (unsigned)(((uint64_t)hi << 32 | lo) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift)
{
	return (unsigned)(((uint64_t)hi << 32 | lo) >> (shift & 31));
}
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift)
{
	return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift)
{
	return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

/* ---- multiplication and bit patterns ---- */

static inline int __mulhi(int a, int b)
{
	return (int)((int64_t)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((uint64_t)a * b >> 32);
}
static inline long long __mul64hi(long long a, long long b)
{
	return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __float_as_int(float v)
{
	return sim_value<int>(sim_bits(v));
}
static inline unsigned __float_as_uint(float v)
{
	return sim_value<unsigned>(sim_bits(v));
}
static inline float __int_as_float(int v)
{
	return sim_value<float>(sim_bits(v));
}
static inline float __uint_as_float(unsigned v)
{
	return sim_value<float>(sim_bits(v));
}
static inline long long __double_as_longlong(double v)
{
	return sim_value<long long>(sim_bits(v));
}
static inline double __longlong_as_double(long long v)
{
	return sim_value<double>(sim_bits(v));
}
static inline float __fmaf_rn(float a, float b, float c)
{
	return fmaf(a, b, c);
}
static inline double __fma_rn(double a, double b, double c)
{
	return fma(a, b, c);
}

#include "kernels/common/gpu_twins.cuh"

#endif
