/* The choice among functions of C++ that have one name: by the types of a call's arguments. */
#include <stdio.h>
#include <string.h>

#include "loader/demangle.h"
#include "scripting/c/eval.h"

enum { OVERLOADS_MAX = 32, OVERLOADS_PARAMETERS = 32 };

/* How an argument becomes its parameter. */
enum overload_fit { FIT_EXACT, FIT_PROMOTED, FIT_CONVERTED, FIT_NOT };

static bool overload_same_type(const struct ctype *a, const struct ctype *b)
{
	if (a->kind != b->kind || a->size != b->size)
		return false;
	if (a->kind == CTYPE_STRUCT || a->kind == CTYPE_UNION || a->kind == CTYPE_ENUM) {
		char one[256], other[256];
		return a->die.addr == b->die.addr ||
		       !strcmp(ctype_text(a, NULL, one, sizeof one),
		               ctype_text(b, NULL, other, sizeof other));
	}
	if (a->kind != CTYPE_POINTER)
		return a->is_signed == b->is_signed;
	const struct ctype x = ctype_target(a), y = ctype_target(b);
	return x.kind == CTYPE_POINTER ? y.kind == CTYPE_POINTER
	                               : overload_same_type(&x, &y);
}

/* The type that an argument has in a call. */
static struct ctype overload_argument_type(const struct c_value *v)
{
	if (v->where == C_TEXT)
		return ctype_pointer_to(ctype_made(CTYPE_CHAR, 1, false));
	if (v->type.kind == CTYPE_ARRAY)
		return ctype_pointer_to(ctype_target(&v->type));
	return v->type.kind == CTYPE_FUNCTION ? ctype_pointer_to(v->type) : v->type;
}

static enum overload_fit overload_fit(const struct c_value *v, const struct ctype *parameter)
{
	const struct ctype from = overload_argument_type(v),
	                   to = parameter->is_reference ? ctype_target(parameter) : *parameter;
	if (overload_same_type(&from, &to))
		return FIT_EXACT;
	if (from.kind == CTYPE_POINTER && to.kind == CTYPE_POINTER) {
		const struct ctype a = ctype_target(&from), b = ctype_target(&to);
		return b.kind == CTYPE_VOID ||
		                       (a.kind == CTYPE_STRUCT && b.kind == CTYPE_STRUCT)
		               ? FIT_CONVERTED
		               : FIT_NOT;
	}
	if (from.kind == CTYPE_STRUCT && to.kind == CTYPE_STRUCT)
		return parameter->is_reference ? FIT_CONVERTED : FIT_NOT;
	if (!ctype_is_scalar(&from) || !ctype_is_scalar(&to) || to.kind == CTYPE_ENUM)
		return FIT_NOT;
	if (from.kind == CTYPE_POINTER)
		return to.kind == CTYPE_BOOL ? FIT_CONVERTED : FIT_NOT;
	const bool narrow = from.size < 4 || from.kind == CTYPE_BOOL || from.kind == CTYPE_ENUM;
	if (ctype_is_integer(&from) && to.kind == CTYPE_INT)
		return narrow && to.size == 4 && to.is_signed ? FIT_PROMOTED : FIT_CONVERTED;
	if (from.kind == CTYPE_FLOAT && to.kind == CTYPE_FLOAT)
		return from.size == 4 && to.size == 8 ? FIT_PROMOTED : FIT_CONVERTED;
	return FIT_CONVERTED;
}

/* The worst fit of a call's arguments, twice, and 1 more for a method of const objects. *counted:
 * the function takes so many. */
static unsigned overload_rank(const struct symbol *sym, const struct ctype *type,
                              const struct c_value *arg, unsigned n, unsigned first, bool *counted)
{
	struct ctype parameter[OVERLOADS_PARAMETERS];
	bool more;
	unsigned worst = FIT_EXACT;
	const unsigned parameters =
		ctype_parameters(type, parameter, OVERLOADS_PARAMETERS, &more);
	*counted = parameters <= OVERLOADS_PARAMETERS &&
	           (parameters == n || (more && parameters < n));
	if (!*counted)
		return 2 * FIT_NOT;
	for (unsigned i = first; i < parameters; i++) {
		const enum overload_fit fit = overload_fit(&arg[i], &parameter[i]);
		worst = fit > worst ? fit : worst;
	}
	const size_t length = strlen(sym->name);
	return 2 * worst + (length > 6 && !strcmp(sym->name + length - 6, " const"));
}

/* Lists the functions that have the name of the one at addr, at most max. */
static size_t overloads_list(const struct program *p, uint64_t addr, const struct symbol **out,
                             size_t max)
{
	const struct symbol *sym = program_symbol_at(p, addr), *meant[OVERLOADS_MAX];
	char stem[DEMANGLED_MAX];
	const size_t n = sym && sym->addr == addr ? name_stem(sym->name) : 0;
	if (!n || !sym->name[n] || n >= sizeof stem)
		return 0;
	snprintf(stem, sizeof stem, "%.*s", (int)n, sym->name);
	size_t found = 0;
	const size_t all = program_functions_meant(p, stem, meant, OVERLOADS_MAX);
	for (size_t i = 0; i < all && found < max; i++)
		if (name_stem(meant[i]->name) == n && !strncmp(meant[i]->name, stem, n) &&
		    !name_is_clone(meant[i]->name))
			out[found++] = meant[i];
	return found;
}

bool eval_has_overloads(const struct eval *x, uint64_t addr)
{
	const struct symbol *found[2];
	return overloads_list(x->e->program, addr, found, 2) > 1;
}

bool eval_overload(const struct eval *x, const struct c_value *arg, unsigned n, unsigned first,
                   uint64_t *addr, struct ctype *type, struct err *err)
{
	const struct program *p = x->e->program;
	const struct symbol *found[OVERLOADS_MAX];
	const size_t count = overloads_list(p, *addr, found, OVERLOADS_MAX);
	unsigned best = 2 * FIT_NOT, equal = 0, counted = 0;
	char names[200] = "";
	for (size_t i = 0; i < count; i++) {
		struct scope_chain chain;
		Dwarf_Die die;
		bool takes;
		if (!scope_chain(scope_image(p, found[i]->addr), found[i]->addr, &chain) ||
		    !scope_function(&chain, &die))
			continue;
		const struct ctype t = ctype_at(&die);
		const unsigned rank = overload_rank(found[i], &t, arg, n, first, &takes);
		counted += takes;
		const size_t used = strlen(names);
		if (takes)
			snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
			         found[i]->name);
		equal = rank < best ? 1 : equal + (rank == best);
		if (rank >= best)
			continue;
		best = rank;
		*addr = found[i]->addr;
		*type = t;
	}
	/* Without a function for so many arguments the call itself fails. */
	if (!counted || (best < 2 * FIT_NOT && equal == 1))
		return true;
	return err_set(err, "the types of the arguments choose none of %s: a cast of an argument "
	                    "can", names);
}
