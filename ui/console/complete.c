/* Completion of command lines: the first word is a command, the rest is of the kind in its
 * descriptor. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/isa/regs.h"
#include "core/machine/params.h"
#include "core/os/os.h"
#include "hwviews/exports/export.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/marks.h"
#include "loader/demangle.h"
#include "loader/dwarf/named_types.h"
#include "scripting/expr/expr.h"
#include "ui/console/command_state.h"
#include "ui/help/help.h"

struct matches {
	struct console *c;
	char *prefix; /* owned */
	size_t length;
	bool last; /* of a library: after all others */
};

/* Begins words that sort last. No name has it. */
enum { LAST_MARK = '\177' };

static void console_complete_offer_word(struct matches *m, const char *word)
{
	struct command_state *st = m->c->state;
	if (strncmp(word, m->prefix, m->length) != 0)
		return;
	char **grown = alloc_resize(st->completions, (st->completion_count + 1) * sizeof *grown);
	if (!grown)
		return;
	st->completions = grown;
	grown[st->completion_count] =
		m->last ? alloc_format("%c%s", LAST_MARK, word) : alloc_text(word);
	st->completion_count += grown[st->completion_count] != NULL;
}

static void offer_words(struct matches *m, const char *words)
{
	char word[64];
	while (words && *words) {
		size_t n = strcspn(words, " ");
		snprintf(word, sizeof word, "%.*s", (int)n, words);
		console_complete_offer_word(m, word);
		words += n + strspn(words + n, " ");
	}
}

static void offer_view_names(struct matches *m)
{
	const struct view *v;
	for (unsigned i = 0; (v = view_at(m->c->session, i)); i++)
		console_complete_offer_word(m, v->name);
}

static void offer_commands(struct matches *m)
{
	const struct command *cmd;
	for (unsigned i = 0; (cmd = command_at(m->c, i)); i++)
		if (!cmd->screen || m->c->of_screen)
			console_complete_offer_word(m, cmd->name);
	offer_view_names(m);
	for (size_t i = 0; i < m->c->state->alias_count; i++)
		console_complete_offer_word(m, m->c->state->aliases[i].name);
}

/* Offers a C++ function: with arguments if the user types them, else with and without scopes. */
static void offer_function(struct matches *m, const char *name, size_t stem)
{
	char text[256];
	const char *from = name;
	if (memchr(m->prefix, '(', m->length)) {
		console_complete_offer_word(m, name);
		return;
	}
	for (const char *s = name; from && stem < sizeof text; from = s ? s + 2 : NULL) {
		if (strncmp(from, m->prefix, m->length) == 0) {
			snprintf(text, sizeof text, "%.*s", (int)(stem - (size_t)(from - name)),
			         from);
			console_complete_offer_word(m, text);
			return;
		}
		s = memmem(from, stem - (size_t)(from - name), "::", 2);
	}
}

/* Offers symbols once something was typed: a libc has thousands. Code without lines comes last. */
static void offer_symbols(struct matches *m)
{
	size_t n = 0;
	struct source_line at;
	const struct session *s = m->c->session;
	const struct symbol *sym = s && m->length ? program_symbols(s->program, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		const size_t stem = name_stem(sym[i].name);
		m->last = !program_line_at(s->program, sym[i].addr, &at) || !at.line;
		if (sym[i].name[stem])
			offer_function(m, sym[i].name, stem);
		else
			console_complete_offer_word(m, sym[i].name);
	}
	m->last = false;
}

/* Offers the functions of the file in "FILE:NAME", with the file. */
static void offer_functions_of_file(struct matches *m, size_t file)
{
	size_t n = 0;
	struct source_line at;
	char text[512];
	const struct session *s = m->c->session;
	const struct symbol *sym = s ? program_symbols(s->program, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (!sym[i].code || !program_line_at(s->program, sym[i].addr, &at) || !at.line)
			continue;
		const char *base = strrchr(at.file, '/');
		base = base ? base + 1 : at.file;
		if (strlen(base) != file || strncmp(base, m->prefix, file) != 0)
			continue;
		snprintf(text, sizeof text, "%s:%.*s", base, (int)name_stem(sym[i].name),
		         sym[i].name);
		console_complete_offer_word(m, text);
	}
}

static void offer_locations(struct matches *m)
{
	const char *colon = strchr(m->prefix, ':');
	if (colon && colon[1] != ':')
		offer_functions_of_file(m, (size_t)(colon - m->prefix));
	else
		offer_symbols(m);
}

static void offer_signals(struct matches *m)
{
	const char *name;
	for (unsigned sig = 1; sig < 64; sig++)
		if ((name = os_signal_name(sig)))
			console_complete_offer_word(m, name);
	offer_words(m, "all stop nostop print noprint pass nopass");
}

