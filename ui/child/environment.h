/* What the environment may decide: nothing by a name that depends on the folder we are in. */
#ifndef CYCLOPS_UI_CHILD_ENVIRONMENT_H
#define CYCLOPS_UI_CHILD_ENVIRONMENT_H

/* Takes relative folders out of what we and our children go by: out of lists such as PATH, where an
 * empty one means the present folder, and all of HOME, TMPDIR and their kin. Without a PATH that
 * remains, there is that of the system. Before anything else in main(). */
void environment_make_absolute(void);

/* Leaves a compiler only the variables that say where programs are, the language of messages, and
 * the settings of wrappers such as ccache. All others could change what it makes, or write files.
 * SOURCE_DATE_EPOCH is set, so that __DATE__ and __TIME__ are the same in each run. In a child that
 * executes another program next. */
void environment_keep_bare(void);

#endif
