#include "ui/screen/playground.h"

#include <errno.h>
#include <inttypes.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/output_file.h"
#include "core/base/open_input.h"
#include "hwviews/grid/utf8.h"
#include "ui/screen/cmd.h"
#include "ui/screen/term.h"
#include "ui/tour/tour.h"

static const char example[] = "# A playground: F5 assembles and runs, Esc leaves the text.\n"
			      "\t.text\n"
			      "\t.globl _start\n"
			      "_start:\tli s0, 20        # twenty times\n"
			      "\tli a0, 0\n"
			      "loop:\tadd a0, a0, s0\n"
			      "\taddi s0, s0, -1\n"
			      "\tbnez s0, loop\n"
			      "\tli a0, 0\n"
			      "\tli a7, 93         # exit(0)\n"
			      "\tecall\n";

/* ---- files ---- */
bool playground_open(struct playground *p, const char *path, struct err *err)
{
	*p = (struct playground){.focused = true, .top = 1};
	if (strlen(path) >= sizeof p->path)
		return err_set(err, "%.60s...: the path is too long", path);
	strcpy(p->path, path);
	FILE *f = open_input(path);
	if (!f && errno != ENOENT)
		return err_set(err, "%s: %s", path, open_input_error());
	char *text = malloc(EDITOR_MAX + 1);
	size_t n = 0;
	if (text && f)
		n = fread(text, 1, EDITOR_MAX + 1, f);
	if (f)
		fclose(f);
	const bool ok =
		text && editor_set(&p->editor, f ? text : example, f ? n : sizeof example - 1);
	free(text);
	p->saved = f ? p->editor.changes : 0;
	return ok || err_set(err, "%s: more than %d MB, which is the most that can be edited", path,
	                     EDITOR_MAX >> 20);
}

void playground_deinit(struct playground *p)
{
	editor_deinit(&p->editor);
	asm_result_deinit(&p->result);
}

static bool assemble(struct playground *p, struct asm_result *r)
{
	const struct asm_options options = {.name = p->path};
	return asm_assemble(p->editor.text ? p->editor.text : "", p->editor.n, &options, r);
}

void playground_check(struct playground *p)
{
	if (p->checked == p->editor.changes)
		return;
	assemble(p, &p->result);
	asm_result_deinit(&p->result);
	p->checked = p->editor.changes;
}

bool playground_assemble(struct playground *p, const char *program, struct err *err)
{
	static const char nothing[] = "_start: li a0,0; li a7,93; ecall";
	struct asm_result *r = calloc(1, sizeof *r);
	struct output_file o;
	if (!r)
		return err_set(err, "out of memory");
	bool ok = assemble(p, r);
	if (!ok) {
		const struct asm_options options = {.name = "nothing"};
		asm_result_deinit(r);
		ok = asm_assemble(nothing, sizeof nothing - 1, &options, r) ||
		     err_set(err, "out of memory");
	}
	if (ok && (ok = output_begin(&o, program, OUTPUT_FILE_ANY, err))) {
		output_make_executable(&o);
		fwrite(r->elf, 1, r->size, o.f);
		ok = output_end(&o, program, err);
	}
	asm_result_deinit(r);
	free(r);
	return ok;
}

static bool save(struct playground *p, struct err *err)
{
	if (p->saved == p->editor.changes)
		return true;
	if (!output_write(p->path, p->editor.text ? p->editor.text : "", p->editor.n,
	                  OUTPUT_FILE_ANY, err))
		return false;
	p->saved = p->editor.changes;
	return true;
}

/* ---- what it takes ---- */
/* Runs the version to its end, on another machine, which nobody sees. */
static void measure(struct playground *p, const struct session *s)
{
	struct err err;
	struct session *beside = session_beside(s, &s->cfg, NULL, -1, &err);
	p->before = p->run;
	p->run = (struct playground_run){0};
	if (!beside)
		return;
	machine_run(beside->machine, PLAYGROUND_CYCLES, UINT64_MAX);
	p->run.known = machine_status(beside->machine) != MACHINE_RUNNING;
	p->run.cycles = machine_cycle(beside->machine);
	p->run.insts = machine_insts(beside->machine);
	session_free(beside);
}

