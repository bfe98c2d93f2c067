/* The flowshop domain of an instance: tables, their copies on devices, the root state. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_PFSP_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_PFSP_H

#include "algorithms/koester-recovery/states/domain.h"
#include "kernels/koester-recovery/pfsp.h"
#include "algorithms/koester-recovery/problems/search.h"

struct track_pfsp_problem {
	struct track_domain domain;          /* first member: the tracker passes a pointer to it */
	struct track_pfsp parameters;        /* with pointers to tables on the host */
	struct track_pfsp_guidance guidance; /* the host's */
	struct track_pfsp_copies *copies;    /* one for each device that has entered the domain */
	int32_t *tables;
};

/* `best`: the makespan of a known schedule. ERR_MEMORY. The instance may be freed afterwards. */
int track_pfsp_problem_create(struct track_pfsp_problem **out, const struct flowshop *f,
			      const struct track_pfsp_options *o, int32_t best, struct err *e);
void track_pfsp_problem_destroy(struct track_pfsp_problem *q);

/* Writes the state without jobs: track_pfsp_units(&q->parameters) words. */
void track_pfsp_root(const struct track_pfsp_problem *q, uint32_t *state);

extern const struct track_ops track_pfsp_ops_host;
#ifdef __cplusplus
extern "C" {
#endif
extern const struct track_ops track_pfsp_ops_sim;
#if COPRA_HAVE_CUDA
extern const struct track_ops track_pfsp_ops_cuda;
#endif
#ifdef __cplusplus
}
#endif

#endif
