/* Symbols, their directives, local labels, and the numbers of values after layout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "loader/asm/directives.h"

enum { ASM_SYMBOLS_MAX = 1 << 21, NAME_MAX_BYTES = 4096 };

static bool asm_symbols_rehash_buckets(struct assembler *a, uint32_t count)
{
	uint32_t *buckets = alloc_zeroed(count, sizeof *buckets);
	if (!buckets)
		return asm_out_of_memory(a);
	free(a->buckets);
	a->buckets = buckets;
	a->bucket_count = count;
	for (uint32_t i = a->first_symbol ? a->first_symbol : 1; i < a->symbol_count; i++) {
		uint32_t *b = &buckets[hash_text(a->symbols[i].name) & (count - 1)];
		a->symbols[i].next = *b;
		*b = i;
	}
	return true;
}

static bool asm_symbols_grow_table(struct assembler *a)
{
	if (a->symbol_count < a->symbol_cap)
		return true;
	const uint32_t cap = a->symbol_cap ? 2 * a->symbol_cap : 256;
	if (cap > ASM_SYMBOLS_MAX)
		return asm_out_of_memory(a);
	struct symbol *symbols = alloc_resize_array(a->symbols, cap, sizeof *symbols);
	if (!symbols)
		return asm_out_of_memory(a);
	a->symbols = symbols;
	a->symbol_cap = cap;
	if (!a->symbol_count)
		a->symbols[a->symbol_count++] = (struct symbol){.name = NULL};
	return asm_symbols_rehash_buckets(a, 2 * cap);
}

uint32_t symbol_get(struct assembler *a, struct span name)
{
	if (name.n > NAME_MAX_BYTES) {
		asm_fault(a, name.at, "the name has more than %d characters", NAME_MAX_BYTES);
		return 0;
	}
	if (!asm_symbols_grow_table(a))
		return 0;
	char *copy = alloc_text_n(name.at, name.n);
	if (!copy) {
		asm_out_of_memory(a);
		return 0;
	}
	uint32_t *b = &a->buckets[hash_text(copy) & (a->bucket_count - 1)];
	for (uint32_t i = *b; i; i = a->symbols[i].next)
		if (!strcmp(a->symbols[i].name, copy)) {
			free(copy);
			return i;
		}
	const uint32_t at = a->symbol_count++;
	a->symbols[at] = (struct symbol){.name = copy,
	                                 .next = *b,
	                                 .line = a->line,
	                                 .column = asm_column(a, name.at),
	                                 .source = (uint8_t)a->source};
	*b = at;
	return at;
}

/* Interns the k-th definition of a numeric label, under a name that no source can contain. */
static uint32_t asm_symbols_intern_numeric_label(struct assembler *a, struct span number,
                                                 uint32_t k)
{
	char name[64];
	const int n = snprintf(name, sizeof name, "\001%.*s.%u",
	                       (int)(number.n > 20 ? 20 : number.n), number.at, k);
	const uint32_t s = symbol_get(a, (struct span){name, (size_t)n});
	return s;
}

static uint32_t *asm_symbols_numeric_label_counter(struct assembler *a, struct span number)
{
	const uint32_t s = asm_symbols_intern_numeric_label(a, number, 0);
	return s ? &a->symbols[s].counter : NULL;
}

uint32_t symbol_numeric(struct assembler *a, struct span number, char direction)
{
	const uint32_t *count = asm_symbols_numeric_label_counter(a, number);
	if (!count)
		return 0;
	if (direction == 'b' && !*count) {
		asm_fault(a, number.at, "there is no label %.*s before this; %.*sf is the next one",
		          (int)number.n, number.at, (int)number.n, number.at);
		return 0;
	}
	return asm_symbols_intern_numeric_label(a, number, *count + (direction == 'f'));
}

bool symbol_define(struct assembler *a, uint32_t symbol, const char *at)
{
	struct section *s = section_now(a);
	struct symbol *y = &a->symbols[symbol];
	if (y->state != SYMBOL_UNDEFINED)
		return asm_fault(a, at, "'%.80s' is defined in line %u already", y->name, y->line);
	y->state = SYMBOL_PLACE;
	y->source = (uint8_t)a->source;
	y->section = a->section;
	y->piece = s->count;
	y->variable = s->variable;
	y->fixed = s->fixed;
	y->line = a->line;
	y->column = asm_column(a, at);
	return true;
}

uint32_t symbol_here(struct assembler *a)
{
	char name[32];
	const int n = snprintf(name, sizeof name, "\002%u", a->symbol_count);
	const uint32_t s = symbol_get(a, (struct span){name, (size_t)n});
	return s && symbol_define(a, s, a->statement.at) ? s : 0;
}

