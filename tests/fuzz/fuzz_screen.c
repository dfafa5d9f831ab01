/* The screen in an emulated terminal: an input holds keys, typed lines, and changes of the
 * terminal's size, down to one cell. Properties: no crash, no leak, no undefined behaviour, nothing
 * drawn outside, and it ends on request. Commands that write or read files are left out.
 *
 * term.h's interface is implemented below; ui/screen/term.c has no part in it, and the decoding of
 * keys is tests/tty/torment's. */
#include <locale.h>
#include <ncurses.h>
#include <readline/readline.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/machine/params.h"
#include "tests/fuzz/fence.h"
#include "tests/fuzz/grammar.h"
#include "tests/fuzz/hold.h"
#include "ui/console/command.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/tour/tour.h"
#include "ui/screen/term.h"
#include "ui/screen/text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROWS_MAX = 60, COLUMNS_MAX = 150, KEYS_MAX = 400 };

static struct {
	struct grammar g;      /* the input */
	SCREEN *screen;
	FILE *null;
	int key[KEYS_MAX + GRAMMAR_TEXT_MAX];
	unsigned keys, at;     /* of the line or the keys that are being typed */
	unsigned waits;        /* without anything typed */
	bool resized, on;
	struct term_mouse mouse;
	const char *pasted;
} term;

static unsigned fuzz_screen_choose(unsigned n)
{
	const unsigned v = term.g.at < term.g.end ? *term.g.at++ : 0;
	return v % n;
}

/* ---- the terminal ---- */
bool term_possible(void)
{
	return true;
}

const char *term_substituted(void)
{
	return NULL;
}

bool term_open(struct err *err)
{
	term.null = fopen("/dev/null", "r+");
	term.screen = term.null ? newterm("xterm-256color", term.null, term.null) : NULL;
	if (!term.screen)
		return err_set(err, "no terminal");
	start_color();
	use_default_colors();
	cbreak();
	noecho();
	resizeterm(24, 80);
	term.on = true;
	return true;
}

void term_close(void)
{
	if (!term.on)
		return;
	term.on = false;
	endwin();
	delscreen(term.screen);
	fclose(term.null);
}

int term_wait(int timeout_ms)
{
	(void)timeout_ms;
	return TERM_INPUT;
}

unsigned term_signals(void)
{
	const bool resized = term.resized;
	term.resized = false;
	return resized ? TERM_RESIZED : 0;
}

void term_on_interrupt(void (*fn)(void *ctx), void *ctx)
{
	(void)fn, (void)ctx;
}

void term_suspend(void) {}
void term_end_in_order(bool on)
{
	(void)on;
}
bool term_lend(char *const argv[], struct err *err)
{
	(void)argv;
	return err_set(err, "no process here");
}
void term_continue(void) {}
bool term_copy(const char *base64)
{
	return base64 != NULL;
}
void term_redraw(void) { clearok(curscr, TRUE); }

/* Every size from one cell up; mostly small, or narrow, or low. */
void term_resize(void)
{
	static const unsigned char most[] = {2, 6, 12, 30, ROWS_MAX},
				   widest[] = {2, 8, 30, 81, COLUMNS_MAX};
	const int rows = 1 + (int)fuzz_screen_choose(most[fuzz_screen_choose(5)]),
		  columns = 1 + (int)fuzz_screen_choose(widest[fuzz_screen_choose(5)]);
	resizeterm(rows, columns);
}

char *term_caught(void)
{
	return NULL;
}

const struct term_mouse *term_mouse(void)
{
	return &term.mouse;
}

bool term_background_light(void)
{
	return false;
}

const char *term_paste(void)
{
	return term.pasted;
}

/* ---- typed input ---- */
static void fuzz_screen_type_key(int key)
{
	term.key[term.keys++] = key;
}

static void type_text(const char *text)
{
	for (; *text && term.keys < sizeof term.key / sizeof *term.key - 8; text++)
		fuzz_screen_type_key((unsigned char)*text);
}

static const char *own_command(void)
{
	static const char *const names[] = {
#define SCREEN_COMMAND(id, name, ...) name,
#include "ui/screen/screen_commands.def"
#undef SCREEN_COMMAND
	};
	const char *name = names[fuzz_screen_choose(sizeof names / sizeof *names)];
	return strcmp(name, "record") != 0 ? name : "redraw"; /* a recording is a file */
}

