/* The end of a function that had data copied from or to memory which its caller, or itself, may
 * free next: copies run on after an error elsewhere, and must not find that memory gone. */
#ifndef COPRA_DEVICE_SETTLE_H
#define COPRA_DEVICE_SETTLE_H

#include "harness/device/device.h"

/* Waits for all work of the stream (NULL: there is none yet) whatever `status` is; returns
 * `status`, or where that is 0 what the wait found. */
static inline int dev_settle_at(struct dev_stream *s, int status, struct err *e, const char *file,
				int line)
{
	int waited = s ? dev_stream_sync_at(s, status ? NULL : e, file, line) : 0;

	return status ? status : waited;
}

#define dev_settle(s, status, e) dev_settle_at(s, status, e, __FILE__, __LINE__)
#endif
