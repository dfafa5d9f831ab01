/* `cyclops manual`: shows the pages of the manual, as text or in a browser. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/output_file.h"
#include "ui/child/child_words.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/manual_html.h"
#include "ui/cli/option_text.h"
#include "ui/cli/own_folder.h"
#include "ui/lab/lab.h"
#include "ui/render/markdown.h"
#include "ui/render/safe_print.h"
#include "ui/tour/course.h"

enum { PAGES_MAX = 64, NAME = 48, TITLE = 120 };

struct page {
	char name[NAME], title[TITLE], path[PATH_MAX];
};

struct pages {
	struct page p[PAGES_MAX];
	unsigned count;
};

/* Folders of pages, in reading order; each .md is a page. */
static const struct {
	const char *folder, *only, *prefix;
} places[] = {
	{"", "README.md", ""},
	{"docs", "start.md", ""},
	{"docs", NULL, ""},
	{"", "TEACHING.md", ""},
	{"core", "README.md", "machine"},
	{"demos/scenarios", "README.md", "scenarios"},
	{"demos/coursework", "README.md", "coursework"},
	{"demos/papers", "README.md", "papers"},
	{"demos/papers/ammons1997", "README.md", "ammons1997"},
	{"demos/papers/burrows2000", "README.md", "burrows2000"},
	{"demos/papers/sastry2001", "README.md", "sastry2001"},
	{"demos/papers/vaswani2003", "README.md", "vaswani2003"},
	{"demos/papers/zilles2001", "README.md", "zilles2001"},
	{"", "SECURITY.md", ""},
};

static bool cli_manual_has_page(const struct pages *all, const char *name)
{
	for (unsigned i = 0; i < all->count; i++)
		if (!strcmp(all->p[i].name, name))
			return true;
	return false;
}

/* Adds a page; the first heading is the title. */
static void cli_manual_add_page(struct pages *all, const char *root, const char *folder,
                                const char *file, const char *prefix)
{
	struct page *p = &all->p[all->count];
	char line[256] = "";
	if (all->count == PAGES_MAX || snprintf(p->path, sizeof p->path, "%s/%s%s%s", root, folder,
	                                        *folder ? "/" : "", file) >= (int)sizeof p->path)
		return;
	if (*prefix)
		snprintf(p->name, sizeof p->name, "%s", prefix);
	else
		snprintf(p->name, sizeof p->name, "%.*s", (int)strcspn(file, "."), file);
	for (char *c = p->name; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
	FILE *f = cli_manual_has_page(all, p->name) ? NULL : alloc_file(p->path, "r");
	while (f && *line != '#' && fgets(line, sizeof line, f))
		;
	if (!f)
		return;
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	snprintf(p->title, sizeof p->title, "%.*s", TITLE - 1, line + strspn(line, "# "));
	all->count++;
}

static int is_page(const struct dirent *d)
{
	const size_t n = strlen(d->d_name);
	return n > 3 && n < NAME && !strcmp(d->d_name + n - 3, ".md");
}

/* Adds pages of labs: lab1, lab2, ... */
static void find_labs(struct pages *all, const char *root)
{
	struct lab *labs = alloc_zeroed(LABS_MAX, sizeof *labs);
	const unsigned count = labs ? labs_all(root, labs) : 0;
	for (unsigned i = 0; i < count; i++) {
		char folder[LAB_NAME + 16], name[16];
		snprintf(folder, sizeof folder, "demos/labs/%s", labs[i].name);
		snprintf(name, sizeof name, "lab%u", labs[i].number);
		cli_manual_add_page(all, root, folder, "page.md", name);
	}
	free(labs);
}

static void find_pages(struct pages *all, const char *root)
{
	all->count = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char folder[PATH_MAX];
		struct dirent **names;
		if (places[i].only) {
			cli_manual_add_page(all, root, places[i].folder, places[i].only,
			                    places[i].prefix);
			continue;
		}
		snprintf(folder, sizeof folder, "%.*s/%s", PATH_MAX - 64, root, places[i].folder);
		const int n = alloc_folder_names(folder, &names, is_page, alphasort);
		for (int k = 0; k < n; k++) {
			cli_manual_add_page(all, root, places[i].folder, names[k]->d_name,
			                    places[i].prefix);
			free(names[k]);
		}
		if (n >= 0)
			free(names);
	}
	find_labs(all, root);
}

static bool cli_manual_write_html(const struct pages *all, const char *path, struct err *err)
{
	const char *paths[PAGES_MAX], *names[PAGES_MAX], *titles[PAGES_MAX];
	for (unsigned i = 0; i < all->count; i++) {
		paths[i] = all->p[i].path;
		names[i] = all->p[i].name;
		titles[i] = all->p[i].title;
	}
	return manual_html(path, paths, names, titles, all->count, err);
}

static const struct page *cli_manual_find_page(const struct pages *all, const char *name,
                                               struct nearest *n)
{
	const struct page *found = NULL;
	nearest_init(n, name);
	for (unsigned i = 0; i < all->count; i++) {
		nearest_offer(n, all->p[i].name);
		if (!strcmp(name, all->p[i].name))
			found = &all->p[i];
	}
	return found;
}

