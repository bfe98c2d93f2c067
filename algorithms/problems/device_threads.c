#include "device_threads.h"

#include <pthread.h>
#include <stdbool.h>

#include "../../harness/device.h"

void device_threads_run(void *(*run)(void *item), void *items, size_t size, int count)
{
	pthread_t thread[DEV_MAX];
	bool threaded[DEV_MAX];
	char *item = items;

	for (int i = 1; i < count; i++)
		threaded[i] = !pthread_create(&thread[i], NULL, run, item + (size_t)i * size);
	run(item);
	for (int i = 1; i < count; i++) {
		if (threaded[i])
			pthread_join(thread[i], NULL);
		else
			run(item + (size_t)i * size);
	}
}
