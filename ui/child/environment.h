/* Removes paths relative to the current folder from the environment. */
#ifndef CYCLOPS_UI_CHILD_ENVIRONMENT_H
#define CYCLOPS_UI_CHILD_ENVIRONMENT_H

/* Removes relative folders from variables that this process and its children use: from lists such
 * as PATH, where an empty entry means the current folder; unsets HOME, TMPDIR and similar if
 * relative. If nothing of PATH remains, sets the system's default. Call first in main(). */
void environment_make_absolute(void);

#endif
