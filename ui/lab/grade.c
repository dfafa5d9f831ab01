#include "ui/lab/grade.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "core/host/own_program.h"
#include "core/host/random_bytes.h"
#include "core/host/sandbox.h"
#include "scripting/config/config_lua.h"
#include "ui/cli/jobs.h"
#include "ui/console/ending.h"

enum { PLACE = PATH_MAX, POINTS_MAX = 64, WORDS = 12, LINE = 2048 };
/* Limit of elapsed time, as a multiple of the processor-time limit: other processes may take the
 * processor. */
enum { ELAPSED = 20 };

/* The temporary folder of a grading:
 *
 *   lab/         copies of the lab's files and of what it needs of the course
 *   3/           of the third hand-in: a copy
 *   3/place/     empty, where its process and its guest begin
 *   3.out 3.err  what the process prints: points, and why it ended */
#define PLACE_NAME "place"
/* Paths relative to the process's empty folder. */
#define OF_LAB "../../lab/"
#define OF_HAND_IN "../"

/* A hand-in, and the process that checks it. */
struct work {
	char folder[PLACE], copy[PLACE], place[PLACE], out[PLACE], said[PLACE];
	char here[LAB_NAME + sizeof OF_HAND_IN]; /* the copy as the process names it */
	char *argv[WORDS];
	struct sandbox sandbox;
};

