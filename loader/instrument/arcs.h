/* Call graph arcs counted by a program that is instrumented with kind callgraph: section
 * .cyclops.arcs of its file, and a hash table in its memory.
 *
 * An arc is two return addresses, seen by the routine that each procedure calls first: the
 * procedure's gives the call site, the routine's gives the procedure. The target of a tail call has
 * its caller's call site; but the library's code that restores registers (-msave-restore) runs
 * before the return address is restored, and so appears to be called from its caller's last call
 * site. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_ARCS_H
#define CYCLOPS_LOADER_INSTRUMENT_ARCS_H

#include "loader/instrument/path_table.h"
#include "loader/program.h"

#define ARCS_SECTION ".cyclops.arcs"

enum { ARCS_LOG2 = 14 /* slots */ };

struct arc {
	/* the call, an address in the original program; 0: none, where the program begins */
	uint64_t site;
	uint64_t callee; /* first instruction of the procedure, in the original program */
	uint64_t calls;
};

struct arcs {
	struct arc *all;  /* [n], owned: by site, then callee */
	uint64_t n;
	uint64_t lost;    /* calls on arcs that found no room */
};

/* Reads the counts. False with *err. */
bool arcs_read(const struct program *p, path_read_fn *read, void *ctx, struct arcs *out,
               struct err *err);
void arcs_free(struct arcs *a);

#endif
