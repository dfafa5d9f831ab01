#include "ui/cmd/info_symbols.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "hwviews/program/origin.h"
#include "loader/dwarf/unit_info.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"

/* Computes an address, as in `info symbol &table[3]`. */
static bool info_symbols_compute_address(struct console *c, const char *text, uint64_t *addr)
{
	bool is_code;
	struct err err;
	struct expr *e = *text ? expr_compile(c->exprs, text, &err) : NULL;
	const bool ok = e && expr_compute(e, &err) &&
	                expr_computed_address(c->exprs, addr, &is_code, &err);
	expr_free(e);
	return ok;
}

enum command_result info_symbol(struct console *c, const char *args)
{
	struct location at;
	char where[256], origin[128];
	const bool is_expression = *args && strpbrk(args, "&*[]()>") && !strchr(args, ':');
	if (!(is_expression || isdigit((unsigned char)*args)) ||
	    !info_symbols_compute_address(c, args, &at.addr))
		if (!location_parse(c, args, &at))
			return CMD_ERROR;
	const struct symbol *sym = program_symbol_at(c->session->program, at.addr);
	if (!sym)
		return console_fail(c, "no symbol covers 0x%" PRIx64, at.addr);
	console_print(c, "0x%" PRIx64 "%s is %s: %s of %" PRIu64 " bytes at 0x%" PRIx64 "\n",
	              at.addr, origin_text(c->session, at.addr, origin, sizeof origin),
	              session_where(c->session, at.addr, where, sizeof where),
	              sym->code ? "function" : "data", sym->size, sym->addr);
	json_t *data = answer_data(c);
	data_place(data, c, "address", at.addr);
	data_text(data, "kind", sym->code ? "function" : "data");
	data_addr(data, "from", sym->addr);
	data_count(data, "size", sym->size);
	return CMD_OK;
}

/* `info address NAME`: the place of a variable or a function. */
enum command_result info_address(struct console *c, const char *args)
{
	enum { MEANT_MAX = 20 };
	const struct symbol *sym = program_symbol_by_name(c->session->program, args);
	size_t functions = 0;
	struct expr_place at;
	struct err err;
	if (!*args)
		return console_fail(
			c, "no name given; expected info address of a variable or function");
	struct expr *e = expr_compile(c->exprs, args, &err);
	const bool named = e && expr_has_variables(e), lies = named && expr_c_place(e, &at, &err);
	json_t *data = answer_data(c);
	if (sym && sym->code) {
		console_print(c, "Symbol \"%s\" is a function at address 0x%" PRIx64 ".\n", args,
		              sym->addr);
		data_addr(data, "address", sym->addr);
	} else if (lies) {
		console_print(c, "Symbol \"%s\" is %s at address 0x%" PRIx64 ".\n", args,
		              at.of_call ? "a variable of the call," : "static storage", at.addr);
		data_addr(data, "address", at.addr);
	} else if (named) {
		console_print(c, "Symbol \"%s\": %s.\n", args, err.msg);
		data_null(data, "address");
	} else if (sym) {
		console_print(c, "Symbol \"%s\" is at 0x%" PRIx64 " in a file compiled without "
		                 "debugging.\n",
		              args, sym->addr);
		data_addr(data, "address", sym->addr);
	} else {
		const struct symbol *meant[MEANT_MAX];
		functions = program_functions_meant(c->session->program, args, meant, MEANT_MAX);
		for (size_t i = 0; i < functions; i++)
			console_print(c, "Symbol \"%s\" is a function at address 0x%" PRIx64 ".\n",
			              meant[i]->name, meant[i]->addr);
		if (functions)
			data_addr(data, "address", meant[0]->addr);
		else
			console_fail(c, "No symbol \"%.200s\" in current context", args);
	}
	expr_free(e);
	return named || sym || functions ? CMD_OK : CMD_ERROR;
}

