#include "loader/patch.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"

#define FORM "expected --patch SYMBOL+0x10=00000013, with 2, 4, 8 or 16 hex digits"

static bool patch_parse_number(const char *text, uint64_t *out)
{
	char *end = NULL;
	errno = 0;
	*out = isdigit((unsigned char)*text) ? strtoull(text, &end, 0) : 0;
	return end && !*end && errno == 0;
}

static bool patch_report_unknown_symbol(const struct program *p, const char *name, struct err *err)
{
	size_t n;
	const struct symbol *all = program_symbols(p, &n);
	struct nearest near;
	nearest_init(&near, name);
	for (size_t i = 0; i < n; i++)
		nearest_offer(&near, all[i].name);
	return err_set(err, "--patch: %s has no symbol '%s'%s", program_path(p), name,
	               nearest_tail(&near));
}

/* The first `len` characters of text. */
static bool patch_parse_address(const struct program *p, const char *text, size_t len,
                                uint64_t *addr, struct err *err)
{
	char name[256];
	uint64_t offset = 0;
	if (len == 0 || len >= sizeof name)
		return err_set(err, "--patch '%s': no place; " FORM, text);
	memcpy(name, text, len);
	name[len] = '\0';
	if (patch_parse_number(name, addr))
		return true;
	char *plus = strrchr(name, '+');
	if (plus && patch_parse_number(plus + 1, &offset))
		*plus = '\0';
	const struct symbol *sym = program_symbol_by_name(p, name);
	if (!sym)
		return patch_report_unknown_symbol(p, name, err);
	*addr = sym->addr + offset;
	return true;
}

static bool patch_apply_patch(struct program *p, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	size_t digits = equals ? strlen(equals + 1) : 0;
	uint64_t addr;
	if ((digits != 2 && digits != 4 && digits != 8 && digits != 16) ||
	    strspn(equals + 1, "0123456789abcdefABCDEF") != digits)
		return err_set(err, "--patch '%s': " FORM, text);
	uint64_t value = strtoull(equals + 1, NULL, 16);
	return patch_parse_address(p, text, (size_t)(equals - text), &addr, err) &&
	       program_write(p, addr, &value, digits / 2, err);
}

struct program *patches_apply(struct program *p, void *ctx, struct err *err)
{
	const struct patches *patches = ctx;
	for (unsigned i = 0; i < patches->count; i++) {
		if (!patch_apply_patch(p, patches->text[i], err)) {
			program_free(p);
			return NULL;
		}
	}
	return p;
}
