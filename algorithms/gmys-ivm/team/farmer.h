/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The farmer protocol (the future work of Gmys et al. 2017, section 5): host cores that help
 * devices without ever making a search slower than the devices alone.
 *
 * The paper's symmetric stealing can lose time (section 4.4, Figure 5): a device that steals from a
 * host gets a small interval and needs many steps to spread it over T IVMs; hosts take large parts
 * before the devices are filled; at the end all wait for the host that holds the last piece. The
 * farmer protocol avoids this:
 *
 *   1. Devices steal only from devices, and never wait for a host.
 *   2. Hosts do not steal. A busy device puts some of its intervals into the bag, as many as there
 *      are idle hosts, and hosts take them from there. None is longer than the mean, 1/T of the
 *      device's work, so the device hardly misses what all hosts hold. (A device that gave away its
 *      longest intervals early would fill more slowly, and would have to fill again at the end.)
 *   3. Hosts can be recalled at any moment. When a device starves, hosts put the rest of their
 *      intervals into the bag within one step. The device takes them into its empty IVMs while the
 *      others still explore, and hosts get nothing more until a device is busy again. Without
 *      hosts, the devices would have had to do all this work; now less of it is left.
 *   4. The host thread of a device has a core to itself. Host explorers use only the other cores.
 *   5. The time that devices spend on giving is rationed to a share of their time. The share is
 *      IVM_FARMER_SHARE_MAX while hosts decompose more than IVM_FARMER_GAIN_LEAST times the nodes
 *      that the device would decompose in the time spent on giving. While they decompose fewer, it
 *      is halved repeatedly.
 *   6. Devices give nothing in the first IVM_FARMER_PATIENCE seconds. Taking the hosts' intervals
 *      back costs a filling phase at the end: 12 to 70 ms on an H200 (5 % of searches of 0.25 and
 *      1.3 s), while 16 cores do 0.3 to 4 % of the nodes. So short searches are left to the
 *      devices. */
#ifndef COPRA_GMYS_IVM_TEAM_FARMER_H
#define COPRA_GMYS_IVM_TEAM_FARMER_H

#include <stdbool.h>
#include <stdint.h>

enum { IVM_FARMER_AT_ONCE = 16 /* intervals */ };
#define IVM_FARMER_SHARE_MAX 0.02
#define IVM_FARMER_SHARE_MIN 0.00001
#define IVM_FARMER_SHARE_START 0.003
#define IVM_FARMER_GAIN_LEAST 2.0
#define IVM_FARMER_PATIENCE 5.0

/* The smoothed number of IVMs of a device that explore; `load` is the previous value, `active` the
 * latest count. */
static inline double ivm_farmer_load(double load, int active)
{
	return load + ((double)active - load) / 16;
}
/* Busy: at least half of all IVMs explore, and about as many as lately. */
static inline bool ivm_farmer_busy(double load, int active, int ivms)
{
	return 2 * active >= ivms && active >= 0.9 * load;
}
/* Starving: clearly fewer IVMs explore than lately. This is the first sign that the search ends. */
static inline bool ivm_farmer_starving(double load, int active, int ivms)
{
	return 4 * active < ivms || active < 0.75 * load;
}

/* The ration of a device. Seconds and nodes are counted from the beginning of the search. */
struct ivm_farmer_ration {
	double patience; /* seconds in which nothing is given */
	double share;
	double given_seconds;    /* spent on giving */
	uint64_t given;          /* intervals */
	uint64_t reviewed;       /* `given` at the last change of share */
	double reviewed_seconds; /* given_seconds at that time */
	uint64_t reviewed_gain;  /* gain at that time */
};

void ivm_farmer_open(struct ivm_farmer_ration *r, double patience);
/* The number of the `hungry` idle hosts that the device may give work to after `seconds` of search.
 */
int ivm_farmer_may_give(const struct ivm_farmer_ration *r, double seconds, int hungry);
void ivm_farmer_gave(struct ivm_farmer_ration *r, int count, double seconds);
/* Adapts the share if enough was given since the last change. gain: nodes that hosts have
 * decomposed for this device (those of all hosts divided by the number of devices); rate: the
 * device's nodes/s. */
void ivm_farmer_review(struct ivm_farmer_ration *r, uint64_t gain, double rate);

/* The number of the `asked` host explorers that may run beside `devices` devices on `cores` cores.
 */
int ivm_farmer_hosts(int asked, int devices, int cores);

#endif
