/* Whether one program is another that the editor has laid out again: only then does its map give
 * the original places of instructions. */
#ifndef CYCLOPS_LOADER_EDIT_SAME_PROGRAM_H
#define CYCLOPS_LOADER_EDIT_SAME_PROGRAM_H

#include "core/base/err.h"
#include "loader/program.h"

/* Checks that both programs have each instruction that now's map names, apart from references to
 * code, which layout changes. False with *err, which includes a remedy. */
bool program_laid_out_from(const struct program *now, const struct program *was, struct err *err);

#endif
