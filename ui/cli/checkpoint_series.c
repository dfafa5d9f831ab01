#include "ui/cli/checkpoint_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/render/safe_print.h"

/* Appends the value of %letter; false if there is none. Numbers have leading zeros, so that `ls`
 * shows files in order. */
static bool checkpoint_series_append_field(FILE *f, const struct session *s, char letter)
{
	switch (letter) {
	case '%':
		fputc('%', f);
		return true;
	case 'p':
		fputs(basename(program_path(s->program)), f);
		return true;
	case 'i':
		fprintf(f, "%012" PRIu64, machine_insts(s->machine));
		return true;
	case 'c':
		fprintf(f, "%012" PRIu64, machine_cycle(s->machine));
		return true;
	default:
		return false;
	}
}

/* Makes the present file name, malloc'd; NULL with *err. */
static char *name_now(const struct checkpoint_series *v, struct err *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = alloc_stream(&text, &n);
	bool ok = f || err_set(err, "out of memory");
	for (const char *c = v->pattern; ok && *c; c++) {
		if (*c != '%')
			fputc(*c, f);
		else if (!checkpoint_series_append_field(f, v->s, *++c))
			ok = err_set(err,
			             "--save-to %s: '%%%.1s' stands for nothing; expected %%p "
			             "(program), %%i (instructions), %%c (cycles), %%%%",
			             v->pattern, c);
	}
	if (f && fclose(f) != 0)
		ok = err_set(err, "out of memory");
	if (ok)
		return text;
	free(text);
	return NULL;
}

static bool folder_ok(const struct checkpoint_series *v, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash          ? alloc_text(".")
	               : slash == path ? alloc_text("/")
	                               : alloc_text_n(path, (size_t)(slash - path));
	bool ok = folder || err_set(err, "out of memory");
	if (ok && access(folder, W_OK | X_OK) != 0)
		ok = err_set(err, "--save-to %s: can't write to %s: %s", v->pattern, folder,
		             strerror(errno));
	free(folder);
	return ok;
}

bool checkpoint_series_init(struct checkpoint_series *v, const struct options *o,
                            const struct session *s, struct err *err)
{
	*v = (struct checkpoint_series){.o = o, .s = s, .pattern = o->save_to};
	if (!v->pattern && o->save_every)
		v->pattern = "%p-%i.checkpoint";
	if (o->given[OPT_SAVE_KEEP] && !o->save_every)
		return err_set(
			err, "--save-keep limits the files of --save-every N, which is not given");
	if (!v->pattern)
		return true;
	if (o->given[OPT_FUNCTIONAL] && o->save_cycles)
		return err_set(err,
		               "--save-every in cycles: --functional has none; use instructions");
	if (o->given[OPT_HISTORY])
		return err_set(err, "--history keeps the past in memory, --save-every and "
		                    "--save-to in files: one of them at a time");
	char *name = name_now(v, err);
	bool ok = name && folder_ok(v, name, err);
	if (ok)
		output_keep_folder(name);
	free(name);
	return ok;
}

void checkpoint_series_deinit(struct checkpoint_series *v)
{
	for (unsigned i = 0; i < v->kept_count; i++)
		free(v->kept[i]);
	v->kept_count = 0;
}

void checkpoint_series_due(const struct checkpoint_series *v, uint64_t now, uint64_t *until)
{
	uint64_t every = v->o->save_every;
	if (!every || now > UINT64_MAX - every)
		return;
	uint64_t due = (now / every + 1) * every;
	if (due < *until)
		*until = due;
}

/* Takes over name; removes the oldest file if there are too many. */
static void checkpoint_series_rotate_files(struct checkpoint_series *v, char *name)
{
	unsigned most = v->o->save_keep;
	for (unsigned i = 0; i < v->kept_count; i++) {
		if (!strcmp(v->kept[i], name)) { /* the same file again */
			free(name);
			return;
		}
	}
	if (!most) {
		free(name);
		return;
	}
	if (v->kept_count == most) {
		output_remove(v->kept[0]);
		free(v->kept[0]);
		memmove(v->kept, v->kept + 1, --v->kept_count * sizeof *v->kept);
	}
	v->kept[v->kept_count++] = name;
}

void checkpoint_series_save(struct checkpoint_series *v)
{
	struct err err;
	char *name = v->pattern ? name_now(v, &err) : NULL;
	if (!v->pattern)
		return;
	if (name && checkpoint_save(v->s, name, &err)) {
		checkpoint_series_rotate_files(v, name);
		return;
	}
	free(name);
	/* Report the first failure only: a full disk is likely to stay full, though later saves may
	 * succeed. */
	if (!v->failures++)
		say_error("not saved at instruction %" PRIu64 ": %s%s",
		          machine_insts(v->s->machine), err.msg,
		          v->o->save_every ? "; later ones are tried without further messages"
		                           : "");
}
