/* Files that gdb reads through us: those that the program sees below its "/", and what Linux would
 * say of it in /proc. */
#ifndef CYCLOPS_UI_GDB_FILES_H
#define CYCLOPS_UI_GDB_FILES_H

struct server;

/* The program's file as a whole path, malloc'd; NULL if memory is out. */
char *files_program(const struct server *v);

#endif
