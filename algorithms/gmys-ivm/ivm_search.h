/* The searches of this target. All take a struct ivm_request and give a struct ivm_outcome; the
 * counts are those of search.h.
 *
 * Trees: flowshop by bound and branching; N-Queens with half_board; ATSP by path cost. */
#ifndef COPRA_GMYS_IVM_IVM_SEARCH_H
#define COPRA_GMYS_IVM_IVM_SEARCH_H

#include "algorithms/tree-search/search.h"
#include "kernels/gmys-ivm/victims.h"

enum ivm_mode { IVM_AUTO, IVM_PTE_PEB, IVM_PTE }; /* section 3.2 */
enum ivm_hybrid { IVM_STEAL, IVM_FARMER };        /* section 3.4; ours */

enum { IVM_PAPER_T = 16384, IVM_DEVICES_MAX = DEV_MAX, IVM_TRACE_MAX = 4096 };

/* Beside the common fields, for published; 0: the default in brackets. */
struct ivm_request {
	struct search_request common; /* threads: explorers on the CPU, beside the devices (may be 0
					 where there are devices) or alone */
	enum ivm_mode mode;           /* chosen by what is measured */
	int ivms;                     /* T, IVMs a device, a power of two [16,384, or what fits] */
	enum ivm_victims victims;
	int64_t trigger; /* empty IVMs that end an expansion (PTE); 0: chosen by what is
			    measured; -1: none (a step at a time, the paper's 0) */
	enum ivm_hybrid hybrid;
	int steal_parts; /* k of host-to-device steal-1/k, the host keeps 1/k [2: half] */
	bool trace;      /* record the active IVMs over time (Figure 5) */
};

enum ivm_steal { IVM_H2H, IVM_D2D, IVM_H2D, IVM_D2H, IVM_STEALS };

struct ivm_sample {
	double seconds;
	int device, active;
};

struct ivm_outcome {
	struct search_outcome common;
	enum ivm_mode mode; /* as used; IVM_AUTO where there was no device */
	int64_t trigger;    /* as used at the end */
	int ivms;
	uint64_t steal_tried[IVM_STEALS], steal_done[IVM_STEALS]; /* between threads, thief first?
					 no: victim-to-thief as in section 3.5: IVM_H2D is a device
					 that steals from a host thread */
	uint64_t inside_phases, inside_steals;                    /* inside devices */
	double busy; /* mean share of a device's IVMs that explore, 0..1, over expansions */
	/* seconds, summed over devices */
	double seconds_expand, seconds_bound, seconds_inside, seconds_wait, seconds_other;
	uint64_t device_decomposed, host_decomposed;
	struct ivm_sample *sample; /* NULL without trace */
	int samples;
};
void ivm_outcome_free(struct ivm_outcome *o);

typedef int ivm_search_fn(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);

/* Algorithm 2: one IVM on one core. */
int ivm_search_serial(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);
/* Our best on all cores: vectors, tables of sets, work stealing. */
int ivm_search_cpu(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);
/* Algorithm 7: devices and CPU threads under random work stealing. */
int ivm_search_published(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);
/* Ours: dispatches on problem, bound, size and checkpoint. */
int ivm_search_tuned(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);

/* N-Queens and ATSP in ivm_search_tuned: intervals handed out by the host, prefixes searched on
 * devices. */
int ivm_tuned_intervals(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
