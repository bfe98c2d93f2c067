/* Which tables a place uses. */
#include "algorithms/koester-recovery/domain.h"
#include "kernels/koester-recovery/common.h"

const struct track_common *track_common_of(const struct track_place *p)
{
	if (!p->device)
		return &track_common_host;
#if COPRA_HAVE_CUDA
	if (dev_backend_of(p->device) == DEV_CUDA)
		return &track_common_cuda;
#endif
	return &track_common_sim;
}

const struct track_ops *track_ops_of(const struct track_domain *d, const struct track_place *p)
{
	if (!p->device)
		return d->host;
	return dev_backend_of(p->device) == DEV_CUDA ? d->cuda : d->sim;
}
