#include "ui/child/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

/* Colon-separated lists of folders: of shells, gcc, the dynamic linker, ncurses. */
static const char *const lists[] = {
	"PATH",          "LD_LIBRARY_PATH", "LD_PRELOAD",     "COMPILER_PATH",
	"LIBRARY_PATH",  "CPATH",           "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
	"XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "TERMINFO_DIRS",
};

/* Variables with one folder, file or program each. */
static const char *const places[] = {
	"HOME",           "TMPDIR",         "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TERMINFO",
	"INPUTRC",        "SHELL",          "GCC_EXEC_PREFIX", "LOCPATH",
	"GCONV_PATH",
};

/* Keeps the entries that begin with a slash. */
static void keep_absolute(char *list)
{
	char *to = list;
	for (const char *from = list; *from;) {
		const size_t n = strcspn(from, ":");
		const bool more = from[n] == ':';
		if (*from == '/') {
			if (to > list)
				*to++ = ':';
			memmove(to, from, n);
			to += n;
		}
		from += n + more;
	}
	*to = '\0';
}

void environment_make_absolute(void)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const char *value = getenv(lists[i]);
		char *list = value ? alloc_text(value) : NULL;
		if (list)
			keep_absolute(list);
		if (list && *list)
			setenv(lists[i], list, 1);
		else
			unsetenv(lists[i]);
		free(list);
	}
	if (!getenv("PATH"))
		setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *value = getenv(places[i]);
		if (value && *value != '/')
			unsetenv(places[i]);
	}
}
