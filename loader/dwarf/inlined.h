/* Inlined functions around an address, whether a user stopped there is in them, and their frames.
 * As in gdb, a function that begins exactly at pc has not been entered yet, except by
 * inlined_enter(). */
#ifndef CYCLOPS_LOADER_DWARF_INLINED_H
#define CYCLOPS_LOADER_DWARF_INLINED_H

#include "loader/dwarf/scope.h"

struct inlined {
	const struct program *image;
	Dwarf_Die in[SCOPE_DEPTH_MAX]; /* [count], outermost first */
	unsigned count;
	/* True if inlined functions begin here that are not entered yet; call: line of the
	 * outermost one's call, 0: unknown */
	bool begins;
	struct source_line call;
};

/* The inlined functions around pc; none where nothing is known. */
void inlined_at(const struct program *p, uint64_t pc, struct inlined *out);
/* The same for a frame, including the frame's own function. */
void inlined_of(const struct program *p, const struct frame *f, struct inlined *out);
/* Whether a and b are the same functions; whether `inner` has all of `outer`'s, and more inside. */
bool inlined_same(const struct inlined *a, const struct inlined *b);
bool inlined_within(const struct inlined *inner, const struct inlined *outer);
/* The range of the i-th function's code that holds pc. */
bool inlined_extent(const struct inlined *at, unsigned i, uint64_t pc, uint64_t *lo, uint64_t *hi);

/* ---- frames ---- */
/* Expands calls into frames, with one before each for every function inlined there; returns their
 * number. */
size_t inlined_frames(const struct program *p, const struct frame *calls, size_t n,
                      struct frame *out, size_t max);
/* The blocks whose names a frame sees. False if its address has no debug information. */
bool inlined_chain(const struct program *p, const struct frame *f, struct scope_chain *out);
/* The name of the inlined function whose frame it is, "geo::sum", in buf; NULL if it was called,
 * not inlined, or has no name. */
char *inlined_name(const struct program *p, const struct frame *f, char *buf, size_t n);
/* Whether the frame's function was made by the compiler: its line is that of a class. */
bool inlined_is_generated(const struct program *p, const struct frame *f);
/* The name of the inlined function around pc in whose text the line is, in buf; NULL: the line is
 * in the text of the function that was called, or nothing is known. An instruction may have a line
 * of one function and be in a block of another. */
char *inlined_name_of_line(const struct program *p, uint64_t pc, const char *file, unsigned line,
                           char *buf, size_t n);
/* The line of a frame: if another function was inlined in it, the line of that call. */
bool inlined_line(const struct program *p, const struct frame *f, struct source_line *out);

/* ---- where a function begins ---- */
/* Enters the outermost `count` of the functions that begin at pc, and leaves those entered at other
 * places. */
void inlined_enter(const struct program *p, uint64_t pc, unsigned count);
/* How many of those that begin at pc inlined_enter() has entered. */
unsigned inlined_entered(const struct program *p, uint64_t pc);
/* How many of the functions that begin at pc are entered with the function `name`; name NULL: all.
 * 0 if none has that name. */
unsigned inlined_begun(const struct program *p, uint64_t pc, const char *name);
/* The entries of inlined copies of functions that the name may mean (loader/demangle.h), rising;
 * returns their number, at most max. */
size_t inlined_copies(const struct program *p, const char *name, uint64_t *out, size_t max);

#endif
