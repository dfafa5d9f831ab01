/* `cyclops lab`: lists, begins, resumes, checks, grades and makes labs. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "core/host/process.h"
#include "hwviews/grid/csv_cell.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/jobs.h"
#include "ui/cli/option_text.h"
#include "ui/cli/options.h"
#include "ui/lab/grade.h"
#include "ui/lab/lab.h"
#include "ui/lab/similar.h"
#include "ui/render/markdown.h"
#include "ui/render/safe_print.h"
#include "ui/screen/screen.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

enum { SIMILAR_SHOWN = 100 };

static const struct cli_option options[] = {
	{{"output", required_argument, NULL, 'o'},
         "FOLDER",
         "grade: write a page for each student, grades.csv and similar.csv there"},
	{{"jobs", required_argument, NULL, 'j'}, "N", "grade: processes at once; one a processor"},
	{{"seconds", required_argument, NULL, 's'}, "N",
	 "grade: processor time of one hand-in; 60"},
	{{"memory", required_argument, NULL, 'm'}, "MIB", "grade: that one may hold; 512"},
	{{"seed", required_argument, NULL, 'r'},
         "N",
	 "check, grade: seed of the inputs; random by default, and printed"},
	{{"similar", required_argument, NULL, 'S'},
         "PERCENT",
	 "grade: list hand-ins that are at least this similar; 90"},
	{{"batch", no_argument, NULL, 'b'}, NULL, "the steps as text"},
	{{"course", required_argument, NULL, COURSE_OPTION}, "FOLDER", COURSE_HELP},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct request {
	const char *folder;
	struct grade_limits limits;
	uint64_t seed;
	bool seeded;
	unsigned similar;
	bool batch, help;
};

static bool take_number(const char *name, unsigned from, unsigned to, unsigned *out,
                        struct err *err)
{
	char *end;
	const unsigned long n = strtoul(optarg, &end, 10);
	if (end == optarg || *end || n < from || n > to)
		return err_set(err, "--%s %s; expected a number from %u to %u", name, optarg, from,
		               to);
	*out = (unsigned)n;
	return true;
}

static bool take_seed(struct request *r, struct err *err)
{
	char *end;
	errno = 0;
	r->seed = strtoull(optarg, &end, 10);
	r->seeded = true;
	return (*optarg >= '0' && *optarg <= '9' && !*end && !errno && r->seed <= INT64_MAX) ||
	       err_set(err, "--seed %s; expected a number from 0 to 9223372036854775807", optarg);
}

static bool cli_lab_parse_option(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct request *r = ctx;
	(void)argc;
	(void)argv;
	switch (id) {
	case 'o':
		r->folder = optarg;
		return *optarg || err_set(err, "-o needs a folder's name");
	case 'j':
		return take_number("jobs", 1, 1024, &r->limits.at_once, err);
	case 's':
		return take_number("seconds", 1, 86400, &r->limits.seconds, err);
	case 'm':
		return take_number("memory", 64, 1024, &r->limits.megabytes, err);
	case 'r':
		return take_seed(r, err);
	case 'S':
		return take_number("similar", 1, 100, &r->similar, err);
	case 'b':
		return r->batch = true;
	case COURSE_OPTION:
		return course_choose(optarg, err);
	default:
		return r->help = true;
	}
}

void cli_lab_print_options(FILE *f)
{
	cli_print_options(options, OPTIONS, f);
}

static bool cli_lab_find_root(char *root, size_t n, struct err *err)
{
	bool installed;
	return course_root(root, n, &installed, err);
}

/* ---- listing ---- */
static int cli_lab_list_labs(void)
{
	char root[PATH_MAX], text[120];
	struct err err;
	struct lab *labs = alloc_zeroed(LABS_MAX, sizeof *labs);
	struct lab_progress *p = alloc_zeroed(1, sizeof *p);
	if (!labs || !p || !cli_lab_find_root(root, sizeof root, &err)) {
		free(labs);
		free(p);
		return say_error("%s", labs && p ? err.msg : "out of memory");
	}
	const unsigned count = labs_all(root, labs);
	puts("Labs, for `cyclops lab N`, which starts or resumes one; `cyclops lab check N` grades "
	     "your hand-in.\n");
	for (unsigned i = 0; i < count; i++) {
		lab_progress_read(&labs[i], p);
		lab_progress_text(&labs[i], p, text, sizeof text);
		say(stdout, "%4u  %s%s%s\n", labs[i].number, labs[i].title, *text ? ": " : "",
		    text);
	}
	free(labs);
	free(p);
	return 0;
}

