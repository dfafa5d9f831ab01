/* The command line of the last session on a screen, kept in the user's own folder to resume it. */
#ifndef CYCLOPS_UI_CLI_LAST_SESSION_H
#define CYCLOPS_UI_CLI_LAST_SESSION_H

#include <stdbool.h>
#include <stddef.h>

enum { LAST_WORDS = 64, LAST_BYTES = 16384 };

struct last_session {
	char text[LAST_BYTES]; /* storage of folder and words */
	char *folder;
	char *words[LAST_WORDS + 1]; /* after "cyclops", NULL at the end */
};

/* Keeps a command line that opens a screen, and the current folder. Failures are ignored. */
void last_session_keep(int argc, char **argv);
/* False: there was no session, or its folder is gone. */
bool last_session_read(struct last_session *l);

#endif
