#include "ui/link/link.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/alloc.h"
#include "core/machine/params.h"
#include "core/os/os.h"
#include "ui/link/base64.h"

/* ---- rules, for links that are made and links that are read ---- */
static bool link_is_word(const char *text, const char *also)
{
	for (const char *c = text; *c; c++)
		if (!isascii(*c) || (!isalnum((unsigned char)*c) && !strchr(also, *c)))
			return false;
	return *text != '\0';
}

/* "linked", "scenarios/forwarding": folders below build/demos, and nothing hidden. */
static bool link_is_demo(const char *name)
{
	return link_is_word(name, "_+-./") && isalnum((unsigned char)*name) &&
	       !strstr(name, "/.") && !strstr(name, "//") && name[strlen(name) - 1] != '/' &&
	       strlen(name) < LINK_NAME;
}

static bool link_is_file(const char *name)
{
	const char *dot = strrchr(name, '.');
	return link_is_word(name, "_-.") && isalnum((unsigned char)*name) && dot &&
	       (!strcmp(dot, ".s") || !strcmp(dot, ".S")) && strlen(name) < LINK_NAME;
}

/* Printable, in UTF-8 or not: a program's argument. */
static bool link_is_line(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return false;
	return true;
}

/* A tree names views with words and numbers: no expression that calls, no file. */
static bool link_is_tree(const char *tree)
{
	for (const char *at = tree; (at = strstr(at, "of")); at += 2)
		if ((at == tree || at[-1] == ' ') && at[2] == ' ')
			return false; /* "cct of FILE" */
	return link_is_word(tree, " ()\"_-+.") && strlen(tree) < LINK_TREE;
}

/* Parameters may neither load a file nor take more memory than the default. */
static bool link_may_set(const struct config *cfg, const struct param *p, struct err *err)
{
	static const char memory[] = "memory";
	const size_t n = strlen(p->name);
	if (!strcmp(p->name, "values.modules") && strpbrk(config_text(cfg, p), "./\\"))
		return err_set(err, "%s names a file, %.80s, which a link can't carry", p->name,
		               config_text(cfg, p));
	if (p->type == PARAM_INT && n >= sizeof memory &&
	    !strcmp(p->name + n - (sizeof memory - 1), memory) && p->def &&
	    config_get(cfg, p) > p->def)
		return err_set(err, "a link can't raise %s, a limit of memory", p->name);
	return true;
}

static bool link_check(const struct link *l, struct err *err)
{
	for (size_t i = 0; i < param_count; i++)
		if (!link_may_set(&l->config, &params[i], err))
			return false;
	if (!*l->demo == !l->text_count)
		return err_set(err, "expected a demo or a text in the link");
	if (*l->demo && !link_is_demo(l->demo))
		return err_set(err, "'%.60s' is no name of a demo", l->demo);
	if (*l->layout && !link_is_word(l->layout, "_-"))
		return err_set(err, "'%.60s' is no name of a layout", l->layout);
	if (l->tree && !link_is_tree(l->tree))
		return err_set(err, "a pane of this layout shows an expression or a file, which a "
		                    "link can't carry");
	return config_check(&l->config, err);
}

/* ---- its life ---- */
void link_init(struct link *l)
{
	*l = (struct link){.abi = -1};
	config_default(&l->config);
}

void link_deinit(struct link *l)
{
	for (unsigned i = 0; i < l->text_count; i++)
		free(l->text[i].bytes);
	for (unsigned i = 0; i < l->arg_count; i++)
		free(l->arg[i]);
	free(l->tree);
	link_init(l);
}

bool link_add_text(struct link *l, const char *name, const char *bytes, size_t n, struct err *err)
{
	if (!link_is_file(name))
		return err_set(err,
		               "'%.60s' can't be a link's file; expected letters, digits, '-', "
		               "'_', at most %d of them, and .s",
		               name, LINK_NAME - 1);
	if (l->text_count == LINK_TEXTS)
		return err_set(err, "a link has at most %d files", LINK_TEXTS);
	for (unsigned i = 0; i < l->text_count; i++)
		if (!strcmp(l->text[i].name, name))
			return err_set(err, "the link has two files %s", name);
	struct link_text *t = &l->text[l->text_count];
	if (!(t->bytes = alloc_text_n(bytes, n)))
		return err_set(err, "out of memory");
	strcpy(t->name, name);
	t->n = n;
	l->text_count++;
	return true;
}

bool link_add_arg(struct link *l, const char *word, struct err *err)
{
	if (l->arg_count == LINK_ARGS)
		return err_set(err, "a link has at most %d arguments of the program", LINK_ARGS);
	if (!link_is_line(word))
		return err_set(err, "an argument of the program has a control character");
	if (!(l->arg[l->arg_count] = alloc_text(word)))
		return err_set(err, "out of memory");
	l->arg_count++;
	return true;
}

