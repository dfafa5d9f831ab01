/* Profile flags of instrumented programs: where they are saved and switched (Vaswani, Srikant and
 * Thazhuthaveetil, III.C and VI.A).
 *
 * A function whose profile instructions have a type begins with pushpf and a flag, `resetpf` or
 * `setpf`, and ends with poppf, so its flag does not affect its caller. A runtime switches
 * profiling by writing setpf over resetpf. Units of code are functions, loops or blocks: with
 * loops, each loop has a flag of its own, executed in each iteration, and with blocks, each block;
 * where control passes from one unit to another, the flag of the latter is executed. With checks
 * (Arnold and Ryder) the program switches by itself: entries and iterations count down.
 *
 * So a flag changes only at functions' entries and exits and at flags: code inserted between two
 * such places is executed as a whole or not at all. Kinds whose code belongs together rely on that,
 * and begin and end counting there (job_is_switched()).
 *
 * A function gets no flags of its own if its exits are not known: it may jump through a register,
 * within itself or away, or it uses another function's frame. It then runs under its caller's flag.
 *
 * Section .cyclops.flags of the new file lists all flags. */
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
	/* of checks: `length` of each `period` are profiled; period 0: no checks */
	uint64_t period, length;
	/* instructions: shorter inner loops without calls have no flag; 0: 16 */
	uint32_t min_loop;
	bool on;                  /* setpf initially, not resetpf */
};

/* A place with flags. Addresses are in the original program. */
struct flag_place {
	uint64_t at;     /* the instruction after it */
	uint64_t unit;   /* the first instruction of the unit that it switches */
	uint16_t types;  /* bit k: there is a flag of type k */
	uint8_t units;   /* enum switch_units: what the unit is */
	uint8_t check;   /* whether it is a check */
	uint8_t entry;   /* whether it is a function's entry */
	uint8_t pad[3];
	uint64_t function; /* its first instruction */
};

struct flags {
	uint64_t count;
	const struct flag_place *all; /* [count], borrowed from the program's file: by address */
};

/* Reads the section. False if p has no flags, or the section is damaged. */
bool program_flags(const struct program *p, struct flags *out);
/* The address in the new program of the flag of type k at a place: the resetpf or setpf that a
 * runtime overwrites. `other`: the second one, of an entry to which the function's own loop leads.
 * 0 if there is none. read() reads code. */
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

/* The 16 bits of `setpf k`. */
uint16_t flag_set(unsigned k);

#endif