/* Any word may turn out to be a command. */
static bool fuzz_screen_touches_files(const char *line)
{
	static const char *const words[] = {"sa", "rest", "so",     "tr",
	                                    "ex", "run",  "layout", "theme", "rec"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

static void fuzz_screen_type_line(bool finish)
{
	static const char *const arguments[] = {
		"",         "",      " 1",     " -1",       " 99999999999", " next",
		" columns", " rows", " menu",  " view rob", " page",        " last",
		" on",      " main", " close", " wider",    " rob 1",       " shorter"};
	const bool own = fuzz_screen_choose(3) == 0;
	fuzz_screen_type_key(27);
	fuzz_screen_type_key(27);
	type_text(":");
	if (own) {
		type_text(own_command());
		type_text(arguments[fuzz_screen_choose(sizeof arguments / sizeof *arguments)]);
	} else {
		const char *line = grammar_write(&term.g, GRAMMAR_COMMAND);
		if (strchr(line, '\n') || fuzz_screen_touches_files(line))
			line = "step 50";
		type_text(line);
	}
	fuzz_screen_type_key(finish ? '\r' : '\t');
}

static void type_special(void)
{
	static const int special[] = {KEY_UP,    KEY_DOWN, KEY_LEFT,  KEY_RIGHT, KEY_PPAGE,
	                              KEY_NPAGE, KEY_HOME, KEY_END,   KEY_BTAB,  KEY_BACKSPACE,
	                              KEY_DC,    KEY_F(1), KEY_ENTER, KEY_F(12)};
	static const int plain[] = {'\t',
	                            27,
	                            '\r',
	                            ' ',
	                            TERM_CTRL_LEFT,
	                            TERM_CTRL_RIGHT,
	                            TERM_ALT + 'b',
	                            TERM_ALT + 'd',
	                            1,
	                            5,
	                            11,
	                            21,
	                            23,
	                            12,
	                            18,
	                            0x10ffff,
	                            0x4e2d,
	                            0x301,
	                            7,
	                            127,
	                            TERM_PASTE,
	                            TERM_PASTE};
	const unsigned which = fuzz_screen_choose(3);
	if (which == 0)
		fuzz_screen_type_key(TERM_SPECIAL +
		                     special[fuzz_screen_choose(sizeof special / sizeof *special)]);
	else if (which == 1)
		fuzz_screen_type_key(plain[fuzz_screen_choose(sizeof plain / sizeof *plain)]);
	else
		fuzz_screen_type_key(TERM_MOUSE);
}

/* Types all bound keys except the key that quits. */
static void type_bound(void)
{
	const int key = 33 + (int)fuzz_screen_choose(94);
	fuzz_screen_type_key(key == 'q' ? 'j' : key);
}

static void next_thing(void)
{
	term.keys = term.at = 0;
	switch (fuzz_screen_choose(8)) {
	case 0:
	case 1:
		fuzz_screen_type_line(true);
		break;
	case 2:
		fuzz_screen_type_line(fuzz_screen_choose(2));
		break;
	case 3: case 4: type_special(); break;
	case 5: term.resized = true; break;
	default: type_bound();
	}
}

int term_key(void)
{
	if (term.at < term.keys) {
		const int key = term.key[term.at++];
		if (key == TERM_MOUSE)
			term.mouse = (struct term_mouse){(enum term_button)fuzz_screen_choose(4),
			                                 (int)fuzz_screen_choose(ROWS_MAX) - 1,
			                                 (int)fuzz_screen_choose(COLUMNS_MAX) - 1};
		static const char *const pastes[] = {"",
		                                     "step 3",
		                                     "step 2\r\nview rob\nbogus\nstep\n",
		                                     "\033[31m\a\tx",
		                                     "echo \303\244\n\n",
		                                     "\n"};
		if (key == TERM_PASTE)
			term.pasted = pastes[fuzz_screen_choose(sizeof pastes / sizeof *pastes)];
		return key;
	}
	/* The screen is drawn once after each input. */
	if (term.waits++ % 2)
		return TERM_NO_KEY;
	if (term.g.at < term.g.end) {
		next_thing();
	} else {
		/* Leaves; popups and prompts may be closed first. */
		hold(term.waits < 100000);
		term.keys = term.at = 0;
		fuzz_screen_type_key(27);
		fuzz_screen_type_key(27);
		type_text(":quit\r");
	}
	return TERM_NO_KEY;
}

/* ---- an input ---- */
static void fuzz_screen_drop_text(void *ctx, const char *text, size_t n)
{
	(void)ctx, (void)text, (void)n;
}

static void fuzz_screen_drop_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	unsetenv("HOME"); /* the folder of the history of commands */
	unsetenv("XDG_STATE_HOME");
	/* No settings of this program's user. */
	setenv("XDG_CONFIG_HOME", "/nowhere", 1);
	setlocale(LC_ALL, "C.UTF-8");
	setenv("LC_ALL", "C.UTF-8", 1);
	fence_make("build/tests/lua/guest");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const settings[] = {
		"l1i.size=1K",      "l1d.size=1K",        "l2.size=4K", "bpred.bimodal_size=64",
		"bpred.l2_size=64", "bpred.meta_size=64", "btb.sets=8"};
	struct session_options o = {
		.launch = {.path = "guest", .stdin_fd = -1, .output = fuzz_screen_drop_output},
		.history = {.history = true}};
	struct tour_place place = {0};
	struct console c;
	struct err err;
	fence_enter();
	config_default(&o.cfg);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		hold(config_set_assignment(&o.cfg, settings[i], &err));
	struct session *s = session_open(&o, &err);
	hold(s && console_init(&c, s, fuzz_screen_drop_text, NULL, &err));
	grammar_begin(&term.g, data, n);
	term.keys = term.at = term.waits = 0;
	term.resized = false;
	hold(screen_main(&c, &place, &(struct text){0}) == 0);
	rl_clear_history(); /* resets the process's state, which many sessions share; lines keep
	                     * their edits */
	console_deinit(&c);
	session_free(s);
	fence_leave();
	return 0;
}
