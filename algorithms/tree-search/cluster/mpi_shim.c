/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Built by the compiler of an MPI library into a shared object of its own; see mpi_shim.h.
 *
 * A message of at most SMALL bytes is one MPI message. A larger one is announced by its size, and
 * follows in pieces, because the sizes of MPI messages are ints. Messages between two ranks do not
 * overtake each other, so the pieces follow the announcement. Smaller messages may be received
 * before a large one that was sent earlier. */
#include "algorithms/tree-search/cluster/mpi_shim.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 1 << 16, PIECE = 1 << 28 };
enum tag { WHOLE = 1, ANNOUNCED, PIECES };

/* A message that is being sent, or a large one that is being received. */
struct mail {
	struct mail *next;
	unsigned char *bytes;
	uint64_t size;
	int requests, room, from;
	MPI_Request *request;
};
static struct mail *sending, *arriving; /* MPI is global, too */

static int failed(int code, const char *what, char *text)
{
	char reason[MPI_MAX_ERROR_STRING] = "";
	int length = 0;

	if (code == MPI_SUCCESS)
		return 0;
	MPI_Error_string(code, reason, &length);
	snprintf(text, CLUSTER_MPI_TEXT, "%s: %.160s", what, reason);
	return -1;
}

static int no_memory(char *text)
{
	snprintf(text, CLUSTER_MPI_TEXT, "no memory for a message");
	return -1;
}

