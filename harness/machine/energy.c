/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/machine/energy.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/machine/nvml.h"
#include "harness/machine/rapl.h"

#define SAMPLE_SECONDS 0.02
#define THROTTLE_IDLE UINT64_C(1)
#define CLOCK_LOW_SHARE 0.75

struct metered_gpu {
	nvml_gpu handle;
	uint64_t counter; /* at begin, millijoules */
	bool has_counter;
	double sampled_joules;
	double clock_sum;
	int clock_samples, clock_max_mhz;
};

struct energy_meter {
	struct nvml *nvml;     /* NULL: no GPU is metered */
	int gpu_count, in_use; /* in_use: how many of them, from the first, the region uses */
	struct metered_gpu gpus[DEV_MAX];
	struct rapl rapl;
	struct rapl_reading rapl_begin;
	double began, last_sample;

	pthread_t thread;
	bool thread_runs;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;         /* under lock */
	uint64_t throttle; /* owned by the thread until it is joined */
};

int energy_create_from(struct energy_meter **out, struct nvml *nvml, void *const *gpus, int count,
		       const char *powercap, struct err *e)
{
	struct energy_meter *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (!m)
		return err_set(e, ERR_MEMORY, "no memory for an energy meter");
	if (pthread_mutex_init(&m->lock, NULL) != 0) {
		free(m);
		return err_set(e, ERR_MEMORY, "no memory for an energy meter");
	}
	clock_cond_init(&m->wake);
	m->nvml = nvml;
	for (; m->gpu_count < count && m->gpu_count < DEV_MAX; m->gpu_count++) {
		struct metered_gpu *g = &m->gpus[m->gpu_count];

		g->handle = gpus[m->gpu_count];
		nvml_clock_max_mhz(nvml, g->handle, NVML_SM, &g->clock_max_mhz, NULL);
	}
	rapl_find(&m->rapl, powercap);
	*out = m;
	return 0;
}

/* Opens NVML and finds all devices of the set in it. Returns NULL if one is missing: the energy of
 * a part must not be reported as that of all devices. */
static struct nvml *find_gpus(const struct dev_set *devices, nvml_gpu *gpus)
{
	struct nvml *nvml;

	if (!devices || devices->backend != DEV_CUDA || nvml_open(&nvml, NULL) != 0)
		return NULL;
	for (int i = 0; i < devices->count; i++) {
		struct dev_info info;

		if (dev_get_info(devices->dev[i], &info, NULL) == 0 &&
		    nvml_by_uuid(nvml, info.uuid, &gpus[i], NULL) == 0)
			continue;
		nvml_close(nvml);
		return NULL;
	}
	return nvml;
}

int energy_create(struct energy_meter **out, const struct dev_set *devices, struct err *e)
{
	nvml_gpu gpus[DEV_MAX];
	struct nvml *nvml = find_gpus(devices, gpus);
	int status = energy_create_from(out, nvml, gpus, nvml ? devices->count : 0,
					"/sys/class/powercap", e);

	if (status)
		nvml_close(nvml);
	return status;
}

void energy_destroy(struct energy_meter *m)
{
	if (!m)
		return;
	nvml_close(m->nvml);
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static void sample(struct energy_meter *m)
{
	double now = clock_wall(), passed = now - m->last_sample;

	m->last_sample = now;
	for (int i = 0; i < m->in_use; i++) {
		struct metered_gpu *g = &m->gpus[i];
		uint64_t reasons;
		int value;

		if (!g->has_counter && nvml_power_mw(m->nvml, g->handle, &value, NULL) == 0)
			g->sampled_joules += passed * value / 1000;
		if (nvml_clock_mhz(m->nvml, g->handle, NVML_SM, &value, NULL) == 0) {
			g->clock_sum += value;
			g->clock_samples++;
		}
		if (nvml_throttle(m->nvml, g->handle, &reasons, NULL) == 0)
			m->throttle |= reasons & ~THROTTLE_IDLE;
	}
}

static void *sampling(void *argument)
{
	struct energy_meter *m = argument;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	pthread_mutex_lock(&m->lock);
	while (!m->stop) {
		until.tv_nsec += (long)(SAMPLE_SECONDS * 1e9);
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&m->wake, &m->lock, &until);
		if (!m->stop)
			sample(m);
	}
	pthread_mutex_unlock(&m->lock);
	sample(m); /* the rest of the region, and regions shorter than a period */
	return NULL;
}