/* ---- working through one ---- */
static int cli_lab_show_page(const struct lab *lab)
{
	char path[PATH_MAX];
	lab_file(lab, "page.md", path, sizeof path);
	return markdown_show(path);
}

/* Shows the page before the first step. False: the user doesn't begin now. */
static bool cli_lab_show_page_and_wait(const struct lab *lab)
{
	char line[16];
	if (cli_lab_show_page(lab) != 0)
		return false;
	fputs("\nEnter begins the steps, Ctrl-D leaves: ", stdout);
	fflush(stdout);
	if (fgets(line, sizeof line, stdin))
		return true;
	putchar('\n');
	return false;
}

/* Runs one session, from the place on. */
static int cli_lab_run_session(const struct tour *t, bool text, struct tour_place *place)
{
	struct options o;
	struct err err;
	int argc, status;
	char **argv = tour_command_line(t, &argc, &err);
	if (!argv)
		return say_error("%s", err.msg);
	if (!options_parse(&o, FOR_INSPECT, argc, argv, &err)) {
		status = say_error("%s: %s", t->path, err.msg);
	} else {
		if (text) {
			o.given[OPT_BATCH] = true;
			o.commands[0] = (struct option_command){.file = true, .text = t->path};
			o.command_count = 1;
		}
		status = cli_inspect_options(&o, place);
		options_deinit(&o);
	}
	free(argv);
	return status;
}

/* The progress of a lab that is being played. */
struct played {
	const struct lab *lab;
	struct lab_progress *p;
	const struct tour_place *place;
	struct err err; /* of the last save, "": none */
};

static void cli_lab_save(void *ctx)
{
	struct played *now = ctx;
	now->p->beat = now->place->beat;
	now->p->got = now->p->quiz.got;
	now->p->of = now->p->quiz.of;
	now->err.msg[0] = '\0';
	lab_progress_write(now->lab, now->p, PROGRESS_STEPS, &now->err);
}

static int cli_lab_edit_hand_in(const struct lab *lab);

static int cli_lab_start_lab(const struct lab *lab, bool text)
{
	struct lab_progress *p = alloc_zeroed(1, sizeof *p);
	struct tour t;
	struct err err;
	char path[PATH_MAX], own[PATH_MAX];
	int status;
	if (!p)
		return say_error("out of memory");
	lab_file(lab, "lab.cyc", path, sizeof path);
	if (!lab_own_hand_in(lab, own, sizeof own, &err) || !course_enter(&err) ||
	    !tour_read(&t, path, &err)) {
		free(p);
		return say_error("%s", err.msg);
	}
	lab_progress_read(lab, p);
	if (!p->beat && !text && !cli_lab_show_page_and_wait(lab)) {
		tour_deinit(&t);
		free(p);
		return 0;
	}
	struct played now = {.lab = lab, .p = p};
	struct tour_lab steps = {.save = cli_lab_save, .ctx = &now};
	struct tour_place place = {.tour = &t,
	                           .beat = text ? 0 : p->beat,
	                           .quiz = &p->quiz,
	                           .lab = text ? NULL : &steps};
	now.place = &place;
	do {
		place.again = false;
		status = cli_lab_run_session(&t, text, &place);
	} while (place.again && status == 0);
	if (!text)
		cli_lab_save(&now);
	if (now.err.msg[0])
		status = say_error("%s", now.err.msg);
	char *next = alloc_text(place.next);
	tour_deinit(&t);
	free(p);
	if (steps.to_task && status == 0) {
		free(next);
		return cli_lab_edit_hand_in(lab);
	}
	say(stdout, "Your hand-in of this lab: %s\n", own);
	if (next && *next && status == 0)
		status = cli_tour_next(&(struct tour_place){0}, 0);
	free(next);
	return status;
}

/* Edits the hand-in: an assembly text beside its pipeline on the lab's machine, anything else in
 * the user's editor. */
