/* Data of an instrumented program (`cyclops instrument`): a row of the section xprof_methods for
 * each function, and its basic blocks. Lua reads the same through instrument.methods(). */
#ifndef CYCLOPS_XPROF_PROFILE_H
#define CYCLOPS_XPROF_PROFILE_H

#include <assert.h>
#include <stdint.h>

struct xprof_block {
	const void *address; /* of its profile instructions, or, without any, of its first instruction */
	const char *label;   /* the compiler's label, "" if none */
	uint32_t line;       /* in the source, 0: unknown */
	uint32_t insts;      /* of the compiler's */
};

/* A resetpf: a setpf in its place switches profiling on. A function has one of each type at its
 * entry, and after its calls of setjmp, which may come back from a function with flags of its
 * own. */
struct xprof_flag {
	void *address;
	uint8_t type;          /* 0 to 7 */
	uint8_t bytes;         /* 2 or 4 */
	uint8_t blocks, calls; /* 1: switches their counting */
	uint32_t reserved;
};

struct xprof_method {
	const char *name, *file;
	const void *start, *end;           /* code addresses; end is after it, NULL: unknown */
	const void *cold_start, *cold_end; /* the function's seldom executed part, NULL: none */
	const struct xprof_flag *flags;    /* [flag_count] */
	uint64_t *counters;                /* [block_count]: entries of each block; NULL: not counted */
	const struct xprof_block *blocks;  /* [block_count] */
	uint32_t flag_count, block_count;
};

static_assert(sizeof(struct xprof_method) == 80 && sizeof(struct xprof_flag) == 16 && sizeof(struct xprof_block) == 24,
              "the instrumenter writes them so");

/* The linker collects them. */
extern const struct xprof_method __start_xprof_methods[] __attribute__((weak));
extern const struct xprof_method __stop_xprof_methods[] __attribute__((weak));

/* An arc of the call graph, as xprof_mcount keeps it. */
struct xprof_arc {
	uint64_t from;  /* where the caller goes on */
	uint64_t to;    /* in the function that was called; 0: a free row */
	uint64_t count; /* calls */
	uint64_t reserved;
};

enum { XPROF_ARCS_LOG2 = 13, XPROF_ARCS = 1 << XPROF_ARCS_LOG2 };

extern struct xprof_arc xprof_arcs[XPROF_ARCS];
extern uint64_t xprof_arc_count; /* rows in use */
extern uint64_t xprof_arcs_lost; /* calls that found no room */

#endif