bool symbol_label(struct assembler *a, struct span name)
{
	uint32_t s;
	if (*name.at >= '0' && *name.at <= '9') {
		uint32_t *count = asm_symbols_numeric_label_counter(a, name);
		s = count ? asm_symbols_intern_numeric_label(a, name, ++*count) : 0;
	} else {
		s = symbol_get(a, name);
	}
	return s && symbol_define(a, s, name.at);
}

bool symbols_next_source(struct assembler *a)
{
	a->first_symbol = a->symbol_count;
	for (uint32_t i = 0; i < a->bucket_count; i++)
		a->buckets[i] = 0;
	return true;
}

/* Which of two symbols of the same name other texts find: 1: x; 0: y; -1: they conflict. */
static int asm_symbols_prefer(const struct symbol *x, const struct symbol *y)
{
	const bool soft_x = x->weak || x->common, soft_y = y->weak || y->common;
	if (x->common && y->common)
		return x->size > y->size;
	return soft_x && soft_y ? 0 : soft_x != soft_y ? soft_y : -1;
}

/* The symbol that texts find under this name; 0: none. */
static uint32_t asm_symbols_find_global(const struct assembler *a, const char *name)
{
	for (uint32_t i = a->buckets[hash_text(name) & (a->bucket_count - 1)]; i;
	     i = a->symbols[i].next)
		if (!strcmp(a->symbols[i].name, name))
			return i;
	return 0;
}

bool symbols_join(struct assembler *a)
{
	const uint32_t count = a->symbol_count;
	symbols_next_source(a);
	for (uint32_t i = 1; i < count; i++) {
		struct symbol *s = &a->symbols[i];
		if (s->state == SYMBOL_UNDEFINED || !s->global || symbol_is_hidden(s))
			continue;
		const uint32_t other = asm_symbols_find_global(a, s->name);
		const int prefer = other ? asm_symbols_prefer(s, &a->symbols[other]) : 1;
		if (prefer < 0) {
			a->source = s->source;
			return asm_error(a, s->line, s->column,
			                 "'%.80s' is defined in %.80s, line %u, already", s->name,
			                 asm_source_name(a, a->symbols[other].source),
			                 a->symbols[other].line);
		}
		/* The first in a bucket is the one found. */
		uint32_t *b = &a->buckets[hash_text(s->name) & (a->bucket_count - 1)];
		if (prefer) {
			s->next = *b;
			*b = i;
		}
	}
	for (uint32_t i = 1; i < count; i++) {
		struct symbol *s = &a->symbols[i];
		const bool gives_way = s->global && (s->weak || s->common) && !symbol_is_hidden(s);
		const uint32_t other = s->state == SYMBOL_UNDEFINED || gives_way
		                               ? asm_symbols_find_global(a, s->name)
		                               : 0;
		if (!other || other == i)
			continue;
		s->state = SYMBOL_VALUE;
		s->imported = true;
		s->value = (struct value){.plus = other};
	}
	/* Text that the assembler adds finds these names. */
	return true;
}

bool symbol_is_hidden(const struct symbol *s)
{
	return (s->name[0] > 0 && s->name[0] <= '\003') || !strncmp(s->name, ".L", 2);
}

void value_fold(const struct assembler *a, struct value *v)
{
	for (int i = 0; i < 2; i++) {
		uint32_t *which = i ? &v->minus : &v->plus;
		if (!*which)
			continue;
		const struct symbol *s = &a->symbols[*which];
		if (s->state == SYMBOL_VALUE && value_is_constant(&s->value)) {
			v->add = (int64_t)((uint64_t)v->add +
			                   (i ? -(uint64_t)s->value.add : (uint64_t)s->value.add));
			*which = 0;
		}
	}
	if (!v->plus || !v->minus)
		return;
	const struct symbol *x = &a->symbols[v->plus], *y = &a->symbols[v->minus];
	if (x->state == SYMBOL_PLACE && y->state == SYMBOL_PLACE && x->section == y->section &&
	    x->variable == y->variable) {
		v->add = (int64_t)((uint64_t)v->add + x->fixed - y->fixed);
		v->plus = v->minus = 0;
	}
}

/* ---- after layout ---- */
/* A definition that only its own text finds; NULL: none has this name. */
static const struct symbol *asm_symbols_find_local(const struct assembler *a, const char *name)
{
	for (uint32_t i = 1; i < a->symbol_count; i++)
		if (a->symbols[i].state != SYMBOL_UNDEFINED && !strcmp(a->symbols[i].name, name))
			return &a->symbols[i];
	return NULL;
}

