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
/* Retire delays of what reads the register that the instruction at pc writes, as a share of all. */
double readers_time(const struct session *s, uint64_t pc);

/* Retire delays of a function's instructions, as a share of all; executions of its first
 * instruction, estimated. */
struct function_time {
	double share, entered;
};
struct function_time function_time(const struct session *s, const struct symbol *f);

/* "regex.c:392", base name and line; "" if none is known. Returns buf. */
char *format_line(const struct session *s, uint64_t pc, char *buf, size_t n);

#endif