static void offer_variable(void *to, const struct session_variable *v)
{
	if (!v->hidden)
		console_complete_offer_word(to, v->name);
}

/* Offers C variables of the selected call. */
static void offer_variables(struct matches *m)
{
	const struct session *s = m->c->session;
	if (s && s->variables)
		s->variables(s->evaluate_ctx, offer_variable, m);
}

static void offer_registers(struct matches *m)
{
	for (unsigned r = 0; r < REG_SINK; r++)
		console_complete_offer_word(m, reg_name(r));
	console_complete_offer_word(m, "pc");
}

static void console_complete_offer_stats(struct matches *m)
{
	for (size_t i = 0; i < stat_row_count; i++)
		console_complete_offer_word(m, stat_rows[i].name);
}

/* Offers parameters that can be set. */
static void console_complete_offer_params(struct matches *m)
{
	for (size_t i = 0; i < param_count; i++)
		console_complete_offer_word(m, params[i].name);
	offer_registers(m);
}

static void offer_views(struct matches *m)
{
	offer_view_names(m);
	console_complete_offer_word(m, "--json");
}

/* Offers each word of names with one or two words. */
static void console_complete_offer_reports(struct matches *m)
{
	for (unsigned i = 0; i < report_count; i++)
		offer_words(m, reports[i]->name);
	offer_words(m, "all --json --csv");
}

static void offer_events(struct matches *m)
{
	for (int i = 0; i < EV_COUNT; i++)
		console_complete_offer_word(m, event_info[i].name);
	offer_words(m, "branch forward mispredict miss");
}

static void offer_expression(struct matches *m)
{
	const char *name, *help;
	offer_variables(m);
	offer_registers(m);
	for (unsigned i = 0; (name = expr_name(i, &help)); i++)
		console_complete_offer_word(m, name);
	console_complete_offer_stats(m);
	offer_symbols(m);
}

static void offer_stops(struct matches *m)
{
	const struct session *s = m->c->session;
	const struct stop_point *sp;
	char number[16];
	for (unsigned i = 0; s && (sp = run_stop_at(s->run, i)); i++) {
		snprintf(number, sizeof number, "%d", sp->id);
		console_complete_offer_word(m, number);
	}
}

static void console_complete_offer_files(struct matches *m)
{
	char folder[PATH_MAX], path[PATH_MAX];
	if (!console_may(m->c, "completion reaches files"))
		return;
	const char *slash = strrchr(m->prefix, '/');
	size_t n = slash ? (size_t)(slash - m->prefix) + 1 : 0;
	snprintf(folder, sizeof folder, "%.*s", (int)n, m->prefix);
	DIR *d = alloc_folder(n ? folder : ".");
	for (const struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		if (*e->d_name == '.' && !(slash ? slash[1] == '.' : *m->prefix == '.'))
			continue;
		int used = snprintf(path, sizeof path - 1, "%s%s", folder, e->d_name);
		if (used < 0 || (size_t)used >= sizeof path - 1)
			continue;
		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			strcpy(path + used, "/");
		console_complete_offer_word(m, path);
	}
	if (d)
		closedir(d);
}

static void console_complete_offer_exports(struct matches *m)
{
	for (unsigned i = 0; i < export_count; i++)
		console_complete_offer_word(m, exports[i]->name);
	offer_words(m, "oracle program by calls --force");
	console_complete_offer_files(m);
}

static void offer_help(struct matches *m)
{
	const char *name;
	for (unsigned i = 0; (name = help_name(m->c, i)); i++)
		console_complete_offer_word(m, name);
}

static void offer_nothing(struct matches *m)
{
	(void)m;
}

static void (*const offer_arguments[])(struct matches *m) = {
	[COMPLETE_NONE] = offer_nothing,
	[COMPLETE_COMMAND] = offer_commands,
	[COMPLETE_LOCATION] = offer_locations,
	[COMPLETE_VIEW] = offer_views,
	[COMPLETE_REPORT] = console_complete_offer_reports,
	[COMPLETE_EXPORT] = console_complete_offer_exports,
	[COMPLETE_STAT] = console_complete_offer_stats,
	[COMPLETE_PARAM] = console_complete_offer_params,
	[COMPLETE_REG] = offer_registers,
	[COMPLETE_EVENT] = offer_events,
	[COMPLETE_EXPR] = offer_expression,
	[COMPLETE_FILE] = console_complete_offer_files,
	[COMPLETE_STOP] = offer_stops,
	[COMPLETE_HELP] = offer_help,
	[COMPLETE_SIGNAL] = offer_signals,
};