static bool asm_symbols_report_undefined(struct assembler *a, struct symbol *s,
                                         const struct piece *at)
{
	const unsigned line = at ? at->line : s->line, column = at ? at->column : s->column;
	struct nearest n;
	if (s->name[0] == '\001')
		return asm_error(a, line, column, "there is no label %.*s after this",
		                 (int)strcspn(s->name + 1, "."), s->name + 1);
	const struct symbol *local = asm_symbols_find_local(a, s->name);
	if (local) {
		s->weak = true; /* report once */
		a->source = at ? at->source : s->source;
		return asm_error(a, line, column,
		                 "'%.80s' is undefined here: it is local to %.80s; expected .globl "
		                 "%.80s there",
		                 s->name, asm_source_name(a, local->source), s->name);
	}
	nearest_init(&n, s->name);
	for (uint32_t i = 1; i < a->symbol_count && a->symbol_count < 10000; i++)
		if (a->symbols[i].state != SYMBOL_UNDEFINED && !symbol_is_hidden(&a->symbols[i]))
			nearest_offer(&n, a->symbols[i].name);
	s->weak = true; /* report once */
	a->source = at ? at->source : s->source;
	return asm_error(a, line, column, "'%.80s' is undefined; %s", s->name,
	                 nearest_said(&n, "there is no library here; a file named .S is compiled "
	                                  "and linked with one"));
}

/* True if an erroneous line names the symbol, which it might define. */
static bool asm_symbols_is_in_error(const struct assembler *a, const char *name)
{
	for (unsigned i = 0; i < a->result->message_count; i++) {
		const struct asm_message *m = &a->result->message[i];
		if (*m->file)
			return true; /* its text is not at hand */
		const char *at = m->source < a->source_count ? a->texts[m->source] : NULL;
		for (unsigned line = 1; at && line < m->line; line++) {
			at = strchr(at, '\n');
			at += at ? 1 : 0;
		}
		if (at && memmem(at, strcspn(at, "\n"), name, strlen(name)))
			return true;
	}
	return false;
}

void symbols_check(struct assembler *a)
{
	for (unsigned i = 0; i < a->section_count; i++) {
		const struct section *in = &a->sections[i];
		if (in->kind == SECTION_DROPPED)
			continue;
		for (size_t k = 0; k < in->count; k++) {
			const struct value *v = &in->pieces[k].value;
			const uint32_t named[] = {v->plus, v->minus};
			for (unsigned j = 0; j < 2; j++) {
				struct symbol *y = &a->symbols[named[j]];
				if (named[j] && y->state == SYMBOL_UNDEFINED && !y->weak &&
				    !asm_symbols_is_in_error(a, y->name))
					asm_symbols_report_undefined(a, y, &in->pieces[k]);
			}
		}
	}
}

uint64_t symbol_address(const struct assembler *a, const struct symbol *s)
{
	const struct section *in = &a->sections[s->section];
	return in->addr + (s->piece < in->count ? in->pieces[s->piece].at : in->size);
}

static bool resolve_symbol(struct assembler *a, uint32_t symbol, const struct piece *at,
                           uint64_t *out)
{
	struct symbol *s = &a->symbols[symbol];
	*out = 0;
	if (s->state == SYMBOL_UNDEFINED)
		return s->weak || asm_symbols_report_undefined(a, s, at);
	if (s->state == SYMBOL_PLACE) {
		*out = symbol_address(a, s);
		return true;
	}
	if (s->busy)
		return asm_error(a, s->line, s->column, "'%.80s' is defined by itself", s->name);
	s->busy = true;
	const struct value v = s->value;
	const bool ok = value_resolve(a, &v, at, out);
	a->symbols[symbol].busy = false;
	return ok;
}

bool value_resolve(struct assembler *a, const struct value *v, const struct piece *at,
                   uint64_t *out)
{
	uint64_t plus = 0, minus = 0;
	if (++a->nesting > ASM_NESTING_MAX) {
		a->nesting--;
		return asm_error(a, at ? at->line : 0, 0,
		                 "symbols are defined by symbols more than %d deep",
		                 ASM_NESTING_MAX);
	}
	const bool ok = (!v->plus || resolve_symbol(a, v->plus, at, &plus)) &&
	                (!v->minus || resolve_symbol(a, v->minus, at, &minus));
	a->nesting--;
	*out = plus - minus + (uint64_t)v->add;
	return ok;
}

/* ---- directives ---- */
static bool symbol_parse_name(struct assembler *a, struct span s, uint32_t *out)
{
	struct span name;
	if (s.n && *s.at == '"' && scan_name(s, &name) == s.n)
		return (*out = symbol_get(a, name)) != 0;
	if (!s.n || !is_name_start(*s.at))
		return asm_fault(a, s.at, "expected the name of a symbol");
	for (size_t i = 0; i < s.n; i++)
		if (!is_name(s.at[i]))
			return asm_fault(a, s.at + i, "no name has '%c' in it",
			                 s.at[i] > ' ' && s.at[i] < 127 ? s.at[i] : '?');
	*out = symbol_get(a, s);
	return *out != 0;
}