static int cli_lab_edit_hand_in(const struct lab *lab)
{
	char path[PATH_MAX], own[PATH_MAX], *text = NULL, *words[32] = {NULL};
	struct tour t;
	struct err err;
	int count = 0, status = STATUS_ERROR;
	lab_file(lab, "lab.cyc", path, sizeof path);
	if (!lab_own_hand_in(lab, own, sizeof own, &err) || !course_enter(&err) ||
	    !tour_read(&t, path, &err))
		return say_error("%s", err.msg);
	const size_t n = strlen(own);
	const bool assembly = n > 2 && !strcmp(own + n - 2, ".s");
	if (!assembly)
		status = markdown_edit(own);
	else if (!screen_possible())
		status = say_error("%s: there is no terminal to edit it on", own);
	else if (!(text = alloc_format("asm %s", t.options)))
		status = say_error("out of memory");
	else {
		for (char *at = text, *word; count < 30 && (word = strtok_r(at, " ", &at));)
			words[count++] = word;
		words[count++] = own;
		status = cli_edit(count, words);
	}
	free(text);
	tour_deinit(&t);
	say(stdout, "Your hand-in of this lab: %s\n", own);
	return status;
}

/* ---- grading ---- */
static bool grade_files(struct grading *g, char *root, size_t n, char *const *files, size_t count,
                        const struct request *r, struct err *err)
{
	g->root = root;
	g->limits = r->limits;
	g->seed = r->seeded ? r->seed : grade_seed();
	g->secret = r->seeded;
	return cli_lab_find_root(root, n, err) && lab_grade(g, files, count, err);
}

/* Notes the hand-in's answer to the question of a row, if the answer is new and can be read;
 * returns the number of checked answers, 0 without an answer. */
static unsigned cli_lab_note_answer(struct quiz *q, const struct grade *g,
                                    const struct grade_point *point)
{
	const char *name = point->what + strlen("answer ");
	const size_t length = strlen(name);
	char text[QUIZ_TEXT] = ""; /* the last line's, as in lab.lua */
	for (const char *line = g->text, *next; line; line = next) {
		const char *at = line + strspn(line, " \t#;/-");
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		if (at == line || strncmp(at, "answer ", 7) != 0)
			continue;
		at += 7 + strspn(at + 7, " \t");
		const size_t blanks = strspn(at + length, " \t");
		if (strncmp(at, name, length) != 0 || !blanks)
			continue;
		at += length + blanks;
		const int n = (int)strcspn(at, "\r\n");
		if (n != 1 || *at != '?')
			snprintf(text, sizeof text, "%.*s", n, at);
	}
	const struct quiz_answer *a = quiz_find(q, name);
	if (*text && !point->unread && (!a || strcmp(a->text, text) != 0))
		quiz_answer(q, name, text, NULL);
	a = quiz_find(q, name);
	return a ? a->tries : 0;
}

/* Grades the user's own hand-in or a file: prints its points, and records progress. */
static int cli_lab_check_hand_in(const struct lab *lab, char *file, const struct request *r)
{
	char own[PATH_MAX], root[PATH_MAX], text[160];
	struct grading all = {.lab = lab};
	struct err err;
	struct lab_progress *p = alloc_zeroed(1, sizeof *p);
	if (!p || (!file && !lab_own_hand_in(lab, own, sizeof own, &err))) {
		free(p);
		return say_error("%s", p ? err.msg : "out of memory");
	}
	char *files[] = {file ? file : own};
	int status = 0;
	if (!grade_files(&all, root, sizeof root, files, 1, r, &err)) {
		status = say_error("%s", err.msg);
	} else if (!all.grades->text) {
		status = say_error("%s: %s", files[0], all.grades->why);
	} else if (all.grades->ungraded) {
		status = say_error("%s: not graded: %s", files[0], all.grades->why);
	} else {
		const struct grade *g = all.grades;
		if (!file)
			lab_progress_read(lab, p);
		for (unsigned i = 0; i < g->count; i++) {
			const struct grade_point *point = &g->points[i];
			unsigned tries = 0;
			if (!file && !strncmp(point->what, "answer ", 7))
				tries = cli_lab_note_answer(&p->checked, g, point);
			say(stdout, "%3u of %-3u %s", point->got, point->of, point->what);
			if (tries > 1)
				say(stdout, " (%u tries)", tries);
			say(stdout, "%s%s\n", *point->said ? ": " : "", point->said);
		}
		if (g->why)
			say(stdout, "not graded to its end: %s\n", g->why);
		csv_cell(stdout, files[0]);
		say(stdout, ": %u of %u points; %s\n", g->got, lab->points,
		    grading_text(&all, text, sizeof text));
		p->grade = g->got;
		p->max = lab->points;
		if (!file && !lab_progress_write(lab, p, PROGRESS_GRADE, &err))
			status = say_error("%s", err.msg);
	}
	grading_deinit(&all);
	free(p);
	return status;
}

