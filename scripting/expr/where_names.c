/* Numbers, texts and names of a condition: fields of an event, statistics, registers, queues. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "core/isa/regs.h"
#include "core/machine/machine.h"
#include "hwviews/session/session.h"
#include "loader/program.h"
#include "scripting/expr/where_parser.h"
#include "scripting/expr/where_priv.h"
#include "scripting/expr/words.h"

/* ---- leaves ---- */
bool where_number(struct parser *p, uint16_t *out)
{
	const char *s = p->at;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	size_t n = hex ? 2 + strspn(s + 2, "0123456789abcdefABCDEF") : strspn(s, "0123456789");
	uint64_t v = 0;
	if (p->id == EV_COUNT && !hex && s[n] == '.' && isdigit((unsigned char)s[n + 1])) {
		n += 1 + strspn(s + n + 1, "0123456789");
		if (!where_is_name(s[n]) && s[n] != '.') {
			p->at += n;
			return where_add(
				p, (struct where_node){.op = W_FLOAT, .d = strtod(s, NULL)}, out);
		}
	}
	if ((hex && n == 2) || where_is_name(s[n]) || s[n] == '.') {
		while (where_is_name(s[n]) || s[n] == '.')
			n++;
		return where_outside(p, s, n);
	}
	for (size_t i = hex ? 2 : 0; i < n; i++) {
		unsigned digit = isdigit((unsigned char)s[i])
		                         ? (unsigned)(s[i] - '0')
		                         : (unsigned)(tolower(s[i]) - 'a') + 10;
		/* A decimal number that is too large is a float. */
		if (!hex && v > ((uint64_t)INT64_MAX - digit) / 10)
			return where_outside(p, s, n);
		v = v * (hex ? 16 : 10) + digit;
	}
	p->at += n;
	return where_add(p, (struct where_node){.op = W_INT, .i = (int64_t)v}, out);
}

bool where_text(struct parser *p, uint16_t *out)
{
	char quote = *p->at;
	size_t n = strcspn(p->at + 1, quote == '"' ? "\"\\\r\n" : "'\\\r\n");
	if (p->at[1 + n] != quote)
		return where_outside_here(p);
	char *copy = alloc_text_n(p->at + 1, n);
	if (!copy)
		return err_set(p->err, "out of memory for a condition");
	p->at += n + 2;
	return where_add(p, (struct where_node){.op = W_TEXT, .text = copy}, out);
}

static bool is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

static bool where_names_is_function(const char *name)
{
	const char *f, *help;
	if (is_among(name, where_reserved))
		return true;
	for (unsigned i = 0; (f = words_function_name(i, &help)); i++)
		if (!strcmp(name, f))
			return true;
	return false;
}

/* Parses the rest of rob.count or rob[1].state, after the queue's name. */
static bool queue_word(struct parser *p, enum where_queue q, uint16_t *out)
{
	struct where_node n = {.op = W_COUNT, .a = (uint16_t)q};
	char *end;
	if (where_next_is(p, ".count") && !where_is_name(p->at[6]) && p->at[6] != '.') {
		p->at += 6;
		return where_add(p, n, out);
	}
	if (*p->at != '[' || !isdigit((unsigned char)p->at[1]))
		return where_outside_here(p);
	const unsigned long place = strtoul(p->at + 1, &end, 10);
	size_t length = 0;
	char name[32];
	if (end[0] != ']' || end[1] != '.' || place > INT32_MAX)
		return where_outside_here(p);
	while (where_is_name(end[2 + length]))
		length++;
	if (length >= sizeof name || end[2 + length] == '.')
		return where_outside_here(p);
	memcpy(name, end + 2, length);
	name[length] = '\0';
	const int f = uop_field_find(name);
	if (f < 0 || uop_field_info[f].type == FIELD_INST)
		return where_outside_here(p);
	p->at = end + 2 + length;
	n = (struct where_node){.op = W_ENTRY,
	                        .a = (uint16_t)f,
	                        .b = (uint16_t)q,
	                        .type = (uint16_t)uop_field_info[f].type,
	                        .i = (int64_t)place};
	return where_add(p, n, out);
}

/* Parses `group.name`, a statistic that this machine has; the group has been read. */
static bool where_names_parse_stat(struct parser *p, const char *group, uint16_t *out)
{
	char name[256];
	size_t n = 1;
	if (*p->at != '.')
		return where_outside_here(p);
	while (where_is_name(p->at[n]) || p->at[n] == '.')
		n++;
	if (strlen(group) + n >= sizeof name)
		return where_outside_here(p);
	snprintf(name, sizeof name, "%s%.*s", group, (int)n, p->at);
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, name) &&
		    stat_exists(machine_config(p->s->machine), &stat_rows[i])) {
			p->at += n;
			return where_add(p,
			                 (struct where_node){.op = stat_rows[i].derived ? W_RATIO
			                                                                : W_COUNTER,
			                                     .a = (uint16_t)i},
			                 out);
		}
	return where_outside_here(p);
}

