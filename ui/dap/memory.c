/* Memory and code for an editor: bytes in base64, instructions as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/journal.h"
#include "hwviews/program/code_lines.h"
#include "ui/dap/dap.h"

enum { BYTES_MAX = 1 << 20, INSTRUCTIONS_MAX = 4096 };

/* ---- base64 ---- */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static json_t *dap_base64_encode(const uint8_t *bytes, size_t n)
{
	char *text = alloc_bytes((n + 2) / 3 * 4 + 1), *to = text;
	for (size_t i = 0; text && i < n; i += 3) {
		const unsigned left = n - i < 3 ? (unsigned)(n - i) : 3;
		const uint32_t word = (uint32_t)bytes[i] << 16 |
		                      (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
		                      (left > 2 ? bytes[i + 2] : 0);
		for (unsigned k = 0; k < 4; k++)
			*to++ = k <= left ? digits[word >> (18 - 6 * k) & 63] : '=';
	}
	json_t *out = text ? json_stringn(text, (size_t)(to - text)) : NULL;
	free(text);
	return out;
}

/* Returns the bytes, owned by the caller; NULL: text is no base64. */
static uint8_t *dap_base64_decode(const char *text, size_t *n)
{
	size_t length = strlen(text), used = 0;
	uint32_t word = 0;
	unsigned have = 0;
	while (length && text[length - 1] == '=')
		length--;
	uint8_t *out = alloc_bytes(length * 3 / 4 + 1);
	for (size_t i = 0; out && i < length; i++) {
		const char *digit = memchr(digits, text[i], 64);
		if (!digit) {
			free(out);
			return NULL;
		}
		word = word << 6 | (uint32_t)(digit - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[used++] = (uint8_t)(word >> have);
		}
	}
	*n = used;
	return out;
}

/* ---- memory ---- */
/* Sets *addr to memoryReference plus offset; false: the request is refused. */
static bool dap_parse_memory_reference(struct dap *d, const json_t *request, const json_t *args,
                                       uint64_t *addr)
{
	int64_t offset = 0;
	asked_number(args, "offset", &offset);
	if (!dap_parse_address(asked_text(args, "memoryReference"), addr)) {
		dap_refuse(d, request, "memoryReference: expected a text as \"0x10440\"");
		return false;
	}
	*addr += (uint64_t)offset;
	return true;
}

static void dap_on_read_memory(struct dap *d, const json_t *request, const json_t *args)
{
	uint64_t addr;
	int64_t count = 0;
	if (!dap_parse_memory_reference(d, request, args, &addr))
		return;
	if (!asked_number(args, "count", &count) || count < 0) {
		dap_refuse(d, request, "readMemory: expected a count of bytes");
		return;
	}
	const size_t asked = count < BYTES_MAX ? (size_t)count : BYTES_MAX;
	uint8_t *bytes = alloc_bytes(asked + 1);
	const size_t n = bytes ? spot_read(d->m.at, addr, bytes, asked) : 0;
	json_t *body = json_pack("{s:o}", "address", dap_address(addr));
	if (n)
		json_object_set_new(body, "data", dap_base64_encode(bytes, n));
	if (n < asked)
		json_object_set_new(body, "unreadableBytes", json_integer((json_int_t)(asked - n)));
	free(bytes);
	dap_answer(d, request, body);
}

static void dap_on_write_memory(struct dap *d, const json_t *request, const json_t *args)
{
	const char *data = asked_text(args, "data");
	uint64_t addr;
	size_t n = 0;
	struct err err;
	if (!dap_parse_memory_reference(d, request, args, &addr))
		return;
	uint8_t *bytes = data ? dap_base64_decode(data, &n) : NULL;
	const struct change c = {.kind = JOURNAL_MEMORY, .a = addr, .bytes = bytes, .n = n};
	if (!bytes)
		dap_refuse(d, request, "writeMemory: expected data in base64");
	else if (n && !mover_change(&d->m, &c, &err))
		dap_refuse(d, request, "%s", err.msg);
	else
		dap_answer(d, request, json_pack("{s:I}", "bytesWritten", (json_int_t)n));
	free(bytes);
}

/* ---- code ---- */
static json_t *dap_build_instruction(struct dap *d, uint64_t addr, const struct source_line *before,
                                     struct source_line *at)
{
	const struct program *p = d->m.s->program;
	struct code code;
	char text[256];
	json_t *out = json_pack("{s:o}", "address", dap_address(addr));
	*at = (struct source_line){0};
	if (!code_at(d->m.s, addr, &code)) {
		json_object_set_new(out, "instruction", json_string("(not mapped)"));
		json_object_set_new(out, "presentationHint", json_string("invalid"));
		return out;
	}
	code_bytes(d->m.s, &code, text, sizeof text);
	json_object_set_new(out, "instructionBytes", dap_text(text, strlen(text)));
	code_text(d->m.s, &code, text, sizeof text);
	json_object_set_new(out, "instruction", dap_text(text, strlen(text)));
	const struct symbol *sym = program_symbol_at(p, addr);
	if (sym && sym->addr == addr)
		json_object_set_new(out, "symbol", dap_text(sym->name, strlen(sym->name)));
	if (!program_line_at(p, addr, at) || !at->line)
		return out;
	if (at->file != before->file)
		json_object_set_new(out, "location", dap_source(d, at->file));
	json_object_set_new(out, "line", json_integer((json_int_t)at->line - d->lines_from_0));
	return out;
}

/* Fills at[n] with the addresses of instructions; at[before] is addr, if before is in range.
 * Outside known code they are two bytes apart. */
static void place_instructions(const struct session *s, uint64_t addr, int64_t before, size_t n,
                               uint64_t *at)
{
	const size_t back = before > 0 ? (size_t)before : 0, room = back + n + 1;
	uint64_t *all = alloc_zeroed(room, sizeof *all);
	size_t here = 0;
	const size_t found = all ? code_around(s, addr, back, room, all, &here) : 0;
	for (size_t i = 0; i < n; i++) {
		/* index relative to addr */
		const int64_t k = (int64_t)i - before, place = (int64_t)here + k;
		if (!found)
			at[i] = addr + 2 * (uint64_t)k;
		else if (place < 0)
			at[i] = all[0] + 2 * (uint64_t)place;
		else if (place < (int64_t)found)
			at[i] = all[place];
		else
			at[i] = all[found - 1] + 2 * (uint64_t)(place - (int64_t)found + 1);
	}
	free(all);
}

static void dap_on_disassemble(struct dap *d, const json_t *request, const json_t *args)
{
	int64_t skip = 0, count = 0;
	uint64_t addr;
	struct err err;
	if (!dap_parse_memory_reference(d, request, args, &addr))
		return;
	asked_number(args, "instructionOffset", &skip);
	if (!asked_number(args, "instructionCount", &count) || count < 0 ||
	    count > INSTRUCTIONS_MAX || skip > INSTRUCTIONS_MAX || skip < -INSTRUCTIONS_MAX) {
		dap_refuse(d, request, "disassemble: expected an instructionCount of at most %d",
		           INSTRUCTIONS_MAX);
		return;
	}
	if (!dap_look_at(d, 0, &err)) {
		dap_refuse(d, request, "%s", err.msg);
		return;
	}
	const size_t ahead = skip > 0 ? (size_t)skip : 0, n = (size_t)count + ahead;
	uint64_t *at = alloc_zeroed(n + 1, sizeof *at);
	json_t *list = json_array();
	struct source_line before = {0}, now;
	if (at)
		place_instructions(d->m.s, addr & ~UINT64_C(1), skip < 0 ? -skip : 0, n, at);
	for (size_t i = ahead; at && i < n; i++) {
		json_array_append_new(list, dap_build_instruction(d, at[i], &before, &now));
		before = now;
	}
	free(at);
	dap_look_away(d);
	dap_answer(d, request, json_pack("{s:o}", "instructions", list));
}

const struct request memory_requests[] = {
	{"readMemory", dap_on_read_memory, ANY_TIME, false},
	{"writeMemory", dap_on_write_memory, STANDS, false},
	{"disassemble", dap_on_disassemble, ANY_TIME, false},
	{0},
};