/* ---- writing ---- */
static void link_write_lines(FILE *f, const struct link *l)
{
	struct config def;
	char value[PARAM_TEXT_MAX];
	config_default(&def);
	if (*l->demo)
		fprintf(f, "demo %s\n", l->demo);
	for (unsigned i = 0; i < l->text_count; i++)
		fprintf(f, "text %s %zu\n", l->text[i].name, l->text[i].n);
	for (unsigned i = 0; i < l->arg_count; i++)
		fprintf(f, "arg %s\n", l->arg[i]);
	if (l->abi >= 0)
		fprintf(f, "abi %s\n", os_abi_name((enum os_abi)l->abi));
	if (*l->config_name)
		fprintf(f, "config %s\n", l->config_name);
	for (size_t i = 0; i < param_count; i++)
		if (!config_same(&l->config, &def, &params[i]))
			fprintf(f, "set %s=%s\n", params[i].name,
			        config_format(&l->config, &params[i], value, sizeof value));
	if (l->ff)
		fprintf(f, "ff %" PRIu64 "\n", l->ff);
	if (l->warm)
		fputs("warm\n", f);
	fprintf(f, "cycle %" PRIu64 "\ninsts %" PRIu64 "\n", l->cycle, l->insts);
	if (*l->layout)
		fprintf(f, "layout %s\n", l->layout);
	if (l->tree)
		fprintf(f, "tree %s\n", l->tree);
	fputc('\n', f);
	for (unsigned i = 0; i < l->text_count; i++)
		fwrite(l->text[i].bytes, 1, l->text[i].n, f);
}

/* Packs text[n], malloc'd; NULL with *err. */
static char *link_pack(const char *text, size_t n, struct err *err)
{
	uLongf size = compressBound(n);
	unsigned char *packed = alloc_bytes(size);
	char *out = NULL, *digits = NULL;
	if (packed && compress2(packed, &size, (const Bytef *)text, n, Z_BEST_COMPRESSION) == Z_OK)
		digits = base64_encode(packed, size, true);
	free(packed);
	if (digits && strlen(digits) > LINK_CHARS - 2)
		err_set(err,
		        "the link would have %zu characters, and at most %d are allowed: the "
		        "program's text is too long",
		        strlen(digits) + 2, LINK_CHARS);
	else if (!digits || !(out = alloc_format("1.%s", digits)))
		err_set(err, "out of memory");
	free(digits);
	return out;
}

char *link_write(const struct link *l, struct err *err)
{
	char *text = NULL;
	size_t n;
	FILE *f = link_check(l, err) ? alloc_stream(&text, &n) : NULL;
	if (!f)
		return NULL;
	link_write_lines(f, l);
	const bool whole = fclose(f) == 0;
	char *out = NULL;
	if (!whole)
		err_set(err, "out of memory");
	else if (n > LINK_BYTES)
		err_set(err,
		        "the program's text is too long for a link: %zu kB, and at most %d "
		        "are allowed",
		        n >> 10, LINK_BYTES >> 10);
	else
		out = link_pack(text, n, err);
	free(text);
	return out;
}

/* ---- reading ---- */
/* Unpacks a fragment, malloc'd, *n bytes and a zero; NULL with *err. */
static char *link_unpack(const char *digits, size_t length, size_t *n, struct err *err)
{
	size_t size, wrong;
	unsigned char *packed = base64_decode(digits, length, &size, &wrong);
	if (!packed && wrong == SIZE_MAX)
		return err_set(err, "out of memory"), NULL;
	if (!packed && wrong == length)
		return err_set(err, "the link is cut short"), NULL;
	if (!packed)
		return err_set(err,
		               "the link has a character that no link has, %zu after its "
		               "'#': it may have been broken into lines",
		               wrong + 3),
		       NULL;
	char *text = alloc_bytes(LINK_BYTES + 1);
	uLongf got = LINK_BYTES;
	uLong used = size;
	const int r = text ? uncompress2((Bytef *)text, &got, packed, &used) : Z_MEM_ERROR;
	free(packed);
	*n = got;
	if (r == Z_OK && used == size) {
		text[got] = '\0';
		return text;
	}
	free(text);
	err_set(err, r == Z_MEM_ERROR   ? "out of memory"
	             : r == Z_BUF_ERROR ? "the link is cut short, or its text is longer than a "
	                                  "link's may be"
	                                : "the link is damaged, or cut short");
	return NULL;
}

static bool link_read_number(const char *text, uint64_t max, uint64_t *out, struct err *err)
{
	char *end;
	errno = 0;
	const uint64_t n = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || n > max)
		return err_set(err, "'%.40s' is no number of this link; expected 0 to %" PRIu64,
		               text, max);
	*out = n;
	return true;
}

