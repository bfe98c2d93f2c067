/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Fibers: the threads of a simulated block. A switch is a few instructions on x86-64 and aarch64,
 * and swapcontext elsewhere. ASan and TSan are notified of each switch. */
#ifndef COPRA_DEVICE_SIM_FIBER_H
#define COPRA_DEVICE_SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIM_TSAN 1
#endif
#endif
#ifndef SIM_ASAN
#define SIM_ASAN 0
#endif
#ifndef SIM_TSAN
#define SIM_TSAN 0
#endif

struct sim_fiber {
	void *context;        /* where it stopped */
	unsigned char *stack; /* lowest address */
	size_t stack_bytes;
	void *fake_stack; /* ASan's */
	void *tsan;       /* TSan's fiber */
	bool shares_tsan; /* the TSan fiber belongs to another fiber */
	bool abandoned;   /* stopped in the middle and never resumed */
};

/* The running OS thread as a fiber. */
void sim_fiber_adopt(struct sim_fiber *f);
/* Creates a fiber on the given stack without starting it. Destroying it frees the sanitizer's data.
 * TSan treats the fibers of a group as one (NULL: a group of its own), because a fiber costs TSan
 * as much as an OS thread. The outer frames of a call stack that TSan prints may therefore be those
 * of another fiber of the group. */
void sim_fiber_create(struct sim_fiber *f, unsigned char *stack, size_t bytes,
		      const struct sim_fiber *group);
void sim_fiber_destroy(struct sim_fiber *f);
/* Replaces TSan's fiber of a fiber that is not running. `group` is the group given at its creation,
 * already renewed. A fiber that never returns from entry() leaves its last frames on TSan's call
 * stack, which holds 65,535 frames. */
void sim_fiber_renew(struct sim_fiber *f, const struct sim_fiber *group);
/* The next switch to `f` calls entry(), which must not return. `skew` bytes, a multiple of 16,
 * shift its first frame, so that fibers do not all use the same cache sets. */
void sim_fiber_start(struct sim_fiber *f, void (*entry)(void), size_t skew);
#if SIM_ASAN || SIM_TSAN
void sim_fiber_switch(struct sim_fiber *from, struct sim_fiber *to);
#else
/* Saves the context of the caller in *save and continues at `load`. */
void sim_context_switch(void **save, void *load);
static inline void sim_fiber_switch(struct sim_fiber *from, struct sim_fiber *to)
{
	sim_context_switch(&from->context, to->context);
}
#endif
/* Must be called first in entry(). */
void sim_fiber_entered(void);

#endif
