/* The paper's algorithm on what the caller gives: devices, cores or both. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/team.h"

static int check(const struct ivm_request *r, const struct team_setup *s, int there, struct err *e)
{
	const struct search_request *c = &r->common;

	if (s->devices > there)
		return err_set(e, ERR_DEVICE, "%d GPUs asked for, %d there", s->devices, there);
	if (s->devices + s->hosts < 1)
		return err_set(e, ERR_USAGE, "neither a device nor a thread to search with");
	if (s->devices + s->hosts > SEARCH_WORKERS_MAX)
		return err_set(e, ERR_USAGE, "%d devices and %d threads: at most %d together",
			       s->devices, s->hosts, SEARCH_WORKERS_MAX);
	if (r->steal_parts < 0 || r->steal_parts == 1 || r->steal_parts > UINT16_MAX)
		return err_set(e, ERR_USAGE, "a host cannot keep 1/%d of its interval",
			       r->steal_parts);
	if (c->private_incumbent)
		return err_set(e, ERR_UNSUPPORTED, "workers share the best solution here");
	if (!c->flowshop && !c->atsp && !c->half_board)
		return err_set(e, ERR_UNSUPPORTED, "N-Queens is searched on half a board here");
	return 0;
}

/* Cores that this process may run on. */
static int cores_usable(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? CPU_SETSIZE : CPU_COUNT(&set);
}

int ivm_search_published(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	const struct search_request *c = &r->common;
	int there = c->devices ? c->devices->count : 0;
	struct team_setup s = { .request = r,
				.ops = &team_device_ops,
				.dev = there ? c->devices->dev : NULL,
				.devices = c->gpus > 0 ? c->gpus : there,
				.hosts = c->threads,
				.patience = FARMER_PATIENCE };
	int status;

	memset(o, 0, sizeof(*o));
	status = check(r, &s, there, e);
	if (status)
		return status;
	if (r->hybrid == IVM_FARMER && s.devices)
		s.hosts = farmer_hosts(s.hosts, s.devices, cores_usable());
	return team_search(&s, o, e);
}
