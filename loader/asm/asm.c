/* Assembly text, statement by statement: labels, then a directive or an instruction. */
#include "loader/asm/asm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/isa/op.h"
#include "loader/asm/asm_priv.h"

/* ---- statements ---- */
/* Strips the labels at the beginning of a statement, and defines them. */
static bool asm_parse_labels(struct assembler *a, struct span *s)
{
	for (;;) {
		struct span name;
		const size_t n = scan_name(*s, &name);
		if (!n || n == s->n || s->at[n] != ':')
			return true;
		bool digits = true;
		for (size_t i = 0; i < n; i++)
			digits &= s->at[i] >= '0' && s->at[i] <= '9';
		if (!digits && *s->at >= '0' && *s->at <= '9')
			return asm_fault(a, s->at, "a label begins with a letter, or is a number");
		if (!symbol_label(a, name))
			return false;
		*s = span_trim((struct span){s->at + n + 1, s->n - n - 1});
	}
}

/* Takes back what an attempt has added to the section. */
static void asm_restore_section(struct assembler *a, const struct section *before)
{
	struct section *in = section_now(a);
	in->count = before->count;
	in->byte_count = before->byte_count;
	in->variable = before->variable;
	in->fixed = before->fixed;
}

static bool asm_parse_statement(struct assembler *a, struct span s)
{
	struct span operands[ASM_OPERANDS_MAX];
	unsigned count;
	if (!asm_parse_labels(a, &s))
		return false;
	if (!s.n)
		return true;
	a->statement = s;
	size_t n = 0;
	while (n < s.n && is_name(s.at[n]))
		n++;
	const struct span word = {s.at, n}, rest = span_trim((struct span){s.at + n, s.n - n});
	if (!n)
		return asm_fault(a, s.at, "'%c' begins no label, directive or instruction",
		                 *s.at > ' ' && *s.at < 127 ? *s.at : '?');
	bool done;
	const bool used = macro_use(a, word, rest, &done);
	if (done)
		return used;
	if (rest.n && *rest.at == '=' && (rest.n == 1 || rest.at[1] != '='))
		return assemble_directive(a, word, rest);
	if (*word.at == '.')
		return assemble_directive(a, word, rest);
	if (section_now(a)->kind == SECTION_DROPPED)
		return true;
	if (section_now(a)->kind == SECTION_BSS || section_now(a)->kind == SECTION_TBSS)
		return asm_fault(a, s.at,
		                 "an instruction in %s; expected .text before this, or the name "
		                 "of a directive, which begins with a dot",
		                 section_now(a)->name);
	if (!scan_operands(a, rest, operands, &count))
		return false;
	struct span apart[ASM_OPERANDS_MAX];
	unsigned apart_count;
	const struct section before = *section_now(a);
	if (assemble_instruction(a, word, operands, count))
		return true;
	/* lw a0 (t0) */
	const char *open = count == 1 && operands[0].at[operands[0].n - 1] == ')'
	                           ? memchr(operands[0].at, '(', operands[0].n)
	                           : NULL;
	const struct span first =
		open ? span_trim((struct span){operands[0].at, (size_t)(open - operands[0].at)})
		     : (struct span){NULL, 0};
	if (open && register_of(first) >= 0) {
		const struct span two[2] = {
			first, {open, (size_t)(operands[0].at + operands[0].n - open)}};
		asm_restore_section(a, &before);
		if (assemble_instruction(a, word, two, 2))
			return true;
	}
	/* li a0 5 */
	if (a->stop || (word.n > 3 && !memcmp(word.at, "pi.", 3)) ||
	    !scan_blank_operands(a, operands, count, apart, &apart_count) || apart_count == count)
		return false;
	/* sw a0 0 a1 has an offset and a register, sw a0, label, a1 an address. */
	if (apart_count == 3 &&
	    (*apart[1].at == '-' || (*apart[1].at >= '0' && *apart[1].at <= '9'))) {
		struct span two[2] = {apart[0], apart[1]};
		two[1].n = (size_t)(apart[2].at + apart[2].n - apart[1].at);
		asm_restore_section(a, &before);
		if (assemble_instruction(a, word, two, 2))
			return true;
	}
	asm_restore_section(a, &before);
	return !a->stop && assemble_instruction(a, word, apart, apart_count);
}

