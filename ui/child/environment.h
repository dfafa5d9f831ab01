/* Removes paths relative to the current folder from the environment, and named pipes, which never
 * open. */
#ifndef CYCLOPS_UI_CHILD_ENVIRONMENT_H
#define CYCLOPS_UI_CHILD_ENVIRONMENT_H

/* Removes relative folders from variables that this process and its children use: from lists such
 * as PATH, where an empty entry means the current folder; unsets HOME, TMPDIR and similar if
 * relative. If PATH becomes empty, sets the system's default. Call first in main(). */
void environment_make_absolute(void);

/* Passes the system's files to readline and ncurses if the user's own, `.inputrc` or the terminal's
 * description, is a named pipe. Call before either begins. */
void environment_avoid_pipes(void);
/* The same for the description of one type of terminal. */
void environment_avoid_pipe_of_terminal(const char *type);

/* Call in a child that executes a compiler next. Keeps only variables for places of programs,
 * language of messages, and settings of wrappers such as ccache; others could change the compiler's
 * result, or write files. Sets SOURCE_DATE_EPOCH, so that __DATE__ and __TIME__ are equal in each
 * run. */
void environment_keep_bare(void);

#endif
