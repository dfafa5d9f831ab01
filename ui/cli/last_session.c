#include "ui/cli/last_session.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "ui/cli/own_folder.h"

/* File format: a line with the folder, then a line for each word. */
void last_session_keep(int argc, char **argv)
{
	char path[PATH_MAX], folder[PATH_MAX], text[LAST_BYTES];
	if (argc < 2 || argc > LAST_WORDS || !getcwd(folder, sizeof folder) ||
	    strchr(folder, '\n') || !own_file("last-session", path, sizeof path, NULL))
		return;
	int n = snprintf(text, sizeof text, "%s\n", folder);
	for (int i = 1; i < argc; i++) {
		if (strchr(argv[i], '\n') || !strcmp(argv[i], "--batch") ||
		    !strcmp(argv[i], "--help") || n + (int)strlen(argv[i]) + 2 > (int)sizeof text)
			return;
		n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", argv[i]);
	}
	output_write(path, text, (size_t)n, OUTPUT_FILE_REGULAR, NULL);
}

bool last_session_read(struct last_session *l)
{
	char path[PATH_MAX];
	FILE *f = own_file("last-session", path, sizeof path, NULL) ? open_own_input(path) : NULL;
	if (!f)
		return false;
	const size_t n = fread(l->text, 1, sizeof l->text - 1, f);
	fclose(f);
	l->text[n] = '\0';
	char *at = l->text;
	unsigned count = 0;
	l->folder = strsep(&at, "\n");
	for (char *word; (word = strsep(&at, "\n")) && at && count < LAST_WORDS;)
		l->words[count++] = word;
	l->words[count] = NULL;
	return count && access(l->folder, X_OK) == 0;
}
