/* Whether one program is another that the editor has laid out again: only then does its map say
 * where the other's instructions are. */
#ifndef CYCLOPS_LOADER_EDIT_SAME_PROGRAM_H
#define CYCLOPS_LOADER_EDIT_SAME_PROGRAM_H

#include "core/base/err.h"
#include "loader/program.h"

/* Each instruction that now's map names must stand in both, but for what laying out changes:
 * references to code. False with *err, which says what to do. */
bool program_laid_out_from(const struct program *now, const struct program *was, struct err *err);

#endif
