/* The multi-core searches that the GPU is compared with. */
#include "algorithms/tree-search/atsp/atsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/gmys-ivm/ivm_search.h"

int ivm_search_cpu(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	const struct search_request *common = &r->common;
	search_fn *search = common->flowshop ? fsp_cpu : common->atsp ? atsp_cpu : queens_cpu_half;

	*o = (struct ivm_outcome){ .mode = IVM_AUTO };
	if (common->checkpoint)
		return err_set(e, ERR_UNSUPPORTED,
			       "the search on vectors keeps no checkpoints: "
			       "those of tuned and published do");
	return search(common, &o->common, e);
}