bool asm_count_statement(struct assembler *a)
{
	if (++a->statements <= ASM_STATEMENTS_MAX)
		return true;
	asm_error(a, a->line, 1, "more than %d statements, which is the most", ASM_STATEMENTS_MAX);
	a->stop = true;
	return false;
}

/* The text after the labels at the beginning of a statement. */
static const char *behind_labels(const char *at, const char *end)
{
	for (;;) {
		const struct span s = span_trim((struct span){at, (size_t)(end - at)});
		struct span name;
		const size_t n = scan_name(s, &name);
		if (!n || n == s.n || s.at[n] != ':')
			return at;
		at = s.at + n + 1;
	}
}

static void asm_assemble_statement(struct assembler *a, const char *at, const char *end)
{
	struct span s = span_trim((struct span){at, (size_t)(end - at)});
	if (!s.n || a->stop || !asm_count_statement(a))
		return;
	a->fault_at = NULL;
	a->statement = s;
	bool done;
	const struct span after = {behind_labels(s.at, end), 0};
	struct span word = span_trim((struct span){after.at, (size_t)(end - after.at)});
	const struct span all = word;
	for (word.n = 0; word.n < all.n && is_name(all.at[word.n]); word.n++)
		;
	const struct span rest = span_trim((struct span){word.at + word.n, all.n - word.n});
	bool ok = condition_directive(a, word, rest, &done);
	if (!done && (!condition_holds(a) || a->macro_left))
		return;
	if (!done && !span_is(word, ".eqv"))
		ok = macro_words(a, s, &done);
	if (!(done ? ok : asm_parse_statement(a, s)) && a->fault_at) {
		const unsigned column =
			asm_column(a, a->fault_at >= at && a->fault_at <= end ? a->fault_at : s.at);
		asm_error(a, a->line, column, "%s", a->fault);
	}
}

static const char *statement_end(const char *at, const char *end)
{
	char quote = 0;
	for (; at < end && *at != '\n' && (quote || *at != ';'); at++) {
		if (*at == '\\' && quote && at + 1 < end && at[1] != '\n')
			at++;
		else if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' ||
		         (*at == '\'' && at + 2 < end && at[1] == ';' && at[2] == '\''))
			quote = *at;
	}
	return at;
}

static bool asm_is_directive(const char *at, const char *end, const char *name)
{
	const struct span s = span_trim((struct span){at, (size_t)(end - at)});
	const size_t n = strlen(name);
	return s.n >= n && !memcmp(s.at, name, n) && (s.n == n || !is_name(s.at[n]));
}

enum block { BLOCK_NONE, BLOCK_REPT, BLOCK_IRP, BLOCK_IRPC, BLOCK_MACRO };
static const char *const block_names[][2] = {
	{""}, {".rept", ".rep"}, {".irp", ".irep"}, {".irpc", ".irepc"}, {".macro"}};

/* The block that this statement begins. */
static enum block asm_block_of(const char *at, const char *end)
{
	for (enum block b = BLOCK_REPT; b <= BLOCK_MACRO; b++)
		for (unsigned i = 0; i < 2 && block_names[b][i]; i++)
			if (asm_is_directive(at, end, block_names[b][i]))
				return b;
	return BLOCK_NONE;
}

/* Whether the statement ends a block of this kind. */
static bool asm_ends_block(enum block b, const char *at, const char *end)
{
	return b == BLOCK_MACRO ? asm_is_directive(at, end, ".endm") ||
	                                  asm_is_directive(at, end, ".endmacro") ||
	                                  asm_is_directive(at, end, ".end_macro")
	                        : asm_is_directive(at, end, ".endr");
}