/* Resolves a word about the machine without an event, in the order of words.c. */
static bool resolve_alone(struct parser *p, const char *name, uint16_t *out)
{
	static const char *const queues[] = {"rob", "lsq", "fetchq"};
	/* groups with words besides statistics */
	static const char *const own[] = {"sampler", "cop", "vsample", NULL};
	const int reg = reg_from_name(name);
	if (where_names_is_function(name) || reg >= REG_F0 || !strcmp(name, "newest") ||
	    !strcmp(name, "thread") || !p->s || !p->s->machine)
		return where_outside(p, name, strlen(name));
	if (reg >= 0)
		return where_add(p, (struct where_node){.op = W_REG, .a = (uint16_t)reg}, out);
	if (!strcmp(name, "pc"))
		return where_add(p, (struct where_node){.op = W_PLACE}, out);
	if (!strcmp(name, "cycle") || !strcmp(name, "insts"))
		return where_add(p, (struct where_node){.op = *name == 'c' ? W_CYCLE : W_INSTS},
		                 out);
	if (is_among(name, where_tables) || is_among(name, own) || words_is_xprof(name))
		return where_outside(p, name, strlen(name));
	for (unsigned i = 0; i < 3 && (*p->at == '[' || where_next_is(p, ".count")); i++)
		if (!strcmp(name, queues[i]))
			return queue_word(p, (enum where_queue)i, out);
	if (words_is_group(name))
		return where_names_parse_stat(p, name, out);
	const struct symbol *sym = program_symbol_by_name(p->s->program, name);
	return sym && *p->at != '.'
	               ? where_add(p, (struct where_node){.op = W_INT, .i = (int64_t)sym->addr},
	                           out)
	               : where_outside(p, name, strlen(name));
}

/* Adds a word about the machine: the condition is no longer about the event alone, and later
 * evaluation may differ. */
static bool word_of_machine(struct parser *p, struct where_node n, uint16_t *out)
{
	p->own = false;
	return where_add(p, n, out);
}

/* Resolves a name in the order of words.c. */
static bool where_names_resolve(struct parser *p, const char *name, uint16_t *out)
{
	int field = event_find_field(p->id, name), reg = reg_from_name(name),
	    f = uop_field_find(name);
	if (where_names_is_function(name))
		return where_outside(p, name, strlen(name));
	if (field >= 0)
		return where_add(
			p,
			(struct where_node){.op = W_FIELD,
		                            .a = (uint16_t)field,
		                            .type = (uint16_t)event_info[p->id].fields[field].type},
			out);
	if (!strcmp(name, "seq") || !strcmp(name, "pc"))
		return where_add(p, (struct where_node){.op = *name == 's' ? W_SEQ : W_PC}, out);
	if (reg >= 0 && reg < REG_F0)
		return word_of_machine(p, (struct where_node){.op = W_REG, .a = (uint16_t)reg},
		                       out);
	if (!strcmp(name, "cycle") || !strcmp(name, "insts"))
		return word_of_machine(
			p, (struct where_node){.op = *name == 'c' ? W_CYCLE : W_INSTS}, out);
	if (f == UOP_FIELD_op)
		return where_add(p, (struct where_node){.op = W_OP}, out);
	if (reg >= 0 || !strcmp(name, "event") || !strcmp(name, "newest") ||
	    !strcmp(name, "thread") || (f >= 0 && uop_field_info[f].type == FIELD_INST))
		return where_outside(p, name, strlen(name));
	if (f >= 0)
		return word_of_machine(
			p,
			(struct where_node){.op = W_UOP,
		                            .a = (uint16_t)f,
		                            .type = (uint16_t)uop_field_info[f].type},
			out);
	const struct symbol *sym = p->s ? program_symbol_by_name(p->s->program, name) : NULL;
	if (!sym || is_among(name, where_tables) || words_is_group(name))
		return where_outside(p, name, strlen(name));
	if (!where_add(p, (struct where_node){.op = W_INT, .i = (int64_t)sym->addr}, out))
		return false;
	p->symbol = sym;
	p->symbol_node = *out;
	return true;
}

bool where_word(struct parser *p, uint16_t *out)
{
	char name[128];
	p->at += *p->at == '$'; /* C programmers write $a0 */
	size_t n = 0;
	while (where_is_name(p->at[n]))
		n++;
	const bool alone = p->id == EV_COUNT;
	if (!n || isdigit((unsigned char)*p->at) || n >= sizeof name || p->at[n] == '$' ||
	    (p->at[n] == '.' && !alone))
		return where_outside_here(p);
	memcpy(name, p->at, n);
	name[n] = '\0';
	p->at += n;
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return where_add(p, (struct where_node){.op = W_BOOL, .i = *name == 't'}, out);
	if (!strcmp(name, "nil"))
		return where_add(p, (struct where_node){.op = W_NIL}, out);
	return alone ? resolve_alone(p, name, out) : where_names_resolve(p, name, out);
}
