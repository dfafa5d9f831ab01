/* The host's memory: every allocation of the tree is made here.
 *
 * Calls are those of the C library, and NULL (alloc_line(): -1) on failure. A failure is noted as
 * well, for the whole process, and ends the command that was under way with "out of memory"
 * (alloc_settle()), whatever its callers made of the NULL: no list is short, and no line missing,
 * beside a status of 0. That a text or a list may be NULL because memory is out need not be passed
 * on for that reason; it must only not be dereferenced.
 *
 * alloc_try_...() note nothing. They are for what a machine asks for while it runs, where a refusal
 * is an ordinary event that loses nothing: history is thinned, the machine waits and tries again.
 */
#ifndef CYCLOPS_CORE_BASE_ALLOC_H
#define CYCLOPS_CORE_BASE_ALLOC_H

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Memory of n bytes, of count elements of 0, and of another size; of that, too, for an array. */
void *alloc_bytes(size_t n) __attribute__((malloc, alloc_size(1)));
void *alloc_zeroed(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *alloc_aligned(size_t alignment, size_t n) __attribute__((malloc, alloc_size(2)));
void *alloc_resize(void *p, size_t n) __attribute__((alloc_size(2), warn_unused_result));
void *alloc_resize_array(void *p, size_t count, size_t size)
	__attribute__((alloc_size(2, 3), warn_unused_result));

/* Copies of a text, and of up to n bytes of it. */
char *alloc_text(const char *s) __attribute__((malloc));
char *alloc_text_n(const char *s, size_t n) __attribute__((malloc));

/* A text as printf() makes it. */
char *alloc_format(const char *fmt, ...) __attribute__((malloc, format(printf, 1, 2)));
char *alloc_format_args(const char *fmt, va_list args)
	__attribute__((malloc, format(printf, 1, 0)));

/* A stream whose text is *text, of *n bytes and with a zero behind them, whenever it has been
 * flushed, and owned by the caller when it is closed. Writing fails if memory is out. */
FILE *alloc_stream(char **text, size_t *n);

/* getline(), realpath() with memory of its own, fopen(), fdopen(), fmemopen(), opendir() and
 * scandir(). */
ssize_t alloc_line(char **line, size_t *room, FILE *f);
char *alloc_real_path(const char *path) __attribute__((malloc));
FILE *alloc_file(const char *path, const char *mode);
FILE *alloc_file_of(int fd, const char *mode);
FILE *alloc_file_in(char *text, size_t n, const char *mode);
DIR *alloc_folder(const char *path);
int alloc_folder_names(const char *path, struct dirent ***names,
                       int (*wanted)(const struct dirent *),
                       int (*order)(const struct dirent **, const struct dirent **));

/* The same, and a failure isn't noted. */
void *alloc_try_bytes(size_t n) __attribute__((malloc, alloc_size(1)));
void *alloc_try_zeroed(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *alloc_try_resize(void *p, size_t n) __attribute__((alloc_size(2), warn_unused_result));
void *alloc_try_aligned(size_t alignment, size_t n) __attribute__((malloc, alloc_size(2)));

/* Notes a failure in a library that allocates by itself; one that reports it only when it is asked
 * is asked by alloc_failed(). */
void alloc_note_failure(void);
void alloc_ask_library(bool (*failed)(void));

/* True if an allocation has failed since the last alloc_settle(). */
bool alloc_failed(void);

/* The end of a command that was done or not: false with "out of memory" if an allocation has
 * failed since the last call, and what the command said otherwise. */
bool alloc_settle(bool done, struct err *err);

#endif
