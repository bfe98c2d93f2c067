/* The multi-core searches that the GPU is compared with. */
#include "algorithms/tree-search/cpu_search.h"
#include "algorithms/gmys-ivm/ivm_search.h"

int ivm_search_cpu(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	const struct search_request *common = &r->common;
	search_fn *search = common->flowshop ? cpu_flowshop :
			    common->atsp     ? cpu_atsp :
					       cpu_queens_half;

	*o = (struct ivm_outcome){ .mode = IVM_AUTO };
	if (common->checkpoint)
		return err_set(e, ERR_UNSUPPORTED,
			       "the search on vectors keeps no checkpoints: "
			       "those of tuned and published do");
	return search(common, &o->common, e);
}