/* Writes pages, by name or a file's path with a slash, to one file. */
static int cli_manual_write_pages(const struct pages *all, char *const *words, unsigned count,
                                  const char *to)
{
	struct pages *chosen = alloc_zeroed(1, sizeof *chosen);
	struct nearest near;
	struct err err;
	int status = chosen ? 0 : say_error("out of memory");
	for (unsigned i = 0; i < count && status == 0; i++) {
		const char *slash = strrchr(words[i], '/');
		const struct page *p =
			slash ? NULL : cli_manual_find_page(all, words[i], &near);
		if (p && chosen->count < PAGES_MAX) {
			chosen->p[chosen->count++] = *p;
		} else if (slash) {
			char folder[PATH_MAX];
			snprintf(folder, sizeof folder, "%.*s", (int)(slash - words[i]), words[i]);
			cli_manual_add_page(chosen, folder, "", slash + 1, "");
		}
		if (chosen->count != i + 1)
			status = slash ? say_error("%s: expected a page of Markdown with a name of "
			                           "its own, and at most %d of them",
			                           words[i], PAGES_MAX)
			               : say_error("no page is called '%s'; %s", words[i],
			                           nearest_said(&near, "`cyclops manual` lists "
			                                               "them"));
	}
	if (status == 0 && !cli_manual_write_html(count ? chosen : all, to, &err))
		status = say_error("%s", err.msg);
	free(chosen);
	return status;
}

/* Writes all pages to a file, and opens the file in a browser. */
static int cli_manual_open_browser(const struct pages *all)
{
	char path[PATH_MAX];
	struct err err;
	if (!own_file("manual.html", path, sizeof path, &err) ||
	    !cli_manual_write_html(all, path, &err))
		return say_error("%s", err.msg);
	printf("%s\n", path);
	fflush(stdout);
	if (!(getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) || !isatty(STDOUT_FILENO))
		return 0;
	struct child_words w;
	child_words_init(&w);
	child_word(&w, "xdg-open");
	child_file(&w, path);
	const bool opened = child_run(&w, NULL, NULL) >= 0;
	child_words_deinit(&w);
	return opened ? 0 : say_error("there is no xdg-open; open the file above in a browser");
}

static int cli_manual_list_pages(const struct pages *all)
{
	puts("Pages of the manual, for `cyclops manual PAGE`; `cyclops manual --browser` opens all "
	     "of them:\n");
	for (unsigned i = 0; i < all->count; i++)
		say(stdout, "  %-20s %s\n", all->p[i].name, all->p[i].title);
	puts("\n`cyclops help` is the reference: commands, parameters, statistics, Lua.");
	return 0;
}

struct manual_request {
	bool browser, help;
	const char *to; /* file for pages as HTML; NULL: none */
};

static bool manual_take(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct manual_request *r = ctx;
	(void)argc;
	(void)argv;
	if (id == COURSE_OPTION)
		return course_choose(optarg, err);
	if (id == 't') {
		r->to = optarg;
		return *optarg || err_set(err, "--to needs a file's name");
	}
	return *(id == 'b' ? &r->browser : &r->help) = true;
}

static const struct cli_option manual_options[] = {
	{{"browser", no_argument, NULL, 'b'}, NULL, "all pages as one, opened in a browser"},
	{{"to", required_argument, NULL, 't'},
         "FILE",
	 "the pages named, also ./FILE.md, as one of HTML, to print: each begins a sheet"},
	{{"course", required_argument, NULL, COURSE_OPTION}, "FOLDER", COURSE_HELP},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { MANUAL_OPTIONS = sizeof manual_options / sizeof *manual_options };

static int cli_manual_main(int argc, char **argv)
{
	char root[PATH_MAX];
	bool installed;
	struct err err;
	struct nearest n;
	struct manual_request r = {0};
	if (!cli_read_options(manual_options, MANUAL_OPTIONS, argc, argv, manual_take, &r, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		option_text_head(stdout, cli_manual.usage, cli_manual.help);
		cli_print_options(manual_options, MANUAL_OPTIONS, stdout);
		return 0;
	}
	const char *wanted = optind < argc ? argv[optind] : NULL;
	if (r.to && !output_ends_in(r.to, ".html"))
		return say_error("%s: pages are written as HTML; expected FILE.html", r.to);
	if ((optind + 1 < argc && !r.to) || (wanted && r.browser))
		return say_error("'%s' is one word too many; expected cyclops %s", argv[argc - 1],
		                 cli_manual.usage);
	struct pages *all = alloc_bytes(sizeof *all);
	if (!all || !course_root(root, sizeof root, &installed, &err)) {
		free(all);
		return say_error("%s", all ? "there are no pages beside the program; "
		                             "expected a checkout of Cyclops, or its package"
		                           : "out of memory");
	}
	find_pages(all, root);
	int status = STATUS_ERROR;
	const struct page *found = wanted ? cli_manual_find_page(all, wanted, &n) : NULL;
	if (r.to)
		status = cli_manual_write_pages(all, argv + optind, (unsigned)(argc - optind),
		                                r.to);
	else if (r.browser)
		status = cli_manual_open_browser(all);
	else if (!wanted)
		status = cli_manual_list_pages(all);
	else if (found)
		status = markdown_show(found->path);
	else
		say_error("no page is called '%s'; %s", wanted,
		          nearest_said(&n, "`cyclops manual` lists them"));
	free(all);
	return status;
}

const struct cli_command cli_manual = {
	.name = "manual",
	.usage = "manual [[OPTIONS] PAGE | --browser | --to FILE PAGES...]",
	.help = "Shows a page of the manual, on a terminal through a pager; alone, lists them. "
		"With --browser all of them become one page of your own,\n"
		"~/.local/share/cyclops/manual.html, which a browser opens where there is a "
		"display.",
	.options = manual_options,
	.option_count = MANUAL_OPTIONS,
	.run = cli_manual_main,
};
