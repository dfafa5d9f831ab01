/* Finds where a value is nearly always the same and time is spent (Burrows et al., 3.1: the tools
 * direct the programmer to places that both consume a significant amount of time, and contain
 * semi-invariant values). These are instructions whose hotlists (core/prof/values/value_daemon.h)
 * have one value in most of what they saw, weighted by ProfileMe's retire delays.
 *
 * A value's share is an estimate: what counts is how low it may be, the lower end of its interval
 * at two standard deviations (Wilson), so that few samples promise nothing, less what coins may
 * have added to it. Left out is what no profile had to say: results that the code itself fixes
 * (constants, also those in memory that can't be written, addresses of data and code, distances
 * from the stack pointer: hwviews/reports/constants.h), and where functions return to.
 *
 * Time is a bound: the retire delay of the instruction and of those that read what it writes, until
 * something else is written there, as a share of all. Nobody can gain more by knowing the value
 * beforehand than that these don't wait; other effects are left out. */
#ifndef CYCLOPS_HWVIEWS_REPORTS_VALUE_HINTS_H
#define CYCLOPS_HWVIEWS_REPORTS_VALUE_HINTS_H

#include "core/prof/values/hotlist.h"
#include "hwviews/program/code_lines.h"

struct finding {
	struct code code;
	unsigned kind;      /* of the daemon's source */
	uint64_t value;     /* the most frequent one */
	uint64_t seen;      /* values */
	double share;       /* of it among them, of 1: an estimate */
	double least;       /* what that is at least */
	bool always;        /* next to nothing else was seen */
	double own;         /* share of all cycles: its retire delay, of 1 */
	double time;        /* the same with those that read it */
	double executions;  /* estimated */
};

struct findings {
	struct finding *at; /* [count], owned; most time first, then by address and kind */
	size_t count;
	uint64_t lists;     /* hotlists looked at */
};

/* All with a share of values.invariant percent at least, in values.least samples at least. False
 * with *err if memory is out, or there is no daemon. */
bool findings_collect(const struct session *s, struct findings *out, struct err *err);
void findings_deinit(struct findings *f);

/* The lower end of the interval of a share `hits` of n at two standard deviations. */
double share_at_least(double hits, double n);

/* Whether values of this kind are those of this module: "results", or "args.a0" of "args". */
bool kind_is_of(const char *kind, const char *module);
/* Whether the code itself fixes the value of this kind: what the instruction writes, by what it
 * divides, where it jumps, what it accesses, or the register that the kind is called after
 * (args.a0). */
bool code_fixes(const struct session *s, const struct code *c, const char *kind);
/* Whether one may be reached from the other without leaving its function, as far as a few hundred
 * instructions tell; from itself: it is in a loop. */
bool code_leads_to(const struct session *s, uint64_t pc, uint64_t to);
/* Whether all that reads what the instruction writes are branches, which compare it with what the
 * code fixes: the program tests for it already. */
bool code_only_tests(const struct session *s, uint64_t pc);
/* Whether the function that begins there reads this register before it writes it, by itself. */
bool code_takes(const struct session *s, uint64_t entry, unsigned reg);

/* Retire delays of a function's instructions, as a share of all; executions of its first
 * instruction, estimated. */
struct function_time {
	double share, entered;
};
struct function_time function_time(const struct session *s, const struct symbol *f);

/* "regex.c:392", base name and line; "" if none is known. Returns buf. */
char *format_line(const struct session *s, uint64_t pc, char *buf, size_t n);

/* ---- constants.c ---- */
enum constant_base { BASE_UNKNOWN, BASE_NUMBER, BASE_SP, BASE_GP };

/* Registers before an instruction, x0..x31, f0..f31. */
struct constants {
	/* the number, or bytes from what sp and gp were as the function began */
	uint64_t value[64];
	uint8_t base[64];   /* enum constant_base */
};

/* What is so before the instruction at pc. Where its function is too long, or memory is out, that
 * is what all functions begin with. */
void constants_before(const struct session *s, uint64_t pc, struct constants *out);

static inline enum constant_base constants_base(const struct constants *c, unsigned reg)
{
	return reg < 64 ? (enum constant_base)c->base[reg] : BASE_UNKNOWN;
}

/* Whether the code fixes what the instruction writes. */
bool constants_fix_result(const struct session *s, const struct constants *before,
                          const struct code *c);

/* ---- argument_values.c ---- */
/* An argument that is nearly always the same, whoever calls. */
struct argument {
	/* its code is the function's first instruction, its kind that of the calls' lists; time: of
	 * the function, with that value */
	struct finding f;
	unsigned sites;     /* direct calls that were sampled, two at least */
	unsigned reg;
};

struct arguments {
	struct argument *at; /* [count], owned */
	size_t count;
};

/* Those with a share of values.invariant percent at least, in values.least samples at least, where
 * not each call has it fixed by its own code. False with *err if memory is out, or there is no
 * daemon. */
bool arguments_collect(const struct session *s, struct arguments *out, struct err *err);
void arguments_deinit(struct arguments *a);

/* Where a direct call leads, if a function begins there; NULL: it is none. */
const struct symbol *called_function(const struct session *s, const struct code *c);

/* ---- address_evidence.c ---- */
struct address_evidence {
	/* addresses of this load that were sampled; 0: nobody records them, or none came */
	uint64_t seen;
	bool same;        /* next to all of them were one */
	uint64_t address; /* that one */
	uint64_t stores;  /* samples of stores that wrote to its bytes, and matter: see below */
	uint64_t store;   /* pc of the store that has most of them */
};

/* Of the load at c. Stores count if they lie in one loop with it, or if they write there more often
 * than once in a hundred loads: what fills a structure beforehand hurts nobody. */
struct address_evidence address_evidence(const struct session *s, const struct code *c);

#endif
