/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/device/device.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/device/device_backend.h"
#include "harness/device/device_memory.h"

#if !COPRA_HAVE_HIP
int hip_count(const char **reason)
{
	*reason = "built without HIP (make HIP=1)";
	return 0;
}

int hip_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	const char *reason;

	(void)out, (void)ordinals, (void)count, (void)hip_count(&reason);
	return err_set(e, ERR_DEVICE, "no HIP device: %s", reason);
}
#endif

#if !COPRA_HAVE_CUDA
int cuda_count(const char **reason)
{
	*reason = "built without a CUDA toolkit";
	return 0;
}

int cuda_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	(void)out, (void)ordinals, (void)count;
	return err_set(e, ERR_DEVICE, "no CUDA device: %s", dev_cuda_unavailable());
}
#endif

const char *dev_cuda_unavailable(void)
{
	const char *reason = NULL;
	return cuda_count(&reason) > 0 ? NULL : reason;
}

int dev_cuda_count(void)
{
	const char *reason;
	return cuda_count(&reason);
}

/* The back end that "auto" opens. */
static enum dev_backend automatic(void)
{
	const char *reason;

	if (COPRA_HAVE_HIP && !COPRA_HAVE_CUDA)
		return DEV_HIP;
	return dev_cuda_count() == 0 && hip_count(&reason) > 0 ? DEV_HIP : DEV_CUDA;
}

const char *dev_gpu_unavailable(void)
{
	const char *reason = NULL;

	if (automatic() == DEV_CUDA)
		return dev_cuda_unavailable();
	return hip_count(&reason) > 0 ? NULL : reason;
}

int dev_backend_count(enum dev_backend b)
{
	const char *reason;

	return b == DEV_HIP ? hip_count(&reason) : b == DEV_CUDA ? dev_cuda_count() : 0;
}

int dev_gpu_count(void)
{
	return dev_backend_count(automatic());
}

/* /dev/nvidia0 and so on, as far as this process may open them. */
static int count_device_files(void)
{
	DIR *folder = opendir("/dev");
	const struct dirent *file;
	char path[32];
	int count = 0;

	while (folder && (file = readdir(folder))) {
		const char *number = file->d_name + 6;

		if (strncmp(file->d_name, "nvidia", 6) != 0 || !*number || strlen(number) > 3 ||
		    number[strspn(number, "0123456789")])
			continue;
		snprintf(path, sizeof(path), "/dev/nvidia%.3s", number);
		count += access(path, R_OK | W_OK) == 0;
	}
	if (folder)
		closedir(folder);
	return count;
}

int device_count_visible(const char *list, int count)
{
	int visible = 0;

	for (; list && *list && visible < count; visible++) {
		bool uuid = strncmp(list, "GPU-", 4) == 0 || strncmp(list, "MIG-", 4) == 0;
		char *end;
		long number = strtol(list, &end, 10);

		if (!uuid && (end == list || number < 0 || number >= count))
			break;
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return visible;
}

int dev_gpu_likely(void)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	int files = COPRA_HAVE_CUDA ? count_device_files() : 0;
	int visible = list ? device_count_visible(list, files) : files;

	/* AMD GPUs may be there */
	return files == 0 || (visible == 0 && COPRA_HAVE_HIP) ? dev_gpu_count() : visible;
}

int device_read_number(const char *name, uint64_t least, uint64_t most, uint64_t *out,
		       struct err *e)
{
	const char *text = getenv(name);
	if (!text || !*text)
		return 0;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (*text < '0' || *text > '9' || errno || end[shift > 0] || v > UINT64_MAX >> shift ||
	    v << shift < least || v << shift > most)
		return err_set(e, ERR_USAGE, "%s='%s': expected a number from %llu to %llu", name,
			       text, (unsigned long long)least, (unsigned long long)most);
	*out = v << shift;
	return 0;
}

int device_read_limit(uint64_t *limit, struct err *e)
{
	*limit = UINT64_MAX;
	return device_read_number("COPRA_DEVICE_MEMORY", 1 << 20, UINT64_MAX, limit, e);
}

/* ---- device sets ---- */

struct request {
	enum dev_backend backend;
	bool all;    /* "auto": every device */
	bool listed; /* ordinals were given */
	int count;
	int ordinal[DEV_MAX];
};

