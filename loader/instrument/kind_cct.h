/* Shared by the files that instrument calling contexts: kind_cct.c decides what is inserted where,
 * cct_put.c writes it. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_KIND_CCT_H
#define CYCLOPS_LOADER_INSTRUMENT_KIND_CCT_H

#include "loader/edit/activation.h"
#include "loader/instrument/cct.h"
#include "loader/instrument/cct_code.h"
#include "loader/instrument/cct_signals.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/path_code.h"

/* Functions that share code (loader/edit/activation.h). */
struct group {
	uint32_t sites;      /* calls that are counted */
	uint32_t slots;      /* sites, or 1 if they are merged */
	uint32_t first;      /* index of its first in `site_at` */
	uint32_t callees;    /* offset of slots in its records */
	uint32_t bytes;      /* of its records */
	uint64_t spare;      /* address of its record for a full heap */
	uint32_t filled;
	uint16_t why;        /* enum skip_reason, LEFT_WHY_COUNT: instrumented */
	bool entered;        /* a procedure begins in it */
	bool calls;          /* it has calls, counted or not */
	bool goes_on;        /* it may end by a tail call */
	bool fixed;          /* its place is fixed: the program's first procedure */
	/* it starts a process or thread on another stack, whose place has no record */
	bool other_stack;
	bool place;          /* it needs a place */
};

struct cct_job {
	struct job *j;
	struct activations act;
	struct group *groups;    /* [functions], owned: by act.group */
	const struct edit_function *functions;
	uint32_t function_count;
	/* [instructions], owned: of a counted call, else EDIT_NONE */
	uint32_t *slot;
	uint64_t *site_at;       /* [slots of all groups], owned: addresses of calls */
	/* the same, owned: offset of a slot's list in a record; 0: none */
	uint32_t *list_at;
	uint32_t slots;
	struct cct_procedure *procedures; /* [procedure_count], owned */
	uint32_t procedure_count;
	uint64_t find;           /* routine */
	struct cct_memory m;
	uint64_t spares;         /* address */
	uint64_t spare_bytes;
	bool hardware;           /* pic0 and pic1 are added up */
	/* Of cct+path. */
	bool paths;
	struct path_counting counting;
	struct path_plan *plans; /* [functions], owned */
	/* [functions], owned: offset of a function's table in a record */
	uint32_t *table_at;
};

/* Queries about instruction i. */
struct group *cct_group_at(const struct cct_job *c, uint32_t i);
struct group *cct_callee_of(const struct cct_job *c, uint32_t i);
/* Whether procedures whose flag is off are skipped: their callees become callees of their
 * caller. */
bool cct_passes_over(const struct cct_job *c);

/* cct_put.c. False with *err. */
/* Inserts the code executed once, before all other. */
bool cct_put_start(struct cct_job *c, uint32_t entry);
/* The same for writing the tree into a file; executed after that. */
bool cct_put_start_of_file(struct cct_job *c, uint32_t entry, const struct cct_signals *s);
bool cct_put_entry(struct cct_job *c, uint32_t function, uint64_t table);
bool cct_put_call(struct cct_job *c, uint32_t i);
bool cct_put_exit(struct cct_job *c, uint32_t i);
/* Inserts code at a loop's back edge. */
bool cct_put_back(struct cct_job *c, uint32_t i);
/* Inserts code at system call i: before exit, gives the thread's words back. */
bool cct_put_thread_end(struct cct_job *c, uint32_t i);
/* Inserts code at system call i: before exit or exec, writes the tree; after rt_sigaction, catches
 * signals. */
bool cct_put_system_call(struct cct_job *c, uint32_t i, const struct cct_signals *s);
/* Inserts the code for paths of one function. */
bool cct_put_paths(struct cct_job *c, uint32_t function);

#endif