static bool link_read_name(const char *text, char *out, struct err *err)
{
	if (!link_is_word(text, "_-+./") || strlen(text) >= LINK_NAME)
		return err_set(err, "'%.60s' is no name that a link can have", text);
	strcpy(out, text);
	return true;
}

/* "NAME BYTES" of a text whose bytes are at *rest, of which *left are there. */
static bool link_read_text(struct link *l, char *value, const char **rest, size_t *left,
                           struct err *err)
{
	char *bytes = strchr(value, ' ');
	uint64_t n;
	if (!bytes)
		return err_set(err, "the link has a text without its length");
	*bytes++ = '\0';
	if (!link_read_number(bytes, *left, &n, err) || !link_add_text(l, value, *rest, n, err))
		return false;
	*rest += n;
	*left -= n;
	return strlen(l->text[l->text_count - 1].bytes) == n ||
	       err_set(err, "the link's file %s has a zero byte", value);
}

static bool link_read_line(struct link *l, char *line, const char **rest, size_t *left,
                           struct err *err)
{
	char none[] = "", *value = strchr(line, ' ');
	if (value)
		*value++ = '\0';
	else
		value = none;
	if (!strcmp(line, "demo"))
		return link_read_name(value, l->demo, err);
	if (!strcmp(line, "text"))
		return link_read_text(l, value, rest, left, err);
	if (!strcmp(line, "arg"))
		return link_add_arg(l, value, err);
	if (!strcmp(line, "abi"))
		return (l->abi = os_abi_find(value)) >= 0 ||
		       err_set(err, "the link has an unknown ABI, %.40s", value);
	if (!strcmp(line, "config"))
		return link_is_word(value, "_-") ? link_read_name(value, l->config_name, err)
		                                 : err_set(err, "'%.60s' is no preset", value);
	if (!strcmp(line, "set"))
		return config_set_assignment(&l->config, value, err);
	if (!strcmp(line, "ff"))
		return link_read_number(value, INT64_MAX, &l->ff, err);
	if (!strcmp(line, "warm"))
		return l->warm = true;
	if (!strcmp(line, "cycle"))
		return link_read_number(value, INT64_MAX, &l->cycle, err);
	if (!strcmp(line, "insts"))
		return link_read_number(value, INT64_MAX, &l->insts, err);
	if (!strcmp(line, "layout"))
		return link_read_name(value, l->layout, err);
	if (!strcmp(line, "tree")) {
		free(l->tree);
		return (l->tree = alloc_text(value)) || err_set(err, "out of memory");
	}
	return err_set(err, "this Cyclops does not know '%.40s' in a link; a newer one may", line);
}

static bool link_read_lines(struct link *l, char *text, size_t n, struct err *err)
{
	char *end = strstr(text, "\n\n");
	if (!end)
		return err_set(err, "the link's lines have no end");
	const char *rest = end + 2;
	size_t left = n - (size_t)(rest - text);
	end[1] = '\0';
	for (char *line; (line = strsep(&text, "\n")) && *line;)
		if (!link_read_line(l, line, &rest, &left, err))
			return false;
	if (left)
		return err_set(err, "the link has %zu bytes that belong to no file", left);
	return link_check(l, err);
}

/* The fragment within an address: its beginning, and its length without blanks at the end. False
 * with *err. */
static bool link_find_fragment(const char *address, const char **at, size_t *n, struct err *err)
{
	const char *hash = strchr(address, '#');
	*at = hash ? hash + 1 : address;
	*at += strspn(*at, " \t\r\n");
	*n = strlen(*at);
	while (*n && isspace((unsigned char)(*at)[*n - 1]))
		--*n;
	if (!hash && strstr(address, "://"))
		return err_set(err, "the address has no '#', after which a link's moment is");
	if (!*n)
		return err_set(err,
		               "the link is empty; the command `link` of a session prints one");
	if (*n > LINK_CHARS)
		return err_set(err,
		               "the link is too long: %zu characters, and at most %d are "
		               "allowed",
		               *n, LINK_CHARS);
	return true;
}

bool link_read(struct link *l, const char *address, struct err *err)
{
	const char *at;
	size_t length, n;
	link_init(l);
	if (!link_find_fragment(address, &at, &length, err))
		return false;
	const size_t version = strspn(at, "0123456789");
	if (!version || version > 9 || at[version] != '.')
		return err_set(err, "this is no link of Cyclops; expected '1.' and letters at its "
		                    "beginning, or after its '#'");
	if (strncmp(at, "1.", 2) != 0)
		return err_set(err, "the link has format %.*s, and this Cyclops reads format 1",
		               (int)version, at);
	char *text = link_unpack(at + 2, length - 2, &n, err);
	const bool ok = text && link_read_lines(l, text, n, err);
	free(text);
	if (!ok)
		link_deinit(l);
	return ok;
}
