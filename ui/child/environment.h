/* What the environment may decide: nothing by a name that depends on the folder we are in. */
#ifndef CYCLOPS_UI_CHILD_ENVIRONMENT_H
#define CYCLOPS_UI_CHILD_ENVIRONMENT_H

/* Takes relative folders out of what we and our children go by: out of lists such as PATH, where an
 * empty one means the present folder, and all of HOME, TMPDIR and their kin. Without a PATH that
 * remains, there is that of the system. Before anything else in main(). */
void environment_make_absolute(void);

#endif
