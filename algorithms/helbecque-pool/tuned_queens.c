/* N-Queens on devices. See kernels/helbecque-pool/queens.h for what is visited and why that counts
 * everything, queens_roots.h for where it starts, queens_device.h for what a device does. */
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/helbecque-pool/pool.h"
#include "algorithms/helbecque-pool/queens_device.h"

/* Roots are made on the host until there are so many: enough to deal them out, below a millisecond
 * of work. */
enum { ENOUGH_ROOTS = 4096 };

struct search {
	const struct search_request *request;
	struct queens_roots roots;
	int devices;
	struct queens_dealer dealer[DEV_MAX]; /* one for all, or one each */
	struct queens_device device[DEV_MAX];
	struct interrupt interrupt;
	atomic_bool failed;
};

static int check(const struct search_request *r, struct err *e)
{
	if (!r->devices || r->devices->count < 1)
		return err_set(e, ERR_DEVICE, "the tuned N-Queens search needs a device");
	if (r->queens < 1)
		return err_set(e, ERR_INPUT, "%d queens: at least 1", r->queens);
	if (r->queens > POOL_QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d queens: placements of more than %d do not fit 64-bit counts",
			       r->queens, POOL_QUEENS_MAX);
	return 0;
}

static void open_dealers(struct search *s)
{
	int dealers = s->request->no_stealing ? s->devices : 1;

	for (int i = 0; i < s->devices; i++) {
		struct queens_dealer *d = &s->dealer[i < dealers ? i : 0];

		if (i < dealers)
			queens_dealer_open(d, &s->roots, i, dealers, s->devices / dealers);
		s->device[i].dealer = d;
	}
}

static void close_dealers(struct search *s)
{
	for (int i = 0; i < (s->request->no_stealing ? s->devices : 1); i++)
		queens_dealer_close(&s->dealer[i]);
}

static void collect(const struct search *s, struct search_outcome *o)
{
	uint64_t halves = s->roots.halves;

	o->explored = s->roots.explored;
	o->solutions = s->roots.solutions;
	for (int i = 0; i < s->devices; i++) {
		const struct queens_device *d = &s->device[i];

		halves += d->halves;
		o->solutions += d->solutions;
		o->worker_explored[i] = d->halves / 2;
		o->offloads += d->parts;
		if (d->share.memory_peak > o->memory_peak)
			o->memory_peak = d->share.memory_peak;
	}
	o->explored += halves / 2;
	o->workers = s->devices;
}

/* The roots are dealt to devices, and what devices put on their lists is searched. */
static int check_balance(const struct search *s, bool complete, struct err *e)
{
	struct balance_name name = { "helbecque-pool tuned", "device", 0, NULL };
	struct balance host = { .initial = (uint64_t)s->roots.count }, b[DEV_MAX];
	int status = 0;

	if (dev_set_cancelled(s->request->devices))
		return 0; /* the result claims nothing of what was on the devices */
	for (int i = 0; i < (s->request->no_stealing ? s->devices : 1); i++) {
		host.given += (uint64_t)(s->dealer[i].all - s->dealer[i].left);
		host.left += (uint64_t)s->dealer[i].left;
	}
	for (int i = 0; i < s->devices && !status; i++) {
		b[i] = s->device[i].balance;
		name.number = i;
		status = balance_equal(&name, "listed", s->device[i].listed, "searched",
				       s->device[i].fetched, e);
	}
	return status ? status : balance_check_all(b, s->devices, &host, &name, complete, e);
}

/* From the time that the roots were there to the slowest device being ready. */
static double setup_seconds(const struct search *s, double begin)
{
	double latest = begin;

	for (int i = 0; i < s->devices; i++)
		latest = s->device[i].share.ready > latest ? s->device[i].share.ready : latest;
	return latest - begin;
}

/* From 24 queens on what is below a root would outgrow a list. */
static int64_t enough_roots(const struct search *s)
{
	enum { LARGE = 23, MORE_A_QUEEN = 3 /* log2: about what a row more gives */ };
	int64_t enough = (int64_t)ENOUGH_ROOTS * s->devices, n = s->request->queens;

	return n > LARGE ? enough << (MORE_A_QUEEN * (n - LARGE)) : enough;
}

static int search(struct search *s, struct search_outcome *o, struct err *e)
{
	const struct search_request *r = s->request;
	int status = queens_roots_make(&s->roots, r->queens, r->solutions_only, r->queens - 4,
				       enough_roots(s), e);

	if (!status && r->no_stealing)
		status = queens_roots_share(&s->roots, s->devices, e);
	if (status)
		return status;
	for (int i = 0; i < s->devices; i++)
		s->device[i] = (struct queens_device){
			.share = { .device = r->devices->dev[i],
				   .interrupt = &s->interrupt,
				   .failed = &s->failed },
			.request = r,
		};
	double begin = clock_wall();
	open_dealers(s);
	status = device_threads_run(queens_device_run, s->device, sizeof(s->device[0]), s->devices,
				    e);
	close_dealers(s);
	collect(s, o);
	o->seconds_setup = setup_seconds(s, begin);
	if ((!status || status == ERR_LIMIT) && check_balance(s, !status, e))
		return ERR_FAILED;
	return status;
}

int tuned_queens(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	double start = clock_wall();
	struct search s = { .request = r, .interrupt = interrupt_from(r) };
	int status = check(r, e);

	memset(o, 0, sizeof(*o));
	if (status)
		return status;
	s.devices = r->gpus > 0 && r->gpus < r->devices->count ? r->gpus : r->devices->count;
	if (r->queens <= QUEENS_SMALL)
		queens_small(r->queens, &o->explored, &o->solutions);
	else
		status = search(&s, o, e);
	queens_roots_free(&s.roots);
	o->complete = !status;
	o->seconds_total = clock_wall() - start;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
