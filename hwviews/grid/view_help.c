/* The help of a view: the author's text, and a line for each column of its tables. */
#include "hwviews/grid/view_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"

enum { MARGIN = 2, INDENT = 13, WIDTH = 78 };

static const char *view_help_column_label(const struct grid_column *c)
{
	return *c->title ? c->title : c->name;
}

static bool as_before(const struct grid_column *c)
{
	return c->help && !strcmp(c->help, AS_BEFORE);
}

/* True if a column before the at-th of the table `which` has the same line. */
static bool view_help_column_is_duplicate(const struct view_help *h, unsigned which, unsigned at)
{
	const struct grid_column *c = &h->tables[which].columns[at];
	for (unsigned t = 0; t <= which; t++)
		for (unsigned i = 0; i < (t < which ? h->tables[t].count : at); i++) {
			const struct grid_column *d = &h->tables[t].columns[i];
			if (d->help &&
			    !strcmp(view_help_column_label(c), view_help_column_label(d)) &&
			    !strcmp(c->help, d->help))
				return true;
		}
	return false;
}

/* Length of the word at text; a word includes blanks between backquotes. */
static size_t view_help_word_length(const char *text)
{
	size_t n = 0;
	for (bool code = false; text[n] && (code || text[n] != ' '); n++)
		code ^= text[n] == '`';
	return n;
}

void view_help_wrap(FILE *f, const char *text, unsigned at, unsigned indent)
{
	for (const char *before = ""; *text; before = " ") {
		char word[WIDTH + 1];
		const size_t n = view_help_word_length(text);
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		const unsigned width = utf8_width(word);
		if (*before && at + 1 + width > WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			before = "";
			at = indent;
		}
		fprintf(f, "%s%.*s", before, (int)n, text);
		at += width + (*before != '\0');
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

static void view_help_print_table(FILE *f, const struct view_help *h, unsigned which)
{
	const struct view_table *t = &h->tables[which];
	const unsigned indent = t->indent ? t->indent : INDENT;
	for (unsigned i = 0; i < t->count; i++) {
		const struct grid_column *c = &t->columns[i];
		if (!c->help || as_before(c) || view_help_column_is_duplicate(h, which, i))
			continue;
		unsigned at = MARGIN + utf8_width(view_help_column_label(c));
		fprintf(f, "%*s%s", MARGIN, "", view_help_column_label(c));
		for (unsigned j = i + 1; j < t->count && as_before(&t->columns[j]); j++) {
			at += 2 + utf8_width(view_help_column_label(&t->columns[j]));
			fprintf(f, ", %s", view_help_column_label(&t->columns[j]));
		}
		const unsigned gap = at + 2 <= indent ? indent - at : 2;
		fprintf(f, "%*s", (int)gap, "");
		view_help_wrap(f, c->help, at + gap, indent);
	}
}

char *view_help_text(const struct view_help *h)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	const size_t about = strlen(h->about);
	fprintf(f, "%s%s", h->about,
	        about && h->about[about - 1] != '\n' && h->tables[0].count ? "\n\n" : "");
	for (unsigned t = 0; t < VIEW_TABLES_MAX && h->tables[t].count; t++) {
		fputs(h->tables[t].before ? h->tables[t].before : "", f);
		view_help_print_table(f, h, t);
	}
	if (h->hints)
		fprintf(f, "%s%s", strchr(" \n", *h->hints) ? "" : "\n", h->hints);
	const bool ok = !ferror(f);
	if (fclose(f) != 0 || !ok) {
		free(text);
		return NULL;
	}
	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	return text;
}
