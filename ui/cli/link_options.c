#include "ui/cli/link_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/machine/params.h"
#include "ui/cli/compile.h"
#include "ui/link/origin.h"
#include "ui/screen/playground.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

#define LINK_DEMOS "build/demos/"

static const char *const link_option_names[] = {
#define OPTION(id, letter, name, ...) [OPT_##id] = name,
#include "ui/cli/options.def"
#undef OPTION
};

/* Options that change neither the program nor the machine, and those that a link carries. */
#define LINK_AROUND                                                                                \
	OPT_SOURCE, OPT_COURSE, OPT_EXECUTE, OPT_COMMANDS, OPT_BATCH, OPT_JSON_LINES,              \
		OPT_NO_SCREEN, OPT_NO_INIT, OPT_NO_HISTORY
static const enum option_id link_around[] = {LINK_AROUND},
			    link_carried[] = {LINK_AROUND, OPT_CONFIG, OPT_SET,   OPT_FF,
                                              OPT_WARMUP,  OPT_ABI,    OPT_STDIN, OPT_DIR};

/* The first option that was given and is none of these; NULL: there is none. */
static const char *link_first_other(const struct options *o, const enum option_id *of, size_t n)
{
	for (int id = 0; id < OPT_COUNT; id++) {
		bool among = !o->given[id];
		for (size_t i = 0; i < n; i++)
			among |= of[i] == (enum option_id)id;
		if (!among)
			return link_option_names[id];
	}
	return NULL;
}

bool link_options_allowed(const struct options *o, struct err *err)
{
	const char *other =
		link_first_other(o, link_around, sizeof link_around / sizeof *link_around);
	return !other || err_set(err,
	                         "--%s: the link has the program and the machine; expected "
	                         "options of the session, such as --batch and -e",
	                         other);
}

/* ---- demos ---- */
/* The words that `cyclops demo NAME` runs, as for a tour of that program. */
static char **link_demo_words(const char *name, int *argc, struct err *err)
{
	char program[LINK_NAME], none[] = "", path[sizeof LINK_DEMOS + LINK_NAME], root[8];
	const struct tour t = {.program = program, .options = none, .input = none};
	snprintf(program, sizeof program, "%s", name);
	snprintf(path, sizeof path, LINK_DEMOS "%s", name);
	if (!course_prefix(root, sizeof root) || *root || access(path, R_OK) != 0)
		return err_set(err, "there is no demo %s; `cyclops demo` lists them", name), NULL;
	return tour_command_line(&t, argc, err);
}

/* The place of "--" in words. */
static int link_find_program(char *const *words, int count)
{
	int i = 0;
	while (i < count && strcmp(words[i], "--") != 0)
		i++;
	return i;
}

/* The demo that the options run; false with a reason. */
static bool link_take_demo(const struct options *o, struct link_origin *to, struct err *err)
{
	const size_t n = sizeof LINK_DEMOS - 1;
	const char *path = o->argv[0], *name = strncmp(path, LINK_DEMOS, n) ? NULL : path + n;
	int count;
	if (!name || strlen(name) >= LINK_NAME)
		return err_set(err,
		               "a link carries a demo, as `cyclops demo` lists them, or an "
		               "assembly text, and %.80s is neither",
		               path);
	char **words = link_demo_words(name, &count, err);
	if (!words)
		return false;
	const int at = link_find_program(words, count);
	const char *input = at && !strcmp(words[at - 2], "--stdin") ? words[at - 1] : "";
	const bool none = !strcmp(input, "/dev/null");
	bool ok = true;
	if (o->stdin_path && strcmp(o->stdin_path, input) != 0)
		ok = err_set(err, "a link carries no input, and the program's is %.80s",
		             o->stdin_path);
	else if (!none && !o->stdin_path)
		ok = err_set(err, "a link gives %s the demo's input; start it as `cyclops demo %s`",
		             name, name);
	to->input = o->stdin_path != NULL;
	free(words);
	if (ok)
		strcpy(to->begins.demo, name);
	return ok;
}

/* ---- texts ---- */
/* True if the text needs another file, which a link lacks. */
static bool link_text_needs_files(const char *text)
{
	return strstr(text, ".include") || strstr(text, ".incbin") || strstr(text, "#include");
}

static bool link_take_text(struct link *l, const char *path, const char *text, size_t n, bool own,
                           struct err *err)
{
	const char *slash = strrchr(path, '/');
	if (!strncmp(path, "./", 2) && slash == path + 1)
		slash = NULL;
	if (slash && !own)
		return err_set(err,
		               "the text's path, %.80s, is a part of its run; for a link, "
		               "start it in its folder, as `cyclops %.60s`",
		               path, slash + 1);
	if (!strncmp(path, "./", 2))
		path += 2;
	if (link_text_needs_files(text))
		return err_set(err,
		               "%.80s includes another file, and a link carries only texts "
		               "that are assembled together",
		               path);
	return link_add_text(l, slash ? slash + 1 : path, text, n, err);
}

static bool link_take_file(struct link *l, const char *path, struct err *err)
{
	char *text = alloc_bytes(LINK_BYTES + 1);
	FILE *f = text ? open_input(path) : NULL;
	const size_t n = f ? fread(text, 1, LINK_BYTES + 1, f) : 0;
	bool ok = f && !ferror(f) && n <= LINK_BYTES;
	if (f)
		fclose(f);
	if (!ok)
		err_set(err, "%.80s can't be read, or is too long for a link", path);
	else
		text[n] = '\0';
	ok = ok && link_take_text(l, path, text, n, false, err);
	free(text);
	return ok;
}

