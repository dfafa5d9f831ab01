/* Small guest programs for tests: written, cross-compiled and removed again. */
#ifndef CYCLOPS_TESTS_UNIT_CROSS_H
#define CYCLOPS_TESTS_UNIT_CROSS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CROSS_CC "riscv64-linux-gnu-gcc"

struct cross {
	char dir[64];
	char source[96]; /* dir/guest.c or dir/guest.S */
	char program[96];
};

static inline bool cross_available(void)
{
	return system("command -v " CROSS_CC " >/dev/null 2>&1") == 0;
}

/* Compiles text (suffix "c" or "S") with flags. False if the compiler refuses it. */
static inline bool cross_build(struct cross *c, const char *suffix, const char *text,
                               const char *flags)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(c->dir, sizeof c->dir, "%.40s/cyclops-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(c->dir))
		return false;
	/* Assembly without directives takes half the time if it is not preprocessed. */
	if (strcmp(suffix, "S") == 0 && !strstr(flags, "-g") && !strchr(text, '#') &&
	    !strstr(text, "//"))
		suffix = "s";
	snprintf(c->source, sizeof c->source, "%s/guest.%s", c->dir, suffix);
	snprintf(c->program, sizeof c->program, "%s/guest", c->dir);
	FILE *f = fopen(c->source, "w");
	if (!f)
		return false;
	fputs(text, f);
	fclose(f);
	char command[512];
	snprintf(command, sizeof command, CROSS_CC " %s -o %s %s", flags, c->program, c->source);
	return system(command) == 0;
}

static inline void cross_remove(const struct cross *c)
{
	unlink(c->program);
	unlink(c->source);
	rmdir(c->dir);
}

#endif
