/* What a row, or the answer of `solve`, tells beside its time. */
#ifndef COPRA_IVM_MEASURED_H
#define COPRA_IVM_MEASURED_H

#include "../../harness/bench.h"
#include "../../harness/solve.h"
#include "ivm_search.h"

struct ivm_figure {
	const char *name;
	double value;
	bool seconds; /* a mean over repetitions is meant */
};
enum { IVM_FIGURES = 24 };

/* All that the search tells; returns how many. With `published` the figures of Algorithm 7 too: IVMs,
 * trigger (0: none), mode (1: PTE+PEB, 2: PTE), stealing by kind, busy share, parts of the time. */
int ivm_figures(const struct ivm_outcome *o, bool published,
		     struct ivm_figure figures[IVM_FIGURES]);

#endif
