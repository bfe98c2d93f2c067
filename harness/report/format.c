/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const format_names[FORMAT_NAMED] = { "seconds", "factor", "rate", "percent", "joules",
						 "bytes",   "count",  "flag", "plain" };

enum format format_by_name(const char *name)
{
	for (int i = 0; i < FORMAT_NAMED; i++)
		if (!strcmp(format_names[i], name))
			return (enum format)i;
	return FORMAT_UNKNOWN;
}

static void grouped(char *out, size_t size, double value)
{
	char digits_only[64];
	size_t at = 0;
	snprintf(digits_only, sizeof(digits_only), "%.15g", value);
	size_t length = strlen(digits_only);
	bool whole = strspn(digits_only, "0123456789") == length && length > 4;
	for (size_t i = 0; i < length && at + 2 < size; i++) {
		if (whole && i > 0 && (length - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits_only[i];
	}
	out[at] = '\0';
}

/* Formats three significant digits without an exponent; zero is "0". */
static void digits(char *out, size_t size, double value, const char *unit)
{
	double magnitude = fabs(value);
	char whole[64];
	int decimals = magnitude >= 99.95  ? 0 :
		       magnitude >= 9.995  ? 1 :
		       magnitude >= 0.9995 ? 2 :
					     3;
	if (magnitude < 0.9995 && magnitude > 0)
		decimals = magnitude < 1e-6 ? 9 : 2 - (int)floor(log10(magnitude * 1.0005));
	grouped(whole, sizeof(whole), round(value));
	if (value == 0 || magnitude >= 9999.5)
		snprintf(out, size, "%s%s", value == 0 ? "0" : whole, unit);
	else
		snprintf(out, size, "%.*f%s", decimals, value, unit);
}

static void prefixed(char *out, size_t size, double value, double base, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	char all[16];
	int i = 0;
	while (i < 6 && fabs(value) >= base * 0.9995) {
		value /= base;
		i++;
	}
	bool binary = base == 1024 && i;
	snprintf(all, sizeof(all), " %s%s%s", binary && i == 1 ? "K" : prefixes[i],
		 binary ? "i" : "", unit);
	digits(out, size, value, all);
}

static const struct {
	double size;
	const char *name;
} second_units[] = { { 1, " s" }, { 1e-3, " ms" }, { 1e-6, " µs" }, { 1e-9, " ns" } };

/* The largest unit in which the value is at least `round_up`, which is rounded to 1. */
static int second_unit(double value, double round_up)
{
	int i = 0;
	while (i < 3 && fabs(value) < round_up * second_units[i].size && value != 0)
		i++;
	return i;
}

static void seconds(char *out, size_t size, double value)
{
	int i = second_unit(value, 0.9995);
	digits(out, size, value / second_units[i].size, second_units[i].name);
}

static void seconds_fine(char *out, size_t size, double value)
{
	int i = second_unit(value, 0.99995);
	double shown = value / second_units[i].size, magnitude = fabs(shown);
	int decimals = magnitude >= 999.95 ? 0 :
		       magnitude >= 99.995 ? 1 :
		       magnitude >= 9.9995 ? 2 :
					     3;
	snprintf(out, size, "%.*f%s", decimals, shown, second_units[i].name);
}

void format_number(char *out, size_t size, enum format format, double value)
{
	switch (format) {
	case FORMAT_SECONDS:
		seconds(out, size, value);
		break;
	case FORMAT_SECONDS_FINE:
		seconds_fine(out, size, value);
		break;
	case FORMAT_GROUPED:
		grouped(out, size, value);
		break;
	case FORMAT_RATE:
		prefixed(out, size, value, 1000, "/s");
		break;
	case FORMAT_PERCENT:
		digits(out, size, value * 100, " %");
		break;
	case FORMAT_JOULES:
		prefixed(out, size, value, 1000, "J");
		break;
	case FORMAT_BYTES:
		prefixed(out, size, value, 1024, "B");
		break;
	case FORMAT_COUNT:
		grouped(out, size, round(value));
		break;
	case FORMAT_PLAIN:
		snprintf(out, size, "%.10g", value);
		break;
	case FORMAT_FLAG:
		snprintf(out, size, "%s", value != 0 ? "yes" : "no");
		break;
	default:
		digits(out, size, value, "");
	}
}

void format_unit(char *out, size_t size, double value, const char *unit)
{
	if (!strcmp(unit, "s"))
		seconds(out, size, value);
	else
		prefixed(out, size, value, 1000, unit);
}
