#include "ui/lab/grade.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "core/base/own_program.h"
#include "ui/cli/jobs.h"
#include "ui/tour/course.h"

enum { PLACE = PATH_MAX, POINTS_MAX = 64, WORDS = 12, LINE = 2048 };

/* One hand-in on its way through a process. */
struct work {
	char copy[PLACE], out[PLACE], said[PLACE];
	char *argv[WORDS];
};

/* ---- taking what was handed in ---- */
static char *take_text(const char *file, size_t *n, char **why)
{
	struct stat st;
	/* It would lead to what whoever grades may read, and pages quote hand-ins. */
	if (lstat(file, &st) == 0 && S_ISLNK(st.st_mode))
		return *why = alloc_text("a link, not a file"), NULL;
	FILE *f = open_input(file);
	char *text = f ? alloc_bytes(GRADE_TEXT_MAX + 2) : NULL;
	const char *wrong = f ? "out of memory" : open_input_error();
	*n = 0;
	if (text) {
		*n = fread(text, 1, GRADE_TEXT_MAX + 1, f);
		text[*n] = '\0';
		wrong = ferror(f)             ? strerror(errno)
		        : *n > GRADE_TEXT_MAX ? "more than 256 KiB"
		        : !*n                 ? "empty"
		        : strlen(text) < *n   ? "no text: it has zero bytes"
		                              : NULL;
	}
	if (f)
		fclose(f);
	if (!wrong)
		return text;
	free(text);
	*why = alloc_text(wrong);
	return NULL;
}

static bool grade_prepare_hand_in(struct work *w, struct grade *g, const struct lab *lab,
                                  const char *folder, size_t number, struct err *err)
{
	g->text = take_text(g->file, &g->length, &g->why);
	if (!g->text)
		return true;
	snprintf(w->copy, sizeof w->copy, "%.*s/%zu", PLACE - 128, folder, number);
	if (mkdir(w->copy, 0700) != 0)
		return err_set(err, "%s: %s", w->copy, strerror(errno));
	const size_t n = strlen(w->copy);
	snprintf(w->out, sizeof w->out, "%.*s.out", PLACE - 64, w->copy);
	snprintf(w->said, sizeof w->said, "%.*s.err", PLACE - 64, w->copy);
	snprintf(w->copy + n, sizeof w->copy - n, "/%s", lab->hand_in);
	return output_write(w->copy, g->text, g->length, OUTPUT_FILE_REGULAR, err);
}

/* ---- what came of it ---- */
/* The text with the copy's path replaced by the hand-in's name; malloc'd. */
static char *grade_replace_copy_path(const char *text, const struct work *w, const struct lab *lab)
{
	char *out = NULL;
	size_t size;
	const size_t n = strlen(w->copy);
	FILE *f = alloc_stream(&out, &size);
	if (!f)
		return NULL;
	for (const char *at = text; *at;) {
		if (!strncmp(at, w->copy, n)) {
			fputs(lab->hand_in, f);
			at += n;
		} else {
			fputc(*at++, f);
		}
	}
	return fclose(f) ? free(out), NULL : out;
}

static void take_point(struct grade *g, char *line, const struct work *w, const struct lab *lab)
{
	strsep(&line, "\t");
	const char *got = strsep(&line, "\t"), *of = strsep(&line, "\t"),
		   *what = strsep(&line, "\t");
	if (!what || !line || g->count == POINTS_MAX)
		return;
	struct grade_point *more = alloc_resize(g->points, (g->count + 1) * sizeof *more);
	if (!more)
		return;
	g->points = more;
	struct grade_point *p = &g->points[g->count++];
	*p = (struct grade_point){.got = (unsigned)strtoul(got, NULL, 10),
	                          .of = (unsigned)strtoul(of, NULL, 10),
	                          .what = alloc_text(what),
	                          .said = grade_replace_copy_path(line, w, lab)};
	g->got += p->got;
}

/* True if it came to its end. */
static bool grade_read_points(struct grade *g, const struct work *w, const struct lab *lab)
{
	char line[LINE];
	bool done = false;
	FILE *f = alloc_file(w->out, "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "point\t", 6))
			take_point(g, line, w, lab);
		done |= !strncmp(line, "done\t", 5);
	}
	if (f)
		fclose(f);
	return done;
}

