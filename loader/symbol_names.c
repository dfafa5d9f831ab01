/* Looks up symbols by name, in a program and the images it has mapped. */
#include <string.h>

#include "loader/demangle.h"
#include "loader/program_priv.h"

static const struct symbol *symbol_names_find_exact(const struct symbol_table *t, const char *name)
{
	size_t lo = 0, hi = t->count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(t->syms[t->by_name[mid]].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == t->count || strcmp(t->syms[t->by_name[lo]].name, name) != 0)
		return NULL;
	return &t->syms[t->by_name[lo]];
}

const struct symbol *program_symbol_by_name(const struct program *p, const char *name)
{
	char buf[DEMANGLED_MAX];
	if (demangle(name, buf))
		name = buf;
	const struct symbol *found = symbol_names_find_exact(&p->symbols, name);
	const struct program *library;
	for (unsigned i = 0; !found && (library = program_library(p, i)); i++)
		found = symbol_names_find_exact(&library->symbols, name);
	return found;
}

const struct symbol *program_symbol_once(const struct program *p, const char *name)
{
	const struct images *all = &p->debug->images;
	char buf[DEMANGLED_MAX];
	if (demangle(name, buf))
		name = buf;
	const struct symbol *found = program_symbol_by_name(p, name);
	for (size_t i = 0; !found && i < all->known_count; i++)
		found = all->known[i].image
		                ? symbol_names_find_exact(&all->known[i].image->symbols, name)
		                : NULL;
	return found;
}

/* Whether the name has arguments or scopes: a function of C++ or Rust, which users name by a
 * part. */
static bool has_parts(const struct symbol *sym)
{
	return sym->code && strpbrk(sym->name, ":(<") && !strchr(sym->name, '@') &&
	       !name_is_clone(sym->name);
}

size_t program_functions_meant(const struct program *p, const char *name, const struct symbol **out,
                               size_t max)
{
	const struct symbol *exact = program_symbol_by_name(p, name);
	size_t count, found = 0;
	const struct symbol *all = program_symbols(p, &count);
	if (exact && max)
		out[found++] = exact;
	for (size_t i = 0; i < count && found < max; i++) {
		/* The first symbol at an address represents the others. */
		const bool meant = has_parts(&all[i])
		                           ? name_means(all[i].name, name)
		                           : all[i].code && name_is_copy(all[i].name, name);
		if (!meant || (i && all[i].addr == all[i - 1].addr) ||
		    (exact && exact->addr == all[i].addr))
			continue;
		out[found++] = &all[i];
	}
	return found;
}
