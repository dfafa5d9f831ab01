#include "ui/help/help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "core/machine/params.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "scripting/expr/expr.h"
#include "ui/console/habits.h"
#include "ui/help/glossary.h"
#include "ui/help/help_drawn.h"
#include "ui/help/help_lua.h"
#include "ui/help/help_pages.h"
#include "ui/help/help_presets.h"
#include "ui/screen/keys.h"

static void put_overview(struct console *c)
{
	help_put_commands(c);
	console_print(
		c, "help WORD explains a command, view, event, statistic, parameter, word of the "
		   "field or\n"
		   "instruction; apropos WORD searches.\n"
		   "help commands | views | reports | events | fields | stats | params | presets\n"
		   "help csrs | keys | mouse\n"
		   "help glossary | instructions\n"
		   "help expressions | locations | options | exports | json\n"
		   "help programs: which programs run; help lua: what scripts can do\n"
		   "help xprof: profile instructions; help microcode: the co-processor's programs\n"
		   "help values | plugins: parts of the machine in Lua; help sweep: many runs\n"
		   "help renaming | issue queue | tomasulo: out-of-order execution explained\n"
		   "help gdb | dap: debugging from gdb, or from an editor\n");
}

/* ---- words ---- */
static void help_print_text(struct console *c, const char *text)
{
	if (*text)
		console_print(c, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* Prints the keys that run the command, or that open the prompt with it. */
static void put_keys_of(struct console *c, const struct command *cmd)
{
	const size_t n = strlen(cmd->name);
	const char *before = "On the screen: ";
	for (unsigned i = 0; i < key_count; i++) {
		const char *line = keys[i].command;
		if (!strncmp(line, "prompt ", 7))
			line += 7;
		if (strncmp(line, cmd->name, n) != 0 || (line[n] && line[n] != ' '))
			continue;
		console_print(c, "%s%s", before, keys[i].name);
		before = "  ";
	}
	if (*before == ' ')
		console_print(c, "\n");
}

/* Prints the help of a view or report, which is composed on demand. */
static void put_view_help(struct console *c, const struct view_help *h)
{
	char *text = view_help_text(h);
	help_print_text(c, text ? text : "out of memory for a help text");
	free(text);
}

static void help_print_command(struct console *c, const struct command *cmd)
{
	console_print(c, "%s\n%s.\n", cmd->usage, cmd->summary);
	help_print_text(c, cmd->help);
	if (*cmd->aliases)
		console_print(c, "Also: %s\n", cmd->aliases);
	put_keys_of(c, cmd);
}

static void help_print_view(struct console *c, const struct view *v)
{
	console_print(c, "view %s%s%s: %s\n", v->name, *v->args ? " " : "", v->args, v->title);
	put_view_help(c, &v->help);
}

static void put_report(struct console *c, const struct report *r)
{
	console_print(c, "report %s%s%s: %s\n", r->name, *r->args ? " " : "", r->args, r->title);
	put_view_help(c, &r->help);
}

static void put_format(struct console *c, const struct export_format *f)
{
	console_print(c, "export %s FILE%s%s: %s\n", f->name, *f->args ? " " : "", f->args,
	              f->title);
	help_print_text(c, f->help);
}

static void help_print_event(struct console *c, const struct event_info *e)
{
	console_print(c, "event %s: %s\n", e->name, e->help);
	if (e->field_count)
		console_print(c, "Words of `catch %s if ...`:\n", e->name);
	for (unsigned i = 0; i < e->field_count; i++)
		help_put_field(c, e->fields[i].name, e->fields[i].help, e->fields[i].type);
}

static void help_print_stat(struct console *c, const struct stat_row *row)
{
	console_print(c, "statistic %s: %s (%s%s)\n", row->name, row->help, row->unit,
	              row->derived ? ", derived" : "");
	if (c->session) {
		char value[64];
		struct expr_value v;
		snprintf(value, sizeof value, "stat['%s']", row->name);
		bool known = expr_once(c->exprs, value, &v, &c->err);
		if (known && v.type == EXPR_INT)
			console_print(c, "now %lld\n", (long long)v.i);
		else if (known)
			console_print(c, "now %g\n", v.d);
	}
}

static void put_param(struct console *c, const struct param *p)
{
	struct config def;
	char value[PARAM_TEXT_MAX], now[PARAM_TEXT_MAX];
	config_default(&def);
	config_format(&def, p, value, sizeof value);
	console_print(c, "parameter %s: %s\n", p->name, p->help);
	if (p->type == PARAM_INT)
		console_print(c, "%lld to %lld %s, ", (long long)p->min, (long long)p->max,
		              p->unit);
	else
		console_print(c, "%s, ", p->type == PARAM_BOOL ? "true|false" : p->unit);
	console_print(c, "%s by default", value);
	if (c->session)
		console_print(
			c, ", %s now",
			config_format(machine_config(c->session->machine), p, now, sizeof now));
	console_print(c, "; set by -o %s=VALUE, or `set` for the next run\n", p->name);
}

static void help_print_csr(struct console *c, const struct csr_info *csr)
{
	char name[32];
	console_print(c, "register %s (CSR 0x%03x%s%s): %s\n",
	              help_csr_name(csr, name, sizeof name), csr->first,
	              csr->machine ? ", of M-mode" : "", csr->read_only ? ", read-only" : "",
	              csr->help);
}

/* Prints "head: text", in two lines if it is too long for one. */
static void help_print_heading(struct console *c, const char *head, const char *text)
{
	console_print(c, "%s:%s%s\n", head, strlen(head) + strlen(text) + 2 > 78 ? "\n  " : " ",
	              text);
}

static void put_term(struct console *c, const struct glossary_term *t)
{
	help_print_heading(c, t->name, t->summary);
	help_print_text(c, t->text);
}

static void help_print_instruction(struct console *c, const struct glossary_instruction *in)
{
	struct config def;
	char head[64];
	config_default(&def);
	char *timing = glossary_timing(in, c->session ? machine_config(c->session->machine) : &def);
	snprintf(head, sizeof head, "instruction %s", glossary_mnemonic(in));
	help_print_heading(c, head, in->what);
	if (in->spelling)
		console_print(c, "another spelling of %s\n", op_info[in->op].mnemonic);
	help_print_text(c, timing ? timing : "");
	free(timing);
}

/* Prints an empty line before all but the first of several. */
static void help_print_separator(struct console *c, unsigned *found)
{
	if ((*found)++)
		console_print(c, "\n");
}

/* Prints all topics of exactly this name, a command first: a word may be a command and a view.
 * `whole`: don't accept an abbreviated command. */
static bool put_exact(struct console *c, const char *topic, bool whole)
{
	struct err err;
	unsigned found = 0;
	const struct command *cmd = command_find(c, topic, &err);
	const char *name, *help;
	const struct glossary_term *term = glossary_term(topic);
	const struct glossary_instruction *in = glossary_instruction(topic);
	const struct view *v = view_named(c->session, topic);
	const bool named = cmd && !strcmp(cmd->name, topic);
	if (named) {
		help_print_command(c, cmd);
		found++;
	}
	if (term) {
		help_print_separator(c, &found);
		put_term(c, term);
	}
	if (v) {
		help_print_separator(c, &found);
		help_print_view(c, v);
	}
	for (unsigned i = 0; i < report_count; i++)
		if (!strcmp(reports[i]->name, topic)) {
			help_print_separator(c, &found);
			put_report(c, reports[i]);
		}
	for (unsigned i = 0; i < export_count; i++)
		if (!strcmp(exports[i]->name, topic)) {
			help_print_separator(c, &found);
			put_format(c, exports[i]);
		}
	/* An abbreviated command counts only if no topic has that name. */
	if (cmd && !named && !found && !in && !whole) {
		help_print_command(c, cmd);
		found++;
	}
	if (in) {
		help_print_separator(c, &found);
		help_print_instruction(c, in);
	}
	for (int i = 0; i < EV_COUNT; i++)
		if (!strcmp(event_info[i].name, topic))
			help_print_event(c, &event_info[i]), found++;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, topic))
			help_print_stat(c, &stat_rows[i]), found++;
	for (size_t i = 0; i < param_count; i++)
		if (!strcmp(params[i].name, topic))
			put_param(c, &params[i]), found++;
	int csr = csr_find(topic);
	for (unsigned i = 0; csr >= 0 && i < csr_info_count; i++)
		if ((unsigned)csr - csr_info[i].first < csr_info[i].count)
			help_print_csr(c, &csr_info[i]), found++;
	for (unsigned i = 0; !found && (name = expr_name(i, &help)); i++)
		if (!strcmp(name, topic))
			console_print(c, "%s, in expressions: %s\n", name, help), found++;
	return found;
}

