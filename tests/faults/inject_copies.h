/* Copies between host and device under way: memory of the host that is freed meanwhile is read or
 * written after its end, if only sometimes. */
#ifndef COPRA_TESTS_FAULTS_INJECT_COPIES_H
#define COPRA_TESTS_FAULTS_INJECT_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"

/* Asked for in this line. */
void copies_begin(struct dev_stream *s, const void *host, size_t bytes, const char *file, int line);
/* All of the stream, or where it is NULL of the device. */
void copies_end(struct dev_stream *s, const struct dev *d);
/* Those of the event's device: of which of its streams is not known here. */
void copies_end_before(const struct dev_event *ev);

/* Tells that a block is freed. */
void copies_freed(const void *block, size_t bytes);
/* How often one was freed too early; the file and line of the first such copy. */
int64_t copies_torn(char *place, size_t size);

#endif
