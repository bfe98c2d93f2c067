/* Farmer and workers (the future work of Gmys et al. 2017, section 5): host cores beside devices that
 * never make a search slower than the devices alone.
 *
 * Where the paper's symmetric stealing loses (section 4.4, Figure 5): a device that steals from a host
 * gets a small interval and needs many steps to spread it over T IVMs; hosts take large parts before
 * the devices are filled; at the end everybody waits for the host that holds the last piece. So here:
 *
 *   1. Devices steal from devices only, and never wait for a host.
 *   2. Hosts ask nobody. A device that has work to spare (at least half of its IVMs explore) puts the
 *      intervals of a few random IVMs, 1/T of its work each, into the bag, no more than there are hungry
 *      hosts; hosts take them from there. The time that devices spend on it is rationed (below).
 *   3. What a host has can be called back at any moment: when all devices are out of work, hosts
 *      put what is left of their intervals into the bag within one step, a device takes all of
 *      them at once, and hosts get nothing more until half of a device's IVMs explore again. The
 *      devices alone would have had this work to do anyway; what remains of it is less.
 *   4. A device's host thread has a core to itself: hosts use only the cores that are left.
 *
 * What a device can lose, then, is the time to fill up again after a recall, and rationed time. The
 * ration: a share of a device's time that giving may take, doubled while a second of giving gains hosts
 * more than twice the nodes that the device does in a second, halved where it gains less than that. */
#ifndef COPRA_IVM_FARMER_H
#define COPRA_IVM_FARMER_H

#include <stdbool.h>
#include <stdint.h>

#define FARMER_SHARE_MAX 0.01
#define FARMER_SHARE_MIN 0.00001
#define FARMER_SHARE_START 0.001
#define FARMER_GAIN_LEAST 2.0

/* A device's. Seconds and nodes since the search began. */
struct farmer_ration {
	double share;
	double given_seconds;    /* spent on giving */
	uint64_t given;          /* intervals */
	uint64_t reviewed;       /* `given` at the last change of share */
	double reviewed_seconds; /* and the other two then */
	uint64_t reviewed_gain;
};

void farmer_open(struct farmer_ration *r);
/* How many of `hungry` hosts a device may feed now that has searched for `seconds`. */
int farmer_may_give(const struct farmer_ration *r, double seconds, int hungry);
void farmer_gave(struct farmer_ration *r, int count, double seconds);
/* Changes the share, where enough was given since the last change: gain, nodes that the hosts did of
 * what this device gave (all hosts' nodes over the devices, where they cannot be told apart); rate, the
 * device's nodes a second. */
void farmer_review(struct farmer_ration *r, uint64_t gain, double rate);

/* How many hosts of those asked for may run beside so many devices on so many cores. */
int farmer_hosts(int asked, int devices, int cores);

#endif
