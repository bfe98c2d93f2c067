#include "synthetic_host.h"

#include "synthetic_state.h"

#define TRACK_DOMAIN synthetic
#include "domain_host.h"