/* The texts that the options name, or those of the playground, which may be newer than the files.
 */
static bool link_take_texts(const struct options *o, const struct tour_place *place, unsigned files,
                            struct link *l, struct err *err)
{
	const struct playground *p = place->playground;
	if (p && p->c)
		return err_set(err, "a link carries assembly, and this program is C");
	for (unsigned i = 0; p && i < p->count; i++)
		if (!link_take_text(l, p->text[i].path,
		                    p->text[i].editor.text ? p->text[i].editor.text : "",
		                    p->text[i].editor.n, place->seen_as != NULL, err))
			return false;
	for (unsigned i = 0; !p && i < files; i++)
		if (!link_take_file(l, o->argv[i], err))
			return false;
	return true;
}

static bool link_take_options(const struct options *o, const struct tour_place *place,
                              struct link_origin *to, struct err *err)
{
	const unsigned files = place->playground || o->cc ? 0 : compile_texts(o);
	const char *other =
		link_first_other(o, link_carried, sizeof link_carried / sizeof *link_carried);
	if (other)
		return err_set(err, "this session has --%s, which a link can't carry", other);
	if (!place->playground && !files ? !link_take_demo(o, to, err)
	                                 : !link_take_texts(o, place, files, &to->begins, err))
		return false;
	if (*to->begins.demo ? false : o->folder_count || o->stdin_path)
		return err_set(err, "this session has --%s, which a link can't carry",
		               o->folder_count ? "dir" : "stdin");
	to->begins.abi = o->abi;
	for (int i = files ? (int)files : 1; i < o->argc; i++)
		if (!link_add_arg(&to->begins, o->argv[i], err))
			return false;
	return true;
}

void link_options_begin(const struct options *o, const struct tour_place *place)
{
	struct link_origin origin = {0};
	struct err err = {""};
	link_init(&origin.begins);
	if (!link_take_options(o, place, &origin, &err)) {
		link_deinit(&origin.begins);
		snprintf(origin.lacks, sizeof origin.lacks, "%.*s",
		         (int)sizeof origin.lacks - 1, err.msg);
	}
	link_origin_set(&origin);
}

/* ---- a link's command line ---- */
static bool link_preset_known(const char *name)
{
	char path[4096];
	return config_preset_path(name, path, sizeof path, NULL) && access(path, R_OK) == 0;
}

/* Writes the words of the link's configuration, each with a zero: the preset whose name it has, and
 * the parameters that differ from it. */
static void link_put_config(FILE *f, const struct link *l)
{
	struct config base;
	struct err unused;
	char value[PARAM_TEXT_MAX];
	config_default(&base);
	if (*l->config_name && link_preset_known(l->config_name) &&
	    config_load(&base, l->config_name, &unused))
		fprintf(f, "-c%c%s%c", 0, l->config_name, 0);
	for (size_t i = 0; i < param_count; i++)
		/* Of sim.terminal a session has its own opinion, unless it is set. */
		if (!config_same(&base, &l->config, &params[i]) ||
		    !strcmp(params[i].name, "sim.terminal"))
			fprintf(f, "-o%c%s=%s%c", 0, params[i].name,
			        config_format(&l->config, &params[i], value, sizeof value), 0);
}

static void link_put_words(FILE *f, const struct link *l, char *const *demo, int demo_count)
{
	link_put_config(f, l);
	if (l->ff)
		fprintf(f, "--ff%c%" PRIu64 "%c", 0, l->ff, 0);
	if (l->warm)
		fprintf(f, "--warmup%c", 0);
	if (l->abi >= 0)
		fprintf(f, "--abi%c%s%c", 0, os_abi_name((enum os_abi)l->abi), 0);
	const int program = link_find_program(demo, demo_count);
	for (int i = 1; i < program; i++)
		fprintf(f, "%s%c", demo[i], 0);
	fprintf(f, "--%c", 0);
	if (*l->demo)
		fprintf(f, "%s%c", demo[program + 1], 0);
	for (unsigned i = 0; i < l->text_count; i++)
		fprintf(f, "%s%c", l->text[i].name, 0);
	for (unsigned i = 0; i < l->arg_count; i++)
		fprintf(f, "%s%c", l->arg[i], 0);
}

/* Makes an array of words: name, more[], and those of text[n], each with a zero. */
static char **link_array_of(const char *text, size_t n, char *name, char *const *more,
                            int more_count, int *argc)
{
	int count = 1 + more_count;
	for (size_t i = 0; i < n; i++)
		count += !text[i];
	char **words = alloc_zeroed(1, ((size_t)count + 1) * sizeof *words + n);
	if (!words)
		return NULL;
	char *at = memcpy(words + count + 1, text, n);
	words[0] = name;
	memcpy(words + 1, more, (size_t)more_count * sizeof *more);
	for (int i = 1 + more_count; i < count; i++, at += strlen(at) + 1)
		words[i] = at;
	*argc = count;
	return words;
}

char **link_options_words(const struct link *l, char *name, char *const *more, int more_count,
                          int *argc, struct err *err)
{
	int demo_count = 0;
	char *text = NULL, **demo = *l->demo ? link_demo_words(l->demo, &demo_count, err) : NULL;
	size_t n;
	if (*l->demo && !demo)
		return NULL;
	FILE *f = alloc_stream(&text, &n);
	if (f)
		link_put_words(f, l, demo, demo_count);
	char **words =
		f && fclose(f) == 0 ? link_array_of(text, n, name, more, more_count, argc) : NULL;
	free(text);
	free(demo);
	if (!words)
		err_set(err, "out of memory");
	return words;
}
