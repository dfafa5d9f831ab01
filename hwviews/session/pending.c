/* Stop points at names that no mapped file has yet: looked up again each time that the program maps
 * or unmaps a library.
 *
 * A place that was found stays, since addresses are the same in each run: it is hit wherever the
 * library is mapped, forwards and back. */
#include "hwviews/session/pending.h"

#include <ctype.h>
#include <string.h>

#include "core/os/os.h"
#include "hwviews/session/address.h"
#include "loader/program.h"

/* True if text is a name, or FILE:LINE: something that a library could have. */
static bool pending_is_symbol_name(const char *text)
{
	const char *colon = strrchr(text, ':');
	if (!*text || isdigit((unsigned char)*text))
		return false;
	if (colon && colon != text && colon[1])
		return strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
		       !strpbrk(text, " \t*&()");
	/* C++ names with scopes or arguments may contain any of these. */
	const char *also = strpbrk(text, ":(") ? "_$.:~<>()&*, +-=![]" : "_$.";
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(also, *c))
			return false;
	return true;
}

bool pending_possible(const struct session *s, const char *text)
{
	return (program_interpreter(s->program) || program_library(s->program, 0)) &&
	       pending_is_symbol_name(text);
}

bool pending_find(const struct session *s, const char *text, uint64_t *addr)
{
	struct err err;
	const struct symbol *sym =
		pending_is_symbol_name(text) ? program_symbol_once(s->program, text) : NULL;
	if (!sym && pending_is_symbol_name(text) &&
	    !program_functions_meant(s->program, text, &sym, 1))
		sym = NULL;
	if (sym)
		*addr = sym->addr;
	return sym || (strchr(text, ':') && address_parse(s, text, "", addr, &err));
}

static void pending_resolve_breakpoints(void *ctx)
{
	struct session *s = ctx;
	const struct stop_point *sp;
	uint64_t addr;
	/* makes the library known for good, even after it is unmapped */
	(void)program_library(s->program, 0);
	for (unsigned i = 0; s->run && (sp = run_stop_at(s->run, i)); i++) {
		if (!sp->pending || !pending_find(s, sp->text, &addr))
			continue;
		struct stop_point *found = run_stop(s->run, sp->id);
		found->addr = addr;
		found->pending = false;
	}
}

void pending_follow(struct session *s)
{
	os_set_mapped(machine_os(s->machine), pending_resolve_breakpoints, s);
	pending_resolve_breakpoints(s);
}
