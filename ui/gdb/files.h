/* Files that gdb reads through us: the program's files below its "/", and its /proc files as on
 * Linux. */
#ifndef CYCLOPS_UI_GDB_FILES_H
#define CYCLOPS_UI_GDB_FILES_H

struct server;

/* Absolute path of the program's file, malloc'd; NULL if memory is out. */
char *files_program(const struct server *v);

#endif