/* The end of the block that has begun before `at`; `end` if it has none. *after receives the text
 * after it. */
static const char *asm_find_block_end(enum block b, const char *at, const char *end,
                                      const char **behind)
{
	unsigned depth = 0;
	while (at < end) {
		const char *next = statement_end(at, end);
		const enum block other = asm_block_of(behind_labels(at, next), next);
		depth += other && (other == BLOCK_MACRO) == (b == BLOCK_MACRO);
		if (asm_ends_block(b, at, next) && depth-- == 0) {
			*behind = next;
			return at;
		}
		at = next + (next < end);
	}
	*behind = end;
	return end;
}

static unsigned lines_in(const char *at, const char *end)
{
	unsigned n = 0;
	while ((at = memchr(at, '\n', (size_t)(end - at))))
		n++, at++;
	return n;
}

/* Assembles a block n times. */
static void asm_repeat_block(struct assembler *a, const char *from, const char *to, int64_t n,
                             bool step)
{
	const unsigned line = a->line;
	const char *line_start = a->line_start;
	a->nesting++;
	for (; n > 0 && !a->stop; n--) {
		if (!asm_count_statement(a)) /* an empty block, too */
			break;
		if (!a->frozen) {
			a->line = line + step;
			a->line_start = step ? from : line_start;
		}
		assemble_text(a, from, to);
	}
	a->nesting--;
	a->line = line;
	a->line_start = line_start;
}

/* Takes the block that begins at `at`; returns the text after it. */
static const char *asm_take_block(struct assembler *a, enum block b, const char *at,
                                  const char *line_end, const char *end)
{
	const char *behind, *from = line_end + (line_end < end);
	const char *to = asm_find_block_end(b, from, end, &behind);
	const char *word = memmem(at, (size_t)(line_end - at), block_names[b][0], 2);
	const char *rest = word + 1;
	while (rest < line_end && is_name(*rest))
		rest++;
	const struct span head = span_trim((struct span){rest, (size_t)(line_end - rest)});
	const struct span body = {from, (size_t)(to - from)};
	const unsigned column = asm_column(a, word);
	int64_t n = 0;
	bool ok = true;
	a->fault_at = NULL;
	a->statement = (struct span){word, (size_t)(line_end - word)};
	if (to == end && !asm_ends_block(b, to, end)) {
		asm_error(a, a->line, column, "%s without .end%s", block_names[b][0],
		          b == BLOCK_MACRO ? "m" : "r");
	} else if (a->nesting == ASM_NESTING_MAX) {
		asm_error(a, a->line, column, "%s nested too deep", block_names[b][0]);
	} else if (b == BLOCK_MACRO) {
		ok = macro_define(a, head, body, asm_is_directive(to, behind, ".end_macro"));
	} else if (b == BLOCK_REPT) {
		ok = expr_constant(a, head, &n);
		if (ok)
			asm_repeat_block(a, from, to, n, line_end < end && *line_end == '\n');
	} else {
		ok = macro_repeat(a, head, body, b == BLOCK_IRPC);
	}
	if (!ok && !a->stop)
		asm_error(a, a->line, column, "%s", a->fault_at ? a->fault : "no number");
	if (a->frozen)
		return behind;
	a->line += lines_in(line_end, behind);
	a->line_start = behind;
	while (a->line_start > a->text && a->line_start[-1] != '\n')
		a->line_start--;
	return behind;
}

void assemble_text(struct assembler *a, const char *at, const char *end)
{
	while (at < end && !a->stop) {
		const char *next = statement_end(at, end), *rest = behind_labels(at, next);
		const enum block b = condition_holds(a) && !a->macro_left ? asm_block_of(rest, next)
		                                                          : BLOCK_NONE;
		if (!b || rest > at)
			asm_assemble_statement(a, at, b ? rest : next);
		if (b)
			next = asm_take_block(a, b, rest, next, end);
		if (next < end && *next == '\n' && !a->frozen) {
			a->line++;
			a->line_start = next + 1;
		}
		at = next + 1;
	}
}

