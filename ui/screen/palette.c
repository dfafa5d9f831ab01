/* The palette: its items, and the box that shows the items matching the typed text, best first. */
#include "ui/screen/palette.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "hwviews/reports/report.h"
#include "ui/console/habits.h"
#include "ui/help/glossary.h"
#include "ui/help/help_pages.h"
#include "ui/screen/cmd.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/part_keys.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/term.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

/* Limits over all source files; in larger programs, use functions to find code. */
enum { LINES_MOST = 50000, FILES_MOST = 1000 };
/* Data and code without source lines, such as a library's, rank below equally good matches, and
 * below all others if the typed letters are scattered over the name. */
enum { LIBRARY_LESS = 20, SCATTERED_LESS = 100000 };
/* Synonyms of a command rank below names with the same letters. */
enum { SYNONYM_LESS = 80 };

static char *palette_items_format_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *palette_items_format_text(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *out = alloc_format_args(fmt, ap);
	va_end(ap);
	return out;
}

/* Adds an item, and takes over the texts. A NULL text means that memory was out. */
static struct palette_item *palette_items_add_item(struct palette *p, enum palette_kind kind,
                                                   char *name, char *help, char *run, char *line)
{
	if (p->count == p->room) {
		const unsigned room = p->room ? p->room * 2 : 1024;
		struct palette_item *more = alloc_resize_array(p->items, room, sizeof *more);
		if (more) {
			p->items = more;
			p->room = room;
		}
	}
	if (p->count < p->room && name && help && run && line) {
		struct palette_item *item = &p->items[p->count++];
		*item = (struct palette_item){.kind = kind,
		                              .name = name,
		                              .help = help,
		                              .run = run,
		                              .line = line,
		                              .also = ""};
		return item;
	}
	free(name);
	free(help);
	free(run);
	free(line);
	return NULL;
}

/* ---- items of the inspector ---- */
/* True if the first form of the command needs no arguments; others go to the prompt. */
static bool runs_alone(const struct command *cmd)
{
	int depth = 0;
	for (const char *c = cmd->usage + strlen(cmd->name); *c; c++) {
		depth += (*c == '[') - (*c == ']');
		if (!depth && *c == '|')
			break;
		if (!depth && *c != ']' && *c != ' ')
			return false;
	}
	return true;
}

static void add_commands(struct screen *s, struct palette *p)
{
	const struct command *cmd;
	for (unsigned i = 0; (cmd = command_at(s->console, i)); i++) {
		struct palette_item *item = palette_items_add_item(
			p, PALETTE_COMMAND, alloc_text(cmd->name), alloc_text(cmd->summary),
			palette_items_format_text(runs_alone(cmd) ? "%s" : "prompt %s", cmd->name),
			palette_items_format_text("%s ", cmd->name));
		if (item)
			item->also = cmd->aliases;
	}
}

static void add_views(struct screen *s, struct palette *p)
{
	const struct view *v;
	for (unsigned i = 0; (v = view_at(screen_session(s), i)); i++) {
		struct palette_item *item = palette_items_add_item(
			p, PALETTE_VIEW, alloc_text(v->name), alloc_text(v->title),
			palette_items_format_text("pane view %s", v->name),
			palette_items_format_text("view %s ", v->name));
		/* A title of one word is a name, too: registers. */
		if (item && !strchr(v->title, ' '))
			item->also = v->title;
	}
}

static void add_layouts(struct screen *s, struct palette *p)
{
	struct pane *pane[LAYOUT_PANES];
	const unsigned n = screen_panes(s, pane);
	for (unsigned i = 0; i < s->layouts.count; i++) {
		const struct layout *l = &s->layouts.layout[i];
		palette_items_add_item(p, PALETTE_LAYOUT, alloc_text(l->name),
		                       palette_items_format_text("%u: %s", i + 1, l->help),
		                       palette_items_format_text("layout %u", i + 1),
		                       palette_items_format_text("layout %s ", l->name));
	}
	for (unsigned i = 0; i < n; i++)
		palette_items_add_item(
			p, PALETTE_PANE, alloc_text(pane_title(pane[i])),
			palette_items_format_text("go there: view %s", pane[i]->words),
			palette_items_format_text("focus %s", pane[i]->words),
			palette_items_format_text("focus %s ", pane[i]->words));
}

