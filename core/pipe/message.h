/* Tuples that the stream sampler selects, and messages between its components: input and output of
 * a plug-in in its chain (plugin.h, core/prof/sampler/compressor.h). */
#ifndef CYCLOPS_CORE_PIPE_MESSAGE_H
#define CYCLOPS_CORE_PIPE_MESSAGE_H

#include <stdint.h>

/* A profiled tuple: two words that components do not interpret. The first is a pc with the stream's
 * tag above it. */
struct tuple {
	uint64_t pc;
	uint64_t value;
};

enum { TUPLE_TAG_SHIFT = 56, TUPLE_TAG_MAX = 255 };

static inline uint64_t tuple_pc(struct tuple t)
{
	return t.pc & ((UINT64_C(1) << TUPLE_TAG_SHIFT) - 1);
}

static inline unsigned tuple_tag(struct tuple t)
{
	return (unsigned)(t.pc >> TUPLE_TAG_SHIFT);
}

/* `count` tuples like this one, by the compressor's estimate; at least 1. */
struct message {
	struct tuple tuple;
	uint64_t count;
};

#endif
