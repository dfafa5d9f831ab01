/* Profile flags of instrumented programs: where they are kept and switched (Vaswani, Srikant and
 * Thazhuthaveetil, III.C and VI.A).
 *
 * A function whose profile instructions have a type is entered through pushpf and a flag, `resetpf`
 * or `setpf`, and left through poppf, so what it does with the flag is its own affair. A runtime
 * switches profiling by writing setpf over resetpf. Units of code are functions, loops or blocks:
 * with loops, the rounds of each loop have a flag of their own, and with blocks, each block; where
 * one unit is left for another, that one's flag is taken up again. With checks (Arnold and Ryder)
 * the program switches by itself: entries and rounds count down.
 *
 * So the flag only changes where a function is entered or left and at flags: what is put in between
 * two such places is executed as a whole or not at all. Kinds whose code belongs together rely on
 * it, and let what they count begin and end there (job_is_switched()).
 *
 * Left alone, without flags of its own, is a function of which it can't be told where it is left:
 * one that may jump through a register to itself or away, or whose frame isn't its own. Its
 * caller's flag holds in it.
 *
 * Section .cyclops.flags of the new file has all of them. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_SWITCHES_H
#define CYCLOPS_LOADER_INSTRUMENT_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "loader/edit/moved_code.h"
#include "loader/program.h"

#define FLAGS_SECTION ".cyclops.flags"

/*   id, name, what it is */
#define SWITCH_UNITS(U) \
	U(METHODS, "methods", "at their entries") \
	U(LOOPS, "loops", "in each round as well") \
	U(BLOCKS, "blocks", "each for itself") \
	U(NONE, "none", "nowhere: there are no flags")

enum switch_units {
	UNITS_UNSAID, /* methods, if anything is a profile instruction */
#define U(id, name, help) UNITS_##id,
	SWITCH_UNITS(U)
#undef U
	UNITS_COUNT
};

extern const char *const units_name[UNITS_COUNT];

struct switch_options {
	enum switch_units units;
	/* of checks: `length` of each `period` are profiled; period 0: there are none */
	uint64_t period, length;
	/* instructions: shorter ones that lie in others and neither loop nor call have no flag; 0:
	 * 16 */
	uint32_t min_loop;
	bool on;                  /* setpf in place of resetpf */
};

/* A place with flags. Addresses are those of the program as it was. */
struct flag_place {
	uint64_t at;     /* the instruction that it stands before */
	uint64_t unit;   /* the first instruction of the unit of code that it switches */
	uint16_t types;  /* bit k: there is a flag of type k */
	uint8_t units;   /* enum switch_units: what the unit is */
	uint8_t check;   /* whether a check decides */
	uint8_t entry;   /* whether the function is entered here */
	uint8_t pad[3];
	uint64_t function; /* its first instruction */
};

struct flags {
	uint64_t count;
	const struct flag_place *all; /* [count], borrowed from the program's file: by address */
};

/* False if p has no flags, or the section is damaged. */
bool program_flags(const struct program *p, struct flags *out);
/* Where in the new program the flag of type k of a place is, the resetpf or setpf that a runtime
 * writes to; of an entry which the function's own rounds come to, too, the other one if `other`. 0:
 * there is none. read() reads code. */
typedef bool flag_read_fn(const void *ctx, uint64_t addr, void *buf, size_t n);
uint64_t flag_address(const struct moved_code *m, const struct flag_place *p, unsigned k,
                      bool other, flag_read_fn *read, const void *ctx);

/* Xprof's control instructions are hints, c.slli x0, s; the type is added to the first of each. */
enum {
	HINT_RESETPF = 16,
	HINT_SETPF = 24,
	HINT_PUSHPF = 32,
	HINT_POPPF = 40,
	HINT_PUSHPF_ALL = 48,
	HINT_POPPF_ALL = 49
};

static inline uint16_t flag_hint(unsigned s)
{
	return (uint16_t)(0x0002 | (s & 31) << 2 | (s >> 5) << 12);
}

/* What switches a flag in 16 bits: `resetpf k`; `setpf k`. */
uint16_t flag_set(unsigned k);

#endif