/* ---- reading hand-ins ---- */
static char *take_text(const char *file, size_t *n, char **why, bool *ungraded)
{
	struct stat st;
	*ungraded = false;
	/* A link could lead to any file that the grader may read, and pages quote hand-ins. */
	if (lstat(file, &st) == 0 && S_ISLNK(st.st_mode))
		return *why = alloc_text("a link, not a file"), NULL;
	FILE *f = open_input(file);
	char *text = f ? alloc_bytes(GRADE_TEXT_MAX + 2) : NULL;
	const char *wrong = f ? "this computer is out of memory" : open_input_error();
	*ungraded = f && !text;
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

/* Formats the path of a grading's folder, or of a file below it. */
__attribute__((format(printf, 2, 3))) static void place_name(char out[PLACE], const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	if (vsnprintf(out, PLACE, fmt, args) >= PLACE)
		*out = '\0';
	va_end(args);
}

static bool grade_make_folder(const char *folder, struct err *err)
{
	return mkdir(folder, 0700) == 0 || err_set(err, "%s: %s", folder, strerror(errno));
}

static bool grade_prepare_hand_in(struct work *w, struct grade *g, const struct lab *lab,
                                  const char *folder, size_t number, struct err *err)
{
	g->text = take_text(g->file, &g->length, &g->why, &g->ungraded);
	if (!g->text)
		return true;
	place_name(w->folder, "%s/%zu", folder, number);
	place_name(w->copy, "%s/%zu/%s", folder, number, lab->hand_in);
	place_name(w->place, "%s/%zu/" PLACE_NAME, folder, number);
	place_name(w->out, "%s/%zu.out", folder, number);
	place_name(w->said, "%s/%zu.err", folder, number);
	snprintf(w->here, sizeof w->here, OF_HAND_IN "%s", lab->hand_in);
	return grade_make_folder(w->folder, err) && grade_make_folder(w->place, err) &&
	       output_write(w->copy, g->text, g->length, OUTPUT_FILE_REGULAR, err);
}

/* ---- the lab's files ---- */
static bool grade_copy_file(const char *from, const char *to, struct err *err)
{
	struct output_file o;
	char bytes[1 << 14];
	size_t n;
	FILE *f = open_input(from);
	if (!f)
		return err_set(err, "%s: %s", from, open_input_error());
	bool ok = output_begin(&o, to, OUTPUT_FILE_REGULAR, err);
	if (ok) {
		while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
			fwrite(bytes, 1, n, o.f);
		ok = ferror(f) ? err_set(err, "%s: %s", from, strerror(errno))
		               : output_end(&o, to, err);
	}
	fclose(f);
	return ok;
}

static bool is_below(const char *path)
{
	return *path && *path != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
}

/* Copies a file of the course to the same path below lab/. */
static bool copy_needed(const struct grading *g, const char *folder, const char *path,
                        struct err *err)
{
	char from[PLACE], to[PLACE];
	if (!is_below(path))
		return err_set(err, "%s: # needs: %s: expected a path below the course's folder",
		               g->lab->name, path);
	place_name(from, "%s/%s", g->root, path);
	place_name(to, "%s/lab/%s", folder, path);
	for (char *slash = to + strlen(folder) + sizeof "/lab"; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		const bool ok = mkdir(to, 0700) == 0 || errno == EEXIST;
		*slash = '/';
		if (!ok)
			return err_set(err, "%s: %s", to, strerror(errno));
	}
	return grade_copy_file(from, to, err);
}

static bool copy_lab(const struct grading *g, const char *folder, struct err *err)
{
	char from[PLACE], to[PLACE];
	struct dirent *d;
	struct stat st;
	place_name(to, "%s/lab", folder);
	DIR *files = alloc_folder(g->lab->folder);
	bool ok = files ? grade_make_folder(to, err)
	                : err_set(err, "%s: %s", g->lab->folder, strerror(errno));
	while (ok && (d = readdir(files))) {
		place_name(from, "%s/%s", g->lab->folder, d->d_name);
		place_name(to, "%s/lab/%s", folder, d->d_name);
		if (*d->d_name != '.' && stat(from, &st) == 0 && S_ISREG(st.st_mode))
			ok = grade_copy_file(from, to, err);
	}
	if (files)
		closedir(files);
	for (unsigned i = 0; i < LAB_NEEDS && *g->lab->needs[i] && ok; i++)
		ok = copy_needed(g, folder, g->lab->needs[i], err);
	return ok;
}

/* ---- results ---- */
/* Removes the grading's folders from a text; malloc'd. */
static char *grade_replace_copy_path(const char *text)
{
	static const char *const folders[] = {OF_LAB, OF_HAND_IN};
	char *out = alloc_text(text);
	for (size_t i = 0; i < sizeof folders / sizeof *folders && out; i++)
		for (char *at = out; (at = strstr(at, folders[i]));)
			memmove(at, at + strlen(folders[i]), strlen(at + strlen(folders[i])) + 1);
	return out;
}

static void take_point(struct grade *g, char *line)
{
	const char *kind = strsep(&line, "\t");
	const char *got = strsep(&line, "\t"), *of = strsep(&line, "\t"),
		   *what = strsep(&line, "\t");
	if (!what || !line || g->count == POINTS_MAX)
		return;
	struct grade_point *more = alloc_resize(g->points, (g->count + 1) * sizeof *more);
	if (!more)
		return;
	g->points = more;
	struct grade_point p = {.got = (unsigned)strtoul(got, NULL, 10),
	                        .of = (unsigned)strtoul(of, NULL, 10),
	                        .unread = !strcmp(kind, "unread"),
	                        .what = alloc_text(what),
	                        .said = grade_replace_copy_path(line)};
	if (p.got > p.of)
		p.got = p.of;
	if (!p.what || !p.said) {
		free(p.what);
		free(p.said);
		return;
	}
	g->points[g->count++] = p;
	g->got += p.got;
}

/* Reads the points that the process has printed. True if it finished. */
static bool grade_read_points(struct grade *g, const struct work *w)
{
	char line[LINE];
	bool done = false;
	FILE *f = alloc_file(w->out, "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "point\t", 6) || !strncmp(line, "unread\t", 7))
			take_point(g, line);
		if (!strncmp(line, "note\t", 5) && !g->note)
			g->note = grade_replace_copy_path(line + 5);
		done |= !strncmp(line, "done\t", 5);
	}
	if (f)
		fclose(f);
	return done;
}

static void say_why(struct grade *g, const struct job *j, const struct work *w)
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
	else if (j->state == JOB_SIGNALLED && j->code == SIGXCPU)
		snprintf(end, sizeof end, "took over %llu s of processor time",
		         (unsigned long long)w->sandbox.cpu_seconds),
			text = end;
	else if (j->state != JOB_EXITED || !*text)
		text = job_end_text(j, end, sizeof end);
	g->why = grade_replace_copy_path(text);
}

