#include "tests/faults/inject_copies.h"

#include <pthread.h>
#include <stdio.h>

#include "harness/device/device_backend.h"

enum { MOST = 4096 }; /* more at once are not looked at */

static struct copy {
	const struct dev_stream *stream;
	const struct dev *device;
	uintptr_t from, to; /* of the host */
	const char *file;
	int line;
} copies[MOST];
static int count;
static int64_t torn;
static struct copy first_torn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void copies_begin(struct dev_stream *s, const void *host, size_t bytes, const char *file, int line)
{
	pthread_mutex_lock(&lock);
	if (count < MOST && bytes)
		copies[count++] = (struct copy){
			s,   dev_stream_device(s), (uintptr_t)host, (uintptr_t)host + bytes, file,
			line
		};
	pthread_mutex_unlock(&lock);
}

void copies_end(struct dev_stream *s, const struct dev *d)
{
	pthread_mutex_lock(&lock);
	for (int i = count; i-- > 0;)
		if (s ? copies[i].stream == s : copies[i].device == d)
			copies[i] = copies[--count];
	pthread_mutex_unlock(&lock);
}

void copies_end_before(const struct dev_event *ev)
{
	copies_end(NULL, ev->dev);
}

void copies_freed(const void *block, size_t bytes)
{
	uintptr_t from = (uintptr_t)block;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		if (copies[i].from < from + bytes && from < copies[i].to && torn++ == 0)
			first_torn = copies[i];
	pthread_mutex_unlock(&lock);
}

int64_t copies_torn(char *place, size_t size)
{
	pthread_mutex_lock(&lock);
	snprintf(place, size, "%s:%d", torn ? first_torn.file : "", first_torn.line);
	int64_t found = torn;
	pthread_mutex_unlock(&lock);
	return found;
}
