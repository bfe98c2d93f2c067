/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/team/farmer.h"

enum { REVIEW_AFTER = 16 /* intervals */ };

void ivm_farmer_open(struct ivm_farmer_ration *r, double patience)
{
	*r = (struct ivm_farmer_ration){ .patience = patience, .share = IVM_FARMER_SHARE_START };
}

int ivm_farmer_may_give(const struct ivm_farmer_ration *r, double seconds, int hungry)
{
	if (seconds < r->patience)
		return 0;
	/* the first time, to measure the cost of giving */
	if (r->given && r->given_seconds > r->share * seconds)
		return 0;
	return hungry < IVM_FARMER_AT_ONCE ? hungry : IVM_FARMER_AT_ONCE;
}

void ivm_farmer_gave(struct ivm_farmer_ration *r, int count, double seconds)
{
	r->given += (uint64_t)count;
	r->given_seconds += seconds;
}

void ivm_farmer_review(struct ivm_farmer_ration *r, uint64_t gain, double rate)
{
	double spent = r->given_seconds - r->reviewed_seconds;
	double gained = (double)(gain - r->reviewed_gain);

	if (r->given - r->reviewed < REVIEW_AFTER || spent <= 0 || rate <= 0)
		return;
	if (gained >= IVM_FARMER_GAIN_LEAST * spent * rate)
		r->share = IVM_FARMER_SHARE_MAX;
	else
		r->share =
			r->share / 2 > IVM_FARMER_SHARE_MIN ? r->share / 2 : IVM_FARMER_SHARE_MIN;
	r->reviewed = r->given;
	r->reviewed_seconds = r->given_seconds;
	r->reviewed_gain = gain;
}

int ivm_farmer_hosts(int asked, int devices, int cores)
{
	int left = cores > devices ? cores - devices : 0;

	return asked < left ? asked : left;
}
