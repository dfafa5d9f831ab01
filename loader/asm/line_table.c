/* Source lines as DWARF 4: one unit, one file, one sequence over all code. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/asm/asm_priv.h"

enum { OPCODE_BASE = 13, VERSION = 4, HEADER_LENGTH_AT = 6 };

void bytes_put(struct bytes *b, const void *from, size_t n)
{
	if (b->n + n > b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 1024;
		while (cap < b->n + n)
			cap *= 2;
		uint8_t *at = alloc_resize(b->at, cap);
		if (!at) {
			b->failed = true;
			return;
		}
		b->at = at;
		b->cap = cap;
	}
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
}

static void line_table_append_little_endian(struct bytes *b, uint64_t v, size_t n)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	bytes_put(b, bytes, n);
}

void bytes_u8(struct bytes *b, unsigned v)
{
	line_table_append_little_endian(b, v, 1);
}

static void bytes_u16(struct bytes *b, unsigned v)
{
	line_table_append_little_endian(b, v, 2);
}

static void bytes_u32(struct bytes *b, uint32_t v)
{
	line_table_append_little_endian(b, v, 4);
}

static void bytes_u64(struct bytes *b, uint64_t v)
{
	line_table_append_little_endian(b, v, 8);
}

static void line_table_append_uleb128(struct bytes *b, uint64_t v)
{
	do {
		bytes_u8(b, (unsigned)(v & 0x7f) | (v > 0x7f ? 0x80u : 0));
	} while (v >>= 7);
}

static void line_table_append_sleb128(struct bytes *b, int64_t v)
{
	for (;;) {
		const unsigned low = (unsigned)v & 0x7f;
		v >>= 7;
		const bool last = (v == 0 && !(low & 0x40)) || (v == -1 && (low & 0x40));
		bytes_u8(b, low | (last ? 0 : 0x80));
		if (last)
			return;
	}
}

static void line_table_append_string(struct bytes *b, const char *s)
{
	bytes_put(b, s, strlen(s) + 1);
}

static unsigned line_table_address_bytes(const struct assembler *a)
{
	return a->rv32 ? 4 : 8;
}

static void set_length(struct bytes *b, size_t at)
{
	const uint32_t n = (uint32_t)(b->n - at - 4);
	if (!b->failed)
		memcpy(b->at + at, &n, 4);
}

/* Adds a row for each piece of code that begins a statement in another line than the last. */
static void line_table_append_section_rows(const struct section *s, struct bytes *line,
                                           uint64_t *addr, unsigned *number, unsigned *source)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct piece *p = &s->pieces[i];
		const bool code = p->kind == PIECE_INST || p->kind == PIECE_NEAR ||
		                  p->kind == PIECE_RAW_NEAR;
		if (!code || (p->line == *number && p->source == *source))
			continue;
		if (p->source != *source) {
			bytes_u8(line, DW_LNS_set_file);
			line_table_append_uleb128(line, p->source + 1u);
			*source = p->source;
		}
		bytes_u8(line, DW_LNS_advance_pc);
		line_table_append_uleb128(line, s->addr + p->at - *addr);
		bytes_u8(line, DW_LNS_advance_line);
		line_table_append_sleb128(line, (int64_t)p->line - *number);
		bytes_u8(line, DW_LNS_copy);
		*addr = s->addr + p->at;
		*number = p->line;
	}
}

static void line_table_append_header(struct bytes *line, const struct assembler *a)
{
	static const uint8_t operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	bytes_u32(line, 0);
	bytes_u16(line, VERSION);
	bytes_u32(line, 0);
	bytes_u8(line, 1);    /* smallest instruction: addresses count bytes */
	bytes_u8(line, 1);    /* operations per instruction */
	bytes_u8(line, 1);    /* rows are statements */
	bytes_u8(line, 0xfb); /* line base, -5 */
	bytes_u8(line, 14);   /* line range */
	bytes_u8(line, OPCODE_BASE);
	bytes_put(line, operands, sizeof operands);
	bytes_u8(line, 0); /* no folders */
	for (unsigned i = 0; i < a->source_count + a->included_count; i++) {
		line_table_append_string(line, asm_source_name(a, i));
		bytes_put(line, "\0\0\0", 3); /* folder, time, size */
	}
	bytes_u8(line, 0); /* no more files */
	set_length(line, HEADER_LENGTH_AT);
}

static void line_table_append_compile_unit(const struct assembler *a, uint64_t low, uint64_t high,
                                           struct bytes *info, struct bytes *abbrev)
{
	static const uint8_t fields[][2] = {
		{DW_AT_name, DW_FORM_string},     {DW_AT_comp_dir, DW_FORM_string},
		{DW_AT_producer, DW_FORM_string}, {DW_AT_stmt_list, DW_FORM_sec_offset},
		{DW_AT_low_pc, DW_FORM_addr},     {DW_AT_high_pc, DW_FORM_data8},
	};
	line_table_append_uleb128(abbrev, 1);
	line_table_append_uleb128(abbrev, DW_TAG_compile_unit);
	bytes_u8(abbrev, DW_CHILDREN_no);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		line_table_append_uleb128(abbrev, fields[i][0]);
		line_table_append_uleb128(abbrev, fields[i][1]);
	}
	bytes_put(abbrev, "\0\0\0", 3);
	bytes_u32(info, 0);
	bytes_u16(info, VERSION);
	bytes_u32(info, 0);
	bytes_u8(info, line_table_address_bytes(a));
	line_table_append_uleb128(info, 1);
	line_table_append_string(info, a->sources[0].name);
	line_table_append_string(info, a->options->folder ? a->options->folder : "");
	line_table_append_string(info, "cyclops asm");
	bytes_u32(info, 0);
	bytes_put(info, &low, line_table_address_bytes(a));
	bytes_u64(info, high - low);
	set_length(info, 0);
}

void line_table(const struct assembler *a, uint64_t low, uint64_t high, struct bytes *line,
                struct bytes *info, struct bytes *abbrev)
{
	uint64_t addr = low;
	unsigned number = 1, source = 0;
	line_table_append_header(line, a);
	bytes_u8(line, 0);
	line_table_append_uleb128(line, 1 + line_table_address_bytes(a));
	bytes_u8(line, DW_LNE_set_address);
	bytes_put(line, &low, line_table_address_bytes(a));
	number = 0;
	bytes_u8(line, DW_LNS_advance_line);
	line_table_append_sleb128(line, -1);
	for (uint32_t i = 0; i < a->section_count; i++)
		if (a->sections[i].kind == SECTION_TEXT)
			line_table_append_section_rows(&a->sections[i], line, &addr, &number,
			                               &source);
	bytes_u8(line, DW_LNS_advance_pc);
	line_table_append_uleb128(line, high - addr);
	bytes_u8(line, 0);
	line_table_append_uleb128(line, 1);
	bytes_u8(line, DW_LNE_end_sequence);
	set_length(line, 0);
	line_table_append_compile_unit(a, low, high, info, abbrev);
}
