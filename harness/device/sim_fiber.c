/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/device/sim_fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#if SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

void sim_context_switch(void **save, void *load);

#if defined(__x86_64__)

/* The return address is popped and jumped to: a `ret` would always be mispredicted. */
__asm__(".text\n"
	".p2align 4\n"
	".globl sim_context_switch\n"
	".hidden sim_context_switch\n"
	".type sim_context_switch, @function\n"
	"sim_context_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	popq %rcx\n"
	"	jmpq *%rcx\n"
	".size sim_context_switch, .-sim_context_switch\n");

static void *context_make(unsigned char *top, void (*entry)(void))
{
	uintptr_t *p = (uintptr_t *)(void *)top;
	*--p = 0; /* entry's return address: none; aligned as after a call */
	*--p = (uintptr_t)entry;
	for (int i = 0; i < 6; i++)
		*--p = 0;
	return p;
}

#elif defined(__aarch64__)

__asm__(".text\n"
	".p2align 4\n"
	".globl sim_context_switch\n"
	".hidden sim_context_switch\n"
	".type sim_context_switch, %function\n"
	"sim_context_switch:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size sim_context_switch, .-sim_context_switch\n");

static void *context_make(unsigned char *top, void (*entry)(void))
{
	uint64_t *p = (uint64_t *)(void *)(top - 160);
	memset(p, 0, 160);
	p[11] = (uint64_t)(uintptr_t)entry; /* x30 */
	return p;
}

#else

#include <ucontext.h>

void sim_context_switch(void **save, void *load)
{
	/* on the stack of the fiber that stops; valid until that fiber continues */
	ucontext_t here;
	*save = &here;
	swapcontext(&here, load);
}

static void *context_make(unsigned char *top, void (*entry)(void))
{
	ucontext_t *u = (ucontext_t *)((uintptr_t)(top - sizeof(*u)) & ~(uintptr_t)63);
	getcontext(u);
	/* makecontext needs only the upper end of the stack */
	u->uc_stack.ss_sp = (unsigned char *)u - 8192;
	u->uc_stack.ss_size = 8192;
	u->uc_link = NULL;
	makecontext(u, entry, 0);
	return u;
}

#endif

void sim_fiber_adopt(struct sim_fiber *f)
{
	pthread_attr_t attr;
	void *stack;
	memset(f, 0, sizeof(*f));
	if (!pthread_getattr_np(pthread_self(), &attr)) {
		if (!pthread_attr_getstack(&attr, &stack, &f->stack_bytes))
			f->stack = stack;
		pthread_attr_destroy(&attr);
	}
#if SIM_TSAN
	f->tsan = __tsan_get_current_fiber();
#endif
}

void sim_fiber_create(struct sim_fiber *f, unsigned char *stack, size_t bytes,
		      const struct sim_fiber *group)
{
	memset(f, 0, sizeof(*f));
	f->stack = stack;
	f->stack_bytes = bytes;
	f->shares_tsan = group != NULL;
#if SIM_TSAN
	f->tsan = group ? group->tsan : __tsan_create_fiber(0);
#endif
}

/* ASan still has the frames of an abandoned fiber marked as in use. */
static void forget_frames(struct sim_fiber *f)
{
#if SIM_ASAN
	__asan_unpoison_memory_region(f->stack, f->stack_bytes);
#endif
	f->abandoned = false;
}

void sim_fiber_destroy(struct sim_fiber *f)
{
	if (f->abandoned)
		forget_frames(f);
#if SIM_TSAN
	if (!f->shares_tsan)
		__tsan_destroy_fiber(f->tsan);
#endif
	f->tsan = NULL;
}

void sim_fiber_renew(struct sim_fiber *f, const struct sim_fiber *group)
{
#if SIM_TSAN
	if (!group)
		__tsan_destroy_fiber(f->tsan);
	f->tsan = group ? group->tsan : __tsan_create_fiber(0);
#else
	(void)f;
	(void)group;
#endif
}

void sim_fiber_start(struct sim_fiber *f, void (*entry)(void), size_t skew)
{
	if (f->abandoned)
		forget_frames(f);
	f->fake_stack = NULL;
	f->context = context_make(f->stack + f->stack_bytes - skew, entry);
}

#if SIM_ASAN || SIM_TSAN
void sim_fiber_switch(struct sim_fiber *from, struct sim_fiber *to)
{
#if SIM_ASAN
	__sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#if SIM_TSAN
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	sim_context_switch(&from->context, to->context);
#if SIM_ASAN
	__sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}
#endif

void sim_fiber_entered(void)
{
#if SIM_ASAN
	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
}
