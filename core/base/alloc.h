/* The host's memory: every allocation of the tree is made here.
 *
 * Calls are those of the C library and return NULL (alloc_line(): -1) on failure. A failure is also
 * noted for the whole process and ends the current command with "out of memory" (alloc_settle()),
 * even if its callers ignore the NULL: a command never succeeds with a short list or a missing
 * line. So callers need not pass the failure on; they must only not dereference NULL.
 *
 * alloc_try_...() note nothing. They are for allocations of a running machine, where a failure is
 * an ordinary event that loses nothing: history is thinned, or the machine waits and tries again.
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

/* As malloc(), calloc(), aligned_alloc(), realloc() and reallocarray(). */
void *alloc_bytes(size_t n) __attribute__((malloc, alloc_size(1)));
void *alloc_zeroed(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *alloc_aligned(size_t alignment, size_t n) __attribute__((malloc, alloc_size(2)));
void *alloc_resize(void *p, size_t n) __attribute__((alloc_size(2), warn_unused_result));
void *alloc_resize_array(void *p, size_t count, size_t size)
	__attribute__((alloc_size(2, 3), warn_unused_result));

/* An array of count elements with room for one more: p if *room allows it, else resized to twice
 * the room, `first` elements at first. NULL, with p and *room as they were, on failure. */
void *alloc_grow(void *p, size_t count, size_t *room, size_t size, size_t first)
	__attribute__((warn_unused_result));

/* Copies of a text, and of up to n bytes of it. */
char *alloc_text(const char *s) __attribute__((malloc));
char *alloc_text_n(const char *s, size_t n) __attribute__((malloc));

/* A text formatted as by printf(). */
char *alloc_format(const char *fmt, ...) __attribute__((malloc, format(printf, 1, 2)));
char *alloc_format_args(const char *fmt, va_list args)
	__attribute__((malloc, format(printf, 1, 0)));

/* A stream into memory. After each flush *text has *n bytes and a zero after them; the caller owns
 * *text once the stream is closed. Writing fails if memory is out. */
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

/* The same, but a failure is not noted. */
void *alloc_try_bytes(size_t n) __attribute__((malloc, alloc_size(1)));
void *alloc_try_zeroed(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *alloc_try_resize(void *p, size_t n) __attribute__((alloc_size(2), warn_unused_result));
void *alloc_try_aligned(size_t alignment, size_t n) __attribute__((malloc, alloc_size(2)));

/* Notes a failure in a library that allocates by itself; alloc_failed() queries a library that
 * reports failures only on request. */
void alloc_note_failure(void);
void alloc_ask_library(bool (*failed)(void));

/* True if an allocation has failed since the last alloc_settle(). */
bool alloc_failed(void);

/* Ends a command: false with "out of memory" if an allocation has failed since the last call, else
 * `done`. */
bool alloc_settle(bool done, struct err *err);

#endif