/* ---- the whole text ---- */
static bool asm_init_sections(struct assembler *a)
{
	static const char *const first[] = {".text", ".data", ".bss"};
	a->sections = alloc_zeroed(ASM_SECTIONS_MAX, sizeof *a->sections);
	if (!a->sections)
		return asm_out_of_memory(a);
	for (int i = 0; i < 3; i++)
		if (!section_enter(a, first[i], strlen(first[i]), -1))
			return false;
	return true;
}

/* Sets the present text to a copy of a source, without comments. */
static bool asm_take_source(struct assembler *a, unsigned source)
{
	const struct asm_source *from = &a->sources[source];
	const size_t n = from->n;
	size_t at = 0;
	a->source = source;
	a->line = 1;
	if (n > ASM_TEXT_MAX)
		return asm_error(a, 0, 0, "the text has more than %d MB, which is the most",
		                 ASM_TEXT_MAX >> 20);
	a->text = a->texts[source] = alloc_bytes(n + 1);
	if (!a->text)
		return asm_out_of_memory(a);
	memcpy(a->text, from->text, n);
	a->text[n] = '\0';
	if (!strncmp(a->text, "\xef\xbb\xbf", 3))
		memset(a->text, ' ', 3); /* editors of Windows write this before a text */
	a->n = n;
	a->line_start = a->text;
	if (!scan_comments(a->text, n, &at)) {
		a->line = 1 + lines_in(a->text, a->text + at);
		return asm_error(a, a->line, 1,
		                 "the comment that begins here has no end; expected */");
	}
	const char *zero = memchr(a->text, '\0', n);
	return !zero ||
	       asm_error(a, 1 + lines_in(a->text, zero), 1,
	                 "the text holds zeros: it is no assembly, but perhaps a program; use "
	                 "cyclops FILE");
}

/* Texts: sources, then included ones. */
static unsigned asm_text_count(const struct assembler *a)
{
	return a->source_count + a->included_count;
}

static struct span asm_text(const struct assembler *a, unsigned i)
{
	if (i < a->source_count)
		return (struct span){a->texts[i], a->sources[i].n};
	const struct included *from = &a->included[i - a->source_count];
	return (struct span){from->text, from->n};
}

static bool asm_is_qtrvsim(const struct assembler *a)
{
	for (unsigned i = 0; i < a->source_count; i++)
		if (abi_text_is_qtrvsim(a->sources[i].text, a->sources[i].n))
			return true;
	return false;
}

/* Simulators of courses have no compressed instructions: their programs count on 4 bytes. */
static bool asm_begins_compressed(const struct assembler *a)
{
	return !a->options->words && !os_abi_is_course(a->abi) && !asm_is_qtrvsim(a);
}

/* Assembles the present text: from .text on, without the options of the text before. */
static void asm_read_source(struct assembler *a)
{
	a->section = a->section_before = 0;
	a->pushed_depth = a->options_depth = 0;
	a->rvc = asm_begins_compressed(a);
	a->pic = false;
	macros_free(a->macros);
	a->macros = NULL;
	assemble_text(a, a->text, a->text + a->n);
	if (a->condition_depth)
		asm_error(a, a->conditions[a->condition_depth - 1].line, 1, ".if without .endif");
	a->condition_depth = 0;
}

/* Reports a text for MIPS, whose registers have names with a $: one message, not one a line. */
static bool asm_is_mips(struct assembler *a)
{
	static const char *const names[] = {"$v0", "$a0", "$t0", "$s0", "$sp", "$ra", "$zero"};
	unsigned found = strstr(a->text, "syscall") != NULL;
	const char *first = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = strstr(a->text, names[i]);
		found += at != NULL;
		first = at && (!first || at < first) ? at : first;
	}
	if (!first || found < 2)
		return false;
	asm_error(a, 1 + lines_in(a->text, first), 1,
	          "this is assembly of MIPS, whose registers are $v0, $t0; Cyclops runs RISC-V: "
	          "a7 holds the number of a service, ecall requests it");
	return true;
}

