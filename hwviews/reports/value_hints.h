/* Finds values that are nearly always the same where time is spent (Burrows et al., 3.1: the tools
 * direct the programmer to places that both consume a significant amount of time, and contain
 * semi-invariant values). These are instructions whose hotlists (core/run/value_daemon.h)
 * have one value in most samples, weighted by ProfileMe's retire delays.
 *
 * A value's share is an estimate. Its lower bound counts: the lower end of the interval at two
 * standard deviations (Wilson), so that few samples promise nothing, less the error of coin tosses.
 * Values that need no profile are left out: results that the code itself fixes (constants, also
 * those in read-only memory, addresses of data and code, distances from the stack pointer:
 * constants.c), and targets of returns.
 *
 * Time is a bound: the retire delay of the instruction and of the readers of its result, until the
 * register is overwritten, as a share of all. Knowing the value beforehand can save at most these
 * delays; other effects are ignored. */
#ifndef CYCLOPS_HWVIEWS_REPORTS_VALUE_HINTS_H
#define CYCLOPS_HWVIEWS_REPORTS_VALUE_HINTS_H

#include "core/prof/values/hotlist.h"
#include "hwviews/program/code_lines.h"

struct finding {
	struct code code;
	unsigned kind;      /* of the daemon's source */
	uint64_t value;     /* the most frequent value */
	uint64_t seen;      /* number of values seen */
	double share;       /* its share of them, 0 to 1: an estimate */
	double least;       /* lower bound of the share */
	bool always;        /* almost no other value was seen */
	double own;         /* share of all cycles in its retire delay, 0 to 1 */
	double time;        /* `own`, plus that of instructions that read the value */
	double executions;  /* estimated */
};

struct findings {
	struct finding *at; /* [count], owned; by descending time, then by address and kind */
	size_t count;
	uint64_t lists;     /* number of hotlists examined */
};

/* All with a share of at least values.invariant percent, in at least values.least samples. False
 * with *err if memory is out, or there is no daemon. */
bool findings_collect(const struct session *s, struct findings *out, struct err *err);
void findings_deinit(struct findings *f);

/* The lower end of the interval of a share `hits` of n at two standard deviations. */
double share_at_least(double hits, double n);

/* True if values of this kind belong to this module: "results", or "args.a0" of "args". */
bool kind_is_of(const char *kind, const char *module);
/* True if the code itself fixes the value of this kind: the instruction's result, divisor, target
 * or address, or the register that the kind is named after (args.a0). */
bool code_fixes(const struct session *s, const struct code *c, const char *kind);
/* True if `to` may be reached from pc without leaving the function, searching a few hundred
 * instructions; pc == to: true if it is in a loop. */
bool code_leads_to(const struct session *s, uint64_t pc, uint64_t to);
/* True if all readers of the instruction's result are branches that compare it with a value fixed
 * by the code: the program tests for it already. */
bool code_only_tests(const struct session *s, uint64_t pc);
/* True if the function that begins at entry reads this register, itself, before it writes to it. */
bool code_takes(const struct session *s, uint64_t entry, unsigned reg);

/* Retire delays of a function's instructions, as a share of all; entered: estimated executions of
 * its first instruction. */
struct function_time {
	double share, entered;
};
struct function_time function_time(const struct session *s, const struct symbol *f);

/* "regex.c:392", base name and line; "" if unknown. Returns buf. */
char *format_line(const struct session *s, uint64_t pc, char *buf, size_t n);

/* ---- constants.c ---- */
enum constant_base { BASE_UNKNOWN, BASE_NUMBER, BASE_SP, BASE_GP };

/* Known values of registers before an instruction, x0..x31, f0..f31. */
struct constants {
	/* the number, or the offset from sp or gp at the function's start */
	uint64_t value[64];
	uint8_t base[64];   /* enum constant_base */
};

/* The constants before the instruction at pc. If its function is too long, or memory is out: only
 * the constants at any function's start. */
void constants_before(const struct session *s, uint64_t pc, struct constants *out);

static inline enum constant_base constants_base(const struct constants *c, unsigned reg)
{
	return reg < 64 ? (enum constant_base)c->base[reg] : BASE_UNKNOWN;
}

/* True if the code fixes the instruction's result. */
bool constants_fix_result(const struct session *s, const struct constants *before,
                          const struct code *c);

/* ---- argument_values.c ---- */
/* An argument that is nearly invariant over all callers. */
struct argument {
	/* code: the function's first instruction; kind: of the calls' lists; time: of the function
	 * with this value */
	struct finding f;
	unsigned sites;     /* direct calls sampled, at least two */
	unsigned reg;
};

struct arguments {
	struct argument *at; /* [count], owned */
	size_t count;
};

/* Arguments with a share of at least values.invariant percent, in at least values.least samples,
 * unless the code of each call fixes the value. False with *err if memory is out, or there is no
 * daemon. */
bool arguments_collect(const struct session *s, struct arguments *out, struct err *err);
void arguments_deinit(struct arguments *a);

/* The function that a direct call enters; NULL: no direct call, or no function begins there. */
const struct symbol *called_function(const struct session *s, const struct code *c);

#endif