static int parse_ordinals(struct request *r, const char *text, const char *list, struct err *e)
{
	const char *p = list;
	do {
		char *end;
		errno = 0;
		long v = strtol(p, &end, 10);
		if (*p < '0' || *p > '9' || errno || v >= DEV_MAX || (*end && *end != ','))
			return err_set(e, ERR_USAGE,
				       "device '%s': expected device numbers 0 to %d after ':', "
				       "separated by commas",
				       text, DEV_MAX - 1);
		for (int i = 0; i < r->count; i++)
			if (r->ordinal[i] == v)
				return err_set(e, ERR_USAGE, "device '%s': %ld is given twice",
					       text, v);
		r->ordinal[r->count++] = (int)v; /* all differ and are below DEV_MAX: it fits */
		p = *end ? end + 1 : NULL;
	} while (p);
	r->listed = true;
	return 0;
}

static int parse_request(struct request *r, const char *text, struct err *e)
{
	static const struct {
		const char *name;
		enum dev_backend backend;
	} backends[] = { { "sim", DEV_SIM }, { "cuda", DEV_CUDA }, { "hip", DEV_HIP } };
	*r = (struct request){ .backend = DEV_CPU };
	if (!strcmp(text, "cpu"))
		return 0;
	if (!strcmp(text, "auto")) {
		r->backend = automatic();
		r->all = true;
		return 0;
	}
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++) {
		size_t n = strlen(backends[i].name);
		if (strncmp(text, backends[i].name, n) || (text[n] && text[n] != ':'))
			continue;
		r->backend = backends[i].backend;
		return text[n] ? parse_ordinals(r, text, text + n + 1, e) : 0;
	}
	return err_set(
		e, ERR_USAGE,
		"device '%s': expected auto, cpu, sim, sim:0,1, cuda, cuda:0,1, hip or hip:0,1",
		text);
}

/* Chooses the devices from those listed and the number wanted. */
static int complete_request(struct request *r, const char *text, int min_gpus, struct err *e)
{
	if (r->backend == DEV_CPU) {
		if (min_gpus > 0)
			return err_set(e, ERR_USAGE, "device 'cpu' has no GPUs; %d requested",
				       min_gpus);
		return 0;
	}
	if (min_gpus > DEV_MAX)
		return err_set(e, ERR_USAGE, "%d GPUs requested; at most %d are supported",
			       min_gpus, DEV_MAX);
	if (r->listed) {
		if (r->count < min_gpus)
			return err_set(e, ERR_USAGE,
				       "device '%s' names %d, but %d GPUs are requested", text,
				       r->count, min_gpus);
		return 0;
	}
	/* not all kernels run on several devices with HIP */
	bool all = r->all && r->backend != DEV_HIP;
	r->count = min_gpus > 0 ? min_gpus : all ? dev_backend_count(r->backend) : 1;
	if (r->count > DEV_MAX)
		r->count = DEV_MAX;
	for (int i = 0; i < r->count; i++)
		r->ordinal[i] = i;
	return 0;
}

static int check_ordinals(const struct request *r, struct err *e)
{
	bool hip = r->backend == DEV_HIP;
	const char *reason = NULL;
	int available = hip ? hip_count(&reason) : cuda_count(&reason);

	if (available == 0)
		return err_set(e, ERR_DEVICE, "no %s device: %s", hip ? "HIP" : "CUDA", reason);
	for (int i = 0; i < r->count; i++)
		if (r->ordinal[i] >= available)
			return err_set(e, ERR_DEVICE, "%s:%d does not exist: this machine has %d",
				       dev_backend_name(r->backend), r->ordinal[i], available);
	return 0;
}

static int open_backend(struct dev_set *set, const struct request *r, struct err *e)
{
	switch (r->backend) {
	case DEV_CPU:
		return 0;
	case DEV_SIM:
		return sim_open(set->dev, r->ordinal, r->count, e);
	case DEV_HIP:
		return hip_open(set->dev, r->ordinal, r->count, e);
	case DEV_CUDA:
		break;
	}
	return cuda_open(set->dev, r->ordinal, r->count, e);
}

/* ---- the start of a device ---- */

struct device_start {
	pthread_mutex_t lock; /* held while the device starts, and of its `info` */
	pthread_t thread;     /* of dev_start() */
	bool threaded;
	atomic_int result; /* of dev_start(); IDLE: not asked for yet */
	double seconds;    /* that the start took */
};
enum { IDLE = 2 };

