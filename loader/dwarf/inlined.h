/* Functions that were inlined: which are around an address, which of them a person is in who stands
 * there, and their frames. As gdb has it, one that begins just where the program stands has not
 * been entered yet, unless inlined_enter() says so. */
#ifndef CYCLOPS_LOADER_DWARF_INLINED_H
#define CYCLOPS_LOADER_DWARF_INLINED_H

#include "loader/dwarf/scope.h"

struct inlined {
	const struct program *image;
	Dwarf_Die in[SCOPE_DEPTH_MAX]; /* [count], outermost first */
	unsigned count;
	/* Another begins here; the outermost that does is called there. line 0: not known */
	bool begins;
	struct source_line call;
};

/* Of what is not known there is none. */
void inlined_at(const struct program *p, uint64_t pc, struct inlined *out);
/* The same of a frame: those it is in, itself included. */
void inlined_of(const struct program *p, const struct frame *f, struct inlined *out);
/* Whether both are in the same ones, and whether `inner` is in more, inside of them. */
bool inlined_same(const struct inlined *a, const struct inlined *b);
bool inlined_within(const struct inlined *inner, const struct inlined *outer);
/* The stretch of the i-th one's code that has pc. */
bool inlined_extent(const struct inlined *at, unsigned i, uint64_t pc, uint64_t *lo, uint64_t *hi);

/* ---- frames ---- */
/* The frames of calls, with one before each for every function inlined there; their number. */
size_t inlined_frames(const struct program *p, const struct frame *calls, size_t n,
                      struct frame *out, size_t max);
/* The blocks whose names a frame sees. False if nothing is known of its address. */
bool inlined_chain(const struct program *p, const struct frame *f, struct scope_chain *out);
/* The name of the function whose frame it is, "geo::sum"; NULL: it was called, not inlined, or has
 * no name. Else buf. */
char *inlined_name(const struct program *p, const struct frame *f, char *buf, size_t n);
/* The line that a frame is at: of one in which another was inlined, that one's call. */
bool inlined_line(const struct program *p, const struct frame *f, struct source_line *out);

/* ---- where a function begins ---- */
/* Of those that begin at pc, a person has entered so many; 0: none, and nowhere else either. */
void inlined_enter(const struct program *p, uint64_t pc, unsigned count);
/* How many of those that begin at pc are entered with the one of that name; name NULL: with all. 0:
 * none of them has it. */
unsigned inlined_begun(const struct program *p, uint64_t pc, const char *name);
/* Where copies begin of functions that a person may mean by the name (loader/demangle.h), by rising
 * address; their number, at most max. */
size_t inlined_copies(const struct program *p, const char *name, uint64_t *out, size_t max);

#endif
