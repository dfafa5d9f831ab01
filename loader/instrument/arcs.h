/* Call graph arcs that a program instrumented with kind callgraph counts. They are in section
 * .cyclops.arcs of its file, and in a hash table in its memory.
 *
 * An arc is two return addresses, as the routine finds them that each procedure calls first: the
 * procedure's, which says where it was called, and the routine's, which says in which procedure.
 * What a tail call leads to was called where its caller was; but the library's code that restores
 * registers (-msave-restore) is gone on to before the return address is back: it seems to be called
 * where its caller called last. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_ARCS_H
#define CYCLOPS_LOADER_INSTRUMENT_ARCS_H

#include "loader/instrument/path_table.h"
#include "loader/program.h"

#define ARCS_SECTION ".cyclops.arcs"

enum { ARCS_LOG2 = 14 /* slots */ };

struct arc {
	/* the call, an address in the program as it was; 0: none, where the program begins */
	uint64_t site;
	uint64_t callee; /* first instruction of the procedure, in the program as it was */
	uint64_t calls;
};

struct arcs {
	struct arc *all;  /* [n], owned: by site, then callee */
	uint64_t n;
	uint64_t lost;    /* calls on arcs that found no room in the table */
};

/* What has been counted. False with *err. */
bool arcs_read(const struct program *p, path_read_fn *read, void *ctx, struct arcs *out,
               struct err *err);
void arcs_free(struct arcs *a);

#endif
