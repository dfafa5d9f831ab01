/* `view mem`: bytes of the program's memory. */
#include <stdio.h>
#include <string.h>

#include "core/mem/mem.h"
#include "hwviews/session/view_text.h"

enum { ROW_BYTES = 16, WORDS = 4, ROWS_DEFAULT = 16, BYTES_MAX = 1 << 20 };

static bool view_mem_uop_touches_word(const struct uop *u, uint64_t word)
{
	return u->exec.addr < word + 4 && u->exec.addr + u->exec.size > word;
}

struct row {
	const struct session *s;
	uint64_t addr;
	uint8_t bytes[ROW_BYTES];
	bool there;
	const struct uop *access; /* its words are marked; NULL: none */
	unsigned pending_words;   /* bit w: a store in flight changes word w */
	char pending[160];        /* text of those stores */
};

FILL(fill_address, struct row, grid_hex(g, ROLE_ADDRESS, r->addr))

static void view_mem_fill_word(struct grid *g, const void *row)
{
	const struct row *r = row;
	const unsigned w = grid_of(g);
	const uint8_t *b = r->bytes + 4 * w;
	const bool zero = !b[0] && !b[1] && !b[2] && !b[3];
	if (r->there)
		grid_text(g,
		          r->access && view_mem_uop_touches_word(r->access, r->addr + 4 * w)
		                  ? ROLE_HOT
		          : r->pending_words >> w & 1 ? ROLE_WAITING
		          : zero                      ? ROLE_DIM
		                                      : ROLE_NUMBER,
		          "%02x %02x %02x %02x", b[0], b[1], b[2], b[3]);
	else
		grid_text(g, ROLE_DIM, "-- -- -- --");
}

static void fill_ascii(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[ROW_BYTES + 1] = "";
	for (unsigned i = 0; r->there && i < ROW_BYTES; i++)
		text[i] = r->bytes[i] >= 0x20 && r->bytes[i] < 0x7f ? (char)r->bytes[i] : '.';
	grid_text(g, ROLE_PLAIN, "%s", text);
}

FILL(fill_place, struct row, grid_text(g, ROLE_ADDRESS, "%s", r->there ? format_place(r->s, r->addr,
	BUFFER(96)) : "not mapped"))
FILL(fill_pending, struct row, grid_text(g, ROLE_WAITING, "%s", r->pending))

/* Lists stores in the window with known addresses that will change bytes [addr, addr + ROW_BYTES).
 * Returns a bit for each changed word. */
static unsigned pending_stores(const struct session *s, uint64_t addr, char *buf, size_t n)
{
	const struct pipe *p = machine_pipe(s->machine);
	unsigned words = 0;
	size_t used = 0;
	char seq[32];
	buf[0] = '\0';
	for (uint32_t i = 0; i < p->st->lsq_count; i++) {
		const struct uop *u = pipe_lsq_at(p, i);
		if (!u->exec.stored || !(u->flags & UF_ADDR_KNOWN) ||
		    u->exec.addr + u->exec.size <= addr || u->exec.addr >= addr + ROW_BYTES)
			continue;
		for (unsigned b = 0; b < u->exec.size; b++)
			if (u->exec.addr + b - addr < ROW_BYTES)
				words |= 1u << (u->exec.addr + b - addr) / 4;
		if (used + 32 < n)
			used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? ", " : "",
			                         format_seq(p, u, seq, sizeof seq));
	}
	return words;
}

static const struct grid_column columns[] = {
	{"address", "address", "", fill_address, .help = "of the row's first byte"},
	{"b0", "+0", "bytes", view_mem_fill_word, .min_width = 11,
         .help = "four bytes each, in the order of memory: RISC-V is little-endian, so a word "
                 "reads from right to left"},
	{"b4", "+4", "bytes", view_mem_fill_word, .of = 1, .min_width = 11, .help = AS_BEFORE},
	{"b8", "+8", "bytes", view_mem_fill_word, .of = 2, .min_width = 11, .help = AS_BEFORE},
	{"b12", "+c", "bytes", view_mem_fill_word, .of = 3, .min_width = 11, .help = AS_BEFORE},
	{"text", "text", "", fill_ascii, .help = "the same as ASCII"},
	{"place", "place", "", fill_place, FLEXIBLE,
         .help = "symbol, or offset from sp or in the heap"},
	{"pending", "stores under way", "", fill_pending, FLEXIBLE,
         .help = "stores of the window that will change these bytes when they commit; they are not "
                 "in the bytes shown"},
};