static bool put_file(const char *folder, const char *name, char *text, struct err *err)
{
	char path[PATH_MAX];
	if (!text)
		return err_set(err, "out of memory");
	const bool ok = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path
	                        ? output_write(path, text, strlen(text), OUTPUT_FILE_REGULAR, err)
	                        : err_set(err, "%s: the path is too long", folder);
	free(text);
	return ok;
}

static bool cli_lab_write_grade_pages(const struct grading *g, const char *folder, struct err *err)
{
	char name[GRADE_PAGE_NAME];
	bool ok = mkdir(folder, 0777) == 0 || errno == EEXIST ||
	          err_set(err, "%s: %s", folder, strerror(errno));
	for (size_t i = 0; i < g->count && ok; i++)
		ok = put_file(folder, grade_page_name(g, i, name, sizeof name), grade_page(g, i),
		              err);
	return ok && put_file(folder, "grades.csv", grades_csv(g), err);
}

/* Reads the lab's original file, from which hand-ins begin; malloc'd, NULL on failure. */
static char *begun_with(const struct lab *lab)
{
	char path[PATH_MAX];
	lab_file(lab, lab->hand_in, path, sizeof path);
	FILE *f = open_input(path);
	char *text = f ? alloc_zeroed(1, GRADE_TEXT_MAX + 1) : NULL;
	if (text && fread(text, 1, GRADE_TEXT_MAX, f) == 0)
		*text = '\0';
	if (f)
		fclose(f);
	return text;
}

static bool put_similar(const struct grading *g, const struct request *r, struct err *err)
{
	struct similar_pair *pairs = NULL;
	char **texts = alloc_zeroed(g->count, sizeof *texts), *common = begun_with(g->lab);
	char *csv = NULL;
	size_t size;
	for (size_t i = 0; texts && i < g->count; i++)
		texts[i] = g->grades[i].text;
	const long found = texts ? similar_find(texts, g->count, common, r->similar, &pairs) : -1;
	FILE *f = found >= 0 ? alloc_stream(&csv, &size) : NULL;
	if (f)
		fputs("percent,one,other\n", f);
	FILE *to = r->folder ? stdout : stderr;
	if (found > 0)
		say(to, "Similar, and worth a look:\n");
	for (long i = 0; f && i < found; i++) {
		const char *a = g->grades[pairs[i].a].file, *b = g->grades[pairs[i].b].file;
		fprintf(f, "%u,", pairs[i].percent);
		csv_cell(f, a);
		putc(',', f);
		csv_cell(f, b);
		putc('\n', f);
		if (i >= SIMILAR_SHOWN)
			continue;
		/* As cells: a name with a line end forges no line. */
		say(to, "%3u %%  ", pairs[i].percent);
		csv_cell(to, a);
		fputs("  ", to);
		csv_cell(to, b);
		putc('\n', to);
	}
	if (found > SIMILAR_SHOWN)
		say(to, "and %ld more pairs\n", found - SIMILAR_SHOWN);
	bool ok = f && fclose(f) == 0;
	if (!ok)
		err_set(err, "out of memory");
	else if (r->folder)
		ok = put_file(r->folder, "similar.csv", csv, err), csv = NULL;
	free(csv);
	free(common);
	free(texts);
	free(pairs);
	return ok;
}