const char *help_name(struct console *c, unsigned i)
{
	const char *help, *name;
	const struct command *cmd;
	const struct view *v;
	if (i < help_page_count)
		return help_pages[i].name;
	i -= help_page_count;
	if (i < help_group_count)
		return help_groups[i].name;
	i -= help_group_count;
	for (unsigned k = 0; (cmd = command_at(c, k)); k++)
		if (!i--)
			return cmd->name;
	for (unsigned k = 0; (v = view_at(c->session, k)); k++)
		if (!i--)
			return v->name;
	if (i < report_count)
		return reports[i]->name;
	i -= report_count;
	if (i < export_count)
		return exports[i]->name;
	i -= export_count;
	if (i < EV_COUNT)
		return event_info[i].name;
	i -= EV_COUNT;
	if (i < stat_row_count)
		return stat_rows[i].name;
	i -= (unsigned)stat_row_count;
	if (i < param_count)
		return params[i].name;
	i -= (unsigned)param_count;
	/* Rows that stand for several registers have no name to type. */
	for (unsigned j = 0; j < csr_info_count; j++)
		if (csr_info[j].count == 1 && i-- == 0)
			return csr_info[j].name;
	for (unsigned j = 0; (name = glossary_name(j)); j++)
		if (!i--)
			return name;
	for (unsigned j = 0; (name = help_preset_name(j)); j++)
		if (!i--)
			return name;
	return expr_name(i, &help);
}

