/* `cyclops web`: the page for browsers, with a course of one's own, as a folder to publish. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
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
#include "core/base/own_data.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/option_text.h"
#include "ui/render/safe_print.h"

/* The course's place in the page's file system (core/host/web/library.js). */
#define WEB_COURSE "/usr/local/share/cyclops/"

enum { WEB_PATH = 512, WEB_OWN_FILES = 10000, WEB_DEPTH = 16, WEB_LIST_MAX = 16 << 20 };

/* A publication being made. */
struct web_making {
	const char *out;        /* borrowed */
	json_t *files;          /* the list of files.json; borrowed */
	unsigned count, own;    /* files written; of them, of the own course */
	uint64_t bytes, digest; /* of all; of the own course */
};

static bool web_join(char *out, size_t n, const char *folder, const char *name, struct err *err)
{
	return snprintf(out, n, "%s/%s", folder, name) < (int)n ||
	       err_set(err, "%s/%s: the path is too long", folder, name);
}

/* Copies a regular file. False with *err. */
static bool web_copy(struct web_making *w, const char *from, const char *name, struct err *err)
{
	char to[PATH_MAX], block[1 << 16];
	struct output_file o;
	size_t n;
	FILE *f = web_join(to, sizeof to, w->out, name, err) ? open_data_input(from) : NULL;
	if (!f)
		return *err->msg ? false : err_set(err, "%s: %s", from, open_input_error());
	bool ok = output_begin(&o, to, OUTPUT_FILE_REGULAR, err);
	if (ok) {
		while ((n = fread(block, 1, sizeof block, f))) {
			fwrite(block, 1, n, o.f);
			w->bytes += n;
		}
		if (ferror(f)) {
			output_drop(&o);
			ok = err_set(err, "%s can't be read", from);
		} else {
			ok = output_end(&o, to, err);
		}
	}
	fclose(f);
	w->count += ok;
	return ok;
}

static bool web_make_folder(const char *path, struct err *err)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ||
	       err_set(err, "%s: %s", path, strerror(errno));
}

/* ---- the page ---- */
static int web_is_plain(const struct dirent *d)
{
	return *d->d_name != '.';
}

static int web_compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* True for what is published: not what building left beside it. */
static bool web_is_published(const char *name)
{
	static const char *const ends[] = {".html", ".js",   ".css", ".svg",
	                                   ".wasm", ".json", ".data"};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (output_ends_in(name, ends[i]))
			return true;
	return false;
}

