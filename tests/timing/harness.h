/* Micro-programs that measure the machine, and checks of what they measure.
 *
 * A micro-program is a loop around a body: the harness writes it into guest memory, runs it on a
 * machine of a given configuration for N and for 2N rounds and takes the difference. Caches are
 * warm, predictors have learnt and queues have filled by then, so that start and end cancel and the
 * difference is exactly what N rounds cost.
 *
 * A configuration is a base (a row of configs in harness.c, or a preset) and options "name=value
 * ...". A check names the parameter it holds to account; the self-test drops that parameter's
 * options, as a machine would that ignores it, and some check must notice. */
#ifndef CYCLOPS_TESTS_TIMING_HARNESS_H
#define CYCLOPS_TESTS_TIMING_HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/machine/machine.h"
#include "core/pipe/uop.h"

enum {
	TEXT = 0x10000,      /* where programs begin; aligned to any line and page used */
	DATA = 0x40000000,   /* zeros, but for the words that the program sets */
	TEXT_BYTES = 1 << 18,
	DATA_BYTES = 1 << 22,
	WORDS = 2048,
	ROUNDS = 24                   /* N: divisible by every width and count that is tried */
};

/* Registers that the harness uses; bodies may use all others. */
enum { X_COUNT = 8, X_DATA = 9 };

/* A double of 1 in register f1, unchanged by x / 1, x * 1 and sqrt(1). */
enum { F_ONE = 1 };

struct program {
	uint8_t text[TEXT_BYTES];
	uint32_t size;                 /* bytes of text so far */
	uint64_t x[32];                /* initial integer registers */
	struct { uint64_t addr, value; } word[WORDS];
	unsigned words;
};

void emit(struct program *p, uint32_t inst);
void emit16(struct program *p, uint16_t inst);
void nops(struct program *p, int64_t n);
/* Moves on to a multiple of `bytes` past TEXT plus `offset`; the bytes between are never
 * executed. */
void go_to(struct program *p, uint32_t bytes, uint32_t offset);
static inline uint64_t harness_text_addr(const struct program *p)
{
	return TEXT + p->size;
}
/* The doubleword at addr, in DATA. */
void set_word(struct program *p, uint64_t addr, uint64_t value);
/* A ring of n pointers, each `stride` bytes after the last, for `ld x, 0(x)`; begins at DATA. */
void set_ring(struct program *p, int64_t n, int64_t stride);

/* Writes the body of a loop; arg is the test's own. Above 4 KB the loop jumps back over a branch
 * that is not taken but once: set bpred.kind=nottaken. */
typedef void body_fn(struct program *p, int64_t arg);

struct bench;

/* ---- running ---- */
/* Cycles that ROUNDS rounds of the body take. */
int64_t rounds(struct bench *b, const char *base, const char *options, body_fn *body, int64_t arg);
/* A statistic's difference instead; `stat` as in stats.def. */
int64_t rounds_stat(struct bench *b, const char *base, const char *options, body_fn *body,
                    int64_t arg, const char *stat);
/* A statistic of one run of `count` rounds, from cold. */
int64_t whole_run(struct bench *b, const char *base, const char *options, body_fn *body,
                  int64_t arg, int count, const char *stat);
/* A machine ready to execute p from TEXT on; freed by the caller. Ends the tests on failure. */
struct machine *machine_for(struct bench *b, const char *base, const char *options,
                            const struct program *p);
struct program *program_new(void); /* empty; freed with free() */
/* Runs p to its end and copies the fetched uops, in fetch order, including squashed ones; at most
 * max, which must be below the size of the pool. Returns their number. */
unsigned trace(struct bench *b, const char *base, const char *options, const struct program *p,
               struct uop *out, unsigned max);
/* The first committed uop at this pc, of n. Ends the tests if there is none. */
const struct uop *committed_at(const struct uop *uops, unsigned n, uint64_t pc);
/* Exit with status 0. */
void emit_exit(struct program *p);
/* "name=value" with an integer, for options; the text is valid for some 16 calls. */
const char *with(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- checking ---- */
/* Each check prints parameter, setting, what is measured, expected, measured, ok. */
bool check(struct bench *b, const char *parameter, const char *setting, const char *what,
           int64_t expected, int64_t measured);
/* measured within lo..hi. */
bool check_within(struct bench *b, const char *parameter, const char *setting, const char *what,
                  int64_t lo, int64_t hi, int64_t measured);
/* check() of rounds(): per_round cycles a round, times/over for fractions, at base and options. */
bool check_rounds(struct bench *b, const char *parameter, const char *base, const char *options,
                  body_fn *body, int64_t arg, const char *what, int64_t per_round);

/* ---- groups ---- */
typedef void group_fn(struct bench *b);
group_fn group_units, group_widths, group_latency, group_capacity, group_overlap, group_order,
	group_pending, group_fetch, group_branch, group_predict, group_board, group_textbook,
	group_ports, group_cpi, group_slots, group_prefetch, group_replay, group_monotone;

#endif