/* Prints the rows of a table whose names begin with "TOPIC.": help l1d. */
static bool put_family(struct console *c, const char *topic)
{
	size_t n = strlen(topic);
	unsigned found = 0;
	for (size_t i = 0; i < stat_row_count;) {
		bool in = !strncmp(stat_rows[i].name, topic, n) && stat_rows[i].name[n] == '.';
		i += in ? help_put_stats(c, i) : 1;
		found += in;
	}
	for (size_t i = 0; i < param_count; i++)
		if (!strncmp(params[i].name, topic, n) && params[i].name[n] == '.')
			console_print(c, "  %-24s %s\n", params[i].name, params[i].help), found++;
	return found;
}

/* Finds the command of a line such as "info line", by its first word. */
static const struct command *command_before(struct console *c, const char *topic)
{
	struct err err;
	char word[32];
	size_t n = strcspn(topic, " ");
	if (!topic[n] || n >= sizeof word)
		return NULL;
	snprintf(word, sizeof word, "%.*s", (int)n, topic);
	return command_find(c, word, &err);
}

/* True for commands whose argument is a help topic of its own. */
static bool names_topics(const struct command *cmd)
{
	static const char *const names[] = {"view",  "report", "export", "catch",
	                                    "stats", "config", "help"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(cmd->name, names[i]))
			return true;
	return false;
}

/* Writes the word to out[size] as a singular in small letters, without blanks, '-', '_' and a last
 * e: branches as "branch", caches as "cach", co-processor as "coprocessor". */
static void help_fold_word(const char *word, char *out, size_t size)
{
	size_t n = 0;
	for (; *word && n + 1 < size; word++)
		if (!strchr(" -_", *word))
			out[n++] = (char)tolower((unsigned char)*word);
	if (n > 4 && !memcmp(out + n - 3, "ies", 3)) {
		n -= 2;
		out[n - 1] = 'y';
	} else if (n > 3 && out[n - 1] == 's' && !strchr("su", out[n - 2])) {
		n--;
	}
	n -= n > 3 && out[n - 1] == 'e';
	out[n] = '\0';
}

/* A topic that differs from this one only in grammatical number, hyphens and case; NULL if none. */
static const char *help_other_form(struct console *c, const char *topic)
{
	char wanted[64], other[64];
	const char *name;
	help_fold_word(topic, wanted, sizeof wanted);
	for (unsigned i = 0; (name = help_name(c, i)); i++) {
		help_fold_word(name, other, sizeof other);
		if (!strcmp(wanted, other) && strcmp(name, topic) != 0)
			return name;
	}
	return NULL;
}

