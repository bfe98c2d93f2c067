/* A kernel that touches what is not mapped: an error of the launch, as on CUDA, not the end of the
 * process. The sanitizers see to such faults themselves, and say more. */
#include <pthread.h>
#include <signal.h>

#include "harness/device/sim_engine.h"

#if SIM_ASAN || SIM_TSAN

void sim_fault_install(void)
{
}

#else

/* Signal handlers belong to the process, and so does this: who was there before. */
static struct sigaction previous;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The fault came from the running instruction: of a kernel, which holds no lock and is left for
 * good, or of host code, for which the former handler is put back before it faults again. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (sim_self)
		sim_fail(sim_current(),
			 "illegal access to address %p, somewhere after the line named here",
			 info->si_addr);
	sigaction(sig, &previous, NULL);
}

void sim_fault_install(void)
{
	struct sigaction mine = { 0 }, old;
	mine.sa_sigaction = on_fault;
	/* not blocked while it is handled: the handler does not return */
	mine.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigemptyset(&mine.sa_mask);
	pthread_mutex_lock(&lock);
	if (!sigaction(SIGSEGV, NULL, &old) && old.sa_sigaction != on_fault) {
		previous = old;
		sigaction(SIGSEGV, &mine, NULL);
	}
	pthread_mutex_unlock(&lock);
}

#endif
