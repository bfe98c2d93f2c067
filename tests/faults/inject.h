/* Failures made on purpose, one at a time: the Nth allocation, start of a thread or call of the
 * device layer that our own code makes fails, as it would where there is no more memory. Programs
 * that use this are linked with --wrap=malloc and so on (see the Makefile): calls from within other
 * libraries do not count.
 *
 * Blocks that our code allocates and has not freed are counted too. */
#ifndef COPRA_TESTS_FAULTS_INJECT_H
#define COPRA_TESTS_FAULTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind { FAULT_MEMORY, FAULT_THREAD, FAULT_DEVICE, FAULT_KINDS };

struct fault_plan {
	enum fault_kind kind;
	int64_t at;    /* which of them fails, from 1; 0: none */
	bool for_good; /* all behind it fail too */
};

void inject_begin(const struct fault_plan *plan);
/* Calls of the kind since then. */
int64_t inject_calls(enum fault_kind kind);
/* For the wrappers: whether this call is the one to fail; and around a call of the device layer. */
bool inject_fails(enum fault_kind kind);
bool inject_enter_device(void);
void inject_leave_device(bool before);
/* Blocks allocated and not freed, of all so far. */
int64_t inject_blocks(void);

#endif
