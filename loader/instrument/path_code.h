/* Inserts code that counts paths, one procedure at a time. Shared by the kinds path, path+hw and
 * cct+path (Ammons, Ball and Larus, sections 2 and 3).
 *
 *   path_plan()   finds a register for the path's number, or else a place in memory, and numbers
 *                 the paths; nothing is inserted yet
 *   path_put()    inserts the code. The caller decides where the procedure's table (path_table.h)
 *                 is: at an address, or computed by code of the caller's
 *
 * No other inserted code may use the register, plan->path, which liveness does not include. Code
 * that the caller inserts at the entry before path_put() runs before a path begins, and code
 * inserted after path_put() runs after a path has been counted. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATH_CODE_H
#define CYCLOPS_LOADER_INSTRUMENT_PATH_CODE_H

#include "loader/edit/activation.h"
#include "loader/edit/cfg.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/path_profile.h"
#include "loader/instrument/paths.h"

/* Log2 of the bytes of a region with a place for each stack address: 32 times Linux's limit; pages
 * are allocated only as the stack gets that deep. Deeper stacks share places. */
enum { PATH_STACK_LOG2 = 28 };

/* State of counting in one program. */
struct path_counting {
	struct job *j;
	bool metrics;           /* pic0 and pic1 are summed, too */
	unsigned log2;          /* slots of hash tables */
	/* address of the region for registers across calls, by the stack pointer there */
	uint64_t region;
	/* address of the region for numbers without a register, by the stack pointer at the
	 * procedure's entry */
	uint64_t homes;
	struct activations act; /* owned */
	uint64_t hash;          /* routine that finds a slot; 0: not inserted yet */
	uint8_t *entered;       /* [j->count], owned */
	struct ways ways;       /* owned */
	uint64_t *words;        /* [word_count], owned: the section that describes them */
	size_t word_count, word_room;
};

struct path_plan {
	const struct edit_function *f;
	struct cfg cfg;         /* owned */
	struct path_graph g;    /* owned, and its edges */
	bool counted;           /* false: the function is left alone; insert nothing */
	bool hashed;            /* in a hash table, even if paths are few */
	/* it has edges of jumps through registers: if one leads elsewhere, its path has no valid
	 * number, and is not counted */
	bool checked;
	/* register of the number; 0: it is in memory */
	unsigned path;
	struct path_table table;
};

/* Sets rd to the address of the table; may change scratch, but no other register. sp is writer_sp()
 * lower than in the procedure. The code is before instruction i, or on one of its edges, or
 * (behind) on its way to the next one. */
typedef void path_base_fn(void *ctx, struct writer *w, uint32_t i, bool behind, unsigned rd,
                          unsigned scratch);

/* The place of a procedure's table, for the section and for the code. */
struct path_place {
	enum path_where where;
	/* first counter (job_counters); address; in records: value for their reader */
	uint64_t at;
	path_base_fn *base;     /* of PATHS_IN_RECORDS */
	void *ctx;
};

/* Prepares counting. False with *err. log2: 0, or of hash tables' slots. */
bool path_counting_init(struct path_counting *c, struct job *j, bool metrics, unsigned log2);
void path_counting_free(struct path_counting *c);
bool path_plan(struct path_counting *c, const struct edit_function *f, struct path_plan *out);
bool path_put(struct path_counting *c, struct path_plan *p, const struct path_place *place);
void path_plan_free(struct path_plan *p);
/* Adds a routine called through t0: sets t1, a hash table, to the counter of number t2, or to that
 * of paths without room. Changes t2 to t5. Returns its name for struct edit_code; 0 with *err. */
uint64_t path_put_hash(const struct job *j, const struct path_table *t);
/* Returns the instruction before which registers are the same as at code in that position, which is
 * given as in path_base_fn. */
uint32_t path_stand(const struct job *j, uint32_t i, bool behind);
/* Whether the stack pointer at the procedure's entry is known there. */
bool path_knows_place(const struct path_counting *c, uint32_t i, bool behind);
bool path_is_call(const struct edit_inst *i);
/* Whether instruction i calls a function that may return twice, such as setjmp(). */
bool path_comes_back_twice(const struct job *j, uint32_t i);
/* Adds the section that describes all inserted path counting. */
bool path_describe_all(struct path_counting *c);

#endif