/* Copies the files of base/folder; `all`: of any name. */
static bool web_copy_folder(struct web_making *w, const char *base, const char *folder, bool all,
                            struct err *err)
{
	char path[PATH_MAX], name[WEB_PATH];
	struct dirent **names;
	struct stat st;
	if (!web_join(path, sizeof path, base, folder, err))
		return false;
	const int n = alloc_folder_names(path, &names, web_is_plain, web_compare_names);
	bool ok = n >= 0 || err_set(err, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *file = names[i]->d_name;
		ok = ok && web_join(name, sizeof name, folder, file, err) &&
		     web_join(path, sizeof path, base, name, err);
		if (ok && (all || web_is_published(file)) && lstat(path, &st) == 0 &&
		    S_ISREG(st.st_mode))
			ok = web_copy(w, path, name, err);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return ok;
}

/* The folder that `make web` has filled. False with *err. */
static bool web_find_page(char *out, size_t n, struct err *err)
{
	char root[PATH_MAX], file[PATH_MAX];
	bool installed;
	if (!own_data_folder(root, sizeof root, &installed))
		return err_set(err, "the program's own files are not there");
	return web_join(out, n, root, installed ? "web" : "build/web", err) &&
	       web_join(file, sizeof file, out, "index.html", err) &&
	       (access(file, R_OK) == 0 ||
	        err_set(err, "%s is not there: `make web` builds the page, in half an hour", out));
}

/* ---- the course of one's own ---- */
/* Lists a file under its place in the course; a file of that place is replaced. */
static void web_list(struct web_making *w, const char *path, off_t size, bool runs,
                     const char *where)
{
	size_t i;
	json_t *old, *row = json_pack("[sIis]", path, (json_int_t)size, runs ? 0755 : 0644, where);
	json_array_foreach(w->files, i, old)
	{
		const char *name = json_string_value(json_array_get(old, 0));
		if (name && !strcmp(name, path)) {
			json_array_set_new(w->files, i, row);
			return;
		}
	}
	json_array_append_new(w->files, row);
}

/* Adds the file `at` of the folder. */
static bool web_add_file(struct web_making *w, const char *from, const char *at,
                         const struct stat *st, struct err *err)
{
	char place[WEB_PATH * 2], where[WEB_PATH + 16];
	if (w->own == WEB_OWN_FILES)
		return err_set(err, "the course has more than %d files", WEB_OWN_FILES);
	snprintf(place, sizeof place, WEB_COURSE "%s", at);
	/* A number, so that names that differ in a slash differ here, too. */
	snprintf(where, sizeof where, "course/%u.%s", w->own++, at);
	for (char *c = where + 7; *c; c++)
		*c = *c == '/' || *c == '?' || *c == '#' || *c == '%' ? '.' : *c;
	w->digest = w->digest * 31 + hash_text(at) + (uint64_t)st->st_size +
	            (uint64_t)st->st_mtim.tv_sec * 1000003 + (uint64_t)st->st_mtim.tv_nsec;
	web_list(w, place, st->st_size, st->st_mode & 0111, where);
	return web_copy(w, from, where, err);
}

/* Adds all files below folder/at; neither links nor hidden files. */
static bool web_add_folder(struct web_making *w, const char *folder, const char *at, int depth,
                           struct err *err)
{
	char path[PATH_MAX], below[WEB_PATH];
	struct dirent **names;
	struct stat st;
	if (depth > WEB_DEPTH)
		return err_set(err, "%s/%s: folders are too deep", folder, at);
	if (!web_join(path, sizeof path, folder, at, err))
		return false;
	const int n = alloc_folder_names(path, &names, web_is_plain, web_compare_names);
	bool ok = n >= 0 || err_set(err, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		if (*at)
			ok = ok && web_join(below, sizeof below, at, name, err);
		else
			snprintf(below, sizeof below, "%s", name);
		ok = ok && web_join(path, sizeof path, folder, below, err);
		if (ok && lstat(path, &st) == 0)
			ok = S_ISDIR(st.st_mode) ? web_add_folder(w, folder, below, depth + 1, err)
			     : S_ISREG(st.st_mode) ? web_add_file(w, path, below, &st, err)
			                           : true;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return ok;
}

/* True if the folder is a course. */
static bool web_is_course(const char *folder, struct err *err)
{
	static const char *const parts[] = {"demos/labs", "demos/tours"};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (web_join(path, sizeof path, folder, parts[i], err) && access(path, F_OK) == 0)
			return true;
	return err_set(err, "%s is no course; expected a folder with demos/labs or demos/tours",
	               folder);
}

/* Gives the service worker another version, so that browsers take the new course. */
static bool web_set_version(const struct web_making *w, const char *base, struct err *err)
{
	static const char mark[] = "const VERSION = \"";
	char path[PATH_MAX], *text = alloc_bytes(1 << 16);
	FILE *f = text && web_join(path, sizeof path, base, "service-worker.js", err)
	                  ? open_own_input(path)
	                  : NULL;
	const size_t n = f ? fread(text, 1, (1 << 16) - 1, f) : 0;
	if (f)
		fclose(f);
	if (text)
		text[n] = '\0';
	const char *at = text ? strstr(text, mark) : NULL;
	bool ok = at || err_set(err, "%s/service-worker.js is not that of this version", base);
	struct output_file o;
	ok = ok && web_join(path, sizeof path, w->out, "service-worker.js", err) &&
	     output_begin(&o, path, OUTPUT_FILE_REGULAR, err);
	if (ok) {
		at += sizeof mark - 1;
		fprintf(o.f, "%.*s%016" PRIx64 "-%s", (int)(at - text), text, w->digest, at);
		ok = output_end(&o, path, err);
	}
	free(text);
	return ok;
}

/* Adds the course, and writes the list of files anew. */
static bool web_add_course(struct web_making *w, const char *base, const char *course,
                           struct err *err)
{
	char path[PATH_MAX];
	json_error_t why;
	if (!web_is_course(course, err) || !web_join(path, sizeof path, base, "files.json", err))
		return false;
	FILE *f = open_own_input(path);
	json_t *list = f ? json_loadf(f, 0, &why) : NULL;
	if (f)
		fclose(f);
	w->files = json_object_get(list, "files");
	char *text = NULL;
	bool ok = json_is_array(w->files) || err_set(err, "%s is damaged", path);
	ok = ok && web_join(path, sizeof path, w->out, "course", err) &&
	     web_make_folder(path, err) && web_add_folder(w, course, "", 0, err) &&
	     ((text = json_dumps(list, JSON_COMPACT)) || err_set(err, "out of memory")) &&
	     web_join(path, sizeof path, w->out, "files.json", err) &&
	     output_write(path, text, strlen(text), OUTPUT_FILE_REGULAR, err) &&
	     web_set_version(w, base, err);
	free(text);
	json_decref(list);
	return ok;
}

/* ---- the command ---- */
/* Makes the folder, if it is not there; one with other things is refused. False with *err. */
static bool web_make_out(const char *out, struct err *err)
{
	char path[PATH_MAX];
	struct dirent **names;
	if (!web_make_folder(out, err))
		return false;
	const int n = alloc_folder_names(out, &names, web_is_plain, web_compare_names);
	for (int i = 0; i < n; i++)
		free(names[i]);
	if (n >= 0)
		free(names);
	if (n < 0)
		return err_set(err, "%s: %s", out, strerror(errno));
	return !n ||
	       (web_join(path, sizeof path, out, "service-worker.js", err) &&
	        access(path, F_OK) == 0) ||
	       err_set(err,
	               "%s has other files; expected a new folder, an empty one, or one that "
	               "`cyclops web` has made",
	               out);
}

static int cli_web_make(const char *out, const char *course)
{
	char base[PATH_MAX], path[PATH_MAX];
	struct err err = {""};
	struct web_making w = {.out = out};
	const bool ok = web_find_page(base, sizeof base, &err) &&
	                (!course || web_is_course(course, &err)) && web_make_out(out, &err) &&
	                web_join(path, sizeof path, out, "files", &err) &&
	                web_make_folder(path, &err) &&
	                web_copy_folder(&w, base, ".", false, &err) &&
	                web_copy_folder(&w, base, "files", true, &err) &&
	                (!course || web_add_course(&w, base, course, &err));
	if (!ok)
		return say_error("%s", err.msg);
	say(stdout, "%s: %u files, %.1f MB", out, w.count, (double)w.bytes / 1e6);
	if (course)
		say(stdout, ", %u of them from %s", w.own, course);
	say(stdout, "\nPublish the folder, or try it here: python3 -m http.server -d %s\n", out);
	return 0;
}

static int cli_web_main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		option_text_head(stdout, cli_web.usage, cli_web.help);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		if (*argv[i] == '-' || !*argv[i])
			return say_error("'%s' is no folder; expected cyclops %s", argv[i],
			                 cli_web.usage);
	if (argc != 2 && argc != 3)
		return say_error("%s; expected cyclops %s",
		                 argc < 2 ? "no folder given" : "too many words", cli_web.usage);
	return cli_web_make(argv[1], argc > 2 ? argv[2] : NULL);
}

const struct cli_command cli_web = {
	.name = "web",
	.usage = "web DIR [COURSE]",
	.help = "Writes the page that is Cyclops in a browser into DIR, to be published: static\n"
		"files, which any page host serves. COURSE is a folder of your own with "
                "demos/labs\n"
		"or demos/tours: its files are put over those of the course, at the same places. "
                "The\n"
		"page is that of `make web`; docs/web.md has the settings of hosts.",
	.run = cli_web_main,
};
