#include "hwviews/session/address.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/isa/regs.h"
#include "hwviews/session/session.h"

static bool address_report_unknown_symbol(const struct session *s, const char *name,
                                          struct err *err)
{
	struct nearest n;
	size_t count;
	const struct symbol *sym = program_symbols(s->program, &count);
	nearest_init(&n, name);
	for (size_t i = 0; i < count; i++)
		nearest_offer(&n, sym[i].name);
	if (n.best)
		return err_set(err, "the program has no symbol '%s'%s", name, nearest_tail(&n));
	if (*program_debug_missing(s->program))
		return err_set(err, "the program has no symbol%s%s%s; %s", count ? " '" : "s",
		               count ? name : "", count ? "'" : "",
		               program_debug_missing(s->program));
	return err_set(err,
	               "the program has no symbol%s%s%s; an address is a symbol, symbol+0x10, "
	               "FILE:LINE, a register, "
	               "0x... or *EXPRESSION",
	               count ? " '" : "s", count ? name : "", count ? "'" : "");
}

static bool address_parse_number(const char *text, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && errno == 0;
}

static bool address_evaluate_expression(const struct session *s, const char *text, uint64_t *out,
                                        struct err *err)
{
	int64_t v;
	if (!s->evaluate)
		return err_set(err,
		               "'%s': expressions can't be computed here; give a symbol, "
		               "FILE:LINE, a register or 0x...",
		               text);
	if (!s->evaluate(s->evaluate_ctx, text, &v, err))
		return false;
	*out = (uint64_t)v;
	return true;
}

/* Finds a function by a part of its name. */
static bool function_meant(const struct session *s, const char *name, uint64_t *out)
{
	const struct symbol *sym;
	if (!program_functions_meant(s->program, name, &sym, 1))
		return false;
	*out = sym->addr;
	return true;
}

/* Parses a name or number without an offset. */
static bool is_base(const struct session *s, const char *name, uint64_t *out)
{
	const struct symbol *sym = program_symbol_by_name(s->program, name);
	bool dollar = *name == '$';
	int reg = reg_from_name(name + dollar);
	/* f0 without $ is a name: floating-point registers hold no addresses. */
	if (reg >= REG_F0 && !dollar)
		reg = -1;
	if (sym)
		*out = sym->addr;
	else if (reg >= 0 && !dollar && function_meant(s, name, out))
		return true;
	else if (reg >= 0)
		*out = machine_seen_reg(s->machine, (unsigned)reg);
	else if (!strcmp(name + dollar, "pc"))
		*out = machine_seen_pc(s->machine);
	else if (!address_parse_number(name, out))
		return function_meant(s, name, out);
	return true;
}

/* Parses "geo::sum", "sum(int)+0x10": C++ names contain characters that separate names elsewhere.
 */
static bool with_scopes(const struct session *s, const char *text, uint64_t *out)
{
	char name[1024];
	uint64_t offset;
	const char *sign = strrchr(text, '+');
	if (!strpbrk(text, ":(<"))
		return false;
	if (function_meant(s, text, out))
		return true;
	if (!sign || (size_t)(sign - text) >= sizeof name ||
	    !address_parse_number(sign + 1 + strspn(sign + 1, " \t"), &offset))
		return false;
	snprintf(name, sizeof name, "%.*s", (int)(sign - text), text);
	if (!function_meant(s, name, out))
		return false;
	*out += offset;
	return true;
}

static bool of_line(const struct session *s, const char *file, const char *line, uint64_t *out,
                    struct err *err)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);
	if (*end || !number || number > UINT_MAX)
		return err_set(err, "'%s' is no line number", line);
	if (!*file)
		return err_set(
			err,
			"no file given, and the program is at no source line; expected FILE:%s",
			line);
	return program_addr_of_line(s->program, file, (unsigned)number, out, err);
}

/* Parses "find", "find+16", "sp - 0x8"; text is trimmed. */
static bool of_name(const struct session *s, const char *text, uint64_t *out, struct err *err)
{
	char name[256];
	uint64_t base, offset;
	if (is_base(s, text, out))
		return true;
	size_t n = strcspn(text, "+-"), len = n;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (len >= sizeof name)
		return err_set(err, "'%.40s...' is too long for a name", text);
	memcpy(name, text, len);
	name[len] = '\0';
	/* Text that can't be a name is an expression, and so is text that begins like a name but
	 * isn't one. */
	if (strcspn(name, " \t()[]*/%<>=~\"'&|,") < len || !len)
		return address_evaluate_expression(s, text, out, err);
	if (!is_base(s, name, &base))
		return strchr(name, '.') && s->evaluate
		               ? address_evaluate_expression(s, text, out, err)
		               : address_report_unknown_symbol(s, name, err);
	const char *rest = text + n + (text[n] != '\0');
	rest += strspn(rest, " \t");
	if (!address_parse_number(rest, &offset) &&
	    !address_evaluate_expression(s, rest, &offset, err))
		return false;
	*out = text[n] == '-' ? base - offset : base + offset;
	return true;
}

static bool address_resolve_text(const struct session *s, const char *text, const char *file,
                                 uint64_t *out, struct err *err)
{
	char name[PATH_MAX];
	const char *colon = strrchr(text, ':');
	if (with_scopes(s, text + (*text == '&' || *text == '*'), out))
		return true;
	if (*text == '&' || *text == '*')
		return of_name(s, text + 1 + strspn(text + 1, " \t"), out, err);
	if (file && isdigit((unsigned char)*text) && strncmp(text, "0x", 2) != 0)
		return of_line(s, file, text, out, err);
	if (!colon || colon == text || !colon[1] || strpbrk(text, "\"'("))
		return of_name(s, text, out, err);
	if (!isdigit((unsigned char)colon[1]))
		return of_name(s, colon + 1, out, err);
	if ((size_t)(colon - text) >= sizeof name)
		return err_set(err, "'%.40s...' is too long for a file name", text);
	snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
	return of_line(s, name, colon + 1, out, err);
}

bool address_parse(const struct session *s, const char *text, const char *file, uint64_t *out,
                   struct err *err)
{
	char trimmed[1024];
	uint64_t found;
	text += strspn(text, " \t");
	size_t n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (!n || n >= sizeof trimmed)
		return err_set(err,
		               n ? "this is too long for an address" : "an address is missing");
	memcpy(trimmed, text, n);
	trimmed[n] = '\0';
	if (!address_resolve_text(s, trimmed, file, &found, err))
		return false;
	if (machine_isa(s->machine) == ISA_RV32GC && found != (uint32_t)found) {
		if (found != (uint64_t)(int64_t)(int32_t)found)
			return err_set(err, "0x%llx: addresses have 32 bits",
			               (unsigned long long)found);
		found = (uint32_t)found; /* a register's or a negative number's */
	}
	*out = found;
	return true;
}
