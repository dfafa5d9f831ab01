/* Grades as a table of a class and as a page for each student. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/lab/grade.h"

/* A cell that no spreadsheet takes for a formula, quoted. */
static void grade_text_write_csv_cell(FILE *f, const char *text)
{
	putc('"', f);
	if (*text && strchr("=+-@\t", *text))
		putc('\'', f);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', f);
		if ((unsigned char)*text >= ' ')
			putc(*text, f);
	}
	putc('"', f);
}

static const struct grade_point *grade_text_find_point(const struct grade *g, const char *what)
{
	for (unsigned i = 0; i < g->count; i++)
		if (!strcmp(g->points[i].what, what))
			return &g->points[i];
	return NULL;
}

char *grades_csv(const struct grade *grades, size_t count, const struct lab *lab)
{
	/* Columns are those of who got furthest. */
	const struct grade *most = grades;
	char *out = NULL;
	size_t size;
	FILE *f = alloc_stream(&out, &size);
	if (!f)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (grades[i].count > most->count)
			most = &grades[i];
	fputs("file,name,points,of", f);
	for (unsigned k = 0; k < most->count; k++) {
		putc(',', f);
		grade_text_write_csv_cell(f, most->points[k].what);
	}
	fputs(",note\n", f);
	for (size_t i = 0; i < count; i++) {
		const struct grade *g = &grades[i];
		grade_text_write_csv_cell(f, g->file);
		putc(',', f);
		grade_text_write_csv_cell(f, g->name ? g->name : "");
		fprintf(f, ",%u,%u", g->got, lab->points);
		for (unsigned k = 0; k < most->count; k++) {
			const struct grade_point *p =
				grade_text_find_point(g, most->points[k].what);
			fprintf(f, p ? ",%u" : ",0", p ? p->got : 0);
		}
		putc(',', f);
		grade_text_write_csv_cell(f, g->why ? g->why : "");
		putc('\n', f);
	}
	return fclose(f) ? free(out), NULL : out;
}

/* Text of strangers in Markdown: nothing of it means anything there. */
static void grade_text_write_md_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>#|", *text))
			putc('\\', f);
		if ((unsigned char)*text >= ' ')
			putc(*text, f);
	}
}

char *grade_page(const struct grade *g, const struct lab *lab)
{
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
	fprintf(f, ": **%u of %u points**\n", g->got, lab->points);
	if (g->why) {
		fputs("\nIt was not graded to its end: ", f);
		grade_text_write_md_escaped(f, g->why);
		fputs("\n", f);
	}
	if (g->count)
		fputs("\n| what | points | |\n| --- | --- | --- |\n", f);
	for (unsigned i = 0; i < g->count; i++) {
		const struct grade_point *p = &g->points[i];
		fputs("| ", f);
		grade_text_write_md_escaped(f, p->what);
		fprintf(f, " | %u of %u | ", p->got, p->of);
		grade_text_write_md_escaped(f, p->said ? p->said : "");
		fputs(" |\n", f);
	}
	return fclose(f) ? free(out), NULL : out;
}