/* Whether a text has .attribute arch,"rv32...", as compilers write it. */
static bool asm_text_is_rv32(const char *text)
{
	for (const char *at = text; (at = strstr(at, ".attribute"));) {
		const char *before = at;
		at += strlen(".attribute");
		while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		if (before > text && !strchr("\r\n;:", before[-1]))
			continue;
		const struct span arch =
			option_attribute_arch((struct span){at, strcspn(at, "\r\n;")});
		if (arch.n > 4 && !memcmp(arch.at, "rv32", 4))
			return true;
	}
	return false;
}

static bool asm_guess_rv32(const struct assembler *a)
{
	char *why = a->result->rv32_why;
	bool wide = false;
	for (unsigned i = 0; i < asm_text_count(a); i++)
		if (asm_text_is_rv32(asm_text(a, i).at))
			return true;
	for (unsigned i = 0; i < asm_text_count(a); i++)
		wide |= abi_text_is_64bit(asm_text(a, i).at, asm_text(a, i).n);
	if (!wide && a->abi == OS_LINUX && asm_is_qtrvsim(a))
		snprintf(why, sizeof a->result->rv32_why, "%s", ABI_QTRVSIM);
	for (unsigned i = 0; !wide && a->abi == OS_LINUX && i < asm_text_count(a) && !*why; i++)
		abi_find_narrow(asm_text(a, i).at, asm_text(a, i).n, why,
		                sizeof a->result->rv32_why);
	return !wide && (os_abi_is_course(a->abi) || *why);
}

static void asm_find_isa(struct assembler *a)
{
	const unsigned xlen = a->options->xlen;
	a->rv32 = xlen ? xlen == 32 : asm_guess_rv32(a);
	a->result->rv32 = a->rv32;
}

/* Finds the ABI whose services the texts request: that of the first text that shows one. */
static void asm_find_abi(struct assembler *a)
{
	struct asm_result *r = a->result;
	if (a->options->abi != ASM_ABI_GUESS)
		a->abi = (enum os_abi)a->options->abi;
	for (unsigned i = 0;
	     a->options->abi == ASM_ABI_GUESS && i < asm_text_count(a) && !*r->abi_why; i++)
		a->abi = abi_guess(asm_text(a, i).at, asm_text(a, i).n, r->abi_why,
		                   sizeof r->abi_why);
	r->abi = a->abi;
}

static void asm_free_assembler(struct assembler *a)
{
	for (uint32_t i = 0; i < a->section_count; i++) {
		free(a->sections[i].name);
		free(a->sections[i].bytes);
		free(a->sections[i].pieces);
	}
	for (uint32_t i = 1; i < a->symbol_count; i++)
		free(a->symbols[i].name);
	free(a->sections);
	free(a->symbols);
	free(a->buckets);
	macros_free(a->macros);
	for (unsigned i = 0; i < a->source_count; i++)
		free(a->texts[i]);
	include_free(a);
}

static int by_line(const void *x, const void *y)
{
	const struct asm_message *m = x, *n = y;
	return m->source != n->source   ? (m->source > n->source) - (m->source < n->source)
	       : strcmp(m->file, n->file) ? strcmp(m->file, n->file)
	       : m->line != n->line     ? (m->line > n->line) - (m->line < n->line)
	       : m->column != n->column ? (m->column > n->column) - (m->column < n->column)
	                                : strcmp(m->text, n->text);
}

/* The state of the symbol of this name, or -1: the texts don't name it. */
static int asm_symbol_state(const struct assembler *a, const char *name)
{
	int state = -1;
	for (uint32_t i = 1; i < a->symbol_count; i++)
		if (!strcmp(a->symbols[i].name, name) && state != SYMBOL_PLACE)
			state = a->symbols[i].state;
	return state;
}

