#include "ui/cli/option_text.h"

#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns of the terminal that f writes to; 0: it is none. */
static unsigned option_text_columns(FILE *f)
{
	struct winsize size;
	const int fd = fileno(f);
	return fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void option_text_print(FILE *f, const char *left, const char *help)
{
	enum { INDENT = 33, LEAST = 20 };
	const unsigned columns = option_text_columns(f);
	const size_t room = columns > INDENT + LEAST ? columns - INDENT - 1 : SIZE_MAX;
	fprintf(f, "  %-30s ", left);
	if (columns && strlen(left) >= INDENT - 2)
		fprintf(f, "\n%*s", INDENT, "");
	while (strlen(help) > room) {
		size_t n = room;
		while (n && help[n] != ' ')
			n--;
		if (!n) /* a word that is longer than the line */
			n = strcspn(help, " ");
		fprintf(f, "%.*s", (int)n, help);
		help += n + (help[n] == ' ');
		if (*help)
			fprintf(f, "\n%*s", INDENT, "");
	}
	fprintf(f, "%s\n", help);
}
