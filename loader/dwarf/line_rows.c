#include "loader/dwarf/line_rows.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/dwarf/line_header.h"
#include "loader/program_priv.h"

struct line_rows {
	const struct program *p;
	struct line_row *row; /* [count], owned */
	size_t count, room, most;
	bool failed; /* no room */
};

/* The registers of a line program. */
struct line_state {
	uint64_t addr, file, discriminator;
	uint32_t line;
	bool stmt;
};

static void line_rows_append(struct line_rows *l, const struct line_state *s, bool end)
{
	if (l->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 64;
		/* Sorting takes a copy. */
		struct line_row *grown =
			l->count < l->most && debug_limit_take(&l->p->debug->limit,
		                                               2 * (room - l->room) * sizeof *grown)
				? alloc_resize_array(l->row, room, sizeof *grown)
				: NULL;
		l->failed = !grown;
		if (!grown)
			return;
		l->row = grown;
		l->room = room;
	}
	l->row[l->count] = (struct line_row){
		.addr = (s->addr + l->p->bias) & UINT64_MAX >> (64 - LINE_ADDR_BITS),
		.file = s->file < UINT32_MAX ? (uint32_t)s->file : UINT32_MAX,
		.line = s->line <= INT32_MAX ? s->line : 0,
		.stmt = s->stmt,
		.part = s->discriminator != 0, /* until it is known which line it continues */
		.end = end,
	};
	l->count++;
}

static struct line_state line_rows_begin_sequence(const struct line_header *h)
{
	return (struct line_state){.file = 1, .line = 1, .stmt = h->is_stmt};
}

/* An opcode with its length in front. */
static void line_rows_run_extended(struct line_rows *l, struct line_header *h, struct line_state *s,
                                   struct debug_reader *r)
{
	struct debug_reader op = *r;
	const uint64_t length = debug_leb(&op);
	*r = op;
	debug_skip(r, length);
	if (r->bad || !length)
		return;
	op.end = r->at;
	switch (debug_fixed(&op, 1)) {
	case DW_LNE_end_sequence:
		line_rows_append(l, s, true);
		*s = line_rows_begin_sequence(h);
		break;
	case DW_LNE_set_address:
		s->addr = debug_fixed(&op, length - 1 < 8 ? (unsigned)length - 1 : 8);
		break;
	case DW_LNE_define_file: {
		const char *name = (const char *)op.at;
		const void *end = memchr(name, 0, (size_t)(op.end - op.at));
		debug_skip(&op, end ? (uint64_t)((const char *)end - name) + 1 : UINT64_MAX);
		if (!op.bad)
			l->failed |= !line_header_add_file(h, name, debug_leb(&op));
		break;
	}
	case DW_LNE_set_discriminator:
		s->discriminator = debug_leb(&op);
		break;
	default:
		break;
	}
}

static void line_rows_run_standard(struct line_rows *l, const struct line_header *h,
                                   struct line_state *s, struct debug_reader *r, unsigned opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		line_rows_append(l, s, false);
		s->discriminator = 0;
		break;
	case DW_LNS_advance_pc:
		s->addr += debug_leb(r) * h->least_bytes;
		break;
	case DW_LNS_advance_line: {
		uint64_t by = 0, byte = 0x80;
		unsigned shift = 0;
		for (; !r->bad && (byte & 0x80); shift += 7) {
			byte = debug_fixed(r, 1);
			by |= shift < 64 ? (byte & 0x7f) << shift : 0;
		}
		if (shift < 64 && (byte & 0x40))
			by |= UINT64_MAX << shift;
		s->line += (uint32_t)by;
		break;
	}
	case DW_LNS_set_file:
		s->file = debug_leb(r);
		break;
	case DW_LNS_negate_stmt:
		s->stmt = !s->stmt;
		break;
	case DW_LNS_const_add_pc:
		s->addr += (uint64_t)((255 - h->opcode_base) / h->line_range) * h->least_bytes;
		break;
	case DW_LNS_fixed_advance_pc:
		s->addr += debug_fixed(r, 2);
		break;
	default: /* nothing that we keep */
		for (unsigned i = 0; i < h->lengths[opcode - 1]; i++)
			debug_leb(r);
	}
}

