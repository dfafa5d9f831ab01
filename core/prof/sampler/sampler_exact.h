/* Exact counts beside the stream sampler: tuples selected, and tuples told to software. They model
 * no hardware and cost the machine nothing; profiles are compared with them (Sastry, Bodik, Smith,
 * 5.3.1: the ideal profile examines the same stream, and accumulates all of it).
 *
 * A tuple counts as selected when the selector picks it, whether or not the queue has room for it;
 * as told when software takes a message out of the queue, firmware by its register or the service
 * thread. Tuples that wait or are lost are not told.
 *
 * Counts are right when the machine goes back: they are an attachment of it
 * (core/prof/oracle/oracle_store.h). Memory is bounded by sampler.memory; a full table goes on
 * counting for its tuples, and counts others as lost.
 *
 * Invariant: the table's counts and losses sum to tuples selected, and to tuples told. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_EXACT_H
#define CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/prof/oracle/oracle_store.h"
#include "core/prof/sampler/compressor.h"
#include "core/prof/sampler/tuple_profile.h"

struct config;

/* All state but the table; no padding. */
struct exact_head {
	uint64_t selected;           /* tuples */
	uint64_t told;               /* tuples that messages stand for */
	uint64_t read;               /* messages */
	uint64_t lost, lost_told;    /* tuples of these that the table has no room for */
	uint64_t starved;            /* of those lost, because the host's memory was out */
	uint32_t entries, nothing;
};

struct sampler_exact {
	struct oracle_store store; /* first: it is the attachment's */
	struct exact_head head;
	struct oracle_table table; /* key: struct tuple; count: selected; more[0]: told */
};

/* Counts of one tuple. */
struct exact_tuple {
	struct tuple tuple;
	uint64_t selected, told;
};

/* Contents of a set of a stage's table, if every selected tuple reached it. */
struct exact_bucket {
	uint64_t distinct;  /* tuples */
	uint64_t selected;  /* of all of them together */
	uint64_t most;      /* of the most frequent one */
	struct tuple tuple; /* the most frequent tuple; of several, the first selected */
	double bias;        /* its share; 0: there is none */
	double entropy;     /* bits */
};

/* Tuple i < head.entries, in the order in which they were first selected. */
struct exact_tuple sampler_exact_tuple(const struct sampler_exact *x, uint32_t i);
/* Counts of this tuple; 0 if it was never counted. */
struct exact_tuple sampler_exact_find(const struct sampler_exact *x, struct tuple t);

/* Parameters sampler.min_count, .invariant and .covered; all streams. */
struct tuple_thresholds sampler_thresholds(const struct config *cfg);
/* The present invariance error of the profile told to software. False if memory is out. */
bool sampler_exact_error(const struct sampler_exact *x, const struct tuple_thresholds *limits,
                         struct tuple_error *out);

/* Sets of a stage's table, as compressor_index() numbers them; 0 if it has no table that tuples are
 * hashed into. */
uint32_t sampler_exact_buckets(const struct compressor *c, unsigned stage);
/* Fills out with all sets, sampler_exact_buckets() of them. */
void sampler_exact_fill(const struct sampler_exact *x, const struct compressor *c, unsigned stage,
                        struct exact_bucket *out);
/* A single set of those that sampler_exact_fill() fills. */
struct exact_bucket sampler_exact_bucket(const struct sampler_exact *x, const struct compressor *c,
                                         unsigned stage, uint32_t bucket);

/* Digest of everything counted: equal pasts give equal values. */
uint64_t sampler_exact_hash(const struct sampler_exact *x);
/* NULL, or the invariant that is broken. Takes time that grows with the table. */
const char *sampler_exact_check(const struct sampler_exact *x);

/* ---- for the sampler ---- */
struct sampler_exact *sampler_exact_new(const struct config *cfg, struct err *err);
void sampler_exact_free(struct sampler_exact *x);
extern const struct attachment_ops sampler_attachment;

/* Counts n selected tuples, in order. */
void sampler_exact_selected(struct sampler_exact *x, const struct tuple *t, size_t n);

static inline void sampler_exact_told(struct sampler_exact *x, const struct message *m)
{
	struct oracle_entry *e;
	x->head.read++;
	x->head.told += m->count;
	if (oracle_table_at(&x->table, m->tuple.pc, m->tuple.value, 0, &e) <= ORACLE_NEW)
		e->more[0] += m->count;
	else
		x->head.lost_told += m->count;
}

#endif
