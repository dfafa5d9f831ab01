/* Exact counts beside the stream sampler: what was selected, and what software was told. It is no
 * hardware: it costs the machine nothing, and is what profiles are compared with (Sastry, Bodik,
 * Smith, 5.3.1: the ideal profile examines the same stream, and accumulates all of it).
 *
 * A tuple counts as selected when the selector picks it, whether or not the queue has room for it;
 * as told when software takes a message out of the queue, firmware by its register or the service
 * thread. What waits or is lost is neither's.
 *
 * Counts are right in the past: they are an attachment of the machine
 * (core/prof/oracle/oracle_store.h). Memory is bounded by sampler.memory; a full table counts on
 * for the tuples it knows, and counts what it can't as lost.
 *
 * Invariant: the table's counts and what was lost sum to what was selected, and told. */
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

/* What both have of one tuple. */
struct exact_tuple {
	struct tuple tuple;
	uint64_t selected, told;
};

/* What is in a set of a stage's table, if every selected tuple reached it. */
struct exact_bucket {
	uint64_t distinct;  /* tuples */
	uint64_t selected;  /* of all of them together */
	uint64_t most;      /* of the most frequent one */
	struct tuple tuple; /* that one; the first one selected, of several */
	double bias;        /* its share; 0: there is none */
	double entropy;     /* bits */
};

/* Tuple i < head.entries, in the order in which they were first selected. */
struct exact_tuple sampler_exact_tuple(const struct sampler_exact *x, uint32_t i);
/* Nothing is counted of one that was never selected. */
struct exact_tuple sampler_exact_find(const struct sampler_exact *x, struct tuple t);

/* Parameters sampler.min_count, .invariant and .covered; all streams. */
struct tuple_thresholds sampler_thresholds(const struct config *cfg);
/* The invariance error of what software was told, now. False if memory is out. */
bool sampler_exact_error(const struct sampler_exact *x, const struct tuple_thresholds *limits,
                         struct tuple_error *out);

/* Sets of a stage's table, as compressor_index() numbers them; 0 if it has no table that tuples are
 * hashed into. */
uint32_t sampler_exact_buckets(const struct compressor *c, unsigned stage);
/* All of them: out has room for so many. */
void sampler_exact_fill(const struct sampler_exact *x, const struct compressor *c, unsigned stage,
                        struct exact_bucket *out);
/* One of them. */
struct exact_bucket sampler_exact_bucket(const struct sampler_exact *x, const struct compressor *c,
                                         unsigned stage, uint32_t bucket);

/* Digest of everything counted: equal pasts give equal values. */
uint64_t sampler_exact_hash(const struct sampler_exact *x);
/* NULL, or what about it is impossible. Takes time that grows with the table. */
const char *sampler_exact_check(const struct sampler_exact *x);

/* ---- for the sampler ---- */
struct sampler_exact *sampler_exact_new(const struct config *cfg, struct err *err);
void sampler_exact_free(struct sampler_exact *x);
extern const struct attachment_ops sampler_attachment;

/* Tuples were selected, one after another. */
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