static void say_run(struct screen *s, const struct playground *p)
{
	const struct playground_run *now = &p->run, *then = &p->before;
	char digits[32], by[32], difference[96] = "";
	if (p->result.message_count)
		return;
	if (!now->known) {
		screen_say(s, false, "It does not end within %s cycles",
		           group_digits(PLAYGROUND_CYCLES, digits));
		return;
	}
	if (then->known && then->cycles != now->cycles)
		snprintf(difference, sizeof difference, ", %s %s than before",
		         group_digits(then->cycles > now->cycles ? then->cycles - now->cycles
		                                                 : now->cycles - then->cycles,
		                      by),
		         then->cycles > now->cycles ? "fewer" : "more");
	else if (then->known)
		snprintf(difference, sizeof difference, ", as before");
	char insts[32];
	screen_say(s, false, "%s cycles to its end%s; %s instructions",
	           group_digits(now->cycles, digits), difference, group_digits(now->insts, insts));
}

void playground_begin(struct screen *s)
{
	struct playground *p = s->playground;
	struct err err;
	if (!p)
		return;
	playground_check(p);
	s->narration.stage = tiles_parse("(rows 60 pipe 40 (columns 58 disasm 42 regs))", &err);
	if (s->narration.stage) {
		s->narration.on_stage = true;
		screen_choose_tree(s);
	}
	measure(p, screen_session(s));
	/* There is something to see as soon as an instruction is through. */
	screen_console(s, "stepi");
	say_run(s, p);
}

/* A session begins anew on what the text has become. */
static void begin_again(struct screen *s)
{
	struct playground *p = s->playground;
	struct err err;
	playground_check(p);
	if (p->result.message_count) {
		const struct asm_message *m = &p->result.message[0];
		editor_go(&p->editor, m->line, m->column);
		return;
	}
	if (!save(p, &err)) {
		screen_say(s, true, "%s", err.msg);
		return;
	}
	s->narration.place->again = true;
	s->quit = true;
}

bool exec_playground(struct screen *s, const char *args, struct err *err)
{
	struct playground *p = s->playground;
	if (!p)
		return err_set(err, "this program is no assembly text; right: cyclops asm FILE.s");
	if (arg_is(args, "run"))
		begin_again(s);
	else if (arg_is(args, "save"))
		return save(p, err);
	else if (!*args)
		p->focused = true;
	else
		return arg_wrong("playground", args, err);
	s->damaged = true;
	return true;
}

bool playground_holds(struct screen *s)
{
	struct playground *p = s->playground;
	if (!p || s->narration.place->again || p->saved == p->editor.changes ||
	    p->warned == p->editor.changes || !p->saved)
		return false;
	p->warned = p->editor.changes;
	screen_say(s, true,
	           "%s is not saved: `playground save` saves it, leaving again drops what is new",
	           p->path);
	return true;
}

/* ---- keys ---- */
static int page(const struct playground *p)
{
	return p->r.h > 4 ? p->r.h - 3 : 1;
}

static void save_and_say(struct screen *s)
{
	struct err err;
	if (save(s->playground, &err))
		screen_say(s, false, "Saved: %s", s->playground->path);
	else
		screen_say(s, true, "%s", err.msg);
}

static bool type(struct playground *p, int key)
{
	char bytes[MB_LEN_MAX];
	if (key == '\t')
		return editor_insert(&p->editor, "\t", 1);
	if (key < ' ' || key == 127 || key >= TERM_SPECIAL)
		return false;
	mbstate_t state = {0};
	const size_t n = wcrtomb(bytes, (wchar_t)key, &state);
	return n != (size_t)-1 && editor_insert(&p->editor, bytes, n);
}

