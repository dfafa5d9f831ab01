/* Hotlists: the values that were seen most often, in constant space for each instruction and kind
 * of value (Burrows et al., Efficient and Flexible Value Sampling, section 2.2). Four methods, one
 * interface:
 *
 *   samples   Gibbons and Matias' concise samples, which the paper describes. Each value seen is
 *             counted with probability p, 1 at first. When there are more than N values, p is
 *             divided by f and each count becomes the number of heads of as many coins, where heads
 *             come with probability 1 / f; repeated until at most N are left. For any order of the
 *             stream, count / p is an unbiased estimate of how often a value was seen, and p shows
 *             how far to trust it
 *   counting  Gibbons and Matias' counting samples. A value in the list is always counted; a new
 *             one is admitted with probability p. When there are more than N, p is divided by f,
 *             and each value tosses a coin: with heads, of probability 1 / f, it keeps its count;
 *             else it loses one, and one more for each further toss without heads, now of the new
 *             probability p, down to 0. Before it is admitted a value is seen 1 / p - 1 times on
 *             average: with that added the estimate is unbiased, and it varies less
 *   top       Calder, Feller and Eustace's table: N values by their counts; a new one replaces the
 *             last; after each `clear` values the lower half is emptied, so that later values have
 *             a chance. An estimate is never too high
 *   exact     every value with its count, as far as memory goes; values without room are counted
 *             as lost
 *
 * The random numbers are splitmix64's from a seed on: equal streams give equal lists. struct
 * hotlist is one list in the caller's memory, zero at first; struct hotlists has a list for each
 * (place, kind), in chunks that snapshots share. Its store is its first member, so it can be an
 * attachment (core/prof/common/attachment.h).
 *
 * Invariants: at most N values, all different, none with a count of 0; of `top`, by falling counts.
 * The counts of a list sum to at most the values that it has seen. Values seen by lists and values
 * lost sum to values added, `told` (hotlists_check). */
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

/* False with *err if the specification is invalid. */
bool hotlist_spec_ok(const struct hotlist_spec *spec, struct err *err);

struct hot_value {
	uint64_t value, count; /* count: as the method keeps it */
};

/* ---- one list, of any method but `exact` ---- */
struct hotlist {
	uint64_t seen;  /* values: the paper's vtot */
	uint64_t admit; /* p * 2^64; 0: p is 1 */
	uint64_t since; /* values since the last clearing */
	uint64_t used;  /* values in the list: the paper's nv */
	struct hot_value at[]; /* [spec.entries]; those not used are zero */
};

static inline size_t hotlist_bytes(const struct hotlist_spec *spec)
{
	return sizeof(struct hotlist) + spec->entries * sizeof(struct hot_value);
}

/* Adds a value; *random is the generator's state. */
void hotlist_note(const struct hotlist_spec *spec, struct hotlist *l, uint64_t value,
                  uint64_t *random);
/* Divides p by f once and tosses the coins: values whose counts become 0 are removed. Only for
 * `samples` and `counting`. */
void hotlist_reduce(const struct hotlist_spec *spec, struct hotlist *l, uint64_t *random);
/* p, the paper's thld: 1 for `top`. */
double hotlist_probability(const struct hotlist *l);
/* Estimates how often a value with this count was seen. */
double hotlist_estimate(const struct hotlist_spec *spec, const struct hotlist *l, uint64_t count);
/* NULL, or the invariant that is broken. */
const char *hotlist_check(const struct hotlist_spec *spec, const struct hotlist *l);

/* ---- a list for each instruction and kind of value ---- */
struct hotlists_head {
	uint32_t lists, values; /* entries; values: of `exact` */
	uint64_t random;
	uint64_t told, lost, starved; /* values; starved: lost because the host's memory was out */
};

struct hotlists {
	struct oracle_store store;
	struct hotlists_head head, blank;
	struct hotlist_spec spec;
	struct oracle_table lists;  /* by pc and kind, in the order in which they came */
	struct oracle_table values; /* of `exact`: by place, kind and value */
};

/* New, empty lists; memory: most bytes for all of them, at least HOTLIST_MEMORY_MIN. NULL with *err
 * if that is too little, the spec is invalid or the host's memory is out. */
struct hotlists *hotlists_new(const struct hotlist_spec *spec, uint64_t seed, uint64_t memory,
                              struct err *err);
void hotlists_free(struct hotlists *h);
/* Resets the lists to their state after hotlists_new(). */
void hotlists_clear(struct hotlists *h);

/* Adds a value of the instruction at this place, of a kind < HOTLIST_KINDS. False: there was no
 * room, and it is counted as lost. */
bool hotlists_add(struct hotlists *h, uint64_t place, unsigned kind, uint64_t value);

/* Summary of one list. */
struct hotlist_info {
	uint64_t pc;
	unsigned version;   /* of the code at pc */
	unsigned kind;
	uint64_t seen;      /* vtot */
	double probability; /* thld */
	uint64_t used;      /* nv */
};

/* A place is a pc with the version of the code there (core/os/code_versions.h): of the first code,
 * version 0, the pc itself. */
enum { HOTLIST_PC_BITS = 40 };

static inline uint64_t hotlists_place(uint64_t pc, unsigned version)
{
	return pc | (uint64_t)version << HOTLIST_PC_BITS;
}

static inline uint32_t hotlists_count(const struct hotlists *h)
{
	return h->head.lists;
}

/* List i < hotlists_count(). */
struct hotlist_info hotlists_info(const struct hotlists *h, uint32_t i);
/* The list's number, or UINT32_MAX: there is none. */
uint32_t hotlists_find(const struct hotlists *h, uint64_t place, unsigned kind);

struct hot_estimate {
	uint64_t value;
	uint64_t count;  /* as kept */
	double estimate; /* how often it was seen */
};

/* Writes to out the `most` values of list i with the highest counts, by falling counts, equal ones
 * by value; returns their number. */
unsigned hotlists_top(const struct hotlists *h, uint32_t i, struct hot_estimate *out,
                      unsigned most);

uint64_t hotlists_hash(const struct hotlists *h);
const char *hotlists_check(const struct hotlists *h);

/* For machine_attach() with a struct hotlists as its ctx. */
extern const struct attachment_ops hotlists_attachment;

#endif
