/* watch: stop when something changes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "hwviews/session/address.h"
#include "scripting/expr/expr_text.h"
#include "ui/console/args.h"
#include "ui/console/stops.h"

enum { WATCH_BYTES_MAX = 1 << 20 };

static uint64_t cmd_watch_symbol_size(const struct console *c, uint64_t addr)
{
	const struct symbol *sym = program_symbol_at(c->session->program, addr);
	return sym && sym->addr == addr && sym->size ? sym->size : 8;
}

/* Parses memory given as "buffer,16", "0x3fff0" or "buffer". False if the text has another form,
 * or, with *failed and c->err, an error. */
static bool cmd_watch_parse_address(struct console *c, const char *text, struct stop_point *sp,
                                    bool *failed)
{
	char name[256];
	int64_t size = 0;
	uint64_t addr;
	const char *comma = strrchr(text, ',');
	int closed = 0;
	for (const char *at = comma; at && *at; at++)
		closed += *at == ')' ? 1 : *at == '(' ? -1 : 0;
	if (closed > 0)
		comma = NULL; /* inside a function's arguments */
	size_t n = comma ? (size_t)(comma - text) : strlen(text);
	snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
	parse_trim(name);
	bool address = comma || isdigit((unsigned char)*name);
	if (!address &&
	    !(program_symbol_by_name(c->session->program, name) && reg_from_name(name) < 0))
		return false;
	if (!address_parse(c->session, name, NULL, &addr, &c->err))
		return !(*failed = true);
	if (comma && !expr_integer(c->exprs, comma + 1, &size, &c->err))
		return !(*failed = true);
	if (comma && (size < 1 || size > WATCH_BYTES_MAX)) {
		console_fail(c, "watch %s: 1 to %d bytes", text, WATCH_BYTES_MAX);
		return !(*failed = true);
	}
	sp->kind = STOP_POINT_MEMORY;
	sp->addr = addr;
	sp->size = comma ? (uint64_t)size : cmd_watch_symbol_size(c, sp->addr);
	return true;
}

/* Parses "mem32(sp + 8)", "*(u32)0x3fff0": fixes the present address. */
static bool cmd_watch_parse_memory_expr(struct console *c, const char *text, struct stop_point *sp,
                                        bool *failed)
{
	char *operand;
	unsigned size;
	if (!expr_is_memory(text, &operand, &size))
		return false;
	bool ok = expr_address(c->exprs, operand, &sp->addr, &c->err);
	free(operand);
	if (!ok)
		return !(*failed = true);
	sp->kind = STOP_POINT_MEMORY;
	sp->size = size ? size : cmd_watch_symbol_size(c, sp->addr);
	return true;
}

/* Parses a C variable, or a C expression with a place in memory. */
static bool is_variable(struct console *c, const char *text, struct stop_point *sp, bool *failed)
{
	struct expr_place place;
	struct err why;
	/* text that can't be compiled may be a place */
	struct expr *e = expr_compile(c->exprs, text, &why);
	if (!e || !expr_has_variables(e) || !expr_c_place(e, &place, &why)) {
		expr_free(e);
		return false;
	}
	if (place.size < 1 || place.size > WATCH_BYTES_MAX) {
		expr_free(e);
		console_fail(c, "watch %s: 1 to %d bytes", text, WATCH_BYTES_MAX);
		return !(*failed = true);
	}
	return stops_watch_c(c, sp, e, &place) || !(*failed = true);
}

static bool cmd_watch_check_mapped(struct console *c, struct stop_point *sp)
{
	char byte;
	if (machine_peek(c->session->machine, sp->addr, &byte, 1))
		return true;
	if (sp->free_ctx)
		sp->free_ctx(sp->ctx);
	console_fail(c, "Cannot access memory at address 0x%llx", (unsigned long long)sp->addr);
	return false;
}

/* Parses memory in any of the forms above. */
static bool find_memory(struct console *c, const char *text, struct stop_point *sp, bool *failed)
{
	return is_variable(c, text, sp, failed) ||
	       (!*failed && cmd_watch_parse_memory_expr(c, text, sp, failed)) ||
	       (!*failed && cmd_watch_parse_address(c, text, sp, failed));
}

/* The register of this name; -1 if there is none, or the program has a variable of that name. */
static int cmd_watch_register(struct console *c, const char *text)
{
	const int reg = reg_from_name(*text == '$' ? text + 1 : text);
	return reg >= 0 && expr_is_variable(c->exprs, text) ? -1 : reg;
}

/* Finds the watched object; *value is the expression to evaluate each cycle, if needed. */
static bool find_changing(struct console *c, const char *text, struct stop_point *sp,
                          const char **value)
{
	bool failed = false;
	int reg = cmd_watch_register(c, text);
	if (!*text) {
		console_fail(c, "no operand given; expected a register, memory, a statistic, any "
		                "expression");
		return false;
	}
	if (reg == REG_ZERO) {
		console_fail(c, "x0 never changes");
		return false;
	}
	if (reg > 0) {
		sp->kind = STOP_POINT_REG;
		sp->reg = (unsigned)reg;
		return true;
	}
	if (find_memory(c, text, sp, &failed))
		return cmd_watch_check_mapped(c, sp);
	if (failed)
		return false;
	sp->kind = STOP_POINT_VALUE;
	*value = text;
	return true;
}

