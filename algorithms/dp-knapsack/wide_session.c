#include <string.h>

#include "algorithms/dp-knapsack/wide_run.h"

int wide_session_open(struct wide_session *s, struct dev *d, struct err *e)
{
	memset(s, 0, sizeof(*s));
	s->device = d;
	int status = dev_stream_create(d, &s->stream, e);
	if (!status)
		status = dev_event_create(d, &s->begin, e);
	if (!status)
		status = dev_event_create(d, &s->end, e);
	return status ? status : kp_pace_open(&s->pace, s->stream, e);
}

void wide_session_close(struct wide_session *s)
{
	if (s->stream)
		(void)dev_stream_sync(s->stream, NULL);
	dev_free(s->device, s->memory.cells);
	dev_free(s->device, s->memory.spare);
	dev_free(s->device, s->memory.bits);
	kp_pace_close(&s->pace);
	if (s->begin)
		dev_event_destroy(s->begin);
	if (s->end)
		dev_event_destroy(s->end);
	if (s->stream)
		dev_stream_destroy(s->stream);
}

int wide_alloc(struct wide_solve *w, struct dev *d, void **out, int64_t bytes, struct err *e)
{
	int status = dev_alloc(d, out, (size_t)bytes, e);
	if (!status)
		w->memory += bytes;
	return status;
}
