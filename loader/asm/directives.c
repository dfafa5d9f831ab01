/* Directives: finds the row of a name, and has those of no other concept. */
#include "loader/asm/directives.h"

#include <string.h>

#include "core/base/nearest_word.h"

/* .error "MESSAGE" */
static bool directive_report_error(struct assembler *a, struct arguments *g)
{
	struct span s = span_trim(g->rest);
	if (s.n > 1 && *s.at == '"')
		s = (struct span){s.at + 1, s.n - 2};
	return asm_fault(a, a->statement.at, "%.*s", (int)(s.n ? s.n > 200 ? 200 : s.n : 4),
	                 s.n ? s.at : ".err");
}

/* .end: the rest of the text is not read. */
static bool directive_end_text(struct assembler *a, struct arguments *g)
{
	const char *from = a->statement.at + a->statement.n;
	(void)g;
	if (!a->frozen && a->statement.at >= a->text && from <= a->text + a->n)
		for (char *at = a->text + (from - a->text); at < a->text + a->n; at++)
			*at = *at == '\n' ? '\n' : ' ';
	return true;
}

static bool directive_accept_silently(struct assembler *a, struct arguments *g)
{
	(void)a, (void)g;
	return true;
}

/* Accepts only relocations that change nothing: this assembler resolves all others itself. */
static bool directive_handle_reloc(struct assembler *a, struct arguments *g)
{
	if (!directive_split(a, g))
		return false;
	return (g->count > 1 &&
	        (span_is(g->o[1], "R_RISCV_NONE") || span_is(g->o[1], "R_RISCV_RELAX"))) ||
	       asm_fault(a, a->statement.at,
	                 "expected .reloc OFFSET,R_RISCV_NONE or R_RISCV_RELAX: this assembler "
	                 "links, too");
}

static bool directive_report_unsupported(struct assembler *a, struct arguments *g)
{
	static const char *const why[] = {
		"this assembler does not have this directive; use a .S file and the cross compiler",
		"this ends no block; expected .rept, .irp or .macro before it, each on a line of "
		"its own",
		"this assembler reads the files that it is given: cyclops run MAIN.s OTHER.s; "
		"names that .globl declares are known in all",
	};
	return asm_fault(a, a->statement.at, "%s", why[g->with]);
}

static const struct directive other_directives[] = {
	{".size", directive_accept_silently, 0, false},
	{".file", directive_accept_silently, 0, false},
	{".ident", directive_accept_silently, 0, false},
	{".loc", directive_accept_silently, 0, false},
	{".hidden", directive_accept_silently, 0, false},
	{".protected", directive_accept_silently, 0, false},
	{".internal", directive_accept_silently, 0, false},
	{".addrsig", directive_accept_silently, 0, false},
	{".addrsig_sym", directive_accept_silently, 0, false},
	{".endr", directive_report_unsupported, 1, false},
	{".endm", directive_report_unsupported, 1, false},
	{".end_macro", directive_report_unsupported, 1, false},
	{".macro", directive_report_unsupported, 1, false},
	{".rept", directive_report_unsupported, 1, false},
	{".rep", directive_report_unsupported, 1, false},
	{".irp", directive_report_unsupported, 1, false},
	{".irep", directive_report_unsupported, 1, false},
	{".import", directive_report_unsupported, 2, false},
	{".reloc", directive_handle_reloc, 0, false},
	{".list", directive_accept_silently, 0, false},
	{".eject", directive_accept_silently, 0, false},
	{".psize", directive_accept_silently, 0, false},
	{".nopage", directive_accept_silently, 0, false},
	{".noformat", directive_accept_silently, 0, false},
	{".linefile", directive_accept_silently, 0, false},
	{".loc_mark_labels", directive_accept_silently, 0, false},
	{".gnu_attribute", directive_accept_silently, 0, false},
	{".variant_cc", directive_accept_silently, 0, false},
	{".xref", directive_accept_silently, 0, false},
	{".nolist", directive_accept_silently, 0, false},
	{".title", directive_accept_silently, 0, false},
	{".sbttl", directive_accept_silently, 0, false},
	{".line", directive_accept_silently, 0, false},
	{".version", directive_accept_silently, 0, false},
	{".err", directive_report_error, 0, false},
	{".error", directive_report_error, 0, false},
	{".extern", directive_accept_silently, 0, false},
	{".end", directive_end_text, 0, false},
	{".ent", directive_accept_silently, 0, false},
	{".symver", directive_accept_silently, 0, false},
	{".func", directive_accept_silently, 0, false},
	{".endfunc", directive_accept_silently, 0, false},
	{".debug", directive_accept_silently, 0, false},
	{".format", directive_accept_silently, 0, false},
	{".lflags", directive_accept_silently, 0, false},
	{".name", directive_accept_silently, 0, false},
	{".page", directive_accept_silently, 0, false},
	{".plen", directive_accept_silently, 0, false},
	{".ttl", directive_accept_silently, 0, false},
	{".linkonce", directive_accept_silently, 0, false},
	{".stabs", directive_accept_silently, 0, false},
	{".stabn", directive_accept_silently, 0, false},
	{".stabd", directive_accept_silently, 0, false},
	{".xstabs", directive_accept_silently, 0, false},
	{".attach_to_group", directive_accept_silently, 0, false},
	{".warning", directive_accept_silently, 0, false},
	{".print", directive_accept_silently, 0, false},
	{0},
};

static const struct directive *const directives[] = {
	section_directives, data_directives,  symbol_directives,          option_directives,
	other_directives,   macro_directives, raw_instruction_directives, include_directives,
};
enum { TABLES = sizeof directives / sizeof *directives };

static const struct directive *directive_find(struct span name)
{
	for (unsigned i = 0; i < TABLES; i++)
		for (const struct directive *d = directives[i]; d->name; d++)
			if (span_is(name, d->name))
				return d;
	return NULL;
}

static bool directive_report_unknown(struct assembler *a, struct span name)
{
	char word[32];
	struct nearest n;
	const size_t length = name.n < sizeof word ? name.n : sizeof word - 1;
	memcpy(word, name.at, length);
	word[length] = '\0';
	nearest_init(&n, word);
	for (unsigned i = 0; i < TABLES; i++)
		for (const struct directive *d = directives[i]; d->name; d++)
			nearest_offer(&n, d->name);
	return asm_fault(a, name.at, "no directive is called '%s'%s", word, nearest_tail(&n));
}

bool assemble_directive(struct assembler *a, struct span name, struct span rest)
{
	if (rest.n && *rest.at == '=')
		return symbol_assign(a, name, span_trim((struct span){rest.at + 1, rest.n - 1}));
	if (name.n > 5 && !memcmp(name.at, ".cfi_", 5))
		return true;
	const struct directive *d = directive_find(name);
	if (!d)
		return section_now(a)->kind == SECTION_DROPPED || directive_report_unknown(a, name);
	struct arguments g = {.rest = span_trim(rest), .with = d->with};
	return (d->loaded_only && section_now(a)->kind == SECTION_DROPPED) || d->take(a, &g);
}
