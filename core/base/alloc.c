#include "core/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>

/* Per process, unlike the rest of core/: an allocation may fail in any thread, and no caller
 * between it and the command may lose the failure. */
static atomic_bool lacking;
static bool (*library)(void);

void alloc_ask_library(bool (*failed)(void))
{
	library = failed;
}

void alloc_note_failure(void)
{
	lacking = true;
}

bool alloc_failed(void)
{
	if (library && library())
		lacking = true;
	return lacking;
}

bool alloc_settle(bool done, struct err *err)
{
	if (!alloc_failed())
		return done;
	lacking = false;
	if (err && !done && strstr(err->msg, "out of memory"))
		return false;
	return err_set(err, "out of memory: what was printed is incomplete");
}

static void *alloc_note_if_null(void *p)
{
	if (!p)
		lacking = true;
	return p;
}

void *alloc_try_bytes(size_t n)
{
	return malloc(n);
}

void *alloc_try_zeroed(size_t count, size_t size)
{
	return calloc(count, size);
}

void *alloc_try_resize(void *p, size_t n)
{
	return realloc(p, n);
}

void *alloc_try_aligned(size_t alignment, size_t n)
{
	return aligned_alloc(alignment, n);
}

void *alloc_aligned(size_t alignment, size_t n)
{
	return alloc_note_if_null(aligned_alloc(alignment, n));
}

void *alloc_bytes(size_t n)
{
	return alloc_note_if_null(malloc(n));
}

void *alloc_zeroed(size_t count, size_t size)
{
	return alloc_note_if_null(calloc(count, size));
}

/* With 0 bytes it frees, and NULL is no failure. */
void *alloc_resize(void *p, size_t n)
{
	void *q = realloc(p, n);
	return n ? alloc_note_if_null(q) : q;
}

void *alloc_resize_array(void *p, size_t count, size_t size)
{
	void *q = reallocarray(p, count, size);
	return count && size ? alloc_note_if_null(q) : q;
}

void *alloc_grow(void *p, size_t count, size_t *room, size_t size, size_t first)
{
	if (count < *room)
		return p;
	const size_t grown = *room ? 2 * *room : first;
	void *q = alloc_resize_array(p, grown, size);
	if (q)
		*room = grown;
	return q;
}

char *alloc_text(const char *s)
{
	return alloc_note_if_null(strdup(s));
}

char *alloc_text_n(const char *s, size_t n)
{
	return alloc_note_if_null(strndup(s, n));
}

char *alloc_format_args(const char *fmt, va_list args)
{
	char *text;
	return alloc_note_if_null(vasprintf(&text, fmt, args) < 0 ? NULL : text);
}

char *alloc_format(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = alloc_format_args(fmt, args);
	va_end(args);
	return text;
}

/* Replaces open_memstream(), which reports that memory ran out only by fclose()'s result. */
enum { TEXT_STREAM_FIRST = 64 /* bytes of room */ };

struct text_stream {
	char **text;
	size_t *n;
	size_t room;
	char buffer[1024];
};

static ssize_t text_stream_write(void *cookie, const char *bytes, size_t n)
{
	struct text_stream *s = cookie;
	if (n >= s->room - *s->n) {
		const size_t room = 2 * (*s->n + n) + 1;
		char *more = alloc_resize(*s->text, room);
		if (!more)
			return 0;
		*s->text = more;
		s->room = room;
	}
	memcpy(*s->text + *s->n, bytes, n);
	*s->n += n;
	(*s->text)[*s->n] = 0;
	return (ssize_t)n;
}

/* Only for ftell(). */
static int text_stream_seek(void *cookie, off64_t *offset, int whence)
{
	struct text_stream *s = cookie;
	if (whence != SEEK_CUR || *offset)
		return -1;
	*offset = (off64_t)*s->n;
	return 0;
}

static int text_stream_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *alloc_stream(char **text, size_t *n)
{
	static const cookie_io_functions_t calls = {
		.write = text_stream_write, .seek = text_stream_seek, .close = text_stream_close};
	struct text_stream *s = alloc_bytes(sizeof *s);
	*text = alloc_zeroed(1, TEXT_STREAM_FIRST);
	*n = 0;
	FILE *f = s && *text ? alloc_note_if_null(fopencookie(s, "w", calls)) : NULL;
	if (!f) {
		free(*text);
		free(s);
		*text = NULL;
		return NULL;
	}
	s->text = text;
	s->n = n;
	s->room = TEXT_STREAM_FIRST;
	setvbuf(f, s->buffer, _IOFBF, sizeof s->buffer);
	return f;
}

ssize_t alloc_line(char **line, size_t *room, FILE *f)
{
	errno = 0;
	const ssize_t n = getline(line, room, f);
	if (n < 0 && errno == ENOMEM)
		lacking = true;
	return n;
}

static void *noted_by_errno(void *p)
{
	if (!p && errno == ENOMEM)
		lacking = true;
	return p;
}

char *alloc_real_path(const char *path)
{
	return noted_by_errno(realpath(path, NULL));
}

FILE *alloc_file(const char *path, const char *mode)
{
	return noted_by_errno(fopen(path, mode));
}

FILE *alloc_file_of(int fd, const char *mode)
{
	return noted_by_errno(fdopen(fd, mode));
}

FILE *alloc_file_in(char *text, size_t n, const char *mode)
{
	return alloc_note_if_null(fmemopen(text, n, mode));
}

DIR *alloc_folder(const char *path)
{
	return noted_by_errno(opendir(path));
}

int alloc_folder_names(const char *path, struct dirent ***names,
                       int (*wanted)(const struct dirent *),
                       int (*order)(const struct dirent **, const struct dirent **))
{
	const int n = scandir(path, names, wanted, order);
	if (n < 0 && errno == ENOMEM)
		lacking = true;
	return n;
}
