/* The global offset table: position-independent code takes addresses, and distances from the thread
 * pointer, from its entries. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader/asm/asm_priv.h"

/* The name of an entry, which no source can contain: \003, its kind, the symbol's number, +NUMBER.
 */
bool offset_entry(struct assembler *a, enum offset_kind kind, struct value *v, const char *at)
{
	char name[64];
	if (!v->plus || v->minus)
		return asm_fault(a, at, "it takes the address of a symbol");
	const int n = snprintf(name, sizeof name, "\003%c%u+%" PRId64, (char)kind, v->plus, v->add);
	const uint32_t count = a->symbol_count,
		       entry = symbol_get(a, (struct span){name, (size_t)n});
	if (entry == count)
		a->symbols[entry].column = asm_column(a, at);
	*v = (struct value){.plus = entry};
	return entry != 0;
}

/* Adds a word of the entry that this symbol names. */
static bool offset_table_put(struct assembler *a, uint32_t entry, struct value v)
{
	struct piece *p = piece_add(a, PIECE_VALUE, 8);
	if (!p)
		return false;
	p->value = v;
	p->line = a->symbols[entry].line;
	p->column = a->symbols[entry].column;
	return true;
}

bool offset_table(struct assembler *a)
{
	static const char name[] = ".got";
	const uint32_t count = a->symbol_count;
	for (uint32_t i = 1; i < count; i++) {
		char kind;
		struct value v = {0};
		if (a->symbols[i].name[0] != '\003')
			continue;
		sscanf(a->symbols[i].name + 1, "%c%" SCNu32 "%" SCNd64, &kind, &v.plus, &v.add);
		v.part = kind == OFFSET_ADDRESS ? PART_ALL : PART_TPREL;
		if (!section_enter(a, name, sizeof name - 1, -1))
			return false;
		section_now(a)->align = 8;
		const unsigned line = a->symbols[i].line, column = a->symbols[i].column;
		if (!symbol_define(a, i, name))
			return false;
		a->symbols[i].line = line;
		a->symbols[i].column = column;
		if ((kind == OFFSET_MODULE && !offset_table_put(a, i, (struct value){.add = 1})) ||
		    !offset_table_put(a, i, v))
			return false;
	}
	return true;
}
