/* Compiles a text to a C expression, and answers queries about it. */

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/dwarf/inlined.h"
#include "loader/dwarf/scoped.h"
#include "scripting/c/parse.h"
#include "scripting/expr/expr_text.h"

/* ---- whole texts ---- */
/* Whether the program is C++, by the language of main: for places without debug information. */
static bool is_program_cplus(const struct program *program)
{
	struct scope_chain chain;
	const struct symbol *main_symbol = program_symbol_by_name(program, "main");
	return main_symbol &&
	       scope_chain(scope_image(program, main_symbol->addr), main_symbol->addr, &chain) &&
	       scoped_is_cplus(&chain.block[0]);
}

/* Finds the call or place that names belong to. */
static void c_compile_resolve_scope(struct parser *p, const struct machine *m,
                                    const struct c_scope *scope)
{
	struct c_expr *e = p->e;
	uint64_t addr = scope->addr;
	struct c_calls *calls = scope->kind == C_FRAME ? alloc_zeroed(1, sizeof *calls) : NULL;
	e->by_place = scope->kind == C_PLACE;
	walk_begin(e->program);
	p->no_variables = scope->kind == C_NO_VARIABLES;
	if (p->no_variables)
		return;
	if (calls) {
		c_calls_init(calls, e->program, m);
		c_calls_unwind(calls, scope->level);
		const struct frame f = c_calls_seen(calls, scope->level);
		addr = frame_look(&f);
		e->cfa = f.cfa;
		p->has_chain = inlined_chain(e->program, &f, &p->chain);
		c_calls_deinit(calls);
		free(calls);
	}
	e->image = scope_image(e->program, addr);
	if (scope->kind == C_PLACE)
		p->has_chain = scope_chain(e->image, addr, &p->chain);
	e->cplus =
		p->has_chain ? scoped_is_cplus(&p->chain.block[0]) : is_program_cplus(e->program);
	if (!p->has_chain || !scope_function(&p->chain, &e->function))
		e->function.addr = NULL;
}

/* Compiles all words of the inspector. */
static bool compile_words(struct c_expr *e, struct err *err)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->nodes[i].op == C_WORD &&
		    !(e->nodes[i].compiled = e->words.compile(e->words.ctx, e->nodes[i].word, err)))
			return false;
	return true;
}

void c_free(struct c_expr *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->count; i++) {
		if (e->nodes[i].compiled)
			e->words.free(e->words.ctx, e->nodes[i].compiled);
		free(e->nodes[i].word);
	}
	free(e->nodes);
	free(e->text);
	free(e);
}

struct c_expr *c_compile(const struct program *program, const struct machine *m,
                         const struct c_scope *scope, const struct c_words *words, const char *text,
                         bool *is_c, struct err *err)
{
	struct err why = {{0}};
	*is_c = false;
	if (strlen(text) > EXPR_TEXT_MAX)
		return err_set(err, "the expression is too long"), NULL;
	struct c_expr *e = alloc_zeroed(1, sizeof *e);
	struct parser p = {.e = e, .s = text, .err = &why};
	if (!e || !(e->text = alloc_text(text))) {
		free(e);
		*is_c = true;
		return err_set(err, "out of memory for an expression"), NULL;
	}
	e->program = program;
	e->words = *words;
	p.text = p.s = e->text;
	c_compile_resolve_scope(&p, m, scope);
	e->root = parse_comma(&p);
	parse_skip(&p);
	if (e->root != PARSE_FAILED && *p.s)
		e->root = parse_fail(&p, "the expression ends");
	e->has_variables = p.is_c;
	/* A single word is left to the words' own language, which has tables and more. */
	const bool alone = e->root != PARSE_FAILED && e->nodes[e->root].op == C_WORD;
	*is_c = e->root != PARSE_FAILED && !alone;
	if (*is_c && compile_words(e, &why))
		return e;
	c_free(e);
	/* Functions defined in the words' own language have their own names: leave them to it. */
	*is_c |= p.is_c && !strstr(text, "function");
	err_set(err, "%s", why.msg);
	return NULL;
}

bool c_has_variables(const struct c_expr *e)
{
	return e->has_variables;
}

void c_only_types(struct c_expr *e)
{
	e->only_types = true;
}

bool c_assigns(const struct c_expr *e)
{
	return e->assigns;
}

bool c_each_word(const struct c_expr *e, bool (*fn)(void *ctx, void *word), void *ctx)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->nodes[i].compiled && !fn(ctx, e->nodes[i].compiled))
			return false;
	return true;
}

bool c_awaits_call(const struct c_expr *e)
{
	return e->needs_frame && e->by_place;
}

bool c_type_named(const struct program *program, const struct machine *m,
                  const struct c_scope *scope, const char *text, struct ctype *out)
{
	struct c_expr e = {.program = program};
	struct parser p = {.e = &e, .text = text, .s = text};
	bool declared;
	struct scope_name function;
	c_compile_resolve_scope(&p, m, scope);
	/* The program's type or variable named u8 or s16 precedes our short name. */
	if (parse_type_name(&p, out, &declared) && !*p.s &&
	    (declared || !scope_find(program, parse_chain(&p), text, &function)))
		return true;
	if (!scope_find(program, parse_chain(&p), text, &function) ||
	    function.kind != SCOPE_FUNCTION)
		return false;
	*out = ctype_at(&function.die);
	return true;
}
