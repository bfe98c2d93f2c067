/* The request to stop: SIGINT and SIGTERM set a flag that long work polls. */
#ifndef COPRA_STOP_H
#define COPRA_STOP_H

#include <signal.h>

#include "error.h"

/* Installs the handlers and gives the flag. The first signal sets it; a second one of the same kind
 * ends the process as if there were no handler. */
int stop_install(const volatile sig_atomic_t **flag, struct err *e);

#endif
