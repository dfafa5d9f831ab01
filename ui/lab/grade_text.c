/* Grades as a table of a class and as a page for each student. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/host/sandbox.h"
#include "hwviews/grid/csv_cell.h"
#include "ui/lab/grade.h"

enum { PAGE_KEY = 96 };

static const struct grade_point *grade_text_find_point(const struct grade *g, const char *what)
{
	for (unsigned i = 0; i < g->count; i++)
		if (!strcmp(g->points[i].what, what))
			return &g->points[i];
	return NULL;
}

/* Returns buf. */
static const char *grade_text_confinement(const struct grading *g, char *buf, size_t n)
{
	if (g->checked)
		return sandbox_means_text(g->confined, buf, n);
	snprintf(buf, n, "none was run");
	return buf;
}

char *grading_text(const struct grading *g, char *buf, size_t n)
{
	char means[80];
	snprintf(buf, n, "seed %" PRIu64 ", %s%s", g->seed, g->checked ? "confined by " : "",
	         grade_text_confinement(g, means, sizeof means));
	return buf;
}

/* Writes a cell, an empty one where there is no number of points. */
static void grade_put_points(FILE *f, const struct grade *g, unsigned got)
{
	fputc(',', f);
	if (!g->ungraded)
		fprintf(f, "%u", got);
}

static void grades_put_row(FILE *f, const struct grading *g, size_t i, const struct grade *most)
{
	const struct grade *grade = &g->grades[i];
	char name[GRADE_PAGE_NAME], means[80];
	csv_cell(f, grade->file);
	putc(',', f);
	csv_cell(f, grade->name ? grade->name : "");
	grade_put_points(f, grade, grade->got);
	fprintf(f, ",%u", g->lab->points);
	for (unsigned k = 0; k < most->count; k++) {
		const struct grade_point *p = grade_text_find_point(grade, most->points[k].what);
		grade_put_points(f, grade, p ? p->got : 0);
	}
	putc(',', f);
	char *note = grade->ungraded ? alloc_format("not graded: %s", grade->why) : NULL;
	csv_cell(f, note ? note : grade->why ? grade->why : grade->note ? grade->note : "");
	free(note);
	putc(',', f);
	csv_cell(f, grade_page_name(g, i, name, sizeof name));
	fprintf(f, ",%" PRIu64 ",", g->seed);
	csv_cell(f, grade_text_confinement(g, means, sizeof means));
	putc('\n', f);
}

char *grades_csv(const struct grading *g)
{
	/* Columns are the checks of the hand-in that has most. */
	const struct grade *most = g->grades;
	char *out = NULL;
	size_t size;
	FILE *f = alloc_stream(&out, &size);
	if (!f)
		return NULL;
	for (size_t i = 0; i < g->count; i++)
		if (g->grades[i].count > most->count)
			most = &g->grades[i];
	fputs("file,name,points,of", f);
	for (unsigned k = 0; k < most->count; k++) {
		putc(',', f);
		csv_cell(f, most->points[k].what);
	}
	fputs(",note,page,seed,confinement\n", f);
	for (size_t i = 0; i < g->count; i++)
		grades_put_row(f, g, i, most);
	return fclose(f) ? free(out), NULL : out;
}

/* ---- pages ---- */
/* Makes a key of a file's name up to its first dot: lower-case letters, digits, '-' and '_'; other
 * characters become '_'. */
static void page_key(const char *file, char key[PAGE_KEY])
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t n = strcspn(base, ".");
	if (n >= PAGE_KEY)
		n = PAGE_KEY - 1;
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)base[i];
		key[i] = c == '-' || (c < 128 && isalnum(c)) ? (char)tolower(c) : '_';
	}
	key[n] = '\0';
	if (!n)
		strcpy(key, "hand-in");
}

char *grade_page_name(const struct grading *g, size_t i, char *name, size_t n)
{
	char key[PAGE_KEY], other[PAGE_KEY];
	bool alone = true;
	page_key(g->grades[i].file, key);
	for (size_t k = 0; k < g->count && alone; k++) {
		page_key(g->grades[k].file, other);
		alone = k == i || strcmp(key, other) != 0;
	}
	/* Keys contain no '+', so this name is unique. */
	if (alone)
		snprintf(name, n, "%s.md", key);
	else
		snprintf(name, n, "%s+%zu.md", key, i + 1);
	return name;
}

/* Writes untrusted text with all Markdown syntax escaped. */
static void grade_text_write_md_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>#|&~$@", *text))
			putc('\\', f);
		if ((unsigned char)*text >= ' ')
			putc(*text, f);
	}
}

char *grade_page(const struct grading *all, size_t i)
{
	const struct grade *g = &all->grades[i];
	const struct lab *lab = all->lab;
	char *out = NULL;
	size_t size;
	FILE *f = alloc_stream(&out, &size);
	const char *slash = strrchr(g->file, '/');
	if (!f)
		return NULL;
	fputs("# ", f);
	grade_text_write_md_escaped(f, lab->title);
	fputs("\n\n", f);
	grade_text_write_md_escaped(f, g->name ? g->name : slash ? slash + 1 : g->file);
	if (g->ungraded)
		fputs(": **not graded**\n", f);
	else
		fprintf(f, ": **%u of %u points**\n", g->got, lab->points);
	if (g->why) {
		fprintf(f, "\nIt was not graded%s: ", g->ungraded ? "" : " to its end");
		grade_text_write_md_escaped(f, g->why);
		fputs("\n", f);
	}
	if (g->count && !g->ungraded)
		fputs("\n| what | points | |\n| --- | --- | --- |\n", f);
	for (unsigned k = 0; k < g->count && !g->ungraded; k++) {
		const struct grade_point *p = &g->points[k];
		fputs("| ", f);
		grade_text_write_md_escaped(f, p->what);
		fprintf(f, " | %u of %u | ", p->got, p->of);
		grade_text_write_md_escaped(f, p->said ? p->said : "");
		fputs(" |\n", f);
	}
	if (!all->secret)
		fprintf(f,
		        "\nIts inputs were drawn with seed %" PRIu64 ": `cyclops lab check %s FILE "
		        "--seed %" PRIu64 "` repeats this.\n",
		        all->seed, lab->number ? lab->name : "FOLDER", all->seed);
	return fclose(f) ? free(out), NULL : out;
}
