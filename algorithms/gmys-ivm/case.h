/* One measured search: what all experiments of gmys-ivm share. A bench names its axes; these are
 * its hooks. Axes that every bench has: instance (problems/labels.h), variant, gpus; published
 * with gpus:0 is the paper's algorithm on all cores.
 *
 * The time is the outcome's seconds_search (search.h), the mean of several runs where a case makes
 * more than one; the work is decomposed nodes. A count, a proof or a solution that is wrong turns
 * the row into an error: trees that nobody counted before are counted by `serial` before anything
 * is timed. A search that would take too long stops early, its time being extended to the whole
 * tree by the nodes that it decomposed (counter `extrapolated`). */
#ifndef COPRA_GMYS_IVM_CASE_H
#define COPRA_GMYS_IVM_CASE_H

#include "harness/bench/bench.h"
#include "algorithms/gmys-ivm/ivm_request.h"

struct ivm_case {
	const char *instance;
	enum fsp_bound bound;
	enum fsp_branching branching;
	int64_t ub; /* 0: the optimum; others: flowshop, below it */
	enum ivm_mode mode;
	enum ivm_victims victims;
	enum ivm_hybrid hybrid;
	int64_t trigger; /* as ivm_request's */
	int ivms;
	int explorers; /* CPU threads beside the devices */
	int steal_parts;
	int runs;            /* searches an iteration [1]; counters tell their spread */
	double predicted;    /* seconds, where ivm_case_estimate does not know them; else 0 */
	double stop_after;   /* seconds after which a search stops early; 0: never */
	double from_scratch; /* seconds that a search without an incumbent may take, its heuristic
				start included; 0: it is given the optimum */
	double checkpoint;   /* seconds between two checkpoints, 0: none is kept */
	bool trace;          /* counters active_0 .. active_19: share of the IVMs at work in each
				twentieth of the time */
};
enum { IVM_SLICES = 20 };

/* The paper's setting of the instance's problem: LB2 MaxSum and PTE+PEB, or PTE with a trigger of a
 * fifth of T; T = 16,384, Hypercube. */
struct ivm_case ivm_case_default(const struct bench_case *c);
int ivm_case_setup(struct bench_case *c, const struct ivm_case *p, struct err *e);
int ivm_case_run(struct bench_case *c, struct err *e);
int ivm_case_check(struct bench_case *c, struct err *e);
void ivm_case_teardown(struct bench_case *c);

/* ---- experiment_size.c: what is too large, and how long it takes ---- */

bool ivm_case_uses_device(const struct bench_case *c);
/* serial and cpu take no GPU, tuned needs one; no variant gets a tree that would take it hours. */
bool ivm_case_exists(const struct bench_case *c);
/* Nodes of the tree from the optimum with the paper's bound, or a guess (1e12 where there is
 * none). */
double ivm_case_nodes(const char *instance);
/* Seconds after which cores that would take too long stop early; 0: they finish. */
double ivm_case_stop_after(const struct bench_case *c);
/* Predicted seconds of a search to its end, or to where it stops. */
double ivm_case_estimate(const struct bench_case *c);

/* What every experiment has in common. */
#define IVM_CASE                                                                                   \
	.manual_time = true, .unit = "ms", .run = ivm_case_run, .check = ivm_case_check,           \
	.teardown = ivm_case_teardown, .uses_device = ivm_case_uses_device

#endif
