/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/explorers/ivm_tuner.h"

static const double WINDOW_SECONDS = 4e-3;
static const int WINDOW_CALLS = 3; /* the first is not counted: the choice has just changed */
static const double GAIN = 1.03, HOPELESS = 0.5;
static const double LOSS = 0.02;
static const double REST_SECONDS = 0.5;
static const int PAPER_TRIGGER_PARTS = 5;
enum { OTHER_MODE = 1, LOWER = 2, HIGHER = 3, CANDIDATES = 4 };

void ivm_tuner_begin(struct ivm_tuner *t, const struct ivm_request *r, int ivms)
{
	bool flowshop = r->common.flowshop != NULL;
	int paper = ivms / PAPER_TRIGGER_PARTS > 1 ? ivms / PAPER_TRIGGER_PARTS : 1;

	*t = (struct ivm_tuner){ .modes = r->mode == IVM_AUTO,
				 .triggers = r->trigger == IVM_TRIGGER_AUTO ||
					     (r->mode == IVM_AUTO && r->trigger == 0),
				 .ivms = ivms,
				 .rested = REST_SECONDS };
	t->choice.mode = r->mode;
	if (r->mode == IVM_AUTO || r->mode == IVM_PAPER_MODE)
		t->choice.mode = flowshop ? IVM_PTE_PEB : IVM_PTE;
	t->choice.trigger = t->triggers || r->trigger == 0 ?
				    paper :
				    (int)(r->trigger < ivms ? r->trigger : ivms);
	t->kept = t->choice;
}

/* Sets *x to candidate `c`. Returns false if there is no such candidate. */
static bool candidate(const struct ivm_tuner *t, int c, struct ivm_choice *x)
{
	int trigger = t->kept.trigger;

	*x = t->kept;
	if (c == OTHER_MODE) {
		x->mode = t->kept.mode == IVM_PTE ? IVM_PTE_PEB : IVM_PTE;
		return t->modes;
	}
	if (!t->triggers || t->kept.mode != IVM_PTE)
		return false;
	x->trigger = c == LOWER ? trigger / 2 : trigger * 2;
	return x->trigger >= 1 && x->trigger < t->ivms;
}

static void open_window(struct ivm_tuner *t)
{
	t->nodes = t->seconds = 0;
	t->calls = 0;
}

/* Starts the next candidate, or ends the round. */
static void move_on(struct ivm_tuner *t)
{
	open_window(t);
	while (++t->candidate < CANDIDATES) {
		if (candidate(t, t->candidate, &t->choice))
			return;
	}
	t->candidate = 0;
	if (t->better_rate > GAIN * t->kept_rate)
		t->kept = t->better; /* and start another round */
	else
		t->rested = 0;
	t->choice = t->kept;
}

static void close_window(struct ivm_tuner *t, double rate)
{
	if (t->candidate == 0) {
		t->kept_rate = rate;
		t->better_rate = 0;
	} else if (rate > t->better_rate) {
		t->better_rate = rate;
		t->better = t->choice;
	}
	move_on(t);
}

void ivm_tuner_saw(struct ivm_tuner *t, double nodes, double seconds, bool steady)
{
	double rate;

	t->total += seconds;
	t->rested += seconds;
	if (!steady || !(t->modes || t->triggers))
		return;
	if (t->candidate == 0 &&
	    (t->rested < REST_SECONDS || t->lost + WINDOW_SECONDS > LOSS * t->total))
		return;
	if (t->candidate && nodes < t->kept_rate * seconds)
		t->lost += seconds - nodes / t->kept_rate;
	if (t->calls++ == 0)
		return;
	t->nodes += nodes;
	t->seconds += seconds;
	rate = t->seconds > 0 ? t->nodes / t->seconds : 0;
	if ((t->calls >= WINDOW_CALLS && t->seconds >= WINDOW_SECONDS) ||
	    (t->candidate && rate < HOPELESS * t->kept_rate))
		close_window(t, rate);
}