bool playground_key(struct screen *s, int key)
{
	enum { CTRL_K = 11, CTRL_S = 19, CTRL_U = 21 };
	struct playground *p = s->playground;
	struct editor *e = p ? &p->editor : NULL;
	if (!p || !p->focused || !p->r.h || key >= TERM_ALT)
		return false;
	s->damaged = true;
	text_clear(&s->message);
	switch (key_canonical(key)) {
	case 27:
		p->focused = false;
		break;
	case '\r':
		editor_new_line(e);
		break;
	case CTRL_S:
		save_and_say(s);
		break;
	case CTRL_U:
		editor_undo(e);
		break;
	case CTRL_K:
		editor_erase_line(e);
		break;
	case TERM_SPECIAL + KEY_F(1):
		return false;
	case TERM_SPECIAL + KEY_F(2):
		save_and_say(s);
		break;
	case TERM_SPECIAL + KEY_F(5):
		begin_again(s);
		break;
	case TERM_SPECIAL + KEY_LEFT:
		editor_move(e, EDITOR_LEFT, 0);
		break;
	case TERM_SPECIAL + KEY_RIGHT:
		editor_move(e, EDITOR_RIGHT, 0);
		break;
	case TERM_SPECIAL + KEY_UP:
		editor_move(e, EDITOR_LINES, -1);
		break;
	case TERM_SPECIAL + KEY_DOWN:
		editor_move(e, EDITOR_LINES, 1);
		break;
	case TERM_SPECIAL + KEY_PPAGE:
		editor_move(e, EDITOR_LINES, -page(p));
		break;
	case TERM_SPECIAL + KEY_NPAGE:
		editor_move(e, EDITOR_LINES, page(p));
		break;
	case TERM_SPECIAL + KEY_HOME:
		editor_move(e, EDITOR_LINE_BEGIN, 0);
		break;
	case TERM_SPECIAL + KEY_END:
		editor_move(e, EDITOR_LINE_END, 0);
		break;
	case TERM_SPECIAL + KEY_SHOME:
		editor_move(e, EDITOR_BEGIN, 0);
		break;
	case TERM_SPECIAL + KEY_SEND:
		editor_move(e, EDITOR_END, 0);
		break;
	case TERM_SPECIAL + KEY_BACKSPACE:
		editor_erase(e, true);
		break;
	case TERM_SPECIAL + KEY_DC:
		editor_erase(e, false);
		break;
	default:
		if (!type(p, key))
			return key < TERM_SPECIAL;
	}
	return true;
}

void playground_paste(struct screen *s, const char *text, size_t n)
{
	if (!editor_insert(&s->playground->editor, text, n))
		screen_say(s, true, "there is no room for that");
	s->damaged = true;
}

bool playground_mouse(struct screen *s)
{
	struct playground *p = s->playground;
	const struct term_mouse *m = term_mouse();
	if (!p || !p->r.h)
		return false;
	const bool inside = rect_has(&p->r, m->y, m->x);
	if (m->button == MOUSE_WHEEL_UP || m->button == MOUSE_WHEEL_DOWN) {
		if (inside)
			editor_move(&p->editor, EDITOR_LINES, m->button == MOUSE_WHEEL_UP ? -3 : 3);
		return inside;
	}
	if (m->button == MOUSE_DRAG)
		return false;
	p->focused = inside;
	if (!inside || m->y == p->r.y)
		return inside;
	size_t n;
	const unsigned line = p->top + (unsigned)(m->y - p->r.y - 1);
	const char *text = editor_line_text(&p->editor, line, &n);
	const int cell = m->x - p->r.x - PLAYGROUND_GUTTER + (int)p->left;
	unsigned column = 0;
	while (text && column < n && (int)editor_cells(text, column + 1) <= cell)
		column++;
	editor_go(&p->editor, line, column + 1);
	return true;
}
