#include "hwviews/exports/export.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "hwviews/grid/utf8.h"

const struct export_format *const exports[] = {
#define EXPORT(name) &export_##name,
#include "hwviews/exports/exports.def"
#undef EXPORT
};

const unsigned export_count = sizeof exports / sizeof *exports;

enum { WORDS_MAX = 16 };

const struct export_format *export_find(const char *name, struct err *err)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (unsigned i = 0; i < export_count; i++) {
		if (!strcmp(exports[i]->name, name))
			return exports[i];
		nearest_offer(&nearest, exports[i]->name);
	}
	err_set(err, "no format '%s': %s", name,
	        nearest_said(&nearest, "`export` lists them, such as '%s'", exports[0]->name));
	return NULL;
}

char *export_text(const struct export_format *f, const struct session *s, const char *words,
                  size_t *n, struct err *err)
{
	const char *argv[WORDS_MAX];
	char *text = NULL, *copy = alloc_text(words), *save;
	int argc = 0;
	FILE *out = copy ? alloc_stream(&text, n) : NULL;
	if (!out) {
		free(copy);
		err_set(err, "out of memory");
		return NULL;
	}
	for (char *w = strtok_r(copy, " \t", &save); w && argc < WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		argv[argc++] = w;
	bool ok = f->write(s, &(struct view_args){.argc = argc, .argv = argv}, out, err);
	const bool full = ferror(out);
	if ((fclose(out) != 0 || full) && ok)
		ok = err_set(err, "out of memory");
	free(copy);
	char *clean = ok ? alloc_bytes(3 * *n + 1) : NULL;
	if (clean) {
		*n = utf8_clean(clean, text, *n, "\t\n");
		clean[*n] = '\0';
	} else if (ok) {
		err_set(err, "out of memory");
	}
	free(text);
	return clean;
}
