#include "harness/report/predicate_unit.h"

#include <string.h>

static bool ends_in(const char *name, const char *word)
{
	size_t length = strlen(name), tail = strlen(word);
	if (length < tail || strcmp(name + length - tail, word) != 0)
		return false;
	return length == tail || name[length - tail - 1] == '_';
}

struct pred_unit unit_of_counter(const char *counter)
{
	struct pred_unit u = { .known = true };
	u.seconds = !*counter || ends_in(counter, "seconds");
	u.joules = ends_in(counter, "joules");
	u.bytes = ends_in(counter, "bytes") || strstr(counter, "_bytes_") ||
		  !strncmp(counter, "memory_", strlen("memory_"));
	if (ends_in(counter, "per_second") || ends_in(counter, "a_second"))
		u.seconds = -1;
	return u;
}

struct pred_unit unit_product(struct pred_unit a, struct pred_unit b, int sign)
{
	if (!a.known || !b.known)
		return (struct pred_unit){ 0 };
	return (struct pred_unit){ .known = true,
				   .seconds = (signed char)(a.seconds + sign * b.seconds),
				   .joules = (signed char)(a.joules + sign * b.joules),
				   .bytes = (signed char)(a.bytes + sign * b.bytes) };
}

static bool same(struct pred_unit a, struct pred_unit b)
{
	return a.seconds == b.seconds && a.joules == b.joules && a.bytes == b.bytes;
}

struct pred_unit unit_common(struct pred_unit a, struct pred_unit b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return same(a, b) ? a : (struct pred_unit){ 0 };
}

const char *unit_text(struct pred_unit u)
{
	static const struct {
		struct pred_unit unit;
		const char *text;
	} units[] = {
		{ { true, 1, 0, 0 }, " s" },    { { true, -1, 0, 0 }, " /s" },
		{ { true, 0, 1, 0 }, " J" },    { { true, -1, 1, 0 }, " W" },
		{ { true, 0, -1, 0 }, " /J" },  { { true, 0, 0, 1 }, " B" },
		{ { true, -1, 0, 1 }, " B/s" },
	};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && u.known; i++)
		if (same(u, units[i].unit))
			return units[i].text;
	return "";
}
