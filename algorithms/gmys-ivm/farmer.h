/* Farmer and workers (the future work of Gmys et al. 2017, section 5): host cores beside devices
 * that never make a search slower than the devices alone.
 *
 * Where the paper's symmetric stealing loses (section 4.4, Figure 5): a device that steals from a
 * host gets a small interval and needs many steps to spread it over T IVMs; hosts take large parts
 * before the devices are filled; at the end everybody waits for the host that holds the last piece.
 * So here:
 *
 *   1. Devices steal from devices only, and never wait for a host.
 *   2. Hosts ask nobody. A device that is busy puts some of its intervals into the bag, as many as
 *      there are hungry hosts, and hosts take them from there. Each is of mean length at most, 1/T
 *      of the device's work: what all hosts hold it hardly misses. (Given its longest ones, early,
 *      a device fills more slowly and has to fill a second time at the end.)
 *   3. What a host has can be called back at any moment: when a device starves, hosts put what is
 *      left of their intervals into the bag within one step, the device takes it into its empty
 *      IVMs, while the others still explore, and hosts get nothing more until a device is busy
 *      again. The devices alone would have had all this work to do; now less of it is left.
 *   4. A device's host thread has a core to itself: hosts use only the cores that are left.
 *   5. The time that devices spend on giving is rationed: a share of their time, FARMER_SHARE_MAX
 *      while a second of giving gains hosts more than twice the nodes that the device does in a
 *      second, halved again and again where it gains less.
 *   6. Devices give nothing in the first FARMER_PATIENCE seconds. Taking back what hosts hold costs
 * a filling at the end, 12 to 70 ms on an H200 (5 % of searches of 0.25 and 1.3 s), against the 0.3
 * to 4 % of the nodes that 16 cores can do: a short search is better left to the devices. */
#ifndef COPRA_GMYS_IVM_FARMER_H
#define COPRA_GMYS_IVM_FARMER_H

#include <stdbool.h>
#include <stdint.h>

enum { FARMER_AT_ONCE = 16 /* intervals */ };
#define FARMER_SHARE_MAX 0.02
#define FARMER_SHARE_MIN 0.00001
#define FARMER_SHARE_START 0.003
#define FARMER_GAIN_LEAST 2.0
#define FARMER_PATIENCE 5.0

/* The mean of the IVMs of a device that explored lately, `load` before; active: at the last look.
 */
static inline double ivm_farmer_load(double load, int active)
{
	return load + ((double)active - load) / 16;
}
/* No fewer explore than lately, and half of all; the first sign of the end: clearly fewer. */
static inline bool ivm_farmer_busy(double load, int active, int ivms)
{
	return 2 * active >= ivms && active >= 0.9 * load;
}
static inline bool ivm_farmer_starving(double load, int active, int ivms)
{
	return 4 * active < ivms || active < 0.75 * load;
}

/* A device's. Seconds and nodes since the search began. */
struct ivm_farmer_ration {
	double patience; /* nothing is given before */
	double share;
	double given_seconds;    /* spent on giving */
	uint64_t given;          /* intervals */
	uint64_t reviewed;       /* `given` at the last change of share */
	double reviewed_seconds; /* and the other two then */
	uint64_t reviewed_gain;
};

void ivm_farmer_open(struct ivm_farmer_ration *r, double patience);
/* How many of `hungry` hosts a device may feed now that has searched for `seconds`. */
int ivm_farmer_may_give(const struct ivm_farmer_ration *r, double seconds, int hungry);
void ivm_farmer_gave(struct ivm_farmer_ration *r, int count, double seconds);
/* Changes the share, where enough was given since the last change: gain, nodes that hosts have done
 * for this device (all hosts' over the number of devices); rate, the device's nodes a second. */
void ivm_farmer_review(struct ivm_farmer_ration *r, uint64_t gain, double rate);

/* How many hosts of those asked for may run beside so many devices on so many cores. */
int ivm_farmer_hosts(int asked, int devices, int cores);

#endif
