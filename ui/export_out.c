#include "ui/export_out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwviews/export.h"

static const struct export_format *format_of(const char *words, const char **rest, struct err *err)
{
	char name[64];
	const size_t n = strcspn(words, " \t");
	snprintf(name, sizeof name, "%.*s", (int)n, words);
	*rest = words + n;
	return export_find(name, err);
}

static bool refuse(const char *path, struct err *err)
{
	return err_set(err, "%s is there already; right: another name, or --force", path);
}

/* What was there is gone only when all of the new is written. */
static bool put(const char *path, const char *text, size_t n, bool force, struct err *err)
{
	char *temporary = NULL;
	if (force && asprintf(&temporary, "%s.new", path) < 0)
		return err_set(err, "out of memory");
	const char *to = force ? temporary : path;
	FILE *f = fopen(to, force ? "w" : "wx");
	bool ok = f != NULL;
	if (!f && errno == EEXIST) {
		free(temporary);
		return refuse(path, err);
	}
	if (f) {
		ok = fwrite(text, 1, n, f) == n;
		ok &= fclose(f) == 0;
		if (ok && force)
			ok = rename(temporary, path) == 0;
		if (!ok) {
			const int why = errno;
			unlink(to);
			errno = why;
		}
	}
	free(temporary);
	return ok || err_set(err, "%s: %s", path, strerror(errno));
}

bool export_to(const struct session *s, const char *words, const char *path, bool force, size_t *bytes, struct err *err)
{
	const char *rest;
	size_t n = 0;
	const struct export_format *f = format_of(words, &rest, err);
	if (f && !force && access(path, F_OK) == 0)
		return refuse(path, err);
	char *text = f ? export_text(f, s, rest, &n, err) : NULL;
	const bool ok = text && put(path, text, n, force, err);
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
		err_set(err, "--export %s: into which file? right: --export FORMAT=FILE", option);
		return NULL;
	}
	char *w = strndup(option, (size_t)(path - option));
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
	const char *path = export_split(option, &words, err), *rest;
	const struct export_format *f = path ? format_of(words, &rest, err) : NULL;
	bool ok = f && (force || access(path, F_OK) != 0 || refuse(path, err));
	size_t n;
	if (ok)
		ok = (text = export_text(f, s, rest, &n, err)) != NULL;
	free(text);
	free(words);
	return ok;
}
