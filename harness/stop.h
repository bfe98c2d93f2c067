/* The request to stop: SIGINT, SIGTERM and SIGHUP set a flag that long work polls. */
#ifndef COPRA_STOP_H
#define COPRA_STOP_H

#include <signal.h>

#include "error.h"

/* Installs the handlers and gives the flag. The first signal sets it; one that comes more than a
 * second later ends the process as if there were no handler. (One request often arrives several
 * times at once: from the terminal, from make, from who started this process.) SIGHUP stays ignored
 * where it is, as under nohup. */
int stop_install(const volatile sig_atomic_t **flag, struct err *e);

#endif
