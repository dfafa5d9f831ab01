#include "ui/screen/term_keys.h"

#include <limits.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <time.h>
#include <wchar.h>


enum { DOUBLE_CLICK_MS = 400, SEQUENCE_MS = 50, PASTE_MS = 500, PASTE_BYTES = 1 << 16 };
/* Codes that ncurses returns for sequences that we parse ourselves. */
enum {
	CODE_SGR = KEY_MAX + 1,
	CODE_X10,
	CODE_CTRL_LEFT,
	CODE_CTRL_RIGHT,
	CODE_PASTE,
	CODE_PASTE_END,
	CODE_BACKGROUND
};

static struct {
	WINDOW *pad; /* never shown: reading keys from it refreshes nothing */
	bool mouse;
	struct term_mouse last;
	struct timespec pressed;
	char pasted[PASTE_BYTES];
	bool light; /* the terminal's background */
} input;

/* ---- the terminal's background ---- */
enum { CHANNELS = 3, LIGHT = 128, TYPICAL_WHITE = 7, BRIGHT_BLACK = 8 };

/* COLORFGBG is "15;0" or "0;default;15": the last is the background's index. */
static bool colorfgbg_is_light(void)
{
	const char *text = getenv("COLORFGBG"), *last = text ? strrchr(text, ';') : NULL;
	char *end = NULL;
	const long index = last ? strtol(last + 1, &end, 10) : 0;
	return last && end != last + 1 && !*end && index >= TYPICAL_WHITE && index != BRIGHT_BLACK;
}

/* Requests the background colour, without waiting. Terminals that support this send "ESC ] 11 ;
 * rgb:RRRR/GGGG/BBBB" and BEL or "ESC \\" among the keys. */
static void ask_background(void)
{
	input.light = colorfgbg_is_light();
	if (!input.mouse || !has_colors())
		return;
	define_key("\033]11;", CODE_BACKGROUND);
	putp("\033]11;?\007");
}

/* Takes "rgb:ffff/ff/0" apart: the first digits of each channel, as 0 to 255. */
static bool parse_rgb(const char *text, unsigned channel[CHANNELS])
{
	const char *at = strchr(text, ':');
	for (int i = 0; i < CHANNELS; i++) {
		char *end;
		const size_t digits = at ? strspn(at + 1, "0123456789abcdefABCDEF") : 0;
		if (!digits || digits > 4)
			return false;
		const unsigned long value = strtoul(at + 1, &end, 16),
		                    most = (1ul << (4 * digits)) - 1;
		channel[i] = (unsigned)(value * 255 / most);
		at = *end == '/' ? end : NULL;
	}
	return true;
}

/* Reads the rest of the answer. A character that is no part of it is a key, and stays. */
static int read_background(void)
{
	char text[32];
	size_t n = 0;
	unsigned rgb[CHANNELS];
	int c;
	wtimeout(input.pad, SEQUENCE_MS);
	while ((c = wgetch(input.pad)) != ERR && c < 0x80 && n + 1 < sizeof text &&
	       strchr("rgba:/0123456789cdefABCDEF", c) && c)
		text[n++] = (char)c;
	text[n] = '\0';
	if (c == 27 && (c = wgetch(input.pad)) != '\\' && c != ERR)
		ungetch(c);
	else if (c != 27 && c != '\\' && c != 7 && c != ERR)
		ungetch(c);
	nodelay(input.pad, TRUE);
	if (parse_rgb(text, rgb))
		input.light = (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000 >= LIGHT;
	return TERM_IGNORED;
}

bool term_background_light(void)
{
	return input.light;
}

/* ---- beginning and end ---- */

void keys_begin(void)
{
	const char *kmous = tigetstr("kmous");
	input.pad = newpad(1, 1);
	keypad(input.pad, TRUE);
	nodelay(input.pad, TRUE);
	/* ncurses' own mouse support has one encoding per terminal type; we read both. */
	input.mouse = kmous && kmous != (const char *)-1;
	if (input.mouse) {
		define_key("\033[<", CODE_SGR);
		define_key("\033[M", CODE_X10);
		define_key("\033[200~", CODE_PASTE);
		define_key("\033[201~", CODE_PASTE_END);
		putp(keys_reports_on());
	}
	ask_background();
	define_key("\033[1;5D", CODE_CTRL_LEFT);
	define_key("\033[1;5C", CODE_CTRL_RIGHT);
}

void keys_end(void)
{
	if (input.pad)
		delwin(input.pad);
	input.pad = NULL;
}

const char *keys_reports_on(void)
{
	return input.mouse ? "\033[?1002h\033[?1006h\033[?2004h" : "";
}

const char *keys_reports_off(void)
{
	return input.mouse ? "\033[?2004l\033[?1006l\033[?1002l" : "";
}

const char *term_paste(void)
{
	return input.pasted;
}

const struct term_mouse *term_mouse(void)
{
	return &input.last;
}

/* True for a press soon after one at the same place. */
static bool is_double(int y, int x)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ms = (int64_t)(now.tv_sec - input.pressed.tv_sec) * 1000 +
	             (now.tv_nsec - input.pressed.tv_nsec) / 1000000;
	bool twice = y == input.last.y && x == input.last.x && input.last.button == MOUSE_PRESS &&
	             ms < DOUBLE_CLICK_MS;
	input.pressed = now;
	return twice;
}

