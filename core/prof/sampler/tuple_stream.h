/* Streams of tuples or messages in memory, recorded or generated, to be compressed again and
 * compared.
 *
 * Both are arrays that grow, by doubling, up to a number that their owner sets. An addition for
 * which there is no room fails, and changes nothing. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_TUPLE_STREAM_H
#define CYCLOPS_CORE_PROF_SAMPLER_TUPLE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/prof/sampler/compressor.h"

/* An allocator, in the form of Lua's: resize() is realloc() of `old`, NULL or of `had` bytes, to n;
 * n = 0 frees. */
struct tuple_memory {
	void *(*resize)(void *ctx, void *old, size_t had, size_t n);
	void *ctx;
};

/* The C library's allocator. */
extern const struct tuple_memory tuple_memory_host;

enum tuple_outcome { TUPLES_ADDED, TUPLES_FULL, TUPLES_NO_MEMORY };

struct tuple_stream {
	struct tuple *at;  /* [count], owned */
	size_t count, room; /* tuples in it, and tuples that there is memory for */
	size_t most;       /* tuples that it may have */
	struct tuple_memory memory;
};

/* Empty, in the caller's storage. */
void tuple_stream_init(struct tuple_stream *s, size_t most, struct tuple_memory memory);
void tuple_stream_deinit(struct tuple_stream *s);
/* Allocates memory for n more tuples, so that adding them can't fail. */
enum tuple_outcome tuple_stream_reserve(struct tuple_stream *s, size_t n);
/* Adds the tuple n times, or not at all. */
enum tuple_outcome tuple_stream_add(struct tuple_stream *s, struct tuple t, size_t n);
/* Shuffles the tuples, all orders equally likely (Fisher and Yates), by splitmix64 from *random on.
 */
void tuple_stream_shuffle(struct tuple_stream *s, uint64_t *random);

struct message_list {
	struct message *at; /* [count], owned */
	size_t count, room, most;
	struct tuple_memory memory;
};

void message_list_init(struct message_list *l, size_t most, struct tuple_memory memory);
void message_list_deinit(struct message_list *l);
enum tuple_outcome message_list_reserve(struct message_list *l, size_t n);
enum tuple_outcome message_list_add(struct message_list *l, const struct message *m);

#endif