static int start_now(struct dev *d, struct err *e)
{
	double begin = clock_wall();
	int status = 0;

	pthread_mutex_lock(&d->start->lock);
	if (!d->default_stream && d->ops->start) {
		status = d->ops->start(d, e);
		d->start->seconds = clock_wall() - begin;
	}
	atomic_store(&d->start->result, status ? status : 1);
	pthread_mutex_unlock(&d->start->lock);
	return status;
}

static void *start_thread(void *device)
{
	(void)start_now(device, NULL);
	return NULL;
}

int dev_start(struct dev *d)
{
	struct device_start *s = d->start;

	if (atomic_load(&s->result) == IDLE) {
		atomic_store(&s->result, 0);
		s->threaded = !pthread_create(&s->thread, NULL, start_thread, d);
		if (!s->threaded)
			atomic_store(&s->result, ERR_FAILED);
	}
	return atomic_load(&s->result);
}

double dev_start_seconds(const struct dev *d)
{
	double seconds;

	pthread_mutex_lock(&d->start->lock);
	seconds = d->start->seconds;
	pthread_mutex_unlock(&d->start->lock);
	return seconds;
}

static void close_start(struct device_start *s)
{
	if (!s)
		return;
	if (s->threaded)
		pthread_join(s->thread, NULL);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static struct device_start *open_start(void)
{
	struct device_start *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	atomic_init(&s->result, IDLE);
	return s;
}

/* ---- sets ---- */

/* Gives each device what all back ends have. */
static int equip(struct dev_set *set, uint64_t limit, struct err *e)
{
	bool opened = true;

	for (int i = 0; i < set->count; i++) {
		set->dev[i]->memory = device_memory_create(limit);
		set->dev[i]->start = open_start();
		opened = opened && set->dev[i]->memory && set->dev[i]->start;
	}
	return opened ? 0 : err_set(e, ERR_MEMORY, "out of memory");
}

static int open_set(struct dev_set *set, const char *text, int min_gpus, bool only_first,
		    struct err *e)
{
	*set = (struct dev_set){ .backend = DEV_CPU };
	struct request r;
	uint64_t limit = UINT64_MAX;
	if (!text || !*text)
		text = "auto";
	int status = parse_request(&r, text, e);
	if (!status)
		status = device_read_limit(&limit, e);
	if (!status)
		status = complete_request(&r, text, min_gpus, e);
	if (!status && dev_backend_is_gpu(r.backend))
		status = check_ordinals(&r, e);
	if (!status)
		status = open_backend(set, &r, e);
	if (status)
		return status;
	set->backend = r.backend;
	set->count = r.count;
	status = equip(set, limit, e);
	/* their contexts take long: all at once */
	for (int i = 1; !status && !only_first && i < set->count; i++)
		(void)dev_start(set->dev[i]);
	for (int i = 0; !status && !only_first && i < set->count; i++)
		status = start_now(set->dev[i], e);
	if (!status && only_first && set->count > 0)
		(void)dev_start(set->dev[0]); /* dev_set_await() tells its error */
	if (status)
		dev_set_close(set);
	return status;
}

int dev_set_await(const struct dev_set *set, struct err *e)
{
	return set->count > 0 ? start_now(set->dev[0], e) : 0;
}

int dev_set_start(const struct dev_set *set, int count)
{
	int started = 0;

	count = count < set->count ? count : set->count;
	for (int i = 1; i < count; i++)
		(void)dev_start(set->dev[i]);
	while (started < count && !start_now(set->dev[started], NULL))
		started++;
	return started;
}

int dev_set_open(struct dev_set *set, const char *text, int min_gpus, struct err *e)
{
	return open_set(set, text, min_gpus, false, e);
}

int dev_set_open_first(struct dev_set *set, const char *text, int min_gpus, struct err *e)
{
	return open_set(set, text, min_gpus, true, e);
}

void dev_set_close(struct dev_set *set)
{
	for (int i = 0; i < set->count; i++) {
		struct device_memory *memory = set->dev[i]->memory;

		close_start(set->dev[i]->start);
		set->dev[i]->ops->close(set->dev[i]);
		device_memory_destroy(memory);
	}
	*set = (struct dev_set){ .backend = DEV_CPU };
}

void dev_set_cancel_on(struct dev_set *set, const volatile sig_atomic_t *stop)
{
	if (set->backend == DEV_SIM && set->count > 0)
		sim_cancel_on(set->dev[0], stop);
}

bool dev_set_cancelled(const struct dev_set *set)
{
	return set->backend == DEV_SIM && set->count > 0 && sim_cancelled(set->dev[0]);
}

enum dev_backend dev_backend_of(const struct dev *d)
{
	return d->backend;
}

const char *dev_backend_name(enum dev_backend b)
{
	static const char *const names[] = {
		[DEV_CPU] = "cpu", [DEV_CUDA] = "cuda", [DEV_SIM] = "sim", [DEV_HIP] = "hip"
	};

	return names[b];
}

struct dev *dev_stream_device(struct dev_stream *s)
{
	return s->dev;
}

struct dev_stream *dev_default_stream(struct dev *d)
{
	if (atomic_load(&d->start->result) != 1)
		(void)start_now(d, NULL);
	return d->default_stream;
}

/* ---- dispatch ---- */

/* Prefixes the message of a failed call with its place. */
static int located(int status, struct err *e, const struct dev *d, const char *call,
		   const char *file, int line)
{
	if (status)
		err_prefix(e, "%s:%d: %s on %s:%d", file, line, call, dev_backend_name(d->backend),
			   d->ordinal);
	return status;
}

#define CALL(d, call, expression) located((expression), e, d, #call, file, line)

static int no_stream(struct err *e, const char *call, const char *file, int line)
{
	return err_set(e, ERR_USAGE,
		       "%s:%d: %s: a NULL stream names no device, use dev_default_stream()", file,
		       line, call);
}

#define CALL_ON(s, call, op, ...)                                                                  \
	((s) ? CALL((s)->dev, call, (s)->dev->ops->op(s, ##__VA_ARGS__, e)) :                      \
	       no_stream(e, #call, file, line))

/* Asks the backend only once for what never changes: cudaGetDeviceProperties() is slow. */
static int read_info(struct dev *d, struct dev_info *info, struct err *e)
{
	int status = 0;

	pthread_mutex_lock(&d->start->lock);
	if (!d->info.sm_count)
		status = d->ops->info(d, &d->info, e);
	*info = d->info;
	pthread_mutex_unlock(&d->start->lock);
	return status ? status : d->ops->memory_free(d, &info->memory_free, e);
}

int dev_get_info(struct dev *d, struct dev_info *info, struct err *e)
{
	int status = located(read_info(d, info, e), e, d, "dev_get_info", __FILE__, __LINE__);
	uint64_t left = device_memory_left(d->memory), limit = device_memory_limit(d->memory);

	if (!status && info->memory_total > limit)
		info->memory_total = (size_t)limit;
	if (!status && info->memory_free > left)
		info->memory_free = (size_t)left;
	return status;
}

int dev_alloc_at(struct dev *d, void **out, size_t bytes, struct err *e, const char *file, int line)
{
	int status;
	uint64_t left = device_memory_left(d->memory);

	*out = NULL;
	if (bytes > left)
		return CALL(d, dev_alloc,
			    err_set(e, ERR_MEMORY, "%zu bytes requested, %zu free", bytes,
				    (size_t)left));
	status = CALL(d, dev_alloc, d->ops->alloc(d, out, bytes, file, line, e));
	if (status || !*out || device_memory_add(d->memory, *out, bytes))
		return status;
	d->ops->free(d, *out);
	*out = NULL;
	return CALL(d, dev_alloc, err_set(e, ERR_MEMORY, "out of host memory"));
}

void dev_free(struct dev *d, void *ptr)
{
	if (!ptr)
		return;
	device_memory_remove(d->memory, ptr);
	d->ops->free(d, ptr);
}

uint64_t dev_memory_peak(struct dev *d)
{
	return device_memory_peak(d->memory);
}

void dev_memory_restart(struct dev *d)
{
	device_memory_restart(d->memory);
}

int dev_host_alloc_at(struct dev *d, void **out, size_t bytes, struct err *e, const char *file,
		      int line)
{
	*out = NULL;
	return CALL(d, dev_host_alloc, d->ops->host_alloc(d, out, bytes, e));
}

void dev_host_free(struct dev *d, void *ptr)
{
	if (ptr)
		d->ops->host_free(d, ptr);
}

int dev_stream_create_at(struct dev *d, struct dev_stream **out, struct err *e, const char *file,
			 int line)
{
	*out = NULL;
	return CALL(d, dev_stream_create, d->ops->stream_create(d, out, e));
}

void dev_stream_destroy(struct dev_stream *s)
{
	if (s)
		s->dev->ops->stream_destroy(s);
}

int dev_event_create_at(struct dev *d, struct dev_event **out, struct err *e, const char *file,
			int line)
{
	*out = NULL;
	return CALL(d, dev_event_create, d->ops->event_create(d, out, e));
}

void dev_event_destroy(struct dev_event *ev)
{
	if (ev)
		ev->dev->ops->event_destroy(ev);
}

int dev_event_record_at(struct dev_event *ev, struct dev_stream *s, struct err *e, const char *file,
			int line)
{
	if (!s)
		s = ev->dev->default_stream;
	if (s->dev != ev->dev)
		return CALL(
			s->dev, dev_event_record,
			err_set(e, ERR_USAGE, "the event belongs to device %d", ev->dev->ordinal));
	return CALL(s->dev, dev_event_record, s->dev->ops->event_record(ev, s, e));
}

int dev_stream_wait_at(struct dev_stream *s, struct dev_event *ev, struct err *e, const char *file,
		       int line)
{
	return CALL_ON(s, dev_stream_wait, stream_wait, ev);
}

int dev_event_sync_at(struct dev_event *ev, struct err *e, const char *file, int line)
{
	return CALL(ev->dev, dev_event_sync, ev->dev->ops->event_sync(ev, e));
}

int dev_event_elapsed_at(struct dev_event *start, struct dev_event *stop, double *seconds,
			 struct err *e, const char *file, int line)
{
	if (start->dev != stop->dev)
		return CALL(start->dev, dev_event_elapsed,
			    err_set(e, ERR_USAGE, "the other event belongs to device %d",
				    stop->dev->ordinal));
	return CALL(start->dev, dev_event_elapsed,
		    start->dev->ops->event_elapsed(start, stop, seconds, e));
}

int dev_copy_to_at(struct dev_stream *s, void *device_dst, const void *host_src, size_t bytes,
		   struct err *e, const char *file, int line)
{
	return CALL_ON(s, dev_copy_to, copy_to, device_dst, host_src, bytes);
}

int dev_copy_from_at(struct dev_stream *s, void *host_dst, const void *device_src, size_t bytes,
		     struct err *e, const char *file, int line)
{
	return CALL_ON(s, dev_copy_from, copy_from, host_dst, device_src, bytes);
}

int dev_copy_on_at(struct dev_stream *s, void *device_dst, const void *device_src, size_t bytes,
		   struct err *e, const char *file, int line)
{
	return CALL_ON(s, dev_copy_on, copy_on, device_dst, device_src, bytes);
}

int dev_copy_peer_at(struct dev_stream *s, struct dev *dst_dev, void *dst, struct dev *src_dev,
		     const void *src, size_t bytes, struct err *e, const char *file, int line)
{
	if (s && s->dev != dst_dev && s->dev != src_dev)
		return CALL(s->dev, dev_copy_peer,
			    err_set(e, ERR_USAGE, "the stream belongs to neither device"));
	return CALL_ON(s, dev_copy_peer, copy_peer, dst_dev, dst, src_dev, src, bytes);
}

int dev_fill_at(struct dev_stream *s, void *device_dst, int byte, size_t bytes, struct err *e,
		const char *file, int line)
{
	return CALL_ON(s, dev_fill, fill, device_dst, byte, bytes);
}

int dev_enable_peer_at(struct dev *d, struct dev *peer, struct err *e, const char *file, int line)
{
	if (d == peer)
		return 0;
	if (d->backend != peer->backend)
		return CALL(d, dev_enable_peer,
			    err_set(e, ERR_UNSUPPORTED, "peer access between %s and %s",
				    dev_backend_name(d->backend), dev_backend_name(peer->backend)));
	return CALL(d, dev_enable_peer, d->ops->enable_peer(d, peer, e));
}

int dev_stream_sync_at(struct dev_stream *s, struct err *e, const char *file, int line)
{
	return CALL_ON(s, dev_stream_sync, stream_sync);
}

int dev_sync_at(struct dev *d, struct err *e, const char *file, int line)
{
	return CALL(d, dev_sync, d->ops->sync(d, e));
}

int dev_launch_begin_at(struct dev_stream *s, void **native, struct err *e, const char *file,
			int line)
{
	return CALL_ON(s, launch, launch_begin, native);
}

int dev_launch_end_at(struct dev_stream *s, const char *kernel, struct err *e, const char *file,
		      int line)
{
	int status = s->dev->ops->launch_end(s, e);
	if (status)
		err_prefix(e, "kernel %s", kernel);
	return CALL(s->dev, launch, status);
}
