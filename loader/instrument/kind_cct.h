/* What the files that instrument for calling contexts share: kind_cct.c decides what is put where,
 * cct_put.c writes it. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_KIND_CCT_H
#define CYCLOPS_LOADER_INSTRUMENT_KIND_CCT_H

#include "loader/edit/activation.h"
#include "loader/instrument/cct.h"
#include "loader/instrument/cct_signals.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/path_code.h"

/* What shares code (loader/edit/activation.h). */
struct group {
	uint32_t sites;      /* calls that are counted */
	uint32_t slots;      /* sites, or 1 if they are merged */
	uint32_t first;      /* its first in `site_at` */
	uint32_t callees;    /* where slots begin in its records */
	uint32_t bytes;      /* of its records */
	uint64_t spare;      /* address of one for a full heap */
	uint32_t filled;
	uint16_t why;        /* enum skip_reason, LEFT_WHY_COUNT: instrumented */
	bool entered;        /* a procedure begins in it */
	bool calls;          /* anything, counted or not */
	bool goes_on;        /* it may end by a tail call */
	bool fixed;          /* its place is fixed: the program begins in it */
	/* it begins a process or thread by itself, on another stack: the place by that has no
	 * record */
	bool other_stack;
	bool place;          /* it needs one */
};

struct cct_job {
	struct job *j;
	struct activations act;
	struct group *groups;    /* [functions], owned: by act.group */
	const struct edit_function *functions;
	uint32_t function_count;
	/* [instructions], owned: of a call that is counted, else EDIT_NONE */
	uint32_t *slot;
	uint64_t *site_at;       /* [slots of all groups], owned: addresses of calls */
	/* the same, owned: where in a record a slot's list begins; 0: none */
	uint32_t *list_at;
	uint32_t slots;
	struct cct_procedure *procedures; /* [procedure_count], owned */
	uint32_t procedure_count;
	uint64_t find;           /* routine */
	uint64_t state, heap, spares; /* addresses */
	uint64_t spare_bytes;
	uint64_t heap_bytes;
	bool hardware;           /* pic0 and pic1 are added up */
	uint32_t metrics;        /* words of a record */
	/* Of cct+path. */
	bool paths;
	struct path_counting counting;
	struct path_plan *plans; /* [functions], owned */
	/* [functions], owned: where a function's table begins in a record */
	uint32_t *table_at;
};

/* What the instruction at i does, for the tree. */
struct group *cct_group_at(const struct cct_job *c, uint32_t i);
struct group *cct_callee_of(const struct cct_job *c, uint32_t i);
/* Whether procedures whose flag is off are passed over: what they call are callees of their caller.
 */
bool cct_passes_over(const struct cct_job *c);

/* cct_put.c. False with *err. */
/* What is executed once, before all other. */
bool cct_put_start(struct cct_job *c, uint32_t entry);
/* Where the tree is written into a file: behind that. */
bool cct_put_start_of_file(struct cct_job *c, uint32_t entry, const struct cct_signals *s);
bool cct_put_entry(struct cct_job *c, uint32_t function, uint64_t table);
bool cct_put_call(struct cct_job *c, uint32_t i);
bool cct_put_exit(struct cct_job *c, uint32_t i);
/* Where a loop goes back. */
bool cct_put_back(struct cct_job *c, uint32_t i);
/* The tree is written before system call i, if it is one that ends the program, exit or exec;
 * signals are caught behind it, if it says what they do. */
bool cct_put_system_call(struct cct_job *c, uint32_t i, const struct cct_signals *s);
/* The paths of one function. */
bool cct_put_paths(struct cct_job *c, uint32_t function);

#endif
