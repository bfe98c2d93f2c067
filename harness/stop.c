#include "stop.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* A handler can reach nothing else. */
static volatile sig_atomic_t stop_requested;
static struct timespec first_request;

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void on_signal(int number)
{
	int saved = errno;

	if (!stop_requested) {
		clock_gettime(CLOCK_MONOTONIC, &first_request);
		stop_requested = 1;
	} else if (seconds_since(&first_request) > 1) {
		signal(number, SIG_DFL);
		raise(number); /* taken when the handler returns */
	}
	errno = saved;
}

int stop_install(const volatile sig_atomic_t **flag, struct err *e)
{
	struct sigaction action = { .sa_handler = on_signal }, hangup;

	/* one handler at a time: they share the time of the first request */
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	if (sigaction(SIGHUP, NULL, &hangup) || sigaction(SIGINT, &action, NULL) ||
	    sigaction(SIGTERM, &action, NULL) ||
	    (hangup.sa_handler != SIG_IGN && sigaction(SIGHUP, &action, NULL)))
		return err_set(e, ERR_FAILED, "cannot handle signals: %s", strerror(errno));
	*flag = &stop_requested;
	return 0;
}
