/* For a twin whose program is the session's with inserted code: maps its instructions to the
 * session's program, and counts commits of the program's own instructions.
 *
 * Inserted code is not counted: number N is the same instruction in both machines. The twin's run
 * is deterministic, so the counts of a cycle stay valid. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_CODE_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/run.h"
#include "loader/edit/moved_code.h"

/* Instructions of the session's program that had committed by the end of the cycle. */
struct own_mark {
	uint64_t cycle, own;
};

struct twin_code {
	struct moved_code moved;  /* borrowed from the twin's program */
	struct own_mark *marks;   /* [count], owned; both members ascend */
	size_t count, room;
	struct own_mark now;      /* cycle UINT64_MAX: unknown */
};

/* now: the twin's program. NULL if memory is out. */
struct twin_code *twin_code_new(const struct program *now);
void twin_code_free(struct twin_code *c);

/* An instruction's address in the session's program; 0: it was inserted. */
uint64_t twin_code_was(const struct twin_code *c, uint64_t pc);
/* Counts commits until the end of the twin's present cycle. False with *err. */
bool twin_code_count(struct twin_code *c, struct run *r, const struct machine *m, uint64_t *own,
                     struct err *err);
/* Moves to the first cycle at whose end `aim` have committed, or to the program's end. False with
 * *err; *info has the reason for the stop. */
bool twin_code_to(struct twin_code *c, struct run *r, const struct machine *m, uint64_t aim,
                  struct run_stop_info *info, struct err *err);

#endif
