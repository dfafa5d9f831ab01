/* `export`: writes a profile for another tool. */
#include "hwviews/exports/export.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/grid.h"
#include "ui/console/args.h"
#include "ui/render/export_out.h"

static enum command_result cmd_export_list_formats(struct console *c)
{
	for (unsigned i = 0; i < export_count; i++)
		console_print(c, "  %-10s %-30s %s\n", exports[i]->name, exports[i]->args,
		              exports[i]->title);
	return CMD_OK;
}

/* Cuts the word --force out of text; true if it was there. */
static bool cut_force(char *text)
{
	for (char *at = text; (at = strstr(at, "--force")); at += 7) {
		if ((at != text && at[-1] != ' ') || (at[7] && at[7] != ' '))
			continue;
		memmove(at, at + 7, strlen(at + 7) + 1);
		parse_trim(text);
		return true;
	}
	return false;
}

/* Cuts FILE out of "FORMAT FILE ARGUMENTS". False if there is none. */
static bool cut_file(char *words, char *file)
{
	char *at = words + strcspn(words, " \t");
	at += strspn(at, " \t");
	const size_t n = strcspn(at, " \t");
	memcpy(file, at, n);
	file[n] = '\0';
	memmove(at, at + n, strlen(at + n) + 1);
	return n != 0;
}

/* Prints the export as an answer. */
static enum command_result cmd_export_print_to_console(struct console *c, const char *words)
{
	size_t n;
	char *text = export_words(c->session, words, &n, &c->err);
	if (text)
		console_write(c, text, n);
	free(text);
	return text ? CMD_OK : CMD_ERROR;
}

static enum command_result cmd_export_write_output(struct console *c, char *words)
{
	char *file = alloc_text(words), digits[32];
	size_t bytes;
	if (!file)
		return console_fail(c, "out of memory");
	const bool force = cut_force(words), named = cut_file(words, file);
	struct err err;
	char format[32];
	parse_word(words, format, sizeof format);
	enum command_result r = CMD_OK;
	if (!export_find(format, &err))
		r = console_fail(c, "%s", err.msg);
	else if (!named)
		r = console_fail(c, "export %s: no file given; expected export %s FILE", format,
		                 format);
	else if (!strcmp(file, "-"))
		r = cmd_export_print_to_console(c, words);
	else if (!export_to(c->session, words, file, force, &bytes, &c->err))
		r = CMD_ERROR;
	else
		console_print(c, "Wrote %s bytes to %s\n", group_digits(bytes, digits), file);
	free(file);
	return r;
}

static enum command_result cmd_export_exec(struct console *c, const char *args)
{
	if (!*args)
		return cmd_export_list_formats(c);
	char *words = alloc_text(args);
	if (!words)
		return console_fail(c, "out of memory");
	const enum command_result r = cmd_export_write_output(c, words);
	free(words);
	return r;
}

const struct command cmd_export = {
	.name = "export",
	.aliases = "",
	.group = "files",
	.usage = "export [FORMAT FILE [ARGUMENTS] [--force]]",
	.summary = "write a profile for another tool; alone, list the formats",
	.help = "Of the run so far or, where contexts are exported, of a part of it: since\n"
		"main, 1000 2000, selection. `help callgrind` and `help folded` explain formats\n"
		"and tools that read them. An existing file is left alone unless\n"
		"--force is given; - prints it here. At the end of a run\n"
		"`cyclops run --export FORMAT=FILE` writes one.\n"
		"    export callgrind out.callgrind      export folded stacks.txt by calls",
	.complete = COMPLETE_EXPORT,
	.files = true,
	.exec = cmd_export_exec,
};