/* Adds a key, named by its command line, since users search for its effect. */
static void palette_items_add_key(struct palette *p, const char *key, const char *command,
                                  const char *help)
{
	const char *line = strncmp(command, "prompt", 6) == 0
	                           ? command + 6 + strspn(command + 6, " ")
	                           : command;
	if (strcmp(command, "palette") != 0)
		palette_items_add_item(
			p, PALETTE_KEY,
			palette_items_format_text("%s  %s", key, *line ? line : command),
			alloc_text(help), alloc_text(command),
			palette_items_format_text("%s ", line));
}

static void add_keys(struct screen *s, struct palette *p)
{
	const struct key *own;
	char name[KEY_NAME];
	for (unsigned i = 0; i < key_count; i++) {
		const char *command = key_bound(&s->bindings, key_code(keys[i].name));
		if (command == keys[i].command)
			palette_items_add_key(p, keys[i].name, command, keys[i].help);
	}
	for (unsigned i = 0; i < s->bindings.count; i++)
		if (*s->bindings.b[i].command && key_name_of(s->bindings.b[i].code, name))
			palette_items_add_key(p, name, s->bindings.b[i].command, "your own");
	for (unsigned i = 0; (own = timeline_key_at(i)); i++)
		palette_items_add_key(p, own->name, own->command, own->help);
}

static void palette_items_add_tour(void *ctx, const struct tour *t)
{
	palette_items_add_item(ctx, PALETTE_TOUR, alloc_text(t->name), alloc_text(t->title),
	                       palette_items_format_text("tour %s", t->name),
	                       palette_items_format_text("tour %s ", t->name));
}

/* Tours are found in another folder; afterwards, returns to the session's. */
static void add_tours(struct palette *p)
{
	struct err err;
	const int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (here < 0)
		return;
	if (course_enter(&err)) {
		tour_each(palette_items_add_tour, p);
		if (fchdir(here) != 0) {
			/* The folder is gone, so no relative name refers to a file in it. */
		}
	}
	close(here);
}

static void add_tables(struct screen *s, struct palette *p)
{
	const struct config *cfg = machine_config(screen_session(s)->machine);
	char value[PARAM_TEXT_MAX];
	for (size_t i = 0; i < param_count; i++)
		palette_items_add_item(p, PALETTE_PARAMETER, alloc_text(params[i].name),
		                       palette_items_format_text(
					       "%s: %s",
					       config_format(cfg, &params[i], value, sizeof value),
					       params[i].help),
		                       palette_items_format_text("help %s", params[i].name),
		                       palette_items_format_text("set %s = ", params[i].name));
	for (size_t i = 0; i < stat_row_count; i++)
		if (stat_exists(cfg, &stat_rows[i]))
			palette_items_add_item(
				p, PALETTE_STATISTIC, alloc_text(stat_rows[i].name),
				alloc_text(stat_rows[i].help),
				palette_items_format_text("help %s", stat_rows[i].name),
				palette_items_format_text("stats %s ", stat_rows[i].name));
}

/* Adds words of help topics and of habits, synonyms too. */
static void add_words(struct palette *p)
{
	const struct glossary_term *t;
	const struct glossary_instruction *in;
	const struct habit *h;
	const char *name;
	for (unsigned i = 0; i < help_page_count; i++)
		palette_items_add_item(p, PALETTE_WORD, alloc_text(help_pages[i].name),
		                       alloc_text(help_pages[i].summary),
		                       palette_items_format_text("help %s", help_pages[i].name),
		                       palette_items_format_text("help %s ", help_pages[i].name));
	for (unsigned i = 0; i < report_count; i++)
		palette_items_add_item(p, PALETTE_REPORT, alloc_text(reports[i]->name),
		                       alloc_text(reports[i]->title),
		                       palette_items_format_text("report %s", reports[i]->name),
		                       palette_items_format_text("report %s ", reports[i]->name));
	for (unsigned i = 0; i < EV_COUNT; i++)
		palette_items_add_item(p, PALETTE_EVENT, alloc_text(event_info[i].name),
		                       alloc_text(event_info[i].help),
		                       palette_items_format_text("help %s", event_info[i].name),
		                       palette_items_format_text("catch %s ", event_info[i].name));
	for (unsigned i = 0; (name = glossary_name(i)); i++) {
		const char *what = (t = glossary_term(name))           ? t->summary
		                   : (in = glossary_instruction(name)) ? in->what
		                                                       : "";
		palette_items_add_item(p, PALETTE_WORD, alloc_text(name), alloc_text(what),
		                       palette_items_format_text("help %s", name),
		                       palette_items_format_text("help %s ", name));
	}
	for (unsigned i = 0; (h = habit_at(i)); i++) {
		struct palette_item *item = palette_items_add_item(
			p, PALETTE_WORD, alloc_text(h->words),
			palette_items_format_text(h->runs ? "the same as `%s`" : "%s", h->right),
			alloc_text(h->words), palette_items_format_text("%s ", h->words));
		if (item)
			item->less = SYNONYM_LESS;
	}
}

