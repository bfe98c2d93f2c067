/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/hash.h"

_Static_assert(sizeof(struct cluster_head) == 120, "the head has no padding");

enum { HASHED_FROM = offsetof(struct cluster_head, identity) };

static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
	return hash_bytes(HASH_INIT, bytes + HASHED_FROM, size - HASHED_FROM);
}

void cluster_message_seal(unsigned char *bytes, size_t size)
{
	uint64_t hash = hash_of(bytes, size);

	memcpy(bytes + offsetof(struct cluster_head, hash), &hash, sizeof(hash));
}

static bool size_of(const struct cluster_head *h, size_t *size)
{
	return h->solution_size <= SIZE_MAX && h->work_size <= SIZE_MAX &&
	       checked_add_size(sizeof(*h), (size_t)h->counters * sizeof(uint64_t), size) &&
	       checked_add_size(*size, (size_t)h->solution_size, size) &&
	       checked_add_size(*size, (size_t)h->work_size, size);
}

static unsigned char *append(unsigned char *to, const unsigned char *from, size_t size)
{
	if (size)
		memcpy(to, from, size);
	return to + size;
}

int cluster_message_pack(const struct cluster_message *m, unsigned char **bytes, size_t *size,
			 struct err *e)
{
	struct cluster_head head = m->head;
	unsigned char *to;

	head.magic = CLUSTER_MAGIC;
	head.version = CLUSTER_VERSION;
	if (!size_of(&head, size) || !(to = malloc(*size)))
		return err_set(e, ERR_MEMORY, "no memory for a message between ranks");
	*bytes = to;
	to = append(to, (const unsigned char *)&head, sizeof(head));
	to = append(to, m->counters, head.counters * sizeof(uint64_t));
	to = append(to, m->solution, (size_t)head.solution_size);
	append(to, m->work, (size_t)head.work_size);
	cluster_message_seal(*bytes, *size);
	return 0;
}

static int check_fields(const struct cluster_head *h, struct err *e)
{
	static const uint32_t details[CLUSTER_KINDS] = {
		[CLUSTER_ASK] = CLUSTER_ASKS,         [CLUSTER_NONE] = CLUSTER_ASKS,
		[CLUSTER_WORK] = CLUSTER_GIFTS,       [CLUSTER_BEST] = 1,
		[CLUSTER_WAVE] = CLUSTER_ORDERS,      [CLUSTER_REPORT] = 1,
		[CLUSTER_DEPOSIT] = CLUSTER_DEPOSITS,
	};

	if (h->kind >= CLUSTER_KINDS)
		return err_set(e, ERR_INPUT, "unknown kind %u", h->kind);
	if (h->detail >= details[h->kind])
		return err_set(e, ERR_INPUT, "kind %u has no detail %u", h->kind, h->detail);
	if (h->flags > CLUSTER_FLAGS)
		return err_set(e, ERR_INPUT, "unknown flags %u", h->flags);
	if (!isfinite(h->rate) || h->rate < 0)
		return err_set(e, ERR_INPUT, "the rate is not a number >= 0");
	if (!isfinite(h->left))
		return err_set(e, ERR_INPUT, "what is left is not a number");
	return 0;
}

int cluster_message_unpack(const unsigned char *bytes, size_t size, struct cluster_message *m,
			   struct err *e)
{
	struct cluster_head *h = &m->head;
	size_t expected;

	if (size < sizeof(*h))
		return err_set(e, ERR_INPUT, "%zu bytes, less than a head", size);
	memcpy(h, bytes, sizeof(*h));
	if (h->magic != CLUSTER_MAGIC)
		return err_set(e, ERR_INPUT, "not a message of a search");
	if (h->version != CLUSTER_VERSION)
		return err_set(e, ERR_INPUT, "version %u of the protocol, this rank has %u",
			       h->version, CLUSTER_VERSION);
	if (!size_of(h, &expected) || expected != size)
		return err_set(e, ERR_INPUT, "%zu bytes, not the size in its head", size);
	if (h->hash != hash_of(bytes, size))
		return err_set(e, ERR_INPUT, "the hash does not match its bytes");
	m->counters = bytes + sizeof(*h);
	m->solution = m->counters + h->counters * sizeof(uint64_t);
	m->work = m->solution + h->solution_size;
	return check_fields(h, e);
}
