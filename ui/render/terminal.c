#include "ui/render/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "core/host/terminal_size.h"
#include "core/host/wait_ready.h"

enum { WIDTH_MIN = 20, WIDTH_MAX = 10000, TRIES = 8, FULL_MS = 100 };

unsigned terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	long n = columns ? strtol(columns, NULL, 10) : 0;
	if (n >= WIDTH_MIN && n <= WIDTH_MAX)
		return (unsigned)n;
	const unsigned width = terminal_size(STDOUT_FILENO).width;
	return width >= WIDTH_MIN ? width : 0;
}

/* Reads the environment, without setlocale(), which would change how numbers are printed. */
bool terminal_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (unsigned i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

bool terminal_write(int fd, const char *bytes, size_t n)
{
	for (int failed = 0; n > 0 && failed < TRIES;) {
		const ssize_t done = write(fd, bytes, n);
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
			continue;
		}
		if (done < 0 && errno == EAGAIN)
			wait_output(fd, FULL_MS);
		failed++;
	}
	return n == 0;
}

/* Compares only flags that we set: hardware may not support the others. */
static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag &&
	       memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

bool terminal_set_modes(int fd, const struct termios *modes)
{
	struct termios now;
	for (int i = 0; i < TRIES; i++) {
		if (tcgetattr(fd, &now) == 0 && same_modes(&now, modes))
			return true;
		tcsetattr(fd, TCSANOW, modes);
	}
	return false;
}
