/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int least(int a, int b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

int nearest_distance(const char *a, const char *b)
{
	/* rows i - 2, i - 1 and i of the table of distances between beginnings of a and b */
	int rows[3][NEAREST_LENGTH + 1];
	int *before = rows[0], *last = rows[1], *now = rows[2];
	int n = (int)strnlen(a, NEAREST_LENGTH), m = (int)strnlen(b, NEAREST_LENGTH);

	for (int j = 0; j <= m; j++)
		last[j] = before[j] = j;
	for (int i = 1; i <= n; i++) {
		int *free_row = before;

		now[0] = i;
		for (int j = 1; j <= m; j++) {
			now[j] = last[j - 1] + !same(a[i - 1], b[j - 1]);
			now[j] = least(now[j], 1 + least(last[j], now[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = free_row;
	}
	return last[m];
}

void nearest_offer(struct nearest *n, const char *name)
{
	size_t length = strlen(n->wanted);
	int distance = nearest_distance(n->wanted, name), most = (int)(length + 1) / 3, at;

	if (length >= 3 && strncasecmp(name, n->wanted, length) == 0)
		distance = least(distance, 1);
	if (strlen(name) > NEAREST_LENGTH || distance > (most > 1 ? most : 1))
		return;
	for (at = n->count; at > 0 && n->best[at - 1].distance > distance; at--)
		if (at < NEAREST_MOST)
			n->best[at] = n->best[at - 1];
	if (at == NEAREST_MOST)
		return;
	memcpy(n->best[at].name, name, strlen(name) + 1);
	n->best[at].distance = distance;
	n->count += n->count < NEAREST_MOST;
}

void nearest_say(const struct nearest *n, char *text, size_t size)
{
	char words[(NEAREST_MOST + 1) * (NEAREST_LENGTH + 8)] = "; did you mean ";
	size_t used = strlen(words), length = strlen(text);
	int count = n->count > 0 && n->best[0].distance == 0 ? 1 : n->count;

	for (int i = 0; i < count; i++)
		used += (size_t)sprintf(words + used, "%s%s",
					i == 0         ? "" :
					i + 1 == count ? " or " :
							 ", ",
					n->best[i].name);
	if (n->count > 0 && length + used + 1 < size)
		sprintf(text + length, "%s?", words);
}