/* Appends a row, with the words marked that the access touches. */
static void mem_row(struct grid *g, const struct session *s, uint64_t addr,
                    const struct uop *access)
{
	struct row r = {.s = s, .addr = addr, .access = access};
	r.there = machine_peek(s->machine, addr, r.bytes, sizeof r.bytes);
	r.pending_words = pending_stores(s, addr, r.pending, sizeof r.pending);
	grid_row(g, addr + 1, r.there ? ROLE_PLAIN : ROLE_DIM);
	grid_cells(g, &r);
}

/* The first row of a region's first touched page that is not all zero. */
static uint64_t first_data(const struct session *s, const struct mem_region *r)
{
	static const uint8_t zero[ROW_BYTES];
	uint8_t bytes[ROW_BYTES];
	uint64_t page = mem_next_touched(machine_mem_const(s->machine), r->start);
	for (uint64_t a = page; a < r->end && a < page + PAGE_BYTES; a += ROW_BYTES)
		if (machine_peek(s->machine, a, bytes, sizeof bytes) &&
		    memcmp(bytes, zero, sizeof zero) != 0)
			return a;
	return page < r->end ? page : r->start;
}

static bool view_mem_uop_accesses_memory(const struct uop *u)
{
	return u && (u->flags & UF_ADDR_KNOWN) && u->exec.size;
}

/* The default access to show if no address is given: the selected instruction's, else the oldest in
 * the window. NULL if there is none. */
static const struct uop *natural_access(const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *u = s->selected_seq ? pipe_find(p, s->selected_seq) : NULL;
	if (view_mem_uop_accesses_memory(u))
		return u;
	for (uint32_t i = 0; i < p->st->lsq_count; i++)
		if (view_mem_uop_accesses_memory(pipe_lsq_at(p, i)))
			return pipe_lsq_at(p, i);
	return NULL;
}

static uint64_t data_address(const struct session *s)
{
	for (struct mem_region r = {0}; mem_next_region(machine_mem_const(s->machine), r.end, &r);)
		if (r.prot & PROT_W)
			return first_data(s, &r);
	return machine_seen_reg(s->machine, REG_SP);
}

static bool view_mem_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct uop *u = args->argc ? NULL : natural_access(s);
	uint64_t addr = u ? u->exec.addr : data_address(s),
		 bytes = (args->rows ? args->rows : ROWS_DEFAULT) * ROW_BYTES;
	char where[96], seq[32], inst[128];
	if (!arg_count(args, 2, "mem", err) ||
	    (args->argc > 0 && !arg_address(s, args->argv[0], &addr, err)) ||
	    (args->argc > 1 &&
	     !arg_number(args->argv[1], "a number of bytes", BYTES_MAX, &bytes, err)))
		return false;
	grid_init(out, "Memory", GRID_TABLE(columns));
	format_addr(s, addr, where, sizeof where);
	if (u)
		grid_summary(out, "%s, of %s %s", where,
		             format_seq(machine_pipe(s->machine), u, seq, sizeof seq),
		             format_uop(s, u, inst, sizeof inst));
	else
		grid_summary(out, "%s, as committed", where);
	uint64_t first = (addr & ~(uint64_t)(ROW_BYTES - 1)) + (uint64_t)args->scroll * ROW_BYTES;
	uint64_t rows = (bytes + (addr & (ROW_BYTES - 1)) + ROW_BYTES - 1) / ROW_BYTES;
	if (args->rows && rows > args->rows && args->argc < 2)
		rows = args->rows;
	for (uint64_t i = 0; i < rows; i++)
		mem_row(out, s, first + i * ROW_BYTES, u);
	return true;
}

const struct view view_mem = {
	.name = "mem",
	.title = "Memory",
	.args = "[ADDRESS [BYTES]]",
	.build = view_mem_build_grid,
	.help.about =
		"Memory as the committed program sees it, sixteen bytes a row. Without ADDRESS:\n"
		"where the selected instruction accesses memory, else the oldest load or store\n"
		"of the window, whose words are bright; else the program's data.\n"
		"ADDRESS may be a symbol, symbol+offset, a register (sp, a0+8) or 0x...",
	.help.tables = {{GRID_TABLE(columns), .indent = 20}},
	.help.hints = "Bytes that changed since the last stop are marked. `stack` shows the stack\n"
		      "with its frames; `x` prints memory in other formats.",
};
