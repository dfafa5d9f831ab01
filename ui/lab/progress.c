/* A user's progress in a lab: their hand-in, and a file of lines WORD VALUE. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "ui/cli/own_folder.h"
#include "ui/lab/lab.h"
#include "ui/tour/tour.h"

bool lab_own_file(const struct lab *lab, const char *name, char *out, size_t n, struct err *err)
{
	char path[PATH_MAX];
	if (!own_file("labs", path, sizeof path, err))
		return false;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return err_set(err, "%s: %s", path, strerror(errno));
	const size_t used = strlen(path);
	if (snprintf(path + used, sizeof path - used, "/%s", lab->name) >=
	            (int)(sizeof path - used) ||
	    snprintf(out, n, "%s/%s", path, name) >= (int)n)
		return err_set(err, "the path of your folder is too long");
	return mkdir(path, 0700) == 0 || errno == EEXIST ||
	       err_set(err, "%s: %s", path, strerror(errno));
}

bool lab_own_hand_in(const struct lab *lab, char *out, size_t n, struct err *err)
{
	enum { MOST = 1 << 20 };
	char from[PATH_MAX];
	struct stat st;
	if (!lab_own_file(lab, lab->hand_in, out, n, err))
		return false;
	if (lstat(out, &st) == 0)
		return true;
	lab_file(lab, lab->hand_in, from, sizeof from);
	FILE *f = alloc_file(from, "r");
	char *text = f ? alloc_bytes(MOST) : NULL;
	const size_t length = text ? fread(text, 1, MOST, f) : 0;
	const bool ok = text ? output_write(out, text, length, OUTPUT_FILE_REGULAR, err)
	                     : err_set(err, "%s: %s", from, strerror(errno));
	if (f)
		fclose(f);
	free(text);
	return ok;
}

/* Reads "NAME TEXT" after the word for an answer, or "NAME COUNT" after that for the tries of an
 * answer on an earlier line. False for any other word. */
static bool progress_read_answer(struct quiz *q, const char *word, char **at, const char *answer,
                                 const char *tries)
{
	const bool counts = !strcmp(word, tries);
	if (!counts && strcmp(word, answer) != 0)
		return false;
	const char *name = strsep(at, " "), *value = *at ? *at : "";
	struct quiz_answer *a = name ? (struct quiz_answer *)quiz_find(q, name) : NULL;
	if (counts && a)
		a->tries = (unsigned)strtoul(value, NULL, 10);
	else if (!counts && name)
		quiz_answer(q, name, value, NULL);
	return true;
}

static void progress_write_answers(FILE *f, const struct quiz *q, const char *answer,
                                   const char *tries)
{
	for (unsigned i = 0; i < q->count; i++)
		fprintf(f, "%s %s %s\n%s %s %u\n", answer, q->answers[i].name, q->answers[i].text,
		        tries, q->answers[i].name, q->answers[i].tries);
}

void lab_progress_read(const struct lab *lab, struct lab_progress *p)
{
	char path[PATH_MAX], line[QUIZ_NAME + QUIZ_TEXT + 32];
	*p = (struct lab_progress){0};
	FILE *f = lab_own_file(lab, "progress", path, sizeof path, NULL)
	                  ? open_own_input(path)
	                  : NULL;
	while (f && fgets(line, sizeof line, f)) {
		char *at = line;
		line[strcspn(line, "\n")] = '\0';
		const char *word = strsep(&at, " "), *value = at ? at : "";
		unsigned a = 0, b = 0;
		if (progress_read_answer(&p->quiz, word, &at, "answer", "tries") ||
		    progress_read_answer(&p->checked, word, &at, "checked", "checks"))
			continue;
		if (sscanf(value, "%u %u", &a, &b) < 1)
			continue;
		if (!strcmp(word, "beat"))
			p->beat = a <= lab->steps_done_of ? a : lab->steps_done_of;
		else if (!strcmp(word, "points"))
			p->got = a, p->of = b;
		else if (!strcmp(word, "hand-in"))
			p->grade = a, p->max = b;
	}
	if (f)
		fclose(f);
}

static bool progress_write_file(const char *path, const struct lab_progress *p, struct err *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return err_set(err, "out of memory");
	fprintf(f, "beat %u\npoints %u %u\nhand-in %u %u\n", p->beat, p->got, p->of, p->grade,
	        p->max);
	progress_write_answers(f, &p->quiz, "answer", "tries");
	progress_write_answers(f, &p->checked, "checked", "checks");
	const bool ok = fclose(f) == 0 ? output_write(path, text, n, OUTPUT_FILE_REGULAR, err)
	                               : err_set(err, "out of memory");
	free(text);
	return ok;
}

/* Locks the user's folder of the lab until the returned descriptor is closed; -1: no lock, for
 * example on a file system without them. */
static int progress_lock(const struct lab *lab)
{
	char path[PATH_MAX];
	const int fd = lab_own_file(lab, "", path, sizeof path, NULL)
	                       ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
	                       : -1;
	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		;
	return fd;
}

bool lab_progress_write(const struct lab *lab, const struct lab_progress *p,
                        enum lab_progress_part part, struct err *err)
{
	char path[PATH_MAX];
	struct lab_progress *all = lab_own_file(lab, "progress", path, sizeof path, err)
	                                   ? alloc_bytes(sizeof *all)
	                                   : NULL;
	if (!all)
		return false;
	const int lock = progress_lock(lab);
	lab_progress_read(lab, all);
	if (part == PROGRESS_GRADE) {
		all->grade = p->grade;
		all->max = p->max;
		all->checked = p->checked;
	} else {
		all->beat = p->beat;
		all->got = p->got;
		all->of = p->of;
		all->quiz = p->quiz;
	}
	const bool ok = progress_write_file(path, all, err);
	if (lock >= 0)
		close(lock);
	free(all);
	return ok;
}

/* "step 4 of 9", as the box of the steps counts them: a step has several beats. */
static size_t progress_format_step(const struct lab *lab, const struct lab_progress *p, char *buf,
                                   size_t n)
{
	char path[PATH_MAX];
	struct tour t;
	struct err none;
	lab_file(lab, "lab.cyc", path, sizeof path);
	if (!tour_read(&t, path, &none))
		return 0;
	const unsigned step = p->beat < t.count ? t.beats[p->beat].step : t.steps;
	const int used = snprintf(buf, n, "step %u of %u", step, t.steps);
	tour_deinit(&t);
	return (size_t)used;
}

char *lab_progress_text(const struct lab *lab, const struct lab_progress *p, char *buf, size_t n)
{
	size_t used = 0;
	buf[0] = '\0';
	if (p->beat)
		used = p->beat == lab->steps_done_of ? (size_t)snprintf(buf, n, "all steps")
		                                     : progress_format_step(lab, p, buf, n);
	if (p->of && used < n)
		used += (size_t)snprintf(buf + used, n - used, ", predictions %u of %u", p->got,
		                         p->of);
	if (p->max && used < n)
		snprintf(buf + used, n - used, "%shand-in %u of %u", used ? ", " : "", p->grade,
		         p->max);
	return buf;
}
