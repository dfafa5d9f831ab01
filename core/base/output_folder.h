/* Folders of files that Cyclops makes (output_file.h), kept as they were named before guests ran;
 * and folders that guests may write. Both lists are per process, as guests' files are. */
#ifndef CYCLOPS_CORE_BASE_OUTPUT_FOLDER_H
#define CYCLOPS_CORE_BASE_OUTPUT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Fixes the folder of this file, for all its files, to the folder that has the name now, even if a
 * guest renames it. Call before any guest runs. A folder that can't be opened is an error of
 * output_begin(). */
void output_keep_folder(const char *path);
/* The file's name for programs that we start: a path through a descriptor of the kept folder, which
 * they inherit. False if it is too long. */
bool output_inherited(const char *path, char *name, size_t n);
/* Notes that a guest may write below this folder from now on. */
void output_guest_folder(int folder);


/* ---- for output_file.c ---- */
/* Bytes of a path before its file's name. */
size_t output_folder_length(const char *path);
/* The folder of a file: a descriptor that the caller closes; -1 with *err. */
int output_open_folder(const char *path, struct err *err);

#endif
