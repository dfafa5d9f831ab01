/* Hotlists: the values that were seen most often, in constant space for each instruction and kind
 * of value (Burrows et al., Efficient and Flexible Value Sampling, section 2.2). Four methods, one
 * interface:
 *
 *   samples   Gibbons and Matias' concise samples, which the paper describes. Each value seen is
 *             counted with probability p, 1 at first. When there are more than N values, p is
 *             divided by f and each count becomes the number of heads of as many coins, where heads
 *             come with probability 1 / f; and again, until at most N are left. Whatever the order
 *             of the stream: count / p is an unbiased estimate of how often a value that is counted
 *             on was seen since, and p says how far to trust it
 *   counting  Gibbons and Matias' counting samples. A value that is there is always counted; a new
 *             one comes in with probability p. When there are more than N, p is divided by f, and
 *             each value tosses a coin: heads come with probability 1 / f, and it keeps its count;
 *             else that is one less, and again for each coin that shows no head, where heads come
 *             with the new p, down to 0. What came before the value was let in is 1 / p - 1 on
 *             average: with that added the estimate is unbiased, and less is up to chance
 *   top       Calder, Feller and Eustace's table: N values by their counts; a new one takes the
 *             place of the last; each `clear` values the lower half is emptied, so that what comes
 *             later has a chance. An estimate is never too high
 *   exact     every value with its count, as far as memory goes; what finds no room is counted as
 *             lost
 *
 * The random numbers are splitmix64's from a seed on: equal streams give equal lists. struct
 * hotlist is one list in the caller's memory, zero at first; struct hotlists is a list for each
 * (pc, kind), in chunks that snapshots share: it is fit to be an attachment
 * (core/prof/common/attachment.h), for its store is its first member.
 *
 * Invariants: at most N values, all different, none with a count of 0; of `top`, by falling counts.
 * The counts of a list are at most what it has seen. What lists have seen and what was lost sums to
 * what was told (hotlists_check). */
#ifndef CYCLOPS_CORE_PROF_VALUES_HOTLIST_H
#define CYCLOPS_CORE_PROF_VALUES_HOTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/prof/oracle/oracle_store.h"

enum hotlist_method { HOTLIST_SAMPLES, HOTLIST_TOP, HOTLIST_EXACT, HOTLIST_COUNTING };

enum { HOTLIST_MAX = 256, HOTLIST_KINDS = 1 << 16, HOTLIST_MEMORY_MIN = 1 << 18 };

struct hotlist_spec {
	enum hotlist_method method;
	uint32_t entries;    /* N, 1 to HOTLIST_MAX; the paper's: 16. Not for `exact` */
	/* f = f_up / f_down > 1, of `samples` and `counting`; the paper's: 16 / 15 */
	uint32_t f_up, f_down;
	uint64_t clear;      /* values between two clearings, of `top`; 0: never */
};

/* N = 16, f = 16/15, of `samples` and `counting`; the same N for Calder's table, cleared each 2000
 * values. */
extern const struct hotlist_spec hotlist_samples_paper, hotlist_counting, hotlist_top_calder,
	hotlist_all;

/* False with *err if a list can't be like this. */
bool hotlist_spec_ok(const struct hotlist_spec *spec, struct err *err);

struct hot_value {
	uint64_t value, count; /* count: as the method keeps it */
};

/* ---- one list, of any method but `exact` ---- */
struct hotlist {
	uint64_t seen;  /* values: the paper's vtot */
	uint64_t admit; /* p * 2^64; 0: p is 1 */
	uint64_t since; /* values since the last clearing */
	uint64_t used;  /* values that are there: the paper's nv */
	struct hot_value at[]; /* [spec.entries]; those not used are zero */
};

static inline size_t hotlist_bytes(const struct hotlist_spec *spec)
{
	return sizeof(struct hotlist) + spec->entries * sizeof(struct hot_value);
}

/* One more value; *random is the generator's state. */
void hotlist_note(const struct hotlist_spec *spec, struct hotlist *l, uint64_t value,
                  uint64_t *random);
/* p is divided by f once, and coins are tossed: values whose counts become 0 go. Of `samples` and
 * `counting`. */
void hotlist_reduce(const struct hotlist_spec *spec, struct hotlist *l, uint64_t *random);
/* p, the paper's thld: 1 for `top`. */
double hotlist_probability(const struct hotlist *l);
/* How often a value with this count came, in all that the list has seen. */
double hotlist_estimate(const struct hotlist_spec *spec, const struct hotlist *l, uint64_t count);
/* NULL, or what is impossible. */
const char *hotlist_check(const struct hotlist_spec *spec, const struct hotlist *l);

/* ---- a list for each instruction and kind of value ---- */
struct hotlists_head {
	uint32_t lists, values; /* entries; values: of `exact` */
	uint64_t random;
	uint64_t told, lost, starved; /* values; starved: of the lost, for the host had no memory */
};

struct hotlists {
	struct oracle_store store;
	struct hotlists_head head, blank;
	struct hotlist_spec spec;
	struct oracle_table lists;  /* by pc and kind, in the order in which they came */
	struct oracle_table values; /* of `exact`: by pc, kind and value */
};

/* Empty; memory: the most that all may take, bytes, at least HOTLIST_MEMORY_MIN. NULL with *err if
 * that is too little, the spec is not right or the host has no memory. */
struct hotlists *hotlists_new(const struct hotlist_spec *spec, uint64_t seed, uint64_t memory,
                              struct err *err);
void hotlists_free(struct hotlists *h);
/* As it was at first. */
void hotlists_clear(struct hotlists *h);

/* One more value of this instruction and kind < HOTLIST_KINDS; pc below 2^48. False: it found no
 * room, and is counted as lost. */
bool hotlists_add(struct hotlists *h, uint64_t pc, unsigned kind, uint64_t value);

/* What is known of one list. */
struct hotlist_info {
	uint64_t pc;
	unsigned kind;
	uint64_t seen;      /* vtot */
	double probability; /* thld */
	uint64_t used;      /* nv */
};

static inline uint32_t hotlists_count(const struct hotlists *h)
{
	return h->head.lists;
}

/* List i < hotlists_count(). */
struct hotlist_info hotlists_info(const struct hotlists *h, uint32_t i);
/* Its number, or UINT32_MAX: nothing was seen there. */
uint32_t hotlists_find(const struct hotlists *h, uint64_t pc, unsigned kind);

struct hot_estimate {
	uint64_t value;
	uint64_t count;  /* as kept */
	double estimate; /* how often it was seen */
};

/* The `most` values of list i that were seen most often, by falling counts, equal ones by value;
 * returns how many there are in out. */
unsigned hotlists_top(const struct hotlists *h, uint32_t i, struct hot_estimate *out,
                      unsigned most);

uint64_t hotlists_hash(const struct hotlists *h);
const char *hotlists_check(const struct hotlists *h);

/* For machine_attach() with a struct hotlists as its ctx. */
extern const struct attachment_ops hotlists_attachment;

#endif
