/* Whose words a session acts on, and so what of the host these may reach.
 *
 * Every command, completion and view that opens a file which words name asks reach_allows() first;
 * make/check-openers.py holds that. What nobody names, such as the program's own files and debug
 * information, follows the rules of core/os/ and loader/source.c whoever asks. */
#ifndef CYCLOPS_CORE_BASE_REACH_H
#define CYCLOPS_CORE_BASE_REACH_H

#include <stdbool.h>

#include "core/base/err.h"

enum reach {
	REACH_ALL, /* the user's: whatever the user may */
	/* a script's under --lua-safe: no files, no processes, machines on its budget only */
	REACH_SCRIPT,
	REACH_PEER /* a debugger's at a TCP port: the same */
};

/* what: "'source' reaches files". False with *err, "WHAT, which ... forbids". */
bool reach_allows(enum reach reach, const char *what, struct err *err);

#endif
