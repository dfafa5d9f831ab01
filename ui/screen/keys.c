#include "ui/screen/keys.h"

#include <limits.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
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
	{"S-Left", TERM_SPECIAL + KEY_SLEFT},
	{"S-Right", TERM_SPECIAL + KEY_SRIGHT},
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
	if (n == 2 && name[0] == 'F' && name[1] >= '1' && name[1] <= '9')
		return TERM_SPECIAL + KEY_F(atoi(name + 1));
	return TERM_NO_KEY;
}

bool key_name_of(int code, char *buf)
{
	code = key_canonical(code);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (named[i].code == code)
			return snprintf(buf, KEY_NAME, "%s", named[i].name) > 0;
	for (int i = 1; i <= 9; i++)
		if (code == TERM_SPECIAL + KEY_F(i))
			return snprintf(buf, KEY_NAME, "F%d", i) > 0;
	if (code > 0 && code < 27)
		return snprintf(buf, KEY_NAME, "C-%c", code + 'a' - 1) > 0;
	mbstate_t state = {0};
	char bytes[MB_LEN_MAX];
	const size_t n =
		code > 32 && code < TERM_SPECIAL ? wcrtomb(bytes, (wchar_t)code, &state) : 0;
	return n && n < KEY_NAME && snprintf(buf, KEY_NAME, "%.*s", (int)n, bytes) > 0;
}

int key_canonical(int code)
{
	if (code == '\n' || code == TERM_SPECIAL + KEY_ENTER)
		return '\r';
	return code == 0x7f || code == '\b' ? TERM_SPECIAL + KEY_BACKSPACE : code;
}

const char *key_command(int code)
{
	code = key_canonical(code);
	for (unsigned i = 0; i < key_count; i++)
		if (key_code(keys[i].name) == code)
			return keys[i].command;
	return NULL;
}

bool key_bind(struct bindings *all, const char *name, const char *command, struct err *err)
{
	int code = key_canonical(key_code(name));
	if (code == TERM_NO_KEY)
		return err_set(err,
		               "'%s' is no key; expected a character, Space, Tab, S-Tab, Up, PgUp, "
		               "Home, F1, C-l, ...",
		               name);
	char *copy = alloc_text(command);
	unsigned at = 0;
	while (at < all->count && all->b[at].code != code)
		at++;
	if (copy && at == all->count) {
		struct key_binding *more = alloc_resize(all->b, (all->count + 1) * sizeof *more);
		if (more) {
			all->b = more;
			all->b[all->count++] = (struct key_binding){.code = code};
		}
	}
	if (!copy || at == all->count) {
		free(copy);
		return err_set(err, "out of memory");
	}
	free(all->b[at].command);
	all->b[at].command = copy;
	return true;
}

const char *key_bound(const struct bindings *all, int code)
{
	for (unsigned i = 0; i < all->count; i++)
		if (all->b[i].code == key_canonical(code))
			return *all->b[i].command ? all->b[i].command : NULL;
	return key_command(code);
}

void bindings_deinit(struct bindings *all)
{
	for (unsigned i = 0; i < all->count; i++)
		free(all->b[i].command);
	free(all->b);
	*all = (struct bindings){0};
}
