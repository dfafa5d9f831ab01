/* Files that gdb reads through us: those that the program sees below its "/", and its /proc files
 * as Linux would have them. */
#ifndef CYCLOPS_UI_GDB_FILES_H
#define CYCLOPS_UI_GDB_FILES_H

struct server;

/* Absolute path of the program's file, malloc'd; NULL if memory is out. */
char *files_program(const struct server *v);

#endif
