/* Directives: each concept's file has a table of its own, which directives.c looks through. */
#ifndef CYCLOPS_LOADER_ASM_DIRECTIVES_H
#define CYCLOPS_LOADER_ASM_DIRECTIVES_H

#include "loader/asm/asm_priv.h"

/* Arguments of a directive. */
struct arguments {
	struct span o[ASM_OPERANDS_MAX]; /* [count], from directive_split() on */
	unsigned count;
	struct span rest; /* all of them */
	int64_t with;     /* parameter from the table's row */
};

struct directive {
	const char *name;
	bool (*take)(struct assembler *a, struct arguments *g);
	int64_t with;
	bool loaded_only; /* skipped elsewhere: in compilers' debug information */
};

/* Each ends with a row without a name. */
extern const struct directive section_directives[], data_directives[], symbol_directives[],
	option_directives[], macro_directives[], raw_instruction_directives[], include_directives[];

static inline bool directive_split(struct assembler *a, struct arguments *g)
{
	return scan_operands(a, g->rest, g->o, &g->count);
}

/* Reports the form that a directive has. Always false. */
static inline bool directive_usage(struct assembler *a, const char *form)
{
	return asm_fault(a, a->statement.at, "expected %s", form);
}

#endif