static int start(struct cluster_mpi_place *p, char *text)
{
	MPI_Comm node;
	int provided, length, first;

	if (failed(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread",
		   text))
		return -1;
	if (provided < MPI_THREAD_FUNNELED) {
		snprintf(text, CLUSTER_MPI_TEXT, "this MPI does not support threads");
		return -1;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
	if (failed(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, p->rank, MPI_INFO_NULL,
				       &node),
		   "MPI_Comm_split_type", text))
		return -1;
	MPI_Comm_rank(node, &p->local);
	MPI_Comm_size(node, &p->locals);
	MPI_Comm_free(&node);
	first = p->local == 0;
	if (failed(MPI_Allreduce(&first, &p->nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
		   "MPI_Allreduce", text))
		return -1;
	{
		char name[MPI_MAX_PROCESSOR_NAME] = "";

		MPI_Get_processor_name(name, &length);
		snprintf(p->host, sizeof(p->host), "%.*s", CLUSTER_MPI_HOST - 1, name);
	}
	return 0;
}

static void free_mail(struct mail *m)
{
	free(m->bytes);
	free(m->request);
	free(m);
}

static int post(struct mail *m, const void *from, size_t size, int to, enum tag tag, char *text)
{
	return failed(MPI_Isend(from, (int)size, MPI_BYTE, to, (int)tag, MPI_COMM_WORLD,
				&m->request[m->requests++]),
		      "MPI_Isend", text);
}

static int send_message(int to, unsigned char *bytes, size_t size, char *text)
{
	struct mail *m = calloc(1, sizeof(*m));
	int status = 0;

	if (!m) {
		free(bytes);
		return no_memory(text);
	}
	m->bytes = bytes;
	m->size = size;
	m->room = size > SMALL ? 1 + (int)((size + PIECE - 1) / PIECE) : 1;
	m->request = calloc((size_t)m->room, sizeof(*m->request));
	if (!m->request) {
		free_mail(m);
		return no_memory(text);
	}
	if (size <= SMALL) {
		status = post(m, bytes, size, to, WHOLE, text);
	} else {
		status = post(m, &m->size, sizeof(m->size), to, ANNOUNCED, text);
		for (size_t at = 0; at < size && !status; at += PIECE)
			status = post(m, bytes + at, size - at < PIECE ? size - at : PIECE, to,
				      PIECES, text);
	}
	m->next = sending;
	sending = m;
	return status;
}

/* Frees the messages that were sent. */
static int progress(char *text)
{
	for (struct mail **at = &sending; *at;) {
		struct mail *m = *at;
		int done = 0;

		if (failed(MPI_Testall(m->requests, m->request, &done, MPI_STATUSES_IGNORE),
			   "MPI_Testall", text))
			return -1;
		if (done) {
			*at = m->next;
			free_mail(m);
		} else {
			at = &m->next;
		}
	}
	return 0;
}

/* Begins to receive a message that was announced. Waiting for it here would let this rank hang with
 * its sender. */
static int receive_later(int from, uint64_t size, char *text)
{
	struct mail *m = calloc(1, sizeof(*m)), **end = &arriving;
	int status = 0;

	if (!m)
		return no_memory(text);
	m->size = size;
	m->from = from;
	m->room = (int)((size + PIECE - 1) / PIECE);
	m->bytes = malloc(size);
	m->request = calloc((size_t)m->room, sizeof(*m->request));
	if (!m->bytes || !m->request) {
		free_mail(m);
		return no_memory(text);
	}
	for (uint64_t at = 0; at < size && !status; at += PIECE)
		status = failed(MPI_Irecv(m->bytes + at,
					  (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE,
					  from, PIECES, MPI_COMM_WORLD, &m->request[m->requests++]),
				"MPI_Irecv", text);
	while (*end)
		end = &(*end)->next;
	*end = m;
	return status;
}

/* Takes a message of which all pieces are here; *bytes NULL: there is none. */
static int take_arrived(int *from, unsigned char **bytes, size_t *size, char *text)
{
	for (struct mail **at = &arriving; *at; at = &(*at)->next) {
		struct mail *m = *at;
		int done = 0;

		if (failed(MPI_Testall(m->requests, m->request, &done, MPI_STATUSES_IGNORE),
			   "MPI_Testall", text))
			return -1;
		if (!done)
			continue;
		*at = m->next;
		*from = m->from;
		*bytes = m->bytes;
		*size = (size_t)m->size;
		m->bytes = NULL;
		free_mail(m);
		return 0;
	}
	return 0;
}

static int receive_message(int *from, unsigned char **bytes, size_t *size, char *text)
{
	MPI_Message message;
	MPI_Status s;
	uint64_t announced = 0;
	int there = 0, count, status = progress(text);

	*bytes = NULL;
	if (!status)
		status = take_arrived(from, bytes, size, text);
	if (status || *bytes)
		return status;
	status = failed(
		MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &s),
		"MPI_Improbe", text);
	if (status || !there)
		return status;
	*from = s.MPI_SOURCE;
	MPI_Get_count(&s, MPI_BYTE, &count);
	if (s.MPI_TAG == ANNOUNCED) {
		status = failed(MPI_Mrecv(&announced, sizeof(announced), MPI_BYTE, &message, &s),
				"MPI_Mrecv", text);
		return status ? status : receive_later(*from, announced, text);
	}
	*size = (size_t)count;
	*bytes = malloc(*size + 1);
	if (!*bytes)
		return no_memory(text);
	return failed(MPI_Mrecv(*bytes, count, MPI_BYTE, &message, &s), "MPI_Mrecv", text);
}

/* Receives and drops messages until all ranks have sent theirs: a rank that has given up must not
 * leave others with a message that nobody receives. */
static int stop(char *text)
{
	MPI_Request all = MPI_REQUEST_NULL;
	bool begun = false;
	int ended = 0, from;

	while (!ended || arriving) {
		unsigned char *bytes;
		size_t size;

		if (receive_message(&from, &bytes, &size, text))
			return -1;
		free(bytes);
		if (!sending && !begun) {
			begun = true;
			if (failed(MPI_Ibarrier(MPI_COMM_WORLD, &all), "MPI_Ibarrier", text))
				return -1;
		}
		if (begun && !ended &&
		    failed(MPI_Test(&all, &ended, MPI_STATUS_IGNORE), "MPI_Test", text))
			return -1;
		usleep(50); /* also lets the time of a simulated cluster pass */
	}
	return failed(MPI_Finalize(), "MPI_Finalize", text);
}

static void end_all(int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
	abort();
}

extern const struct cluster_mpi cluster_mpi;
__attribute__((visibility("default"))) const struct cluster_mpi cluster_mpi = {
	.version = CLUSTER_MPI_VERSION,
#ifdef OPEN_MPI
	.library = "OpenMPI",
#else
	.library = "MPICH",
#endif
	.start = start,
	.send = send_message,
	.receive = receive_message,
	.stop = stop,
	.abort = end_all,
};
