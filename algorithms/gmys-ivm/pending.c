/* Weak stand-ins for parts that are not there yet. */
#include "ivm_device.h"
#include "ivm_search.h"

#define PENDING_IVM(name)                                                                          \
	__attribute__((weak)) int name(const struct ivm_request *r, struct ivm_outcome *o,        \
				       struct err *e)                                             \
	{                                                                                          \
		(void)r, (void)o;                                                                  \
		return err_set(e, ERR_UNSUPPORTED, #name " is not there yet");                     \
	}
PENDING_IVM(ivm_search_published)
