/* The history of commands, which prompts keep between sessions: ~/.cyclops_history, or
 * cyclops/history in XDG_STATE_HOME.
 *
 * Each line is appended when entered, under a lock: it survives any end of the session, and
 * concurrent sessions keep each other's lines. A session has the lines present at its start, and
 * its own. Failing to read or write the file is no error. The file is not written through a
 * symbolic link. */
#ifndef CYCLOPS_UI_CONSOLE_COMMAND_HISTORY_H
#define CYCLOPS_UI_CONSOLE_COMMAND_HISTORY_H

/* Loads the file into readline's history. Cuts a file that has grown too long to the newest lines.
 */
void history_load(void);
/* Adds a line unless it is empty or repeats the last one. */
void history_append(const char *line);

#endif
