/* Chooses between PTE+PEB and PTE, and the trigger of PTE, from the rates that it sees while the
 * search runs (the paper left both to hand calibration: sections 4.3 and 5).
 *
 * Now and then, when most IVMs explore, it measures a window of the choice in use and one of each
 * neighbour: the other mode, half the trigger, twice the trigger. A neighbour that is GAIN faster
 * is taken, and its neighbours are tried at once; else it rests. What slower neighbours cost,
 * compared with the choice in use, is kept below LOSS of all time. */
#ifndef COPRA_GMYS_IVM_IVM_TUNER_H
#define COPRA_GMYS_IVM_IVM_TUNER_H

#include "algorithms/gmys-ivm/ivm_request.h"

struct ivm_choice {
	enum ivm_mode mode; /* IVM_PTE_PEB, IVM_PTE */
	int trigger;        /* of PTE: IVMs, -1: none */
};

struct ivm_tuner {
	bool modes, triggers; /* what it may choose */
	int ivms;
	struct ivm_choice choice; /* to be used in the next call */
	/* the rest is the tuner's own */
	struct ivm_choice kept, better;
	double kept_rate, better_rate;
	int candidate;              /* being measured; 0: the choice kept */
	double nodes, seconds;      /* of the window */
	int calls;                  /* of the window, those left out included */
	double total, lost, rested; /* seconds */
};

/* Begins with PTE+PEB for flowshop, with PTE else; the trigger with the paper's 20 %. What the
 * request names is kept. */
void ivm_tuner_begin(struct ivm_tuner *t, const struct ivm_request *r, int ivms);
/* After a call that decomposed `nodes` in `seconds`; `steady`: most IVMs were exploring. */
void ivm_tuner_saw(struct ivm_tuner *t, double nodes, double seconds, bool steady);

#endif
