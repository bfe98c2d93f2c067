/* Stands in for what is not there yet; goes when all of it is. */
#include "pool.h"

#define PENDING(name)                                                                            \
	__attribute__((weak)) int name(const struct search_request *r, struct search_outcome *o,  \
				       struct err *e)                                             \
	{                                                                                         \
		(void)r;                                                                          \
		(void)o;                                                                          \
		return err_set(e, ERR_UNSUPPORTED, #name " is not there yet");                    \
	}

PENDING(cpu_flowshop)