enum command_result info_line(struct console *c, const char *args)
{
	struct location at;
	struct source_line src;
	uint64_t lo, hi;
	char from[160], to[160], origin[128];
	if (!location_parse(c, args, &at))
		return CMD_ERROR;
	if (!(*args ? program_line_at(c->session->program, at.addr, &src)
	            : location_line(c, &src)) ||
	    !program_line_range(c->session->program, at.addr, &lo, &hi))
		return console_fail(
			c, "%s has no source line",
			program_addr_text(c->session->program, at.addr, from, sizeof from));
	console_print(c, "%s:%u: 0x%" PRIx64 " <%s>%s to 0x%" PRIx64 " <%s>\n", src.file, src.line,
	              lo, program_addr_text(c->session->program, lo, from, sizeof from),
	              origin_text(c->session, lo, origin, sizeof origin), hi,
	              program_addr_text(c->session->program, hi, to, sizeof to));
	json_t *data = answer_data(c);
	data_text(data, "file", src.file);
	data_count(data, "line", src.line);
	data_addr(data, "from", lo);
	data_addr(data, "to", hi);
	return CMD_OK;
}

/* Prints compiler and options of the file, from its debug information. */
static void put_unit(struct console *c, json_t *data, uint64_t pc)
{
	struct unit_info u = {0};
	const bool known = unit_info_at(c->session->program, pc, &u);
	if (u.folder)
		console_print(c, "Compilation directory is %s\n", u.folder);
	if (u.language)
		console_print(c, "Source language is %s.\n", u.language);
	if (u.producer)
		console_print(c, "Producer is %s.\n", u.producer);
	if (known)
		console_print(c, "Compiled with DWARF %u debugging format.\n", u.dwarf);
	data_text(data, "folder", u.folder);
	data_text(data, "language", u.language);
	data_text(data, "producer", u.producer);
}

enum command_result info_source(struct console *c, const char *args)
{
	struct source_line src;
	uint64_t pc = location_line_pc(c);
	char where[160];
	(void)args;
	if (!location_line(c, &src))
		return console_fail(
			c, "%s has no source line",
			program_addr_text(c->session->program, pc, where, sizeof where));
	console_print(c, "%s:%u\n", src.file, src.line);
	motion_source(c);
	json_t *data = answer_data(c);
	data_text(data, "file", src.file);
	data_count(data, "line", src.line);
	data_line(data, "text", program_source_text(c->session->program, src.file, src.line, NULL));
	data_addr(data, "pc", pc);
	put_unit(c, data, pc);
	return CMD_OK;
}

/* Prints matching symbols: functions with source lines, or without them; or data. `heading` comes
 * before the first. */
static size_t symbols_print(struct console *c, const char *args, bool code, bool lines,
                            const char *heading, json_t *rows)
{
	size_t n, printed = 0;
	struct source_line at;
	const struct symbol *sym = program_symbols(c->session->program, &n);
	for (size_t i = 0; i < n; i++) {
		if (sym[i].code != code || !parse_matches(args, sym[i].name) ||
		    lines != (code && program_line_at(c->session->program, sym[i].addr, &at) &&
		              at.line))
			continue;
		console_print(c, "%s0x%-12" PRIx64 " %6" PRIu64 "  %s\n", printed ? "" : heading,
		              sym[i].addr, sym[i].size, sym[i].name);
		json_t *row = data_row(rows);
		data_text(row, "symbol", sym[i].name);
		data_addr(row, "address", sym[i].addr);
		data_count(row, "size", sym[i].size);
		printed++;
	}
	return printed;
}

/* Functions without source lines, such as a library's, come last. */
enum command_result info_functions(struct console *c, const char *args)
{
	json_t *rows = answer_data_rows(c, "functions");
	const size_t own = symbols_print(c, args, true, true, "", rows);
	symbols_print(c, args, true, false, own ? "Without source lines:\n" : "", rows);
	return CMD_OK;
}

enum command_result info_variables(struct console *c, const char *args)
{
	symbols_print(c, args, false, false, "", answer_data_rows(c, "variables"));
	return CMD_OK;
}
