/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Atomics, fences, cached and ordered accesses, asynchronous copies. Included by gpu_sim.cuh.
 *
 * Atomics order all memory here, unlike CUDA's; kernels must not rely on it. They are defined for
 * the same types as in CUDA, so code that compiles for sim also compiles for CUDA. */
#ifndef COPRA_KERNELS_COMMON_GPU_SIM_MEMORY_CUH
#define COPRA_KERNELS_COMMON_GPU_SIM_MEMORY_CUH

template <class T, class F> static inline T sim_atomic(T *p, F next)
{
	sim_preempt();
	T old = __atomic_load_n(p, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(p, &old, next(old), true, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE))
		;
	return old;
}
template <class T> static inline T sim_atomic_exchange(T *p, T v)
{
	sim_preempt();
	return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL);
}
template <class T> static inline T sim_atomic_cas(T *p, T expected, T v)
{
	sim_preempt();
	__atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return expected;
}
/* Floating-point values are accessed as integers of the same size. */
template <class F, class I> static inline F sim_atomic_add_float(F *p, F v)
{
	sim_preempt();
	I *q = reinterpret_cast<I *>(p);
	I old = __atomic_load_n(q, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(q, &old, sim_value<I>(sim_bits(sim_value<F>(old) + v)),
					    true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return sim_value<F>(old);
}

/* each operation for one type in the three scopes */
#define SIM_SCOPES(name, T, expression)                                                            \
	static inline T name(T *p, T v)                                                            \
	{                                                                                          \
		return expression;                                                                 \
	}                                                                                          \
	static inline T name##_system(T *p, T v)                                                   \
	{                                                                                          \
		return expression;                                                                 \
	}                                                                                          \
	static inline T name##_block(T *p, T v)                                                    \
	{                                                                                          \
		return expression;                                                                 \
	}
#define SIM_ATOMIC(name, T, expression)                                                            \
	SIM_SCOPES(name, T, (sim_atomic(p, [v](T old) -> T { return expression; })))

/* sums wrap around, as on the device */
#define SIM_ATOMIC_COMMON(T, U)                                                                    \
	SIM_ATOMIC(atomicAdd, T, (T)((U)old + (U)v))                                               \
	SIM_SCOPES(atomicExch, T, sim_atomic_exchange(p, v))                                       \
	static inline T atomicCAS(T *p, T old, T v)                                                \
	{                                                                                          \
		return sim_atomic_cas(p, old, v);                                                  \
	}                                                                                          \
	static inline T atomicCAS_system(T *p, T old, T v)                                         \
	{                                                                                          \
		return sim_atomic_cas(p, old, v);                                                  \
	}                                                                                          \
	static inline T atomicCAS_block(T *p, T old, T v)                                          \
	{                                                                                          \
		return sim_atomic_cas(p, old, v);                                                  \
	}
#define SIM_ATOMIC_ORDER(T)                                                                        \
	SIM_ATOMIC(atomicMin, T, old < v ? old : v)                                                \
	SIM_ATOMIC(atomicMax, T, old > v ? old : v)                                                \
	SIM_ATOMIC(atomicAnd, T, old &v)                                                           \
	SIM_ATOMIC(atomicOr, T, old | v)                                                           \
	SIM_ATOMIC(atomicXor, T, old ^ v)
SIM_ATOMIC_COMMON(int, unsigned)
SIM_ATOMIC_COMMON(unsigned, unsigned)
SIM_ATOMIC_COMMON(unsigned long long, unsigned long long)
SIM_ATOMIC_ORDER(int)
SIM_ATOMIC_ORDER(unsigned)
SIM_ATOMIC_ORDER(long long)
SIM_ATOMIC_ORDER(unsigned long long)
SIM_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)v))
SIM_ATOMIC(atomicSub, unsigned, old - v)
SIM_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
SIM_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
SIM_SCOPES(atomicAdd, float, (sim_atomic_add_float<float, unsigned>(p, v)))
SIM_SCOPES(atomicAdd, double, (sim_atomic_add_float<double, unsigned long long>(p, v)))
#undef SIM_ATOMIC_ORDER
#undef SIM_ATOMIC_COMMON
#undef SIM_ATOMIC
#undef SIM_SCOPES

static inline void __threadfence()
{
	sim_fence();
}
static inline void __threadfence_block()
{
	sim_fence();
}
static inline void __threadfence_system()
{
	sim_fence();
}

#define SIM_FLAG(T)                                                                                \
	static inline T ld_acquire_gpu(const T *p)                                                 \
	{                                                                                          \
		sim_preempt();                                                                     \
		return __atomic_load_n(p, __ATOMIC_ACQUIRE);                                       \
	}                                                                                          \
	static inline T ld_acquire_sys(const T *p)                                                 \
	{                                                                                          \
		return ld_acquire_gpu(p);                                                          \
	}                                                                                          \
	static inline void st_release_gpu(T *p, T v)                                               \
	{                                                                                          \
		sim_preempt();                                                                     \
		__atomic_store_n(p, v, __ATOMIC_RELEASE);                                          \
	}                                                                                          \
	static inline void st_release_sys(T *p, T v)                                               \
	{                                                                                          \
		st_release_gpu(p, v);                                                              \
	}
SIM_FLAG(int)
SIM_FLAG(unsigned)
SIM_FLAG(long)
SIM_FLAG(unsigned long)
SIM_FLAG(long long)
SIM_FLAG(unsigned long long)
#undef SIM_FLAG
static inline int32_t ld_relaxed_gpu(const int32_t *p)
{
	return ld_acquire_gpu(p);
}
static inline void st_relaxed_gpu(int32_t *p, int32_t v)
{
	st_release_gpu(p, v);
}

/* Cache hints have no effect on sim. */
#define SIM_LOAD(name)                                                                             \
	template <class T> static inline T name(const T *p)                                        \
	{                                                                                          \
		return *p;                                                                         \
	}
#define SIM_STORE(name)                                                                            \
	template <class T> static inline void name(T *p, typename gpu_same<T>::type v)             \
	{                                                                                          \
		*p = v;                                                                            \
	}
SIM_LOAD(__ldg)
SIM_LOAD(__ldca)
SIM_LOAD(__ldcg)
SIM_LOAD(__ldcs)
SIM_LOAD(__ldcv)
SIM_LOAD(__ldlu)
SIM_STORE(__stcg)
SIM_STORE(__stcs)
SIM_STORE(__stwb)
SIM_STORE(__stwt)
#undef SIM_LOAD
#undef SIM_STORE

static inline void copy_async_16(void *shared_dst, const void *global_src, SIM_HERE)
{
	sim_copy_async(shared_dst, global_src, 16, SIM_PLACE);
}
static inline void copy_async_4(void *shared_dst, const void *global_src, SIM_HERE)
{
	sim_copy_async(shared_dst, global_src, 4, SIM_PLACE);
}
static inline void copy_async_commit()
{
	sim_copy_commit();
}
template <int N> static inline void copy_async_wait()
{
	sim_copy_wait(N);
}

static inline long long clock64()
{
	return (long long)sim_clock();
}
static inline void __nanosleep(unsigned, SIM_HERE)
{
	sim_pause(SIM_PLACE);
}

#endif
