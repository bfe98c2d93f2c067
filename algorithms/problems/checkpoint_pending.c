/* Weak stand-ins for a part that is not there yet. */
#include "checkpoint.h"

__attribute__((weak)) int checkpoint_read(struct checkpoint *c, const char *path, struct err *e)
{
	(void)c;
	return err_set(e, ERR_UNSUPPORTED, "%s: checkpoints are not there yet", path);
}

__attribute__((weak)) void checkpoint_free(struct checkpoint *c)
{
	(void)c;
}
