/* `cyclops link`: opens the moment that a link leads to. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/link_options.h"
#include "ui/cli/option_text.h"
#include "ui/cli/own_folder.h"
#include "ui/link/moment.h"
#include "ui/render/safe_print.h"
#include "ui/screen/screen.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

enum { LINK_FOLDERS = 100 };

/* ---- texts: a folder of their own, so that no file of the user's is replaced ---- */
/* True if the file has exactly these bytes. */
static bool link_file_equals(const char *path, const struct link_text *t)
{
	FILE *f = open_input(path);
	char *bytes = f ? alloc_bytes(t->n + 1) : NULL;
	const bool same =
		bytes && fread(bytes, 1, t->n + 1, f) == t->n && !memcmp(bytes, t->bytes, t->n);
	if (f)
		fclose(f);
	free(bytes);
	return same;
}

/* Writes the texts into a new folder, or finds them all in an old one. False: another link's texts,
 * or edited ones, are there, or *err. */
static bool link_fill_folder(const char *folder, const struct link *l, struct err *err)
{
	char path[PATH_MAX + LINK_NAME + 1];
	const bool new = mkdir(folder, 0700) == 0;
	if (!new &&errno != EEXIST)
		return err_set(err, "%s: %s", folder, strerror(errno));
	for (unsigned i = 0; i < l->text_count; i++) {
		const struct link_text *t = &l->text[i];
		snprintf(path, sizeof path, "%s/%s", folder, t->name);
		if (new ? !output_write(path, t->bytes, t->n, OUTPUT_FILE_REGULAR, err)
		        : !link_file_equals(path, t))
			return false;
	}
	return true;
}

/* Enters a folder with the link's texts: below the user's own, named by the texts. False with *err.
 */
static bool link_enter_texts(const struct link *l, struct err *err)
{
	uint64_t hash = 0;
	char name[64], folder[PATH_MAX];
	for (unsigned i = 0; i < l->text_count; i++)
		hash = hash * 31 + hash_text(l->text[i].name) + hash_text(l->text[i].bytes);
	for (unsigned i = 1; i < LINK_FOLDERS; i++) {
		int n = snprintf(name, sizeof name, "link-%016" PRIx64, hash);
		if (i > 1)
			snprintf(name + n, sizeof name - (size_t)n, "-%u", i);
		*err = (struct err){""};
		if (!own_file(name, folder, sizeof folder, err))
			return false;
		if (link_fill_folder(folder, l, err))
			return chdir(folder) == 0 ||
			       err_set(err, "%s: %s", folder, strerror(errno));
		if (*err->msg)
			return false;
	}
	return err_set(err, "there are %d edited copies of this link's text below %s; remove some",
	               LINK_FOLDERS, folder);
}

/* ---- the command ---- */
/* Opens the session of words. */
static int link_run_session(int argc, char **words, const struct link *l, const char *tree)
{
	const struct moment moment = {l->cycle, l->insts, l->layout, tree};
	struct tour_place place = {.moment = &moment};
	struct options o;
	struct err err;
	if (!options_parse(&o, FOR_INSPECT, argc, words, &err))
		return say_error("%s", err.msg);
	if (!*l->demo && screen_possible() && !o.given[OPT_BATCH] && !o.given[OPT_JSON_LINES] &&
	    !o.given[OPT_NO_SCREEN]) {
		options_deinit(&o);
		return cli_edit_at(argc, words, place);
	}
	options_prefer_terminal(&o);
	const int status = cli_inspect_options(&o, &place);
	options_deinit(&o);
	return cli_tour_next(&place, status);
}

/* Checks the user's options; false with *err. */
static bool link_check_options(int argc, char **argv, struct err *err)
{
	struct options o;
	char **words = alloc_bytes(((size_t)argc + 1) * sizeof *words);
	if (!words)
		return err_set(err, "out of memory");
	memcpy(words, argv, (size_t)argc * sizeof *words);
	words[argc] = NULL;
	bool ok = options_parse(&o, FOR_INSPECT, argc, words, err);
	if (ok) {
		ok = link_options_allowed(&o, err) &&
		     (!o.argc ||
		      err_set(err, "'%.60s': expected options before the link", o.argv[0]));
		options_deinit(&o);
	}
	free(words);
	return ok;
}

static int cli_link_open(int argc, char **argv)
{
	static char name[] = "link";
	struct link l;
	struct err err;
	int count;
	argv[0] = name; /* of an option's error; a pasted link has the program's */
	if (!link_check_options(argc - 1, argv, &err) || !link_read(&l, argv[argc - 1], &err))
		return say_error("%s", err.msg);
	int status = STATUS_ERROR;
	char **words = NULL;
	if (*l.demo ? course_enter(&err) : link_enter_texts(&l, &err))
		words = link_options_words(&l, argv[0], argv + 1, argc - 2, &count, &err);
	if (words)
		status = link_run_session(count, words, &l, l.tree);
	else
		say_error("%s", err.msg);
	free(words);
	link_deinit(&l);
	return status;
}

static int cli_link_main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		option_text_head(stdout, cli_link.usage, cli_link.help);
		return 0;
	}
	if (argc < 2 || (*argv[argc - 1] == '-' && argv[argc - 1][1]))
		return say_error("no link given; expected cyclops %s", cli_link.usage);
	return cli_link_open(argc, argv);
}

const struct cli_command cli_link = {
	.name = "link",
	.usage = "link [OPTIONS] LINK",
	.help = "Opens the moment to which a link leads: its program, machine, cycle and layout; "
                "a\n"
		"session's command `link` prints one. LINK is the whole address, or what it has\n"
		"after '#', in quotes. OPTIONS are those of `cyclops inspect` that change neither "
                "the\n"
		"program nor the machine, such as --batch and -e. A link runs no command: it "
                "names\n"
		"a demo, or has an assembly text, which goes into a folder of its own.",
	.run = cli_link_main,
};