enum command_result help_topic(struct console *c, const char *topic)
{
	struct nearest n;
	const char *name, *rest;
	if (!*topic) {
		put_overview(c);
		return CMD_OK;
	}
	if (!strncmp(topic, "cyclops.", 8) || !strncmp(topic, "m:", 2) || !strncmp(topic, "m.", 2))
		return help_lua(c, topic);
	if (!strncmp(topic, "lua ", 4))
		return help_lua(c, topic + 4 + strspn(topic + 4, " "));
	const struct glossary_term *const term = glossary_term(topic);
	for (unsigned i = 0; i < help_page_count; i++)
		if (!strcmp(help_pages[i].name, topic) ||
		    (term && term == glossary_term(help_pages[i].name))) {
			if (put_exact(c, topic, true))
				console_print(c, "\n");
			help_pages[i].put(c);
			put_family(c, topic);
			return CMD_OK;
		}
	for (unsigned g = 0; g < help_group_count; g++)
		if (!strcmp(help_groups[g].name, topic)) {
			if (put_exact(c, topic, true))
				console_print(c, "\n");
			help_put_group(c, &help_groups[g]);
			return CMD_OK;
		}
	if (help_is_xprof(topic)) {
		struct err err;
		const struct command *cmd = command_find(c, topic, &err);
		if (put_exact(c, topic, true))
			console_print(c, "\n");
		if (!cmd || strcmp(cmd->name, topic) != 0)
			return help_topic(c, "xprof");
		console_print(c, "More of such instructions: `help xprof`.\n");
		return CMD_OK;
	}
	if (help_put_preset(c, topic))
		return CMD_OK;
	bool exact = put_exact(c, topic, false);
	if (put_family(c, topic) || exact || help_put_drawn(c, topic))
		return CMD_OK;
	const struct command *cmd = command_before(c, topic);
	if (cmd && names_topics(cmd))
		return help_topic(c, topic + strcspn(topic, " ") + 1);
	if (cmd) {
		help_print_command(c, cmd);
		return CMD_OK;
	}
	if (help_lua_try(c, topic))
		return CMD_OK;
	if ((name = help_other_form(c, topic)))
		return help_topic(c, name);
	if ((name = habit_line(topic, &rest)) && !*rest) {
		console_print(c, "%s: the same as `%s`\n\n", topic, name);
		return help_topic(c, name);
	}
	if ((name = habit_find(topic))) {
		console_print(c, "%s: %s\n", topic, name);
		return CMD_OK;
	}
	char word[64];
	if (glossary_words_within(topic, word, sizeof word))
		return console_fail(c,
		                    "nothing is called '%s'; `help %s` explains a word of it, "
		                    "`apropos %s` searches",
		                    topic, word, word);
	nearest_init(&n, topic);
	for (unsigned i = 0; (name = help_name(c, i)); i++)
		nearest_offer(&n, name);
	if (n.best)
		return console_fail(
			c, "nothing is called '%s'; did you mean '%s'? `apropos %s` searches",
			topic, n.best, topic);
	return console_fail(c, "nothing is called '%s'; `apropos %s` searches", topic, topic);
}

/* ---- search ---- */
/* A search of the help. */
struct help_hits {
	struct console *c;
	const char *word; /* may be several words */
	bool apart;       /* each of the words counts, wherever it stands in a topic */
	char *first;      /* receives a topic with the words, nothing is printed; NULL: prints */
	size_t first_size;
	bool first_named; /* the words are in its name or summary */
};

static char help_search_fold(char ch)
{
	return strchr("-_\n", ch) && ch ? ' ' : (char)tolower((unsigned char)ch);
}

/* True if the text has the n bytes of `word`, but for letter case, hyphens and runs of blanks;
 * begins: at the beginning of a word. */
static bool help_text_has(const char *text, const char *word, size_t n, bool begins)
{
	for (const char *from = text; *from; from++) {
		const char *at = from;
		size_t i = 0;
		if (begins && from > text && isalnum((unsigned char)from[-1]))
			continue;
		while (i < n && help_search_fold(*at) == help_search_fold(word[i])) {
			const bool blank = help_search_fold(word[i++]) == ' ';
			at++;
			while (blank && *at && help_search_fold(*at) == ' ')
				at++;
		}
		if (i == n)
			return true;
	}
	return false;
}

/* True if the words of the search are in one of the texts: together, or apart in any of them. */
static bool help_search_matches(const struct help_hits *h, const char *const *texts,
                                unsigned count)
{
	for (const char *word = h->word; *word;) {
		size_t n = h->apart ? strcspn(word, " -_") : strlen(word), skip = n;
		bool has = false;
		if (h->first && n > 4 && word[n - 1] == 's' && word[n - 2] != 's')
			n--; /* a plural */
		for (unsigned i = 0; i < count && !has; i++)
			has = texts[i] && help_text_has(texts[i], word, n, h->first);
		if (!has)
			return false;
		word += skip + strspn(word + skip, " -_");
	}
	return *h->word;
}

static unsigned help_search_topic(struct help_hits *h, const char *kind, const char *name,
                                  const char *what, const char *text)
{
	const char *const texts[] = {name, what, text};
	if (!help_search_matches(h, texts, 3))
		return 0;
	const bool named = h->first && help_search_matches(h, texts, 2);
	if (!h->first) {
		console_print(h->c, "  %-10s %-24s %s\n", kind, name, what);
	} else if (!*h->first || (named && !h->first_named)) {
		snprintf(h->first, h->first_size, "%s", name);
		h->first_named = named;
	}
	return 1;
}

