#include "ui/screen/keys.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/utf8.h"
#include "ui/screen/term.h"

const struct key keys[] = {
#define KEY(name, command, hint, group, help) {name, command, hint, group, help},
#include "ui/screen/keys.def"
#undef KEY
};
const unsigned key_count = sizeof keys / sizeof *keys;

static const struct {
	const char *name;
	int code;
} named[] = {
	{"Space", ' '},
	{"Tab", '\t'},
	{"S-Tab", TERM_SPECIAL + KEY_BTAB},
	{"Enter", '\r'},
	{"Esc", 27},
	{"Up", TERM_SPECIAL + KEY_UP},
	{"Down", TERM_SPECIAL + KEY_DOWN},
	{"Left", TERM_SPECIAL + KEY_LEFT},
	{"Right", TERM_SPECIAL + KEY_RIGHT},
	{"PgUp", TERM_SPECIAL + KEY_PPAGE},
	{"PgDn", TERM_SPECIAL + KEY_NPAGE},
	{"Home", TERM_SPECIAL + KEY_HOME},
	{"End", TERM_SPECIAL + KEY_END},
	{"BackSpace", TERM_SPECIAL + KEY_BACKSPACE},
};

int key_code(const char *name)
{
	uint32_t code;
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (!strcmp(named[i].name, name))
			return named[i].code;
	size_t n = strlen(name);
	if (n && utf8_decode(name, n, &code) == n)
		return (int)code;
	if (n == 3 && !strncmp(name, "C-", 2))
		return name[2] & 0x1f;
	if (name[0] == 'F' && name[1] >= '1' && name[1] <= '9')
		return TERM_SPECIAL + KEY_F(atoi(name + 1));
	return TERM_NO_KEY;
}

/* One key, whichever way terminals send it. */
static int canonical(int code)
{
	return code == '\n' || code == TERM_SPECIAL + KEY_ENTER ? '\r' : code;
}

const char *key_command(int code)
{
	code = canonical(code);
	for (unsigned i = 0; i < key_count; i++)
		if (key_code(keys[i].name) == code)
			return keys[i].command;
	return NULL;
}
