/* Binary matrix products by tensor cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit/binary_products.h"
#include "cuda_devices.h"

#if COPRA_HAVE_CUDA
static void products_are_counts(void **state)
{
	(void)state;
	check_binary_products(&selftest_binary_cuda, devices.dev[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(products_are_counts) };

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
#else
int main(void)
{
	return 0;
}
#endif