static void line_rows_run(struct line_rows *l, struct line_header *h)
{
	struct debug_reader r = h->rows;
	struct line_state s = line_rows_begin_sequence(h);
	while (!r.bad && r.at < r.end && !l->failed) {
		const unsigned opcode = *r.at++;
		if (opcode >= h->opcode_base) {
			const unsigned by = opcode - h->opcode_base;
			s.addr += (uint64_t)(by / h->line_range) * h->least_bytes;
			s.line += (uint32_t)(h->line_base + (int)(by % h->line_range));
			line_rows_append(l, &s, false);
			s.discriminator = 0;
		} else if (opcode) {
			line_rows_run_standard(l, h, &s, &r, opcode);
		} else {
			line_rows_run_extended(l, h, &s, &r);
		}
	}
}

/* 0: they stay in the order in which they were read. */
static int line_rows_compare(const void *pa, const void *pb)
{
	const struct line_row *a = pa, *b = pb;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return b->end - a->end;
}

/* Rows of one sequence are in address order as read. */
struct line_run {
	size_t from, to;
};

static int line_rows_compare_runs(const void *pa, const void *pb, void *rows)
{
	const struct line_row *all = rows;
	const struct line_run *a = pa, *b = pb;
	return line_rows_compare(&all[a->from], &all[b->from]);
}

/* Puts the runs in order into `out`. False if they overlap. */
static bool line_rows_join_runs(const struct line_row *rows, const struct line_run *run,
                                size_t runs, struct line_row *out)
{
	size_t n = 0;
	for (size_t i = 0; i < runs; i++) {
		const int order = n ? line_rows_compare(&out[n - 1], &rows[run[i].from]) : -1;
		if (order > 0 || (order == 0 && run[i].from < run[i - 1].from))
			return false;
		memcpy(out + n, rows + run[i].from, (run[i].to - run[i].from) * sizeof *out);
		n += run[i].to - run[i].from;
	}
	return true;
}

/* Sorts whole runs where these do not overlap, which is some ten times as fast as by rows. */
static void line_rows_sort(struct line_rows *l)
{
	size_t runs = 0, cap = 0;
	struct line_run *run = NULL;
	bool ok = true;
	for (size_t i = 0; i < l->count && ok; i++) {
		if (i && line_rows_compare(&l->row[i - 1], &l->row[i]) <= 0) {
			run[runs - 1].to = i + 1;
			continue;
		}
		struct line_run *grown = alloc_grow(run, runs, &cap, sizeof *run, 64);
		ok = grown;
		if (ok) {
			run = grown;
			run[runs++] = (struct line_run){i, i + 1};
		}
	}
	if (ok && runs > 1) {
		struct line_row *out = alloc_zeroed(l->count, sizeof *out);
		sort_stable_with(run, runs, sizeof *run, line_rows_compare_runs, l->row);
		ok = out && line_rows_join_runs(l->row, run, runs, out);
		if (ok) {
			free(l->row);
			l->row = out;
		} else {
			free(out);
		}
	}
	if (!ok)
		sort_stable(l->row, l->count, sizeof l->row[0], line_rows_compare);
	free(run);
}

static bool line_rows_is_code(const struct program *p, uint64_t addr)
{
	const struct segment *s = segment_at(p, addr);
	return s && s->prot & PROT_X;
}

/* Drops rows outside the program and finds those that continue a line: once a line has parts
 * (discriminators), no further row begins the line. */
static void line_rows_keep(struct line_rows *l, const struct line_header *h)
{
	size_t kept = 0;
	uint32_t file = 0, last_line = 0, told_line = 0;
	bool parted = false;
	for (size_t i = 0; i < l->count; i++) {
		struct line_row row = l->row[i];
		if (!line_rows_is_code(l->p, row.end ? row.addr - 1 : row.addr) ||
		    row.file >= h->file_count || !h->files[row.file].name)
			continue;
		parted = (parted && row.line == last_line) || row.part;
		last_line = row.line;
		row.part = parted && kept && row.file == file && !row.end && row.line == told_line;
		file = row.file;
		if (!row.part)
			told_line = row.end ? 0 : row.line;
		l->row[kept++] = row;
	}
	l->count = kept;
}

struct line_row *line_rows_read(const struct program *p, struct line_header *h, size_t most,
                                size_t *count)
{
	struct line_rows l = {.p = p, .most = most};
	*count = 0;
	line_rows_run(&l, h);
	if (!l.failed && l.count) {
		line_rows_sort(&l);
		line_rows_keep(&l, h);
	}
	if (l.failed || !l.count) {
		free(l.row);
		return NULL;
	}
	struct line_row *fit = alloc_try_resize(l.row, l.count * sizeof *fit);
	*count = l.count;
	return fit ? fit : l.row;
}
