#include "core/prof/sampler/tuple_stream.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"

enum { ROOM_AT_FIRST = 64 };

static void *tuple_stream_resize_block(void *ctx, void *old, size_t had, size_t n)
{
	(void)ctx;
	(void)had;
	if (n)
		return alloc_resize(old, n);
	free(old);
	return NULL;
}

const struct tuple_memory tuple_memory_host = {tuple_stream_resize_block, NULL};

/* Makes room in an array for `more` elements of `each` bytes after `count`. */
static enum tuple_outcome tuple_stream_reserve_array(const struct tuple_memory *m, void **at,
                                                     size_t each, size_t count, size_t more,
                                                     size_t most, size_t *room)
{
	size_t n = *room ? *room : ROOM_AT_FIRST;
	if (more > most - count)
		return TUPLES_FULL;
	if (count + more <= *room)
		return TUPLES_ADDED;
	while (n < count + more)
		n *= 2;
	if (n > most)
		n = most;
	void *p = m->resize(m->ctx, *at, *room * each, n * each);
	if (!p)
		return TUPLES_NO_MEMORY;
	*at = p;
	*room = n;
	return TUPLES_ADDED;
}

/* ---- tuples ---- */
void tuple_stream_init(struct tuple_stream *s, size_t most, struct tuple_memory memory)
{
	*s = (struct tuple_stream){.most = most, .memory = memory};
}

void tuple_stream_deinit(struct tuple_stream *s)
{
	if (s->at)
		s->memory.resize(s->memory.ctx, s->at, s->room * sizeof *s->at, 0);
	*s = (struct tuple_stream){.most = s->most, .memory = s->memory};
}

enum tuple_outcome tuple_stream_reserve(struct tuple_stream *s, size_t n)
{
	void *at = s->at;
	enum tuple_outcome outcome = tuple_stream_reserve_array(&s->memory, &at, sizeof *s->at,
	                                                        s->count, n, s->most, &s->room);
	s->at = at;
	return outcome;
}

enum tuple_outcome tuple_stream_add(struct tuple_stream *s, struct tuple t, size_t n)
{
	enum tuple_outcome outcome = tuple_stream_reserve(s, n);
	for (; outcome == TUPLES_ADDED && n; n--)
		s->at[s->count++] = t;
	return outcome;
}

/* A number below n, all equally likely: the high half of a product, without the few low halves that
 * would favour some. */
static uint64_t tuple_stream_random_below(uint64_t *random, uint64_t n)
{
	uint64_t least = (0 - n) % n;
	unsigned __int128 product;
	do
		product = (unsigned __int128)hash_splitmix64_next(random) * n;
	while ((uint64_t)product < least);
	return (uint64_t)(product >> 64);
}

void tuple_stream_shuffle(struct tuple_stream *s, uint64_t *random)
{
	for (size_t i = s->count; i > 1; i--) {
		size_t j = tuple_stream_random_below(random, i);
		struct tuple held = s->at[i - 1];
		s->at[i - 1] = s->at[j];
		s->at[j] = held;
	}
}

/* ---- messages ---- */
void message_list_init(struct message_list *l, size_t most, struct tuple_memory memory)
{
	*l = (struct message_list){.most = most, .memory = memory};
}

void message_list_deinit(struct message_list *l)
{
	if (l->at)
		l->memory.resize(l->memory.ctx, l->at, l->room * sizeof *l->at, 0);
	*l = (struct message_list){.most = l->most, .memory = l->memory};
}

enum tuple_outcome message_list_reserve(struct message_list *l, size_t n)
{
	void *at = l->at;
	enum tuple_outcome outcome = tuple_stream_reserve_array(&l->memory, &at, sizeof *l->at,
	                                                        l->count, n, l->most, &l->room);
	l->at = at;
	return outcome;
}

enum tuple_outcome message_list_add(struct message_list *l, const struct message *m)
{
	enum tuple_outcome outcome = message_list_reserve(l, 1);
	if (outcome == TUPLES_ADDED)
		l->at[l->count++] = *m;
	return outcome;
}