/* ---- items of the program ---- */
struct files {
	const char *name[FILES_MOST]; /* as recorded; borrowed */
	unsigned count;
	const char *last;
};

static void note_file(struct files *f, const char *name)
{
	if (name == f->last)
		return;
	f->last = name;
	for (unsigned i = 0; i < f->count; i++)
		if (!strcmp(f->name[i], name))
			return;
	if (f->count < FILES_MOST)
		f->name[f->count++] = name;
}

/* Symbol names are not trusted: commands use addresses instead. */
static void add_symbol(struct palette *p, struct program *prog, struct files *files,
                       const struct symbol *sym)
{
	struct source_line at = {0};
	struct palette_item *item;
	if (!sym->code) {
		item = palette_items_add_item(
			p, PALETTE_DATA, alloc_text(sym->name),
			palette_items_format_text("0x%" PRIx64 ", %" PRIu64 " bytes", sym->addr,
		                                  sym->size),
			palette_items_format_text("pane view mem 0x%" PRIx64, sym->addr),
			palette_items_format_text("view mem 0x%" PRIx64 " ", sym->addr));
	} else if (program_line_at(prog, sym->addr, &at) && at.line) {
		const bool seen = program_source_text(prog, at.file, at.line, NULL);
		note_file(files, at.file);
		palette_items_add_item(
			p, PALETTE_FUNCTION, alloc_text(sym->name),
			palette_items_format_text("%s:%u", basename(at.file), at.line),
			palette_items_format_text("pane view %s 0x%" PRIx64,
		                                  seen ? "source" : "disasm", sym->addr),
			palette_items_format_text("disassemble 0x%" PRIx64 " ", sym->addr));
		return;
	} else {
		item = palette_items_add_item(
			p, PALETTE_FUNCTION, alloc_text(sym->name),
			palette_items_format_text("0x%" PRIx64, sym->addr),
			palette_items_format_text("pane view disasm 0x%" PRIx64, sym->addr),
			palette_items_format_text("disassemble 0x%" PRIx64 " ", sym->addr));
	}
	if (item)
		item->less = LIBRARY_LESS;
}

static bool has_text(const char *line)
{
	return line[strspn(line, " \t\r{}")] != '\0';
}

