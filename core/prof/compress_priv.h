/* Between the files of the compressors (compressor.h). */
#ifndef CYCLOPS_CORE_PROF_COMPRESS_PRIV_H
#define CYCLOPS_CORE_PROF_COMPRESS_PRIV_H

#include "core/prof/compressor.h"

/* A kind of component, as a state machine: what comes in, at most one message out for it. */
struct component_ops {
	const char *letters, *help;
	size_t (*bytes)(const struct component *c); /* of its state, which is zero before reset() */
	uint64_t (*bits)(const struct component *c);
	void (*reset)(const struct component *c, void *state, uint64_t seed);
	bool (*in)(const struct component *c, void *state, const struct tuple_hasher *h, const struct message *in,
	           struct message *out, struct component_touch *touch);
	/* The next message of what it holds; NULL: it knows no tuples. */
	bool (*drain)(const struct component *c, void *state, struct message *out);
	uint64_t (*held)(const struct component *c, const void *state); /* tuples */
	const char *(*check)(const struct component *c, const void *state);
};

extern const struct component_ops component_sampler, component_tagged, component_associative;

static inline const struct component_ops *component_ops(const struct component *c)
{
	return c->kind == COMPONENT_TAGGED        ? &component_tagged
	       : c->kind == COMPONENT_ASSOCIATIVE ? &component_associative
	                                          : &component_sampler;
}

/* Bits that hold the numbers 0 to n - 1. */
static inline uint32_t bits_for(uint64_t n)
{
	return n > 1 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 0;
}

static inline bool is_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* ---- compress_hash.c ---- */
/* The tables of one hash function to so many entries; NULL if memory is out. */
struct tuple_hasher *hasher_new(enum tuple_hash kind, uint32_t entries, uint32_t tag_bits);
void hasher_free(struct tuple_hasher *h);
size_t hasher_bytes(void); /* of one */
uint32_t hasher_index(const struct tuple_hasher *h, struct tuple t);
uint32_t hasher_tag(const struct tuple_hasher *h, struct tuple t);
struct tuple_hash_steps hasher_steps(const struct tuple_hasher *h, struct tuple t);

/* ---- entries, for views ---- */
struct sampler_view sampler_view(const struct component *c, const void *state, uint32_t entry);
struct tagged_view tagged_view(const void *state, uint32_t entry);
struct associative_view associative_view(const void *state, uint32_t entry);

#endif