/* Finds "# name: ADA", in any comment syntax. */
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

static bool tells_of_memory(const char *text)
{
	return text && (strstr(text, "out of memory") || strstr(text, "not enough memory"));
}

/* True if this computer is the reason that a hand-in has fewer points: it has killed or not begun
 * the process, or memory ended before the limit of a hand-in. */
static bool lacks_memory(const struct grade *g, const struct job *j, uint64_t limit)
{
	bool told = tells_of_memory(g->why) || tells_of_memory(g->note);
	for (unsigned i = 0; i < g->count; i++)
		told |= tells_of_memory(g->points[i].said);
	if (j->state == JOB_NOT_STARTED || (j->state == JOB_SIGNALLED && j->code == SIGKILL))
		return true;
	void *all = told ? alloc_try_bytes(limit) : NULL;
	free(all);
	return told && !all;
}

static void grade_evaluate_hand_in(struct grade *g, const struct job *j, const struct work *w,
                                   const struct lab *lab)
{
	if (!g->text)
		return;
	grade_find_student_name(g);
	const bool done = grade_read_points(g, w);
	if (!done || j->state != JOB_EXITED || j->code != 0)
		say_why(g, j, w);
	if (g->got > lab->points)
		g->got = lab->points;
	if (!lacks_memory(g, j, w->sandbox.memory_bytes))
		return;
	char *why = alloc_format("this computer is out of memory; a hand-in may hold %llu MiB "
	                         "(--memory)%s%s",
	                         (unsigned long long)w->sandbox.memory_bytes >> 20,
	                         g->why ? ": " : "", g->why ? g->why : "");
	if (why) {
		free(g->why);
		g->why = why;
	}
	g->ungraded = true;
	g->got = 0;
}

/* ---- all of them ---- */
uint64_t grade_seed(void)
{
	uint64_t seed;
	if (!random_bytes(&seed, sizeof seed)) {
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		seed = (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec << 16 ^ (uint64_t)getpid();
	}
	return seed >> 1;
}

/* Restricts what the process of a hand-in can reach. */
static bool grade_confine_check(struct work *w, const char *folder, const struct grade_limits *l,
                                struct err *err)
{
	char lab[PLACE], configs[PLACE], presets[PATH_MAX];
	place_name(lab, "%s/lab", folder);
	if (config_preset_folder(configs, sizeof configs) && realpath(configs, presets) &&
	    !sandbox_allow(&w->sandbox, presets, SANDBOX_READ, err))
		return false;
	w->sandbox.own_process = true; /* for our own open files */
	w->sandbox.memory_bytes = (uint64_t)l->megabytes << 20;
	w->sandbox.file_bytes = (uint64_t)l->output_kilobytes << 10;
	w->sandbox.cpu_seconds = l->seconds;
	return sandbox_allow_own_program(&w->sandbox, err) &&
	       sandbox_allow(&w->sandbox, lab, SANDBOX_READ, err) &&
	       sandbox_allow(&w->sandbox, w->folder, SANDBOX_READ, err) &&
	       sandbox_begin_in(&w->sandbox, w->place, err);
}

static bool grade_run_checks(struct grading *g, struct work *works, struct job *jobs,
                             const char *folder, struct err *err)
{
	static char lua[] = "lua", safe[] = "--lua-safe", steps[] = "--lua-steps",
		    check[] = OF_LAB "check.lua";
	char program[PATH_MAX], most[32], seed[32];
	own_program(program, sizeof program);
	snprintf(most, sizeof most, "%llu", (unsigned long long)g->lab->lua_steps);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)g->seed);
	g->checked = false;
	for (size_t i = 0; i < g->count; i++) {
		struct work *w = &works[i];
		char *const words[] = {program, lua,     safe, steps, most,
		                       check,   w->here, seed, NULL};
		memcpy(w->argv, words, sizeof words);
		jobs[i] = (struct job){.argv = w->argv,
		                       .out = w->out,
		                       .err = w->said,
		                       .sandbox = &w->sandbox,
		                       .timeout = ELAPSED * g->limits.seconds,
		                       .state = g->grades[i].text ? JOB_WAITING : JOB_EXITED};
		if (!g->grades[i].text)
			continue;
		if (!grade_confine_check(w, folder, &g->limits, err))
			return false;
		g->checked = true;
	}
	const int signal = jobs_run(jobs, g->count, g->limits.at_once, NULL);
	g->confined = g->checked ? SANDBOX_ALL : 0;
	for (size_t i = 0; i < g->count; i++) {
		if (g->grades[i].text)
			g->confined &= jobs[i].confined;
		grade_evaluate_hand_in(&g->grades[i], &jobs[i], &works[i], g->lab);
	}
	return !signal || err_set(err, "interrupted");
}

