/* Waiting for one event, beside the device layer's streams and events (device.h): for who keeps
 * what a copy or a kernel still reads, and needs neither the rest of the stream nor a time. */
#ifndef COPRA_DEVICE_DEVICE_EVENT_H
#define COPRA_DEVICE_DEVICE_EVENT_H

#include "harness/device/device.h"

/* Returns when all is done that was in the stream before the event's last record; reports errors of
 * kernels as dev_stream_sync does. ERR_USAGE: it was never recorded. */
int dev_event_sync_at(struct dev_event *ev, struct err *e, const char *file, int line);
#define dev_event_sync(ev, e) dev_event_sync_at(ev, e, __FILE__, __LINE__)

#endif
