/* Between the files of environment. */
#ifndef COPRA_MACHINE_ENVIRONMENT_PARTS_H
#define COPRA_MACHINE_ENVIRONMENT_PARTS_H

#include "harness/machine/environment.h"

/* Fills the GPU members; leaves them empty where there is no NVML. */
void env_capture_gpus(struct environment *env);

#endif
