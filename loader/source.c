/* Text of source files: each is read whole, once, and cut into lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/program_priv.h"

/* What is larger is not source text. */
#define SOURCE_BYTES_MAX (INT64_C(64) << 20)

struct source {
	char *name;        /* owned: as asked for */
	char *text;        /* owned, NULL if the file was not found: lines, each NUL-terminated */
	uint32_t *starts;  /* [count], owned: offset of each line in text */
	unsigned count;
};

struct sources {
	struct source *all; /* [count], owned */
	size_t count;
};

static void source_deinit(struct source *s)
{
	free(s->name);
	free(s->text);
	free(s->starts);
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	for (size_t i = 0; i < sources->count; i++)
		source_deinit(&sources->all[i]);
	free(sources->all);
	free(sources);
}

/* A regular file's bytes with a NUL behind them, or NULL. Names come from the program: devices and pipes are
 * not touched. */
static char *read_text(const char *path, size_t *n)
{
	struct stat st;
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > SOURCE_BYTES_MAX)
		return NULL;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	size_t size = (size_t)st.st_size, got = 0;
	char *text = malloc(size + 1);
	while (text && got < size) {
		ssize_t k = read(fd, text + got, size - got);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		got += (size_t)k;
	}
	close(fd);
	if (text)
		text[got] = '\0';
	*n = got;
	return text;
}

/* Tries one folder, whose path ends where the program's name begins, with something appended. */
static char *read_beside(const struct program *p, const char *up, const char *file, size_t *n)
{
	const char *slash = strrchr(p->path, '/');
	int folder = slash ? (int)(slash - p->path + 1) : 0;
	char *path;
	if (asprintf(&path, "%.*s%s%s", folder, p->path, up, file) < 0)
		return NULL;
	char *text = read_text(path, n);
	free(path);
	return text;
}

static char *find_text(const struct program *p, const char *file, size_t *n)
{
	/* A relative path is as the compiler was called: often from the folder above that of its output. */
	static const char *const up[] = { "", "../", "../../" };
	char *text = read_text(file, n);
	for (unsigned i = 0; !text && file[0] != '/' && i < sizeof up / sizeof *up; i++)
		text = read_beside(p, up[i], file, n);
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	if (!text)
		text = read_beside(p, "", base, n);
	if (!text)
		text = read_beside(p, "../", base, n);
	return text;
}

/* Cuts the text at its newlines; a carriage return before one goes too. */
static bool cut(struct source *s, size_t n)
{
	unsigned lines = 0;
	for (size_t i = 0; i < n; i++)
		lines += s->text[i] == '\n';
	s->starts = calloc((size_t)lines + 1, sizeof *s->starts);
	if (!s->starts)
		return false;
	size_t start = 0;
	for (size_t i = 0; i < n; i++) {
		if (s->text[i] != '\n')
			continue;
		s->text[i] = '\0';
		if (i > start && s->text[i - 1] == '\r')
			s->text[i - 1] = '\0';
		s->starts[s->count++] = (uint32_t)start;
		start = i + 1;
	}
	if (start < n)
		s->starts[s->count++] = (uint32_t)start;
	return true;
}

/* Also remembers that a file was not found. */
static const struct source *source_of(struct program *p, const char *file)
{
	struct sources *all = p->debug->sources;
	if (!all)
		all = p->debug->sources = calloc(1, sizeof *all);
	if (!all)
		return NULL;
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->all[i].name, file) == 0)
			return &all->all[i];
	struct source *grown = reallocarray(all->all, all->count + 1, sizeof *grown);
	if (!grown)
		return NULL;
	all->all = grown;
	size_t n = 0;
	struct source s = { .name = strdup(file), .text = find_text(p, file, &n) };
	if (!s.name || (s.text && !cut(&s, n))) {
		source_deinit(&s);
		return NULL;
	}
	grown[all->count] = s;
	return &grown[all->count++];
}

const char *program_source_text(struct program *p, const char *file, unsigned line, unsigned *count)
{
	const struct source *s = source_of(p, file);
	if ((!s || !s->text) && p->firmware)
		s = source_of(p->firmware, file);
	if (!s || !s->text)
		return NULL;
	if (count)
		*count = s->count;
	return line >= 1 && line <= s->count ? s->text + s->starts[line - 1] : NULL;
}
