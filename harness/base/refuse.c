#include "harness/base/refuse.h"

int refuse_list(const struct refusal *list, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].refused)
			return err_set(e, ERR_USAGE, "--%s: %s", list[i].flag, list[i].why);
	}
	return 0;
}
