/* A twin whose program is the session's with code put in: which of its instructions the session's
 * program has, too, and how many of those it has committed.
 *
 * What is put in is counted nowhere in common: number N of both machines is the same instruction.
 * The twin does the same whenever it is run, so what was counted once on its way holds for good. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_CODE_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/run.h"
#include "loader/edit/moved_code.h"

/* At the end of so many cycles so many instructions of the session's program had committed. */
struct own_mark {
	uint64_t cycle, own;
};

struct twin_code {
	struct moved_code moved;  /* borrowed from the twin's program */
	struct own_mark *marks;   /* [count], owned; both rise */
	size_t count, room;
	struct own_mark now;      /* cycle UINT64_MAX: not counted */
};

/* now: the twin's program. NULL if memory is out. */
struct twin_code *twin_code_new(const struct program *now);
void twin_code_free(struct twin_code *c);

/* Where an instruction of the twin's stands in the session's program; 0: it was put in. */
uint64_t twin_code_was(const struct twin_code *c, uint64_t pc);
/* How many have committed at the end of the twin's present cycle. False with *err. */
bool twin_code_count(struct twin_code *c, struct run *r, const struct machine *m, uint64_t *own,
                     struct err *err);
/* To the first cycle at whose end so many have committed, or to the program's end. False with
 * *err; *info says how the way ended. */
bool twin_code_to(struct twin_code *c, struct run *r, const struct machine *m, uint64_t aim,
                  struct run_stop_info *info, struct err *err);

#endif
