#include "ui/render/export_out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "hwviews/exports/export.h"
#include "ui/render/safe_print.h"

static const struct export_format *format_of(const char *words, const char **rest, struct err *err)
{
	char name[64];
	const size_t n = strcspn(words, " \t");
	snprintf(name, sizeof name, "%.*s", (int)n, words);
	*rest = words + n;
	return export_find(name, err);
}

static bool export_report_exists(const char *path, struct err *err)
{
	return err_set(err, "%s exists already; use another name, or --force", path);
}

/* True if path is a regular file: writing to a pipe or terminal replaces nothing. */
static bool would_replace(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool export_write_file(const char *path, const char *text, size_t n, struct err *err)
{
	if (strcmp(path, "-") != 0)
		return output_write(path, text, n, OUTPUT_FILE_ANY, err);
	say_output(stderr, text, n);
	return (fflush(stderr) == 0 && !ferror(stderr)) ||
	       err_set(err, "%s: %s", path, strerror(errno));
}

char *export_words(const struct session *s, const char *words, size_t *n, struct err *err)
{
	const char *rest;
	const struct export_format *f = format_of(words, &rest, err);
	return f ? export_text(f, s, rest, n, err) : NULL;
}

bool export_to(const struct session *s, const char *words, const char *path, bool force,
               size_t *bytes, struct err *err)
{
	size_t n = 0;
	if (!force && would_replace(path))
		return export_report_exists(path, err);
	char *text = export_words(s, words, &n, err);
	const bool ok = text && export_write_file(path, text, n, err);
	if (ok && bytes)
		*bytes = n;
	free(text);
	return ok;
}

const char *export_split(const char *option, char **words, struct err *err)
{
	const char *path = strchr(option, '='), *rest;
	*words = NULL;
	if (!path || !path[1]) {
		err_set(err, "--export %s: no file given; expected --export FORMAT=FILE", option);
		return NULL;
	}
	char *w = alloc_text_n(option, (size_t)(path - option));
	if (!w || !format_of(w, &rest, err)) {
		if (!w)
			err_set(err, "out of memory");
		free(w);
		return NULL;
	}
	*words = w;
	return path + 1;
}

bool export_known(const char *option, struct err *err)
{
	char *words;
	const char *path = export_split(option, &words, err);
	free(words);
	return path != NULL;
}

bool export_try(const struct session *s, const char *option, bool force, struct err *err)
{
	char *words, *text = NULL;
	const char *path = export_split(option, &words, err);
	size_t n;
	if (path && (force || !would_replace(path) || export_report_exists(path, err)))
		text = export_words(s, words, &n, err);
	const bool ok = text != NULL;
	free(text);
	free(words);
	return ok;
}
