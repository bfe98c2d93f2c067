#include "algorithms/koester-recovery/synthetic_host.h"

#include "algorithms/koester-recovery/synthetic_state.h"

#define TRACK_DOMAIN synthetic
#include "algorithms/koester-recovery/domain_host.h"