/* True if the path has no characters that are special on a command line. */
static bool palette_items_path_is_plain(const char *path)
{
	return !path[strspn(path,
	                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-./")];
}

static void palette_items_add_lines(struct palette *p, struct program *prog, const char *file,
                                    unsigned *left)
{
	unsigned count = 0;
	if (!palette_items_path_is_plain(file) || !program_source_text(prog, file, 1, &count))
		return;
	for (unsigned i = 1; i <= count && *left; i++) {
		const char *line = program_source_text(prog, file, i, NULL);
		if (!line || !has_text(line))
			continue;
		(*left)--;
		palette_items_add_item(p, PALETTE_LINE,
		                       palette_items_format_text("%s:%u", basename(file), i),
		                       alloc_text(line + strspn(line, " \t")),
		                       palette_items_format_text("pane view source %s:%u", file, i),
		                       palette_items_format_text("list %s:%u ", file, i));
	}
}

static void add_program(struct palette *p, struct program *prog)
{
	struct files files = {.count = 0};
	size_t count;
	unsigned left = LINES_MOST;
	const struct symbol *sym = program_symbols(prog, &count);
	for (size_t i = 0; i < count; i++)
		add_symbol(p, prog, &files, &sym[i]);
	for (unsigned i = 0; i < files.count; i++)
		palette_items_add_lines(p, prog, files.name[i], &left);
}

static void palette_collect(struct screen *s, struct palette *p)
{
	add_commands(s, p);
	add_views(s, p);
	add_layouts(s, p);
	add_keys(s, p);
	add_tours(p);
	add_tables(s, p);
	add_words(p);
	add_program(p, screen_session(s)->program);
}

/* ---- the box ---- */
/* More matches than users would read. */
enum { SHOWN_MOST = 200, WIDE_COLS = 100, NAME_CELLS = 24, NAME_CELLS_WIDE = 36 };

static const char *const kind_names[PALETTE_KINDS] = {
	[PALETTE_COMMAND] = "command",
	[PALETTE_VIEW] = "view",
	[PALETTE_LAYOUT] = "layout",
	[PALETTE_PANE] = "pane",
	[PALETTE_KEY] = "key",
	[PALETTE_TOUR] = "tour",
	[PALETTE_PARAMETER] = "parameter",
	[PALETTE_STATISTIC] = "statistic",
	[PALETTE_REPORT] = "report",
	[PALETTE_EVENT] = "event",
	[PALETTE_WORD] = "word",
	[PALETTE_FUNCTION] = "function",
	[PALETTE_DATA] = "data",
	[PALETTE_LINE] = "source",
};

void palette_deinit(struct palette *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		free(p->items[i].name);
		free(p->items[i].help);
		free(p->items[i].run);
		free(p->items[i].line);
	}
	free(p->items);
	free(p->found);
	*p = (struct palette){0};
}

/* Orders by points, then by kind and name; lines of a file in the order in which they were
 * collected. */
static int by_points(const void *a, const void *b)
{
	const struct palette_item *x = *(const struct palette_item *const *)a,
				  *y = *(const struct palette_item *const *)b;
	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	const int name = x->kind == PALETTE_LINE ? 0 : strcmp(x->name, y->name);
	return name ? name : x < y ? -1 : x > y;
}

static void palette_offer_item(struct screen *s, const struct palette_item *item)
{
	char text[320];
	const int cells = s->canvas.cols < WIDE_COLS ? NAME_CELLS : NAME_CELLS_WIDE;
	snprintf(text, sizeof text, "%-9s  %-*s  %s", kind_names[item->kind], cells, item->name,
	         item->help);
	popup_item(&s->popup, text, item->run);
}

static void palette_rank_items(struct screen *s)
{
	struct palette *p = &s->palette;
	struct popup *box = &s->popup;
	p->found_count = 0;
	for (unsigned i = 0; i < p->count; i++) {
		struct palette_item *item = &p->items[i];
		item->points = fuzzy_item(box->typed,
		                          &(struct fuzzy_item){kind_names[item->kind], item->name,
		                                               item->help, item->also});
		if (item->points == FUZZY_NONE)
			continue;
		item->points -= item->points > item->less ? item->less : item->points;
		if (item->less == LIBRARY_LESS && !fuzzy_is_in(box->typed, item->name))
			item->points -= SCATTERED_LESS;
		p->found[p->found_count++] = item;
	}
	if (p->found_count)
		sort_stable(p->found, p->found_count, sizeof *p->found, by_points);
	popup_empty(box);
	box->of = p->found_count;
	for (unsigned i = 0; i < p->found_count && i < SHOWN_MOST; i++)
		palette_offer_item(s, p->found[i]);
	s->damaged = true;
}

bool exec_palette(struct screen *s, const char *args, struct err *err)
{
	struct palette *p = &s->palette;
	palette_deinit(p);
	palette_collect(s, p);
	p->found = alloc_zeroed(p->count + 1, sizeof(struct palette_item *));
	if (!p->found)
		return err_set(err, "out of memory");
	popup_find(&s->popup,
	           "Find anything: a few letters of its name, a kind, a word of its help");
	palette_type(s, args);
	return true;
}

void palette_type(struct screen *s, const char *text)
{
	popup_type(&s->popup, text);
	palette_rank_items(s);
}

const char *palette_key(struct screen *s, int key)
{
	char before[POPUP_TYPED];
	const unsigned chosen = (unsigned)s->popup.chosen;
	if (key == '\t') {
		if (chosen < s->palette.found_count) {
			popup_close(&s->popup);
			cmdline_open(s, s->palette.found[chosen]->line);
		}
		return NULL;
	}
	strcpy(before, s->popup.typed);
	const char *command = popup_key(&s->popup, key);
	if (s->popup.open && strcmp(before, s->popup.typed) != 0)
		palette_rank_items(s);
	return command;
}