static void say_why(struct grade *g, const struct job *j, const struct work *w,
                    const struct lab *lab)
{
	char line[LINE] = "", end[200];
	FILE *f = alloc_file(w->said, "r");
	if (f && fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	const char *text = !strncmp(line, "cyclops: ", 9) ? line + 9 : line;
	if (j->state == JOB_SIGNALLED && j->code == SIGXFSZ)
		text = "it made too much output";
	else if (j->state != JOB_EXITED || !*text)
		text = job_end_text(j, end, sizeof end);
	g->why = grade_replace_copy_path(text, w, lab);
}

/* "# name: ADA", in whatever is a comment. */
static void grade_find_student_name(struct grade *g)
{
	const char *at = strstr(g->text, "name:");
	if (!at)
		return;
	at += 5 + strspn(at + 5, " \t");
	g->name = alloc_text_n(at, strcspn(at, "\r\n") < 80 ? strcspn(at, "\r\n") : 80);
	if (g->name && !*g->name) {
		free(g->name);
		g->name = NULL;
	}
}

static void grade_evaluate_hand_in(struct grade *g, const struct job *j, const struct work *w,
                                   const struct lab *lab)
{
	if (!g->text)
		return;
	grade_find_student_name(g);
	const bool done = grade_read_points(g, w, lab);
	if (!done || j->state != JOB_EXITED || j->code != 0)
		say_why(g, j, w, lab);
	if (g->got > lab->points)
		g->got = lab->points;
}

/* ---- all of them ---- */
struct limits_before {
	struct rlimit size, data, core;
};

/* Children have what this process may: soft limits, put back behind them. */
static void grade_set_resource_limits(const struct grade_limits *l, struct limits_before *before)
{
	getrlimit(RLIMIT_FSIZE, &before->size);
	getrlimit(RLIMIT_DATA, &before->data);
	getrlimit(RLIMIT_CORE, &before->core);
	struct rlimit now = before->size;
	now.rlim_cur = (rlim_t)l->output_kilobytes << 10;
	setrlimit(RLIMIT_FSIZE, &now);
#ifndef __SANITIZE_ADDRESS__
	now = before->data;
	now.rlim_cur = (rlim_t)l->megabytes << 20;
	setrlimit(RLIMIT_DATA, &now);
#endif
	now = before->core;
	now.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &now);
}

static void limit_no_more(const struct limits_before *before)
{
	setrlimit(RLIMIT_FSIZE, &before->size);
	setrlimit(RLIMIT_DATA, &before->data);
	setrlimit(RLIMIT_CORE, &before->core);
}

static void remove_all(const struct work *works, size_t count, const char *folder)
{
	for (size_t i = 0; i < count; i++) {
		char place[PLACE];
		if (!*works[i].copy)
			continue;
		unlink(works[i].copy);
		unlink(works[i].out);
		unlink(works[i].said);
		snprintf(place, sizeof place, "%.*s/%zu", PLACE - 64, folder, i + 1);
		rmdir(place);
	}
	rmdir(folder);
}

static bool grade_run_checks(struct work *works, struct job *jobs, struct grade *grades,
                             size_t count, const struct lab *lab, const struct grade_limits *limits,
                             struct err *err)
{
	static char lua[] = "lua", safe[] = "--lua-safe", steps[] = "--lua-steps";
	char program[PATH_MAX], check[PATH_MAX], most[32];
	struct limits_before before;
	own_program(program, sizeof program);
	lab_file(lab, "check.lua", check, sizeof check);
	snprintf(most, sizeof most, "%llu", (unsigned long long)lab->lua_steps);
	for (size_t i = 0; i < count; i++) {
		char *const words[] = {program, lua, safe, steps, most, check, works[i].copy, NULL};
		memcpy(works[i].argv, words, sizeof words);
		jobs[i] = (struct job){.argv = works[i].argv,
		                       .out = works[i].out,
		                       .err = works[i].said,
		                       .timeout = limits->seconds,
		                       .state = grades[i].text ? JOB_WAITING : JOB_EXITED};
	}
	grade_set_resource_limits(limits, &before);
	const int signal = jobs_run(jobs, count, limits->at_once, NULL);
	limit_no_more(&before);
	for (size_t i = 0; i < count; i++)
		grade_evaluate_hand_in(&grades[i], &jobs[i], &works[i], lab);
	return !signal || err_set(err, "interrupted");
}

bool lab_grade(const struct lab *lab, const char *root, char *const *files, size_t count,
               const struct grade_limits *limits, struct grade *grades, struct err *err)
{
	char folder[PLACE], here[PATH_MAX];
	const char *tmp = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%.*s/cyclops-lab-XXXXXX", PLACE - 64,
	         tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return err_set(err, "%s: %s", folder, strerror(errno));
	struct work *works = alloc_zeroed(count, sizeof *works);
	struct job *jobs = alloc_zeroed(count, sizeof *jobs);
	bool ok = works && jobs ? true : err_set(err, "out of memory");
	for (size_t i = 0; i < count && ok; i++) {
		grades[i] = (struct grade){.file = files[i]};
		ok = grade_prepare_hand_in(&works[i], &grades[i], lab, folder, i + 1, err);
	}
	/* What labs name lies below it, and nothing else is reached. */
	if (ok && (!getcwd(here, sizeof here) || chdir(root) != 0))
		ok = err_set(err, "%s: %s", root, strerror(errno));
	else if (ok) {
		ok = grade_run_checks(works, jobs, grades, count, lab, limits, err);
		if (chdir(here) != 0)
			ok = err_set(err, "%s: %s", here, strerror(errno));
	}
	if (works)
		remove_all(works, count, folder);
	free(works);
	free(jobs);
	return ok;
}

void grades_free(struct grade *grades, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned k = 0; k < grades[i].count; k++) {
			free(grades[i].points[k].what);
			free(grades[i].points[k].said);
		}
		free(grades[i].points);
		free(grades[i].text);
		free(grades[i].name);
		free(grades[i].why);
	}
}