/* Beginning of the command at `at`: after the last `;`. */
static size_t command_begin(const char *line, size_t at)
{
	size_t begin = 0;
	char quote = '\0';
	for (size_t i = 0; i < at; i++) {
		if (quote)
			quote = line[i] == quote ? '\0' : quote;
		else if (line[i] == '"')
			quote = line[i];
		else if (line[i] == ';')
			begin = i + 1;
	}
	return begin + strspn(line + begin, " \t");
}

/* True after `if`, where everything is an expression. */
static bool in_condition(const char *line, size_t from, size_t at)
{
	for (size_t i = from; i + 3 < at; i++)
		if (!strncmp(line + i, " if ", 4))
			return true;
	return false;
}

static size_t word_begin(const char *line, size_t begin, size_t at, enum complete_kind kind)
{
	size_t from = at;
	const char *also = kind == COMPLETE_EXPR       ? "_.:"
	                   : kind == COMPLETE_LOCATION ? "_.:~(<>"
	                                               : NULL;
	while (from > begin) {
		char ch = line[from - 1];
		if (also ? !isalnum((unsigned char)ch) && !strchr(also, ch)
		         : ch == ' ' || ch == '\t')
			break;
		from--;
	}
	return from;
}

/* ---- members and types in an expression ---- */
static bool is_name_character(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '$';
}

/* Beginning of the operand that ends at `end`: names, members, calls and elements. */
static size_t operand_begin(const char *line, size_t begin, size_t end)
{
	size_t from = end;
	unsigned open = 0;
	while (from > begin) {
		const char ch = line[from - 1];
		if (ch == ')' || ch == ']')
			open++;
		else if ((ch == '(' || ch == '[') && !open--)
			break;
		else if (!open && ch == '>' && from > begin + 1 && line[from - 2] == '-')
			from--;
		else if (!open && ch != '(' && ch != '[' && ch != '.' && ch != ':' &&
		         !is_name_character(ch))
			break;
		from--;
	}
	return from;
}

static bool offer_member(void *to, const char *name)
{
	console_complete_offer_word(to, name);
	return true;
}

/* Offers the members of the value before `.` or `->`, if the line ends after one of these and the
 * beginning of a name: true, with its place in *from. False: no such value. */
static bool complete_members(struct console *c, const char *line, size_t begin, size_t at,
                             size_t *from)
{
	size_t name = at;
	struct err why;
	while (name > begin && is_name_character(line[name - 1]))
		name--;
	const bool points = name > begin + 1 && line[name - 1] == '>' && line[name - 2] == '-';
	if (!points && !(name > begin && line[name - 1] == '.'))
		return false;
	const size_t end = name - (points ? 2 : 1), operand = operand_begin(line, begin, end);
	struct matches m = {
		.c = c, .prefix = alloc_text_n(line + name, at - name), .length = at - name};
	char *text = alloc_format("%s(%.*s)", points ? "*" : "", (int)(end - operand),
	                          line + operand);
	struct expr *e = m.prefix && text && end > operand && c->session && c->exprs
	                         ? expr_compile(c->exprs, text, &why)
	                         : NULL;
	const bool known = e && expr_is_c(e) && !expr_is_of_words(e) && expr_compute(e, &why) &&
	                   expr_computed_shape(c->exprs).kind == EXPR_MEMBERS;
	if (known)
		expr_each_member(c->exprs, offer_member, &m);
	expr_free(e);
	free(text);
	free(m.prefix);
	if (known || points)
		*from = name;
	return known || points;
}

struct type_matches {
	struct matches *m;
	const char *keyword; /* with a space at its end */
};

static void offer_type(void *to, const struct named_type *t)
{
	const struct type_matches *types = to;
	if (!strncmp(t->declared, types->keyword, strlen(types->keyword)))
		console_complete_offer_word(types->m, t->name);
}

/* Offers types, if the word before is `struct` or the like. */
static bool offer_types(struct matches *m, const char *line, size_t begin, size_t from)
{
	static const char *const keywords[] = {"struct ", "union ", "enum ", "class "};
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
		const size_t n = strlen(keywords[i]);
		if (from < begin + n || strncmp(line + from - n, keywords[i], n) != 0 ||
		    (from > begin + n && is_name_character(line[from - n - 1])))
			continue;
		if (m->c->session)
			named_types_each(m->c->session->program, offer_type,
			                 &(struct type_matches){m, keywords[i]});
		return true;
	}
	return false;
}

/* True if the arguments are those of `set var`, an expression. */
static bool sets_variable(const struct command *cmd, const char *line, size_t behind, size_t at)
{
	const char *word = line + behind + strspn(line + behind, " \t");
	const size_t n = strcspn(word, " \t");
	return !strcmp(cmd->name, "set") && word + n < line + at &&
	       ((n == 3 && !strncmp(word, "var", n)) || (n == 8 && !strncmp(word, "variable", n)));
}

