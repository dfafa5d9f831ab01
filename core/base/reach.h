/* The source of a session's commands, and which host files they may therefore open.
 *
 * Every command, completion and view that opens a file named in a command calls reach_allows()
 * first; make/check-openers.py checks that. Files that no command names, such as the program's own
 * and its debug information, follow the rules of core/os/ and loader/source.c for every source. */
#ifndef CYCLOPS_CORE_BASE_REACH_H
#define CYCLOPS_CORE_BASE_REACH_H

#include <stdbool.h>

#include "core/base/err.h"

enum reach {
	REACH_ALL, /* the user's: whatever the user may */
	/* a script's under --lua-safe: no files, no processes, machines on its budget only */
	REACH_SCRIPT,
	REACH_PEER /* a debugger's at a TCP port: as REACH_SCRIPT */
};

/* what: "'source' reaches files". False with *err, "WHAT, which ... forbids". */
bool reach_allows(enum reach reach, const char *what, struct err *err);

#endif