void energy_begin(struct energy_meter *m, int gpus)
{
	m->in_use = gpus < m->gpu_count ? gpus : m->gpu_count;
	m->throttle = 0;
	m->stop = false;
	for (int i = 0; i < m->in_use; i++) {
		struct metered_gpu *g = &m->gpus[i];

		g->has_counter = nvml_energy_mj(m->nvml, g->handle, &g->counter, NULL) == 0;
		g->sampled_joules = g->clock_sum = 0;
		g->clock_samples = 0;
	}
	rapl_read(&m->rapl, &m->rapl_begin);
	m->began = m->last_sample = clock_wall();
	m->thread_runs = m->in_use > 0 && pthread_create(&m->thread, NULL, sampling, m) == 0;
}

static void stop_sampling(struct energy_meter *m)
{
	if (!m->thread_runs)
		return;
	pthread_mutex_lock(&m->lock);
	m->stop = true;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	m->thread_runs = false;
}

static void add_gpus(struct energy_meter *m, struct energy_reading *r)
{
	r->gpu_known = m->in_use > 0;
	for (int i = 0; i < m->in_use; i++) {
		struct metered_gpu *g = &m->gpus[i];
		uint64_t now = 0;
		double clock;

		if (!g->has_counter) {
			r->gpu_sampled = true;
			r->gpu_joules += g->sampled_joules;
			r->gpu_known &= g->sampled_joules > 0;
		} else if (nvml_energy_mj(m->nvml, g->handle, &now, NULL) == 0 &&
			   now >= g->counter) {
			r->gpu_joules += (double)(now - g->counter) / 1000;
		} else {
			r->gpu_known = false;
		}
		if (g->clock_samples == 0)
			continue;
		clock = g->clock_sum / g->clock_samples;
		if (!r->clock_known || clock < r->sm_clock_mhz) {
			r->sm_clock_mhz = clock;
			r->sm_clock_max_mhz = g->clock_max_mhz;
		}
		r->clock_known = true;
	}
}

void energy_end(struct energy_meter *m, struct energy_reading *r)
{
	struct rapl_reading now;

	memset(r, 0, sizeof(*r));
	r->seconds = clock_wall() - m->began;
	rapl_read(&m->rapl, &now);
	stop_sampling(m);
	add_gpus(m, r);
	r->throttle = m->throttle;
	r->cpu_known = rapl_joules(&m->rapl, &m->rapl_begin, &now, &r->cpu_joules);
	if (r->seconds < ENERGY_SHORTEST)
		r->gpu_known = r->cpu_known = false;
}

/* Bits of nvmlClocksThrottleReasons, NVML reference manual. */
void energy_throttle_text(uint64_t reasons, char *text, size_t size)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} names[] = {
		{ 0x2, "application clocks" }, { 0x4, "power cap" },
		{ 0x8, "hardware slowdown" },  { 0x10, "sync boost" },
		{ 0x20, "thermal slowdown" },  { 0x40, "hardware thermal slowdown" },
		{ 0x80, "power brake" },       { 0x100, "display clocks" },
	};
	size_t used = 0;

	snprintf(text, size, "none");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int length;

		if (!(reasons & names[i].bit) || used >= size)
			continue;
		length =
			snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i].name);
		used += length > 0 ? (size_t)length : 0;
	}
}

bool energy_clock_low(const struct energy_reading *r)
{
	return r->clock_known && r->sm_clock_mhz < CLOCK_LOW_SHARE * r->sm_clock_max_mhz;
}