/* GNU as fills sections of code to their alignment. */
static void asm_pad_text_sections(struct assembler *a)
{
	for (uint32_t i = 0; i < a->section_count; i++) {
		struct section *s = &a->sections[i];
		a->section = i;
		struct piece *p =
			s->kind == SECTION_TEXT && s->count ? piece_add(a, PIECE_ALIGN, 0) : NULL;
		if (p) {
			p->from = s->align;
			p->code = true;
		}
	}
}

/* Defines a symbol at the beginning of thread-local storage; false if there is none. */
static bool asm_define_thread_storage(struct assembler *a)
{
	static const char name[] = "__tls";
	for (int kind = SECTION_TDATA; kind <= SECTION_TBSS; kind++)
		for (uint32_t i = 0; i < a->section_count; i++)
			if (a->sections[i].kind == kind && a->sections[i].count) {
				const uint32_t s =
					symbol_get(a, (struct span){name, sizeof name - 1});
				if (s)
					a->symbols[s].state = SYMBOL_PLACE;
				if (s)
					a->symbols[s].section = i;
				return s != 0;
			}
	return false;
}

static void asm_add_text(struct assembler *a, const char *text)
{
	assemble_text(a, text, text + strlen(text));
}

/* Adds a _start, as a C library would, to a program that has main() but no _start. A word before
 * it, which is no instruction, ends the text. */
static void add_start(struct assembler *a)
{
	a->line = 0;
	a->line_start = NULL;
	const bool thread_local = asm_define_thread_storage(a);
	asm_add_text(a, ".section " ASM_START_SECTION ",\"ax\"; .4byte 0; .globl _start;"
	                ".type _start,@function; _start:");
	if (thread_local)
		asm_add_text(a, "lla tp,__tls");
	asm_add_text(a, a->rv32 ? "lw a0,0(sp); addi a1,sp,4" : "lw a0,0(sp); addi a1,sp,8");
	asm_add_text(a, "call main; li a7,93; ecall");
	/* As a C library's: the only thread's storage is at tp. */
	if (thread_local && asm_symbol_state(a, "__tls_get_addr") == SYMBOL_UNDEFINED) {
		asm_add_text(a, ".globl __tls_get_addr; .type __tls_get_addr,@function;"
		                "__tls_get_addr:");
		asm_add_text(a, a->rv32 ? "lw a0,8(a0)" : "ld a0,8(a0)");
		asm_add_text(a, "add a0,a0,tp; ret");
	}
}

/* Adds the beginning and the end that a simulator gives a program: it begins in a global main, or
 * else at its first instruction, and running past its last one ends it. */
static void asm_add_course_start(struct assembler *a)
{
	static const char first[] = "\002first";
	const char *number = a->abi == OS_VENUS ? "a0" : "a7";
	char text[160];
	uint32_t entry = 0;
	for (uint32_t i = 1; i < a->symbol_count; i++)
		if (!strcmp(a->symbols[i].name, "main") && a->symbols[i].global &&
		    a->symbols[i].state == SYMBOL_PLACE)
			entry = i;
	a->line = 0;
	a->line_start = NULL;
	if (!entry) {
		entry = symbol_get(a, (struct span){first, sizeof first - 1});
		if (!entry)
			return;
		a->symbols[entry].state = SYMBOL_PLACE; /* of .text, the first section */
	}
	snprintf(text, sizeof text,
	         ".section " ASM_START_SECTION ",\"ax\"; li %s,10; ecall; .globl _start;"
	         ".type _start,@function; _start:",
	         number);
	asm_add_text(a, text);
	const struct value to = {.plus = entry};
	put_inst(a, (struct inst){.op = OP_JAL, .len = 4, .rd = REG_RA}, &to);
	snprintf(text, sizeof text, "li %s,10; ecall", number);
	asm_add_text(a, text);
}

