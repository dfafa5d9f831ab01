/* Text of source files: each is read whole, once, and cut into lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "loader/program_priv.h"

/* A larger file is not source text. */
#define SOURCE_BYTES_MAX (INT64_C(64) << 20)

struct source {
	char *name;        /* owned: as asked for */
	char *path;        /* owned: where it was found; NULL: nowhere */
	char *text;        /* owned, NULL if the file was not found: lines, each NUL-terminated */
	uint32_t *starts;  /* [count], owned: offset of each line in text */
	unsigned count;
	const char *unread; /* why a file that is there was not read; NULL: there is none */
};

struct sources {
	struct source *all; /* [count], owned */
	size_t count;
};

static void source_deinit(struct source *s)
{
	free(s->name);
	free(s->path);
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

/* Reads a regular file, with a NUL added; NULL on failure, with *unread if the file is no source
 * text. Names come from the program: devices and pipes are not opened. */
static char *loader_source_read_text_file(const char *path, size_t *n, const char **unread)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return NULL;
	if (!S_ISREG(st.st_mode) || st.st_size > SOURCE_BYTES_MAX) {
		*unread = S_ISREG(st.st_mode)   ? "it has more than 64 MiB; no source text has"
		          : S_ISDIR(st.st_mode) ? "it is a folder; expected a text file"
		                                : "it is a pipe or device; expected a text file";
		return NULL;
	}
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	size_t size = (size_t)st.st_size, got = 0;
	char *text = alloc_bytes(size + 1);
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

/* Whether the file is below the folder; both canonical. */
static bool loader_source_folder_contains(const char *folder, const char *file)
{
	const size_t n = strlen(folder);
	return !strncmp(folder, file, n) && (file[n] == '/' || folder[n - 1] == '/');
}

/* The folders below which files may be read: names come from the program, and may lead anywhere. */
struct finder {
	char **root;      /* [count], owned, canonical */
	size_t count;
	size_t n;         /* bytes of the text found */
	char *path;       /* owned: the path of that file */
	const char *unread; /* as of struct source */
};

static bool add_root(struct finder *f, const char *folder)
{
	char **more = alloc_resize_array(f->root, f->count + 1, sizeof *more);
	if (!more)
		return false;
	f->root = more;
	f->root[f->count] = alloc_real_path(folder);
	f->count += f->root[f->count] != NULL;
	return true;
}

/* Adds the current directory, the program's folder, and the named ones. */
static bool add_roots(struct finder *f, const struct program *p)
{
	const char *slash = strrchr(p->path, '/');
	char *folder =
		slash ? alloc_text_n(p->path, (size_t)(slash - p->path) + 1) : alloc_text(".");
	bool ok = folder && add_root(f, ".") && add_root(f, folder);
	for (const char *const *more = p->source_folders; ok && more && *more; more++)
		ok = add_root(f, *more);
	free(folder);
	return ok;
}

static char *loader_source_read_permitted_file(struct finder *f, const char *path)
{
	char *canonical = alloc_real_path(path), *text = NULL;
	bool may = false;
	for (size_t i = 0; canonical && i < f->count && !may; i++)
		may = loader_source_folder_contains(f->root[i], canonical);
	if (may)
		text = loader_source_read_text_file(canonical, &f->n, &f->unread);
	if (canonical && !may && !f->unread)
		f->unread = "it lies outside the current directory and the program's folder: "
			    "--source FOLDER lets it be read";
	if (text)
		f->path = canonical;
	else
		free(canonical);
	return text;
}

static char *try_below(struct finder *f, const char *root, const char *up, const char *file)
{
	char *path;
	if (!(path = alloc_format("%s/%s%s", root, up, file)))
		return NULL;
	char *text = loader_source_read_permitted_file(f, path);
	free(path);
	return text;
}

/* Looks for a file as recorded; then below each root, where a relative path may start at the
 * compiler's directory: often the one above its output; then by its base name. */
static char *find_text(struct finder *f, const char *file)
{
	static const char *const up[] = { "", "../", "../../" };
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	char *text = loader_source_read_permitted_file(f, file);
	for (size_t i = 0; !text && file[0] != '/' && i < f->count; i++)
		for (unsigned k = 0; !text && k < sizeof up / sizeof *up; k++)
			text = try_below(f, f->root[i], up[k], file);
	for (size_t i = 0; !text && i < f->count; i++)
		for (unsigned k = 0; !text && k < 2; k++)
			text = try_below(f, f->root[i], up[k], base);
	return text;
}

/* Cuts the text at its newlines; a carriage return before one goes too. */
static bool loader_source_split_lines(struct source *s, size_t n)
{
	unsigned lines = 0;
	for (size_t i = 0; i < n; i++)
		lines += s->text[i] == '\n';
	s->starts = alloc_zeroed((size_t)lines + 1, sizeof *s->starts);
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

/* Also remembers files that were not found. */
static const struct source *loader_source_find_or_read(struct program *p, const char *file)
{
	struct sources *all = p->debug->sources;
	if (!all)
		all = p->debug->sources = alloc_zeroed(1, sizeof *all);
	if (!all)
		return NULL;
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->all[i].name, file) == 0)
			return &all->all[i];
	struct source *grown = alloc_resize_array(all->all, all->count + 1, sizeof *grown);
	if (!grown)
		return NULL;
	all->all = grown;
	struct finder f = {0};
	struct source s = {.name = alloc_text(file)};
	bool ok = s.name && add_roots(&f, p);
	if (ok && (s.text = find_text(&f, file)))
		ok = loader_source_split_lines(&s, f.n);
	s.path = f.path;
	s.unread = s.text ? NULL : f.unread;
	for (size_t i = 0; i < f.count; i++)
		free(f.root[i]);
	free(f.root);
	if (!ok) {
		source_deinit(&s);
		return NULL;
	}
	grown[all->count] = s;
	return &grown[all->count++];
}

const char *program_source_text(struct program *p, const char *file, unsigned line, unsigned *count)
{
	const struct source *s = loader_source_find_or_read(p, file);
	if ((!s || !s->text) && p->firmware)
		s = loader_source_find_or_read(p->firmware, file);
	if (!s || !s->text)
		return NULL;
	if (count)
		*count = s->count;
	return line >= 1 && line <= s->count ? s->text + s->starts[line - 1] : NULL;
}

const char *program_source_missing(struct program *p, const char *file)
{
	const struct source *s = loader_source_find_or_read(p, file);
	return s && s->unread ? s->unread
	                      : "it is neither as the compiler recorded it, nor here, nor beside "
	                        "the program: name its folder with --source FOLDER";
}

const char *program_source_path(struct program *p, const char *file)
{
	const struct source *s = loader_source_find_or_read(p, file);
	return s ? s->path : NULL;
}

void program_set_sources(struct program *p, const char *const *folders)
{
	p->source_folders = folders;
}
