#include "stop.h"

#include <errno.h>
#include <string.h>

/* A handler can reach nothing else. */
static volatile sig_atomic_t stop_requested;

static void on_signal(int number)
{
	(void)number;
	stop_requested = 1;
}

int stop_install(const volatile sig_atomic_t **flag, struct err *e)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL))
		return err_set(e, ERR_FAILED, "cannot handle signals: %s", strerror(errno));
	*flag = &stop_requested;
	return 0;
}
