/* Writes the calling context tree of an instrumented program that died before it could write the
 * tree itself (loader/instrument/cct_file.h). The tree is still in guest memory. Counts of other
 * kinds have no file: reports write them. */
#ifndef CYCLOPS_UI_CLI_CCT_RESCUE_H
#define CYCLOPS_UI_CLI_CCT_RESCUE_H

#include "hwviews/session/session.h"

/* Writes the tree if a signal, a fault or an endless wait ended the program, with the file access
 * that the program's own calls have, and reports success or the reason on stderr. If the program
 * was stopped before its end, reports that no tree is written. If the program died with counts of
 * another kind and no report on them was requested (`reported`), prints which report to request.
 * Else does nothing. */
void last_tree_write(const struct session *s, bool reported);

#endif
