/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A minimal kernel with its benchmark: y = a * x + y on a GPU.
 *
 *     make cli-binaries
 *     build/bin/example-minimal-kernel --device=sim      runs the kernel on the host and checks it
 *     build/bin/example-minimal-kernel --device=cuda     times it
 */
#include <stdlib.h>

#include "docs/examples/minimal-kernel/saxpy.h"
#include "harness/bench/bench.h"

static const float factor = 2;

struct saxpy {
	struct dev *device;
	struct dev_stream *stream;
	struct dev_event *start, *stop;
	void *x, *y; /* device memory */
	float *host;
	int n;
	size_t bytes;
};

static void teardown(struct bench_case *c)
{
	struct saxpy *s = bench_data(c);

	if (s->stop)
		dev_event_destroy(s->stop);
	if (s->start)
		dev_event_destroy(s->start);
	dev_free(s->device, s->y);
	dev_free(s->device, s->x);
	free(s->host);
	free(s);
}

static int allocate(struct saxpy *s, struct err *e)
{
	int status;

	s->host = malloc(s->bytes);
	if (!s->host)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (int i = 0; i < s->n; i++)
		s->host[i] = (float)(i % 1000);
	if ((status = dev_alloc(s->device, &s->x, s->bytes, e)) ||
	    (status = dev_alloc(s->device, &s->y, s->bytes, e)) ||
	    (status = dev_event_create(s->device, &s->start, e)) ||
	    (status = dev_event_create(s->device, &s->stop, e)))
		return status;
	return dev_copy_to(s->stream, s->x, s->host, s->bytes, e);
}

static int setup(struct bench_case *c, struct err *e)
{
	struct saxpy *s;
	int status = bench_need_machine(c, 1, false, e); /* no device: skips the case */

	if (status)
		return status;
	s = bench_new_data(c, sizeof(*s), e);
	if (!s)
		return ERR_MEMORY;
	s->device = bench_setting(c)->devices.dev[0];
	s->stream = dev_default_stream(s->device);
	s->n = (int)bench_int(c, "n");
	s->bytes = (size_t)s->n * sizeof(float);
	status = allocate(s, e);
	if (status)
		teardown(c);
	return status;
}

static int run(struct bench_case *c, struct err *e)
{
	struct saxpy *s = bench_data(c);
	double seconds;
	int status;

	if ((status = dev_fill(s->stream, s->y, 0, s->bytes, e)) ||
	    (status = dev_event_record(s->start, s->stream, e)) ||
	    (status =
		     saxpy_kernels_for(s->device)->saxpy(s->stream, factor, s->x, s->y, s->n, e)) ||
	    (status = dev_event_record(s->stop, s->stream, e)) ||
	    (status = dev_event_elapsed(s->start, s->stop, &seconds, e)))
		return status;
	bench_set_seconds(c, seconds); /* device time, because .manual_time is set */
	bench_work(c, 3.0 * (double)s->bytes, "bytes");
	return 0;
}

/* The oracle: the same computation on the host. */
static int check(struct bench_case *c, struct err *e)
{
	struct saxpy *s = bench_data(c);
	int status = dev_copy_from(s->stream, s->host, s->y, s->bytes, e);

	if (!status)
		status = dev_stream_sync(s->stream, e);
	for (int i = 0; !status && i < s->n; i++)
		if (s->host[i] != factor * (float)(i % 1000))
			status = err_set(e, ERR_FAILED, "y[%d] is %g", i, (double)s->host[i]);
	return status;
}

static bool uses_device(const struct bench_case *c)
{
	(void)c;
	return true;
}

static const struct bench_axis axes[] = {
	BENCH_AXIS_INT("n", BENCH_INTS(1000), BENCH_INTS(1000, 1000000), BENCH_INTS(100000000)),
	BENCH_AXIS_END,
};

BENCHMARK(saxpy) = {
	.name = "minimal-kernel/saxpy",
	.summary = "y = a * x + y",
	.axes = axes,
	.manual_time = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.uses_device = uses_device,
};

int main(int argc, char **argv)
{
	static const struct target target = { .name = "minimal-kernel",
					      .summary = "an example of one kernel" };

	return copra_main(argc, argv, &target);
}
