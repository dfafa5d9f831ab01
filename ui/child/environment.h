/* Removes paths relative to the current folder from the environment. */
#ifndef CYCLOPS_UI_CHILD_ENVIRONMENT_H
#define CYCLOPS_UI_CHILD_ENVIRONMENT_H

/* Removes relative folders from variables that this process and its children use: from lists such
 * as PATH, where an empty entry means the current folder; unsets HOME, TMPDIR and similar if
 * relative. If nothing of PATH remains, sets the system's default. Call first in main(). */
void environment_make_absolute(void);

/* Leaves a compiler only the variables that say where programs are, the language of messages, and
 * the settings of wrappers such as ccache. All others could change what it makes, or write files.
 * SOURCE_DATE_EPOCH is set, so that __DATE__ and __TIME__ are the same in each run. In a child that
 * executes another program next. */
void environment_keep_bare(void);

#endif