static bool symbol_bind(struct assembler *a, struct arguments *g)
{
	uint32_t s;
	if (!directive_split(a, g))
		return false;
	if (!g->count)
		return directive_usage(a, ".globl SYMBOL");
	for (unsigned i = 0; i < g->count; i++) {
		if (!symbol_parse_name(a, g->o[i], &s))
			return false;
		a->symbols[s].global |= g->with != 2;
		a->symbols[s].weak |= g->with == 1;
		a->symbols[s].local_common |= g->with == 2;
	}
	return true;
}

bool symbol_assign(struct assembler *a, struct span name, struct span value)
{
	uint32_t s;
	struct value v;
	if (span_is(name, "."))
		return data_move_to(a, value);
	if (!symbol_parse_name(a, name, &s) || !expr_parse(a, value, &v))
		return false;
	struct symbol *y = &a->symbols[s];
	if (y->state == SYMBOL_PLACE)
		return asm_fault(a, name.at, "'%.80s' is a label in line %u already", y->name,
		                 y->line);
	if (v.plus == s || v.minus == s)
		return asm_fault(a, value.at, "'%.80s' is defined by itself", y->name);
	y->state = SYMBOL_VALUE;
	y->value = v;
	y->line = a->line;
	y->column = asm_column(a, name.at);
	return true;
}

static bool symbol_equ(struct assembler *a, struct arguments *g)
{
	return !directive_split(a, g) ? false
	       : g->count != 2        ? directive_usage(a, ".equ NAME,VALUE")
	                              : symbol_assign(a, g->o[0], g->o[1]);
}

static bool symbol_common(struct assembler *a, struct arguments *g)
{
	uint32_t s;
	int64_t size, aligned = 1;
	if (!directive_split(a, g))
		return false;
	if (g->count != 2 && g->count != 3)
		return directive_usage(a, ".comm SYMBOL,BYTES,ALIGNMENT");
	if (!symbol_parse_name(a, g->o[0], &s) || !expr_constant(a, g->o[1], &size) ||
	    (g->count == 3 && !expr_constant(a, g->o[2], &aligned)))
		return false;
	if (size < 0 || aligned < 1 || aligned > 4096)
		return directive_usage(
			a, ".comm SYMBOL,BYTES,ALIGNMENT; the alignment is 1 to 4096");
	while (aligned & (aligned - 1)) /* the next power of two, as ld has it */
		aligned += aligned & -aligned;
	const bool local = g->with || a->symbols[s].local_common;
	a->symbols[s].common = !local;
	const uint32_t here = a->section, before = a->section_before;
	if (!section_enter(a, local ? ".bss" : "COMMON", local ? 4 : 6, -1))
		return false;
	struct piece *p = piece_add(a, PIECE_ALIGN, 0);
	bool ok = p != NULL;
	if (ok) {
		p->from = (uint64_t)aligned;
		if (section_now(a)->align < p->from)
			section_now(a)->align = p->from;
		ok = symbol_define(a, s, g->o[0].at) && piece_add(a, PIECE_SPACE, (uint64_t)size);
		a->symbols[s].object = true;
		a->symbols[s].size = (uint64_t)size;
		a->symbols[s].global |= !local;
	}
	a->section = here;
	a->section_before = before;
	return ok;
}

static bool symbol_type(struct assembler *a, struct arguments *g)
{
	uint32_t s;
	if (!directive_split(a, g) || g->count != 2)
		return directive_usage(a, ".type SYMBOL,@function");
	if (!symbol_parse_name(a, g->o[0], &s))
		return false;
	const struct span t = g->o[1].n ? (struct span){g->o[1].at + 1, g->o[1].n - 1} : g->o[1];
	a->symbols[s].function |= span_is(t, "function") || span_is(g->o[1], "STT_FUNC");
	a->symbols[s].object |= span_is(t, "object") || span_is(g->o[1], "STT_OBJECT");
	return true;
}

const struct directive symbol_directives[] = {
	{".globl", symbol_bind, 0, false},
	{".global", symbol_bind, 0, false},
	{".weak", symbol_bind, 1, false},
	{".local", symbol_bind, 2, false},
	{".equ", symbol_equ, 0, false},
	{".set", symbol_equ, 0, false},
	{".equiv", symbol_equ, 0, false},
	{".comm", symbol_common, 0, false},
	{".lcomm", symbol_common, 1, false},
	{".type", symbol_type, 0, false},
	{".xdef", symbol_bind, 0, false},
	{".xcom", symbol_common, 0, false},
	{".common", symbol_common, 0, false},
	{0},
};