/* Notes that a program begins in a global function, which another text may call. */
static void asm_note_entry(struct assembler *a)
{
	for (uint32_t i = 1; i < a->symbol_count; i++) {
		const struct symbol *s = &a->symbols[i];
		const bool first = s->state == SYMBOL_PLACE && !s->section && !s->piece;
		if (first && s->global && !*a->result->note)
			snprintf(a->result->note, sizeof a->result->note,
			         "no _start and no main: the program begins with its first "
			         "instruction, at %.40s; expected the file that calls it, too: "
			         "cyclops run MAIN.s OTHER.s",
			         s->name);
	}
}

/* Adds the program's beginning, if the texts have none. */
static void asm_begin_program(struct assembler *a)
{
	const bool start = asm_symbol_state(a, "_start") == SYMBOL_PLACE;
	a->source = 0;
	const bool plain = a->abi == OS_LINUX;
	if (!start && os_abi_is_course(a->abi))
		asm_add_course_start(a);
	else if (!start && plain && asm_symbol_state(a, "main") == SYMBOL_PLACE)
		add_start(a);
	else if (!start && plain)
		asm_note_entry(a);
}

/* Names the first #define of each text that has faults: it is a comment, which a C programmer may
 * not expect. */
static void asm_explain_define(struct assembler *a)
{
	const unsigned count =
		a->result->message_count < ASM_MESSAGES_MAX ? a->result->message_count : 0;
	for (unsigned i = 0; i < count; i++) {
		const struct asm_source *s = &a->sources[a->result->message[i].source];
		const char *at = s->text, *const end = at + s->n;
		bool told = false;
		for (unsigned k = 0; k < i; k++)
			told |= a->result->message[k].source == a->result->message[i].source;
		while (!told && at && (size_t)(end - at) > 8 && memcmp(at, "#define ", 8) != 0)
			if ((at = memchr(at, '\n', (size_t)(end - at))))
				at++;
		if (told || !at || (size_t)(end - at) <= 8)
			continue;
		a->source = a->result->message[i].source;
		asm_error(a, 1 + lines_in(s->text, at), 1,
		          "#define is a comment in a .s file; expected .equ NAME,VALUE, or a file "
		          "named .S");
	}
}

bool asm_assemble(const struct asm_source *sources, unsigned count,
                  const struct asm_options *options, struct asm_result *result)
{
	*result = (struct asm_result){0};
	struct assembler a = {
		.options = options,
		.result = result,
		.sources = sources,
		.source_count = count,
		.line = 1,
		.rvc = !options->words,
	};
	bool ok = asm_init_sections(&a);
	for (unsigned i = 0; i < count; i++)
		ok = ok && asm_take_source(&a, i);
	for (unsigned i = 0; ok && i < count; i++) {
		a.source = i;
		a.text = a.texts[i];
		ok = !asm_is_mips(&a);
	}
	if (ok) {
		include_look_ahead(&a);
		asm_find_abi(&a);
		asm_find_isa(&a);
		a.rvc_ever = asm_begins_compressed(&a);
		for (unsigned i = 0; i < count; i++) {
			if (i)
				symbols_next_source(&a);
			a.source = a.main_source = i;
			a.text = a.texts[i];
			a.n = sources[i].n;
			a.line = 1;
			a.line_start = a.text;
			asm_read_source(&a);
		}
		if (count > 1)
			symbols_join(&a);
		asm_begin_program(&a);
		offset_table(&a);
		asm_pad_text_sections(&a);
		/* Addresses mean nothing after other errors. */
		if (result->message_count)
			symbols_check(&a);
		else
			layout(&a);
		if (!result->message_count)
			write_file(&a);
	}
	asm_explain_define(&a);
	asm_free_assembler(&a);
	sort_stable(result->message, result->message_count, sizeof *result->message, by_line);
	return result->message_count == 0;
}

void asm_result_deinit(struct asm_result *result)
{
	free(result->elf);
	result->elf = NULL;
}
