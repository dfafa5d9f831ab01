/* What a person looked at last, to go on there: a file of his own folder. */
#ifndef CYCLOPS_UI_CLI_LAST_SESSION_H
#define CYCLOPS_UI_CLI_LAST_SESSION_H

#include <stdbool.h>
#include <stddef.h>

enum { LAST_WORDS = 64, LAST_BYTES = 16384 };

struct last_session {
	char text[LAST_BYTES]; /* what folder and words point into */
	char *folder;
	char *words[LAST_WORDS + 1]; /* behind "cyclops", NULL at the end */
};

/* Keeps a command line that opens a screen in this folder; what can't be kept is not. */
void last_session_keep(int argc, char **argv);
/* False: there was none, or its folder is gone. */
bool last_session_read(struct last_session *l);

#endif
