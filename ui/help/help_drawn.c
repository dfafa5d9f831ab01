#include "ui/help/help_drawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "core/isa/regs.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/why/spent.h"

static const struct {
	const char *words, *cell, *line;
} waits[] = {
#define WHY(id, role, words, cell, line, due) {words, cell, line},
#include "hwviews/why/why_phrases.def"
};
static const struct {
	const char *words, *line;
} fetches[] = {
#define FETCH(id, words, line, due) {words, line},
#include "hwviews/why/why_phrases.def"
};

/* Prints "WORD, OF: TEXT" in lines of 78 cells, with words for the placeholders of the table. */
static void help_drawn_print(struct console *c, const char *word, const char *of, const char *text)
{
	static const char letters[] = "ropiutcxksfwand";
	static const char *const meanings[] = {"a register", "#seq",
	                                       "its",        "another instruction",
	                                       "of these",   "",
	                                       "a cycle",    "an earlier cycle",
	                                       "its type",   "its number",
	                                       "its fault",  "a line",
	                                       "an address", "the next address",
	                                       "a cycle"};
	char *sentence = NULL, *lines = NULL;
	size_t n;
	FILE *f = alloc_stream(&sentence, &n);
	if (!f)
		return;
	fprintf(f, "%s, %s: ", word, of);
	for (; *text; text++) {
		const char *letter = *text == '$' && text[1] ? strchr(letters, text[1]) : NULL;
		if (letter) {
			fputs(meanings[letter - letters], f);
			text++;
		} else {
			fputc(*text, f);
		}
	}
	fclose(f);
	if (sentence && (f = alloc_stream(&lines, &n))) {
		view_help_wrap(f, sentence, 0, 2);
		fclose(f);
		console_print(c, "%s", lines ? lines : "");
	}
	free(lines);
	free(sentence);
}

/* True if the word is the cell's text up to its first placeholder, or as far as it goes. */
static bool help_drawn_is_cell(const char *cell, const char *word)
{
	size_t n = strcspn(cell, "$");
	while (n && strchr(" ,", cell[n - 1]))
		n--;
	return n && strlen(word) == n && !strncasecmp(cell, word, n);
}

/* The help of the i-th column; of AS_BEFORE, the help of the column that it repeats. */
static const char *help_drawn_column(const struct view_table *t, unsigned i)
{
	while (i && t->columns[i].help && !strcmp(t->columns[i].help, AS_BEFORE))
		i--;
	return t->columns[i].help;
}

static unsigned help_drawn_put_columns(struct console *c, const char *kind, const char *name,
                                       const struct view_help *h, const char *word)
{
	char of[64];
	for (unsigned k = 0; k < VIEW_TABLES_MAX; k++)
		for (unsigned i = 0; i < h->tables[k].count; i++) {
			const struct grid_column *column = &h->tables[k].columns[i];
			const char *help = help_drawn_column(&h->tables[k], i);
			if (!help || (strcasecmp(column->title, word) != 0 &&
			              strcmp(column->name, word) != 0))
				continue;
			snprintf(of, sizeof of, "in %s %.40s", kind, name);
			help_drawn_print(c, *column->title ? column->title : column->name, of,
			                 help);
			return 1;
		}
	return 0;
}

/* True if `word` is the last part of the statistic's name: structural of cpi.structural. */
static bool help_drawn_is_row(const struct stat_row *row, const char *word)
{
	const char *at = strrchr(row->name, '.') + 1;
	for (; *at && (*at == *word || (*at == '_' && *word == ' ')); at++)
		word++;
	return !*at && !*word;
}

bool help_put_drawn(struct console *c, const char *word)
{
	unsigned found = 0;
	char text[256];
	const struct spent_cause *cause;
	const struct view *v;
	for (unsigned i = 0; (v = view_at(c->session, i)); i++)
		found += help_drawn_put_columns(c, "view", v->name, &v->help, word);
	for (unsigned i = 0; i < report_count; i++)
		found += help_drawn_put_columns(c, "report", reports[i]->name, &reports[i]->help,
		                                word);
	for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
		if (!strcasecmp(waits[i].words, word) || help_drawn_is_cell(waits[i].cell, word)) {
			const bool place = *waits[i].line == ':';
			help_drawn_print(c, waits[i].words, "an instruction's state",
			                 waits[i].line + place);
			found++;
		}
	for (unsigned i = 0; i < sizeof fetches / sizeof *fetches; i++)
		if (!strcasecmp(fetches[i].words, word)) {
			help_drawn_print(c, fetches[i].words, "of fetch", fetches[i].line);
			found++;
		}
	const int reg = reg_from_name(word);
	if (reg >= 0) {
		console_print(c,
		              "%s: a register (%s); `print $%s` shows it, `regs` and `fregs` all\n",
		              word, reg < 32 ? "of integers" : "of floating point", word);
		found++;
	}
	for (unsigned i = 0; (cause = spent_cause_at(i)); i++)
		if (!strcasecmp(cause->doing, word)) {
			snprintf(text, sizeof text, "statistics slots.*: %s; would help: %s",
			         cause->rows, cause->advice);
			help_drawn_print(c, cause->doing, "in view spent", text);
			found++;
		}
	for (size_t i = 0; i < stat_row_count; i++)
		if (help_drawn_is_row(&stat_rows[i], word)) {
			help_drawn_print(c, stat_rows[i].name, "a statistic", stat_rows[i].help);
			found++;
		}
	return found;
}