static bool find_read(struct console *c, const char *text, struct stop_point *sp,
                      const char **value)
{
	bool failed = false;
	(void)value;
	if (!*text)
		console_fail(c, "no memory given; expected a variable, SYMBOL or ADDRESS,BYTES");
	else if (cmd_watch_register(c, text) < 0 && find_memory(c, text, sp, &failed))
		return cmd_watch_check_mapped(c, sp) && stops_watch_reads(c, sp);
	else if (!failed)
		console_fail(c,
		             "rwatch %s: only memory can be watched for reading: a variable, "
		             "SYMBOL or ADDRESS,BYTES",
		             text);
	return false;
}

/* Cuts "-l" or "-location" off the beginning of text. */
static bool cmd_watch_cut_location(char *text)
{
	char word[16];
	const char *rest = parse_word(text, word, sizeof word);
	if (strcmp(word, "-l") != 0 && strcmp(word, "-location") != 0)
		return false;
	memmove(text, rest, strlen(rest) + 1);
	return true;
}

/* The memory where a C expression is now, whatever becomes of its call. */
static bool find_location(struct console *c, const char *text, struct stop_point *sp)
{
	struct expr_place place;
	struct expr *e = expr_compile(c->exprs, text, &c->err);
	if (!e || !expr_c_place(e, &place, &c->err)) {
		expr_free(e);
		return false;
	}
	place.of_call = false;
	if (place.size < 1 || place.size > WATCH_BYTES_MAX) {
		expr_free(e);
		console_fail(c, "watch -location %s: 1 to %d bytes", text, WATCH_BYTES_MAX);
		return false;
	}
	return stops_watch_c(c, sp, e, &place) && cmd_watch_check_mapped(c, sp);
}

static enum command_result
cmd_watch_add_watchpoint(struct console *c, const char *args,
                         bool (*find)(struct console *c, const char *text, struct stop_point *sp,
                                      const char **value))
{
	struct stop_point sp = {.enabled = true};
	const char *value = NULL;
	enum command_result r = CMD_ERROR;
	char *text = alloc_text(args);
	if (!text)
		return console_fail(c, "out of memory");
	char *condition = parse_cut_if(text);
	const bool location = cmd_watch_cut_location(text);
	snprintf(sp.text, sizeof sp.text, "%s%s", location ? "-location " : "", text);
	if ((location ? find_location(c, text, &sp) : find(c, text, &sp, &value)) &&
	    stops_prepare(c, &sp, value, condition))
		r = stops_add(c, &sp);
	free(text);
	return r;
}

static enum command_result cmd_watch_exec(struct console *c, const char *args)
{
	return cmd_watch_add_watchpoint(c, args, find_changing);
}

static enum command_result cmd_rwatch_exec(struct console *c, const char *args)
{
	return cmd_watch_add_watchpoint(c, args, find_read);
}

const struct command cmd_rwatch = {
	.name = "rwatch",
	.aliases = "rw",
	.group = "breakpoints",
	.usage = "rwatch SYMBOL[,BYTES] | ADDRESS,BYTES | VARIABLE [if EXPRESSION]",
	.summary = "stop when a load of the program reads memory",
	.help = "When a load or atomic that reads any of these bytes commits: those on wrong\n"
		"paths don't count, nor do system calls. The condition is evaluated as that of\n"
		"`catch commit`: its words are the load's.\n"
		"    rwatch counter\n"
		"    rwatch table,64 if level == 'memory'",
	.complete = COMPLETE_EXPR,
	.exec = cmd_rwatch_exec,
};

const struct command cmd_watch = {
	.name = "watch",
	.aliases = "wa",
	.group = "breakpoints",
	.usage = "watch REGISTER | MEMORY | [-l] EXPRESSION [if EXPRESSION]",
	.summary = "stop when a register, memory, a statistic or any hardware state changes",
	.help = "MEMORY is SYMBOL, SYMBOL,BYTES or ADDRESS,BYTES, watched as the program writes\n"
		"it: when a store commits. An address is computed once, now.\n"
		"Registers, counts of queues and most statistics are\n"
		"compared at little cost, alone or in an expression; any other expression is\n"
		"evaluated after every cycle, which is slower.\n"
		"    watch s1                     a committed register\n"
		"    watch counter                a variable, or as many bytes as a symbol has\n"
		"    watch node->value            of a call: stops where that ends, and is off\n"
		"    watch -l node->value         its present memory, also after the call\n"
		"    watch 0x3ffff2a0,16\n"
		"    watch mem32(sp + 8)          watch *(u32)0x3ffff2a0\n"
		"    watch bpred.mispredicts      a statistic\n"
		"    watch rob[1].state           hardware\n"
		"    watch rob.count if rob.count == 64\n"
		"    watch bdt[3].locked          entries of a set of the descriptor table\n"
		"    watch sampler.bucket[7]      a counter of the sampler's compressor\n"
		"    watch sampler.waiting        messages that wait for software\n"
		"    watch cop.slot[4].hits       a column of the co-processor's program",
	.complete = COMPLETE_EXPR,
	.exec = cmd_watch_exec,
};
