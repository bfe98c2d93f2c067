/* Bounding on the host, for the nodes that the published algorithm does not offload: those of the
 * initial search and the fewer than m that a pool ends with. Same answer as the kernels: which
 * children survive. */
#ifndef COPRA_HELBECQUE_POOL_EVALUATOR_H
#define COPRA_HELBECQUE_POOL_EVALUATOR_H

#include "algorithms/helbecque-pool/bounder.h"
#include "algorithms/tree-search/search.h"
#include "algorithms/helbecque-pool/node.h"

struct evaluator {
	struct node_format format;
	bool queens;
	struct bounder bounder; /* flowshop */
	int32_t *front, *rem;   /* scratch */
};

/* ERR_MEMORY; ERR_UNSUPPORTED where the published algorithm does not take the instance. */
int evaluator_open(struct evaluator *v, const struct search_request *r, struct err *e);
void evaluator_close(struct evaluator *v);

/* mask: format.words words. Of a node of depth n-1 the one child is a complete schedule. */
void evaluator_children(struct evaluator *v, const unsigned char *node, int32_t ub, uint32_t *mask);
/* Makespan of the node's permutation, as an order of jobs. */
int32_t evaluator_makespan(const struct evaluator *v, const unsigned char *node, int32_t *front);

#endif
