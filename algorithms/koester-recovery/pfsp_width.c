#include "algorithms/koester-recovery/pfsp_width.h"

#include "harness/base/host_memory.h"

enum {
	CHILDREN = 1 << 24, /* rated at once in wide beams: enough to fill a device */
	MOST_WIDTH = 1 << 30,
	STORED_CHILDREN = 8, /* a state, where children are stored */
	WORDS_A_STATE = 20,  /* numbers, entries twice, indices, scratch */
	WORDS_A_CHILD = 2,   /* ratings, scratch */
	HISTORY_BYTES = 12,
};

uint32_t pfsp_children_at_once(uint32_t width, int32_t jobs, enum track_engine engine)
{
	uint64_t all = (uint64_t)width * (uint32_t)jobs, most = CHILDREN;

	if (engine == TRACK_PUBLISHED)
		most = (uint64_t)width * STORED_CHILDREN;
	all = all < most ? all : most;
	all = all > width ? all : width;
	return (uint32_t)(all > (uint32_t)jobs ? all : (uint32_t)jobs);
}

/* Layers of a search with its rounds, which begin half way on the whole. */
static uint64_t layers_of(const struct track_request *r, int32_t jobs)
{
	return (uint64_t)jobs + (uint64_t)r->rounds * ((uint64_t)jobs / 2 + 2);
}

/* Layers held on the place besides the two buffers. */
static uint64_t kept_layers(const struct track_request *r, uint64_t layers)
{
	const struct archive_options *a = &r->archive;
	uint64_t distance = a->distance ? a->distance : 1, cache = a->cache ? 1 : 0;

	switch (a->recovery) {
	case RECOVERY_GPU:
		return layers + 1;
	case RECOVERY_PINNED:
	case RECOVERY_HOST:
	case RECOVERY_PEER:
		return r->places[0]->device ? cache : layers + 1;
	case RECOVERY_CHECKPOINT:
		return layers / distance + 1 + cache;
	case RECOVERY_ADAPTIVE:
		return 2 * (layers / distance) + 1 + cache;
	default:
		return cache;
	}
}

static uint64_t bytes_of(const struct track_request *r, uint64_t state_bytes, int32_t jobs,
			 uint32_t width)
{
	uint32_t at_once = pfsp_children_at_once(width, jobs, r->engine);
	uint64_t states = r->engine == TRACK_PUBLISHED ? at_once : width;
	uint64_t share = (states + (uint32_t)r->place_count - 1) / (uint32_t)r->place_count;
	uint64_t kept =
		kept_layers(r, layers_of(r, jobs)) * ((width - 1) / (uint32_t)r->place_count + 1);

	return (2 * share + kept) * state_bytes + (uint64_t)width * WORDS_A_STATE * 4 +
	       (uint64_t)at_once * WORDS_A_CHILD * 4;
}

static uint64_t half_of_host(void)
{
	int64_t bytes = host_memory_available();

	return bytes > 0 ? (uint64_t)bytes / 2 : 0;
}

static int memory_of(const struct track_request *r, uint64_t *memory, struct err *e)
{
	const struct track_place *p = r->places[0];
	struct dev_info info;
	int rc;

	*memory = r->memory;
	if (!*memory && !p->device)
		*memory = half_of_host();
	if (!*memory && p->device) {
		if ((rc = dev_get_info(p->device, &info, e)))
			return rc;
		*memory = info.memory_free / 2;
	}
	if (p->limit && p->limit < *memory)
		*memory = p->limit;
	return 0;
}

static bool fits(const struct track_request *r, uint64_t memory, uint64_t state_bytes, int32_t jobs,
		 uint32_t width)
{
	uint64_t history = width * layers_of(r, jobs) * HISTORY_BYTES;
	uint64_t host = r->memory ? r->memory : half_of_host(), room = memory;

	if (r->archive.recovery == RECOVERY_MULTISTAGE) {
		uint64_t budget = r->archive.budget[TIER_DEVICE];

		room -= budget && budget < memory ? budget : memory / 3;
	}
	if (!r->places[0]->device)
		return history <= room && bytes_of(r, state_bytes, jobs, width) <= room - history;
	return history <= host && bytes_of(r, state_bytes, jobs, width) <= room;
}

int pfsp_widest(const struct track_request *r, size_t state_bytes, int32_t jobs, uint32_t *width,
		uint64_t *memory, struct err *e)
{
	int rc = memory_of(r, memory, e);

	*width = 1;
	for (uint32_t bit = MOST_WIDTH; !rc && bit > 0; bit /= 2) {
		uint32_t wider = *width == 1 ? bit : *width + bit;

		if (wider < MOST_WIDTH && fits(r, *memory, state_bytes, jobs, wider))
			*width = wider;
	}
	return rc;
}