static int mouse_key(int code, int x, int y, bool pressed)
{
	if (!pressed || x < 1 || y < 1)
		return TERM_IGNORED;
	if ((code & ~0x1c) == 64)
		input.last.button = MOUSE_WHEEL_UP;
	else if ((code & ~0x1c) == 65)
		input.last.button = MOUSE_WHEEL_DOWN;
	else if ((code & ~0x1c) == 32)
		input.last.button = MOUSE_DRAG;
	else if ((code & ~0x1c) == 0)
		input.last.button = is_double(y - 1, x - 1) ? MOUSE_DOUBLE : MOUSE_PRESS;
	else
		return TERM_IGNORED;
	input.last.y = y - 1;
	input.last.x = x - 1;
	return TERM_MOUSE;
}

/* Reads "0;12;7M" after "ESC [ <". */
static int read_sgr(void)
{
	int field[3] = {0}, at = 0, c = 0;
	wtimeout(input.pad, SEQUENCE_MS);
	for (int i = 0; i < 24; i++) {
		c = wgetch(input.pad);
		if (c >= '0' && c <= '9' && field[at] < 100000)
			field[at] = field[at] * 10 + c - '0';
		else if (c == ';' && at < 2)
			at++;
		else
			break;
	}
	nodelay(input.pad, TRUE);
	return (c == 'M' || c == 'm') && at == 2 ? mouse_key(field[0], field[1], field[2], c == 'M')
	                                         : TERM_IGNORED;
}

/* Reads three bytes after "ESC [ M". */
static int read_x10(void)
{
	int field[3];
	wtimeout(input.pad, SEQUENCE_MS);
	for (int i = 0; i < 3; i++)
		field[i] = wgetch(input.pad) - 32;
	nodelay(input.pad, TRUE);
	return mouse_key(field[0], field[1], field[2], (field[0] & 3) != 3);
}

/* Reads pasted text up to its end mark; text without room is left out. If nothing comes for a
 * while, the mark is assumed to be missing. */
static int read_paste(void)
{
	mbstate_t state = {0};
	size_t n = 0;
	wint_t wc;
	wtimeout(input.pad, PASTE_MS);
	for (int got; (got = wget_wch(input.pad, &wc)) != ERR &&
	              !(got == KEY_CODE_YES && wc == CODE_PASTE_END);) {
		char bytes[MB_LEN_MAX];
		const size_t m = got == KEY_CODE_YES ? 0 : wcrtomb(bytes, (wchar_t)wc, &state);
		if (m == (size_t)-1 || n + m >= sizeof input.pasted)
			continue;
		memcpy(input.pasted + n, bytes, m);
		n += m;
	}
	nodelay(input.pad, TRUE);
	input.pasted[n] = '\0';
	return TERM_PASTE;
}

int term_key(void)
{
	wint_t wc, next;
	int got = wget_wch(input.pad, &wc);
	if (got == ERR)
		return TERM_NO_KEY;
	if (got == KEY_CODE_YES) {
		switch ((int)wc) {
		case CODE_SGR:
			return read_sgr();
		case CODE_X10:
			return read_x10();
		case CODE_CTRL_LEFT:
			return TERM_CTRL_LEFT;
		case CODE_CTRL_RIGHT:
			return TERM_CTRL_RIGHT;
		case CODE_BACKGROUND:
			return read_background();
		case CODE_PASTE:
			return read_paste();
		case CODE_PASTE_END:
		case KEY_RESIZE:
			return TERM_IGNORED;
		default:
			return TERM_SPECIAL + (int)wc;
		}
	}
	if (wc != 27)
		return (int)wc;
	got = wget_wch(input.pad, &next);
	if (got == ERR)
		return 27;
	if (got == KEY_CODE_YES)
		ungetch((int)next);
	else if (next == 27)
		unget_wch((wchar_t)next);
	else
		return TERM_ALT + (int)next;
	return 27;
}
