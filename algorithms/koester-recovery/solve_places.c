#include "algorithms/koester-recovery/solve_places.h"

#include "harness/base/host_memory.h"

const char *const track_recovery_words[RECOVERIES + 1] = { "replay",   "gpu",        "pinned",
							   "host",     "peer",       "checkpoint",
							   "adaptive", "multistage", NULL };

static int open_one(struct track_places *p, struct dev *d, uint64_t limit, struct err *e)
{
	int status = track_place_open(&p->place[p->opened], d, p->pool, limit, e);

	if (!status)
		p->opened++;
	return status;
}

static int open_all(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		    uint64_t limit, struct err *e)
{
	int all = gpus + (peer && gpus > 0), status = 0;

	for (int i = 0; !status && i < (gpus > 0 ? all : 1); i++)
		status = open_one(p, gpus > 0 ? devices->dev[i] : NULL, limit, e);
	if (status)
		return status;
	p->count = gpus > 0 ? gpus : 1;
	for (int i = 0; i < p->count; i++)
		p->at[i] = &p->place[i];
	p->peer = all > gpus ? &p->place[gpus] : NULL;
	return 0;
}

int track_places_open(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		      int threads, uint64_t limit, struct err *e)
{
	int need = gpus + (peer && gpus > 0), given = devices ? devices->count : 0, status;

	*p = (struct track_places){ 0 };
	if (need > given)
		return err_set(e, ERR_UNSUPPORTED, "needs %d devices%s, %d given", need,
			       peer ? ", one of them to keep states" : "", given);
	status = team_create(&p->pool, threads, e);
	if (status)
		return status;
	status = open_all(p, devices, gpus, peer, limit, e);
	if (status)
		track_places_close(p);
	return status;
}

void track_places_close(struct track_places *p)
{
	for (int i = 0; i < p->opened; i++)
		track_place_close(&p->place[i]);
	if (p->pool)
		team_destroy(p->pool);
	*p = (struct track_places){ 0 };
}

int track_places_free(const struct track_places *p, uint64_t *bytes, struct err *e)
{
	struct dev_info info;
	int status = 0;

	*bytes = 0;
	if (!p->place[0].device)
		*bytes = (uint64_t)host_memory_available();
	for (int i = 0; !status && p->place[0].device && i < p->opened; i++) {
		status = dev_get_info(p->place[i].device, &info, e);
		*bytes += status ? 0 : info.memory_free;
	}
	return status;
}

uint64_t track_places_peak(const struct track_places *p)
{
	uint64_t most = 0;

	for (int i = 0; i < p->opened; i++) {
		if (p->place[i].peak > most)
			most = p->place[i].peak;
	}
	return most;
}
