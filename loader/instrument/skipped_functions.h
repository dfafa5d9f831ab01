/* Functions that a kind of instrumentation left alone, with the reason: section .cyclops.left of
 * the instrumented program's file. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_SKIPPED_FUNCTIONS_H
#define CYCLOPS_LOADER_INSTRUMENT_SKIPPED_FUNCTIONS_H

#include "loader/program.h"

#define LEFT_SECTION ".cyclops.left"

/*   id, whether the function was left alone (false: instrumented, but not in full), why */
#define LEFT_WHYS(W)                                                                               \
	W(NO_REGISTER, true,                                                                       \
	  "no register is free in all of it, and where its stack was isn't known")                 \
	W(CALLS_EARLY, true, "it calls before it has lowered the stack pointer")                   \
	W(STACK_UNKNOWN, true,                                                                     \
	  "where its stack was when it was entered isn't known where it calls")                    \
	W(OTHER_STACK, true, "a system call of it comes back on another stack as well")            \
	W(LINKS_OTHERWISE, true, "it calls through another register than ra and t0")               \
	W(DENIED, true, "a relocation or symbol contradicts its bytes")                            \
	W(FIXED, true,                                                                             \
	  "it computes an address that has no relocation, and may lead to the old code")           \
	W(ENTERED, true,                                                                           \
	  "control comes into the middle of its load-reserved/store-conditional sequence")         \
	W(PATHS_CUT, false, "it has too many paths: they are cut")                                 \
	W(JUMPS_CUT, false,                                                                        \
	  "it jumps through a register to an unknown place: its paths are cut there")              \
	W(LEAPS, false,                                                                            \
	  "it jumps through a register, to itself or away: it has its caller's profile flag")      \
	W(FRAME, false,                                                                            \
	  "it goes back by another frame than its own: it has its caller's profile flag")          \
	W(ENTRIES, false, "it is called in its middle: it has its caller's profile flag")          \
	W(ENTRANCES, false,                                                                        \
	  "a loop of it has more than one entrance: its paths end at the one it came to first")

enum skip_reason {
#define W(id, alone, text) LEFT_##id,
	LEFT_WHYS(W)
#undef W
	LEFT_WHY_COUNT
};

extern const char *const skip_reason_text[LEFT_WHY_COUNT];
/* Whether a reason leaves the whole function alone. */
extern const bool left_alone[LEFT_WHY_COUNT];

struct skipped_function {
	uint64_t at;   /* its first instruction, in the original program */
	uint32_t why;  /* enum skip_reason */
	uint32_t kind; /* enum instrument_kind that left it */
};

struct skipped_functions {
	uint64_t count;
	/* [count], borrowed from the program's file: kind by kind, by address */
	const struct skipped_function *all;
};

/* Reads the section. False if there is none, or it is damaged: then the program is not
 * instrumented. */
bool program_left(const struct program *p, struct skipped_functions *out);

#endif
