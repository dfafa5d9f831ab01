/* Argument registers of a function's parameters, by its types. */
#include "loader/dwarf/parameters.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "core/isa/regs.h"
#include "loader/demangle.h"
#include "loader/dwarf/ctype.h"
#include "loader/dwarf/scope.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

enum { WORD = 8, FLOAT_REGISTERS = 8 };

/* Registers assigned so far. */
struct given {
	unsigned ints, floats; /* registers */
	struct parameters *to;
};

static void parameters_assign_registers(struct given *g, unsigned registers, const char *name,
                                        bool address)
{
	for (; registers && g->ints < PARAMETERS_MAX; registers--) {
		g->to->at[g->to->count].reg = REG_A0 + g->ints++;
		g->to->at[g->to->count].address = address;
		snprintf(g->to->at[g->to->count++].name, PARAMETER_NAME, "%s", name ? name : "");
	}
}

/* The number of floating-point registers that a struct takes: 1 or 2 if it has only that many
 * floating-point members; 0: it takes none. */
static unsigned floats_of(const struct ctype *t, unsigned depth)
{
	struct dwarf_walk walk = walk_of_type();
	struct cmembers members = ctype_members(t, &walk);
	struct cmember m;
	unsigned n = 0;
	/* A long double is passed like an integer of its size. */
	if (t->kind == CTYPE_FLOAT)
		return t->size <= WORD;
	if (t->kind == CTYPE_COMPLEX)
		return t->size <= 2 * WORD ? 2 : 0;
	if (t->kind != CTYPE_STRUCT || depth > 4)
		return 0;
	while (cmember_next(&members, &m)) {
		const unsigned of = floats_of(&m.type, depth + 1);
		if (!of || (n += of) > 2)
			return 0;
	}
	return n;
}

static void parameters_assign_parameter(struct given *g, const struct ctype *t, const char *name)
{
	const unsigned floats = t->size <= 2 * WORD ? floats_of(t, 0) : 0;
	if (floats && g->floats + floats <= FLOAT_REGISTERS)
		g->floats += floats;
	else if (t->size > WORD && t->size <= 2 * WORD)
		parameters_assign_registers(g, 2, name, false);
	else
		parameters_assign_registers(
			g, 1, name,
			t->kind == CTYPE_POINTER ||
				t->size > 2 * WORD); /* larger ones are in memory, and their address
						      * is the argument */
}

static const char *parameters_die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* Whether the code is a part of the function, or a copy without some of its arguments. */
static bool is_clone(const struct program *p, uint64_t entry)
{
	const struct symbol *s = program_symbol_at(p, entry);
	return !s || s->addr != entry || name_is_clone(s->name);
}

bool program_parameters(const struct program *p, uint64_t entry, struct parameters *out)
{
	const struct program *image = scope_image(p, entry);
	struct given g = {.to = out};
	struct scope_chain chain;
	struct scope_name function = {.image = image};
	Dwarf_Die child;
	uint64_t begins;
	*out = (struct parameters){0};
	walk_begin(image);
	if (is_clone(p, entry) || !scope_chain(image, entry, &chain) ||
	    !scope_function(&chain, &function.die) || !scope_entry(&function, &begins) ||
	    begins != entry)
		return false;
	const struct ctype result = ctype_of(&function.die);
	if (result.size > 2 * WORD)
		g.ints = 1; /* a0 has the result's address, which is no parameter */
	if (!walk_child(walk_of(image), &function.die, &child))
		return true;
	do {
		const int tag = dwarf_tag(&child);
		const struct ctype t = ctype_of(&child);
		if (tag == DW_TAG_formal_parameter)
			parameters_assign_parameter(&g, &t, parameters_die_name(&child));
		if (tag == DW_TAG_unspecified_parameters)
			out->any = true;
	} while (walk_next(walk_of(image), &child));
	return true;
}
