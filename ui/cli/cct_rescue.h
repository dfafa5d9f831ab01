/* What an instrumented program that died could not do any more: write its calling context tree into
 * the file that it has for it (loader/instrument/cct_file.h). It lies in its memory; guests have no
 * handlers that would. Counts of other kinds have no file: reports write them. */
#ifndef CYCLOPS_UI_CLI_CCT_RESCUE_H
#define CYCLOPS_UI_CLI_CCT_RESCUE_H

#include "hwviews/session/session.h"

/* Of a program that a signal, a fault or an endless wait has ended: writes the tree, under the
 * rules of the program's own calls, and says so on stderr, or why not. Of one that goes on no more
 * without having ended: says that there is none. Of one that counts something else, if nothing is
 * reported of it: says what to ask for. Of others nothing. */
void last_tree_write(const struct session *s, bool reported);

#endif