/* True if the word before this place is `since`. */
static bool behind_since(const char *line, size_t begin, size_t from)
{
	static const char since[] = "since";
	const size_t n = sizeof since - 1;
	while (from > begin && (line[from - 1] == ' ' || line[from - 1] == '\t'))
		from--;
	return from > begin + n && !strncmp(line + from - n, since, n) &&
	       (line[from - n - 1] == ' ' || line[from - n - 1] == '\t');
}

/* Offers the beginnings of regions: the last stop, marks, symbols. */
static void offer_beginnings(struct matches *m)
{
	const struct session *s = m->c->session;
	const struct mark *mark;
	console_complete_offer_word(m, "last");
	for (unsigned i = 0; s && (mark = region_mark_at(s, i)); i++)
		console_complete_offer_word(m, mark->name);
	offer_symbols(m);
}

/* Offers arguments of the command, which ends at `behind`. */
static void collect_arguments(struct matches *m, const struct command *cmd, enum complete_kind kind,
                              const char *line, size_t behind, size_t from)
{
	const bool first = behind + strspn(line + behind, " \t") == from,
		   regions = kind == COMPLETE_VIEW || kind == COMPLETE_STAT;
	if (first)
		offer_words(m, cmd->words);
	if (regions && (!first || kind == COMPLETE_STAT))
		offer_words(m, "since selection");
	if (regions && behind_since(line, behind, from))
		offer_beginnings(m);
	else if (kind == COMPLETE_EXPR && offer_types(m, line, behind, from))
		;
	else if (!first || !cmd->words || cmd->complete != COMPLETE_FILE)
		offer_arguments[kind](m);
}

static void console_complete_collect(struct console *c, const char *line, size_t at, size_t *from)
{
	char word[64];
	size_t begin = command_begin(line, at);
	const struct command *cmd = NULL;
	enum complete_kind kind = COMPLETE_COMMAND;
	if (begin > at)
		begin = at;
	size_t behind = begin;
	while (behind < at && (isalnum((unsigned char)line[behind]) || line[behind] == '-'))
		behind++;
	if (behind == at) {
		*from = begin;
	} else {
		snprintf(word, sizeof word, "%.*s", (int)(behind - begin), line + begin);
		const char *alias = alias_text(c->state, word);
		if (alias)
			snprintf(word, sizeof word, "%.*s", (int)strcspn(alias, " "), alias);
		cmd = command_find(c, word, NULL);
		if (!cmd)
			return;
		kind = in_condition(line, behind, at) || sets_variable(cmd, line, behind, at)
		               ? COMPLETE_EXPR
		               : cmd->complete;
		if (kind == COMPLETE_EXPR && complete_members(c, line, behind, at, from))
			return;
		*from = word_begin(line, behind, at, kind);
	}
	struct matches m = {
		.c = c, .prefix = alloc_text_n(line + *from, at - *from), .length = at - *from};
	if (m.prefix && cmd)
		collect_arguments(&m, cmd, kind, line, behind, *from);
	else if (m.prefix)
		offer_commands(&m);
	free(m.prefix);
}

static int console_complete_compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the words, those with a mark last, and removes duplicates and marks: several tables may
 * have the same word. */
static void console_complete_sort_words(struct command_state *st)
{
	size_t kept = 0;
	if (!st->completion_count)
		return;
	sort_stable(st->completions, st->completion_count, sizeof *st->completions,
	            console_complete_compare_words);
	for (size_t i = 1; i < st->completion_count; i++) {
		if (strcmp(st->completions[kept], st->completions[i]) != 0)
			st->completions[++kept] = st->completions[i];
		else
			free(st->completions[i]);
	}
	const size_t all = kept + 1;
	size_t plain = 0;
	while (plain < all && *st->completions[plain] != LAST_MARK)
		plain++;
	kept = plain;
	for (size_t i = plain; i < all; i++) {
		char *word = st->completions[i];
		memmove(word, word + 1, strlen(word));
		if (bsearch(&word, st->completions, plain, sizeof word,
		            console_complete_compare_words))
			free(word);
		else
			st->completions[kept++] = word;
	}
	st->completion_count = kept;
}

char *console_complete(struct console *c, const char *line, size_t at, unsigned i, size_t *from)
{
	struct command_state *st = c->state;
	if (!i) {
		for (size_t k = 0; k < st->completion_count; k++)
			free(st->completions[k]);
		st->completion_count = 0;
		st->completion_from = at;
		console_complete_collect(c, line, at, &st->completion_from);
		console_complete_sort_words(st);
	}
	*from = st->completion_from;
	return i < st->completion_count ? alloc_text(st->completions[i]) : NULL;
}