static struct work *new_works(size_t count)
{
	struct work *works = alloc_zeroed(count, sizeof *works);
	for (size_t i = 0; works && i < count; i++)
		sandbox_init(&works[i].sandbox);
	return works;
}

static const char *name_ending(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? dot : "";
}

/* Length of a path without slashes at its end. */
static int name_length(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return (int)n;
}

/* True for a folder that is not called like a hand-in: one such is graded, and gets no points. */
static bool is_class_folder(const char *path, const char *hand_in)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       (!*name_ending(hand_in) || strcmp(name_ending(path), name_ending(hand_in)) != 0);
}

bool lab_grade(struct grading *g, char *const *files, size_t count, struct err *err)
{
	char folder[PLACE];
	const char *tmp = getenv("TMPDIR");
	for (size_t i = 0; i < count; i++)
		if (access(files[i], F_OK) != 0)
			return err_set(err, "%s: %s; nothing is graded", files[i], strerror(errno));
		else if (is_class_folder(files[i], g->lab->hand_in))
			return err_set(err,
			               "%s is a folder; name its files: %.*s/*%s; nothing is "
			               "graded",
			               files[i], name_length(files[i]), files[i],
			               name_ending(g->lab->hand_in));
	g->grades = alloc_zeroed(count, sizeof *g->grades);
	g->count = g->grades ? count : 0;
	snprintf(folder, sizeof folder, "%.*s/cyclops-lab-XXXXXX", PLACE - 64,
	         tmp && *tmp == '/' ? tmp : "/tmp");
	if (!ending_make_folder(folder))
		return err_set(err, "%s: %s", folder, strerror(errno));
	struct work *works = new_works(count);
	struct job *jobs = alloc_zeroed(count, sizeof *jobs);
	bool ok = works && jobs && g->grades ? copy_lab(g, folder, err)
	                                     : err_set(err, "out of memory");
	for (size_t i = 0; i < g->count && ok; i++) {
		g->grades[i] = (struct grade){.file = files[i]};
		ok = grade_prepare_hand_in(&works[i], &g->grades[i], g->lab, folder, i + 1, err);
	}
	ok = ok && grade_run_checks(g, works, jobs, folder, err);
	ending_remove_folder();
	for (size_t i = 0; works && i < count; i++)
		sandbox_deinit(&works[i].sandbox);
	free(works);
	free(jobs);
	return ok;
}

void grading_deinit(struct grading *g)
{
	for (size_t i = 0; i < g->count; i++) {
		struct grade *grade = &g->grades[i];
		for (unsigned k = 0; k < grade->count; k++) {
			free(grade->points[k].what);
			free(grade->points[k].said);
		}
		free(grade->points);
		free(grade->text);
		free(grade->name);
		free(grade->why);
		free(grade->note);
	}
	free(g->grades);
	g->grades = NULL;
	g->count = 0;
}
