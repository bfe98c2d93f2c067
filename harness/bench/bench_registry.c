#include "harness/bench/bench_run.h"

enum { REGISTRY_CAPACITY = 256 };

/* The one piece of global state: filled by constructors before main, read only afterwards. */
static struct {
	const struct bench *at[REGISTRY_CAPACITY];
	int count;
} registry;

void bench_register(const struct bench *b)
{
	/* no message is possible before main; the plan refuses a registry that overflowed */
	if (registry.count < REGISTRY_CAPACITY)
		registry.at[registry.count] = b;
	registry.count++;
}

int bench_registered(void)
{
	return registry.count;
}

const struct bench *bench_registered_at(int index)
{
	return index >= 0 && index < REGISTRY_CAPACITY && index < registry.count ?
		       registry.at[index] :
		       NULL;
}
