/* Code that counts paths, put into one procedure after the other. The kinds path, path+hw and
 * cct+path share it (Ammons, Ball and Larus, sections 2 and 3).
 *
 *   path_plan()   finds a register for the path's number, or else a place in memory, and numbers
 *                 the paths; nothing is put in yet
 *   path_put()    puts the code in. Where the procedure's table (path_table.h) lies is the
 *                 caller's: at an address, or wherever code of the caller's says
 *
 * The register must be left alone by whatever else is put into the procedure: it is in plan->path,
 * and liveness doesn't know it. What the caller puts in at the entry before path_put() is executed
 * before a path begins, and what it puts in after path_put() comes after a path has been counted.
 */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATH_CODE_H
#define CYCLOPS_LOADER_INSTRUMENT_PATH_CODE_H

#include "loader/edit/activation.h"
#include "loader/edit/cfg.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/path_profile.h"
#include "loader/instrument/paths.h"

/* Bytes of a region for each address of a stack: 32 times Linux's limit, of which no page is there
 * before a stack has been as deep. Deeper ones share places. */
enum { PATH_STACK_LOG2 = 28 };

/* Of one program. */
struct path_counting {
	struct job *j;
	bool metrics;           /* what pic0 and pic1 count is added up, too */
	unsigned log2;          /* slots of hash tables */
	/* address of where registers lie across calls, by the stack pointer there */
	uint64_t region;
	/* address of where paths without a register lie, by the stack pointer at the procedure's
	 * entry */
	uint64_t homes;
	struct activations act; /* owned */
	uint64_t hash;          /* the routine that finds a slot; 0: not put in */
	uint8_t *entered;       /* [j->count], owned */
	struct ways ways;       /* owned */
	uint64_t *words;        /* [word_count], owned: the section that describes them */
	size_t word_count, word_room;
};

struct path_plan {
	const struct edit_function *f;
	struct cfg cfg;         /* owned */
	struct path_graph g;    /* owned, and its edges */
	bool counted;           /* false: the function is left alone, and nothing is to be put in */
	bool hashed;            /* in a hash table, however few they are */
	/* jumps through registers are edges: should one lead where it is not thought to, its path
	 * has no number, and isn't counted */
	bool checked;
	/* the register; 0: there is none, the path's number lies in memory */
	unsigned path;
	struct path_table table;
};

/* Sets rd to the address of the table, and may change scratch, but no other register; sp is
 * writer_sp() lower than the procedure has it. The code stands before instruction i, or on its way
 * elsewhere; or (behind) on its way to the next one. */
typedef void path_base_fn(void *ctx, struct writer *w, uint32_t i, bool behind, unsigned rd,
                          unsigned scratch);

/* Where a procedure's table is, for the section and for the code. */
struct path_place {
	enum path_where where;
	/* first counter (job_counters); address; in records: whatever their reader wants to know */
	uint64_t at;
	path_base_fn *base;     /* of PATHS_IN_RECORDS */
	void *ctx;
};

/* False with *err. log2: 0, or of hash tables' slots. */
bool path_counting_init(struct path_counting *c, struct job *j, bool metrics, unsigned log2);
void path_counting_free(struct path_counting *c);
bool path_plan(struct path_counting *c, const struct edit_function *f, struct path_plan *out);
bool path_put(struct path_counting *c, struct path_plan *p, const struct path_place *place);
void path_plan_free(struct path_plan *p);
/* A routine called through t0: of the hash table at t1 and the number t2, sets t1 to the number's
 * counter, or to that of what found no room. Changes t2 to t5. Its name for struct edit_code; 0
 * with *err. */
uint64_t path_put_hash(struct edit *e, const struct path_table *t, struct err *err);
/* The instruction before which all is as it is where code stands that path_base_fn says. */
uint32_t path_stand(const struct job *j, uint32_t i, bool behind);
/* Whether the stack pointer at the procedure's entry is known there. */
bool path_knows_place(const struct path_counting *c, uint32_t i, bool behind);
bool path_is_call(const struct edit_inst *i);
/* Whether instruction i calls what may come back again, as setjmp() does. */
bool path_comes_back_twice(const struct job *j, uint32_t i);
/* Puts the section in that describes all that has been put in. */
bool path_describe_all(struct path_counting *c);

#endif