static int cli_lab_grade_hand_ins(const struct lab *lab, char **files, size_t count,
                                  const struct request *r)
{
	struct err err;
	char root[PATH_MAX], text[160];
	struct grading g = {.lab = lab};
	bool ok = grade_files(&g, root, sizeof root, files, count, r, &err);
	if (ok)
		say(r->folder ? stdout : stderr, "%zu hand-in%s of %s: %s\n", count,
		    count == 1 ? "" : "s", lab->name, grading_text(&g, text, sizeof text));
	if (ok && r->folder) {
		ok = cli_lab_write_grade_pages(&g, r->folder, &err);
	} else if (ok) {
		char *csv = grades_csv(&g);
		if (csv)
			say(stdout, "%s", csv);
		free(csv);
	}
	ok = ok && put_similar(&g, r, &err);
	const struct grade *lost = NULL;
	size_t ungraded = 0;
	for (size_t i = 0; i < g.count; i++)
		if (g.grades[i].ungraded && !ungraded++)
			lost = &g.grades[i];
	if (ok && lost)
		ok = err_set(&err, "%zu of %zu not graded: %s", ungraded, count, lost->why);
	grading_deinit(&g);
	return ok ? 0 : say_error("%s", err.msg);
}

/* ---- the command ---- */
static int with_lab(const char *verb, char **words, int count, const struct request *r)
{
	char root[PATH_MAX];
	struct lab lab;
	struct err err;
	if (!cli_lab_find_root(root, sizeof root, &err) || !lab_find(root, words[0], &lab, &err))
		return say_error("%s", err.msg);
	if (!strcmp(verb, "grade"))
		return count > 1
		               ? cli_lab_grade_hand_ins(&lab, words + 1, (size_t)count - 1, r)
		               : say_error("no files given; expected cyclops lab grade N FILES...");
	if (!strcmp(verb, "check") && count <= 2)
		return cli_lab_check_hand_in(&lab, count > 1 ? words[1] : NULL, r);
	if (count > 1)
		return say_error("'%s' is one word too many; expected cyclops %s", words[1],
		                 cli_lab.usage);
	if (!strcmp(verb, "page"))
		return cli_lab_show_page(&lab);
	if (!strcmp(verb, "edit"))
		return cli_lab_edit_hand_in(&lab);
	/* As text a lab prints its answers. */
	if (!r->batch && !screen_possible())
		return say_error("a lab needs a screen; `cyclops lab --batch %s` plays it as text, "
		                 "with its answers",
		                 words[0]);
	return cli_lab_start_lab(&lab, r->batch);
}

static int cli_lab_main(int argc, char **argv)
{
	static const char *const verbs[] = {"grade", "check", "page", "edit"};
	struct request r = {.limits = {.at_once = process_cores(),
	                               .seconds = 60,
	                               .megabytes = 512,
	                               .output_kilobytes = 32 << 10},
	                    .similar = 90};
	struct err err;
	if (!cli_read_options(options, OPTIONS, argc, argv, cli_lab_parse_option, &r, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		option_text_head(stdout, cli_lab.usage, cli_lab.help);
		cli_lab_print_options(stdout);
		return 0;
	}
	char **words = argv + optind;
	const int count = argc - optind;
	if (!count)
		return cli_lab_list_labs();
	if (!strcmp(words[0], "new")) {
		if (count != 2)
			return say_error("expected cyclops lab new FOLDER");
		if (!lab_skeleton(words[1], &err))
			return say_error("%s", err.msg);
		say(stdout, "%s: a lab to fill in; cyclops lab %s%s plays it\n", words[1],
		    strchr(words[1], '/') ? "" : "./", words[1]);
		return 0;
	}
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(words[0], verbs[i]))
			return count > 1 ? with_lab(verbs[i], words + 1, count - 1, &r)
			                 : say_error("no lab given; expected cyclops lab %s N",
			                             verbs[i]);
	return with_lab("", words, count, &r);
}

const struct cli_command cli_lab = {
	.name = "lab",
	.usage = "lab [[--batch] N | page N | edit N | check N [FILE] | grade N FILES... | new "
		 "FOLDER]",
	.help = "Labs of a course: alone, lists them with your progress; N starts one or resumes "
		"it. `page` shows the\n"
		"lab's page, `edit` opens your hand-in, assembly beside its pipeline on the "
		"lab's machine, and `check` grades it. `grade`\n"
		"grades the hand-ins of a class, which are not trusted: a table as CSV, with -o "
		"also a page for each student, and those\n"
		"that are similar. Inputs are drawn anew each time; the last line names the seed, "
		"with which --seed repeats it, and\n"
		"how hand-ins were confined. `new` makes a lab of your own to fill in; play and "
		"grade it by its folder's path.\n"
		"Your work is in ~/.local/share/cyclops/labs.",
	.options = options,
	.option_count = OPTIONS,
	.run = cli_lab_main,
};