static unsigned help_search_view(struct help_hits *h, const char *kind, const char *name,
                                 const char *title, const struct view_help *help)
{
	char *text = view_help_text(help);
	const unsigned n = help_search_topic(h, kind, name, title, text);
	free(text);
	return n;
}

static void help_search_keep(void *ctx, const char *text, size_t n)
{
	fwrite(text, 1, n, ctx);
}

/* A page whose text is in no other topic is searched as it is printed. */
static unsigned help_search_page(struct help_hits *h, const struct help_page *page)
{
	struct console quiet = *h->c;
	char *text = NULL;
	size_t size;
	FILE *f = page->text ? alloc_stream(&text, &size) : NULL;
	if (f) {
		quiet.write = help_search_keep;
		quiet.write_ctx = f;
		page->put(&quiet);
		fclose(f);
	}
	const unsigned n = help_search_topic(h, "page", page->name, page->summary, text);
	free(text);
	return n;
}

/* Finds everything whose name or text has the words; returns how many. */
static unsigned help_search_all(struct help_hits *h)
{
	unsigned n = 0;
	const struct command *cmd;
	for (unsigned i = 0; (cmd = command_at(h->c, i)); i++)
		n += help_search_topic(h, "command", cmd->name, cmd->summary, cmd->help);
	const struct view *v;
	for (unsigned i = 0; (v = view_at(h->c->session, i)); i++)
		n += help_search_view(h, "view", v->name, v->title, &v->help);
	for (unsigned i = 0; i < report_count; i++)
		n += help_search_view(h, "report", reports[i]->name, reports[i]->title,
		                      &reports[i]->help);
	for (unsigned i = 0; i < export_count; i++)
		n += help_search_topic(h, "format", exports[i]->name, exports[i]->title,
		                       exports[i]->help);
	for (unsigned i = 0; i < help_page_count; i++)
		n += help_search_page(h, &help_pages[i]);
	for (int i = 0; i < EV_COUNT; i++)
		n += help_search_topic(h, "event", event_info[i].name, event_info[i].help, NULL);
	for (size_t i = 0; i < stat_row_count; i++)
		n += help_search_topic(h, "statistic", stat_rows[i].name, stat_rows[i].help, NULL);
	for (size_t i = 0; i < param_count; i++)
		n += help_search_topic(h, "parameter", params[i].name, params[i].help, NULL);
	for (unsigned i = 0; i < csr_info_count; i++) {
		char buf[32];
		const char *name = help_csr_name(&csr_info[i], buf, sizeof buf);
		n += help_search_topic(h, "register", name, csr_info[i].help, NULL);
	}
	for (unsigned i = 0; i < glossary_term_count; i++) {
		const struct glossary_term *t = &glossary_terms[i];
		n += help_search_topic(h, "word", t->name, t->summary, t->text);
	}
	for (unsigned i = 0; i < glossary_instruction_count; i++) {
		const struct glossary_instruction *in = &glossary_instructions[i];
		n += help_search_topic(h, "mnemonic", glossary_mnemonic(in), in->what, NULL);
	}
	const char *preset;
	for (unsigned i = 0; (preset = help_preset_name(i)); i++) {
		char text[256];
		help_preset_summary(preset, text, sizeof text);
		n += help_search_topic(h, "preset", preset, text, NULL);
	}
	if (h->first)
		return n;
	n += help_lua_search(h->c, h->word);
	const struct glossary_term *const term = n ? NULL : glossary_term(h->word);
	if (term)
		console_print(h->c, "  %-10s %-24s %s\n", "word", term->name, term->summary);
	return n + (term != NULL);
}

/* Finds the words together, else apart in one topic. */
static unsigned help_search_either(struct help_hits *h)
{
	unsigned n = help_search_all(h);
	if (!n && strpbrk(h->word, " -_")) {
		h->apart = true;
		n = help_search_all(h);
		h->apart = false;
	}
	return n;
}

enum command_result help_search(struct console *c, const char *word)
{
	struct help_hits h = {.c = c, .word = word};
	unsigned n = help_search_either(&h);
	const char *const other = n ? NULL : help_other_form(c, word);
	if (other) {
		h.word = other;
		n = help_search_either(&h);
	}
	if (!n)
		return console_fail(c, "nothing here is about '%s'", word);
	return CMD_OK;
}

bool help_mentions(struct console *c, const char *words, char *out, size_t size)
{
	enum { LETTERS_FEWEST = 4 };
	struct help_hits h = {.c = c, .word = words, .first = out, .first_size = size};
	*out = '\0';
	return strlen(words) >= LETTERS_FEWEST && help_search_either(&h) > 0;
}
