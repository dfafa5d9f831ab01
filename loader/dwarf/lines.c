/* Source lines: the line tables of all units, flattened once into one array in address order. */
#include <assert.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "core/base/sort.h"
#include "loader/program_priv.h"

struct row {
	uint64_t addr;  /* as loaded */
	uint32_t file;  /* index into files */
	uint32_t line;  /* 0 = unknown */
	uint32_t order; /* as read: later rows at an address win */
	bool stmt;      /* a recommended place to stop */
	/* continues the line of the row before it (a part of it, as of a `for`): debuggers do not
	 * take it for a beginning */
	bool part;
	bool end;       /* ends a sequence: addresses from here have no line */
};

struct lines {
	struct row *rows; /* [count], owned, in address order */
	size_t count, cap;
	const char **files; /* [file_count], owned; names borrowed from libdw, each once */
	size_t file_count, file_cap;
	/* [bucket_count], owned: file index + 1 by hash of its name, 0 = empty */
	uint32_t *buckets;
	size_t bucket_count; /* a power of two, at least twice file_count */
};

static size_t hash_name(const char *s)
{
	uint64_t h = hash_text(s);
	return (size_t)(h ^ h >> 32);
}

static bool grow_files(struct lines *l)
{
	size_t cap = l->file_cap ? 2 * l->file_cap : 64;
	const char **files = alloc_resize_array(l->files, cap, sizeof *files);
	if (!files)
		return false;
	l->files = files;
	l->file_cap = cap;
	uint32_t *buckets = alloc_zeroed(2 * cap, sizeof *buckets);
	if (!buckets)
		return false;
	free(l->buckets);
	l->buckets = buckets;
	l->bucket_count = 2 * cap;
	for (size_t i = 0; i < l->file_count; i++) {
		size_t at = hash_name(l->files[i]) & (l->bucket_count - 1);
		while (l->buckets[at])
			at = (at + 1) & (l->bucket_count - 1);
		l->buckets[at] = (uint32_t)i + 1;
	}
	return true;
}

static bool intern_file(struct lines *l, const char *name, uint32_t *index)
{
	if (l->file_count == l->file_cap && !grow_files(l))
		return false;
	size_t at = hash_name(name) & (l->bucket_count - 1);
	for (; l->buckets[at]; at = (at + 1) & (l->bucket_count - 1)) {
		*index = l->buckets[at] - 1;
		if (strcmp(l->files[*index], name) == 0)
			return true;
	}
	*index = (uint32_t)l->file_count;
	l->files[l->file_count++] = name;
	l->buckets[at] = *index + 1;
	return true;
}

static bool dwarf_lines_address_is_executable(const struct program *p, uint64_t addr)
{
	const struct segment *s = segment_at(p, addr);
	return s && s->prot & PROT_X;
}

static bool dwarf_lines_append_row(struct lines *l, struct row row)
{
	struct row *rows = alloc_grow(l->rows, l->count, &l->cap, sizeof *rows, 1024);
	if (!rows)
		return false;
	l->rows = rows;
	row.order = (uint32_t)l->count;
	l->rows[l->count++] = row;
	return true;
}

/* Adds one unit's rows. Sequences of code that the linker dropped lie outside the program and are
 * left out. */
static bool add_unit(const struct program *p, struct lines *l, Dwarf_Lines *table, size_t n)
{
	const char *last_name = NULL;
	uint32_t file = 0;
	int last_line = 0, told_line = 0;
	bool parted = false;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *dl = dwarf_onesrcline(table, i);
		Dwarf_Addr addr;
		int line;
		bool stmt, end;
		unsigned discriminator;
		if (!dl || dwarf_lineaddr(dl, &addr) != 0 || dwarf_lineno(dl, &line) != 0 ||
		    dwarf_linebeginstatement(dl, &stmt) != 0 ||
		    dwarf_lineendsequence(dl, &end) != 0)
			continue;
		addr += p->bias;
		if (!dwarf_lines_address_is_executable(p, end ? addr - 1 : addr))
			continue;
		const char *name = dwarf_linesrc(dl, NULL, NULL);
		if (!name)
			continue;
		const bool other_file = name != last_name;
		if (other_file &&
		    !intern_file(l, symbols_is_printable(name) ? name : "?", &file))
			return false;
		last_name = name;
		/* Once a line has parts (discriminators), a row that continues it begins
		 * nothing. */
		parted = (parted && line == last_line) ||
		         (dwarf_linediscriminator(dl, &discriminator) == 0 && discriminator);
		last_line = line;
		struct row row = {.addr = addr,
		                  .file = file,
		                  .line = line > 0 ? (uint32_t)line : 0,
		                  .stmt = stmt,
		                  .part = parted && !other_file && !end && line == told_line,
		                  .end = end};
		if (!row.part)
			told_line = end ? 0 : line;
		if (!dwarf_lines_append_row(l, row))
			return false;
	}
	return true;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->end != b->end)
		return a->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Rows of one sequence are in address order as read. */
struct line_run {
	size_t from, to;
};

static int compare_runs(const void *pa, const void *pb, void *rows)
{
	const struct row *all = rows;
	const struct line_run *a = pa, *b = pb;
	return compare_rows(&all[a->from], &all[b->from]);
}

/* Puts the runs in order into `out`. False if they overlap. */
static bool dwarf_lines_join_runs(const struct row *rows, const struct line_run *run, size_t runs,
                                  struct row *out)
{
	size_t n = 0;
	for (size_t i = 0; i < runs; i++) {
		if (n && compare_rows(&out[n - 1], &rows[run[i].from]) > 0)
			return false;
		memcpy(out + n, rows + run[i].from, (run[i].to - run[i].from) * sizeof *out);
		n += run[i].to - run[i].from;
	}
	return true;
}

/* Sorts whole runs where these do not overlap, which is some ten times as fast as by rows. */
static void dwarf_lines_sort_rows(struct lines *l)
{
	size_t runs = 0, cap = 0;
	struct line_run *run = NULL;
	bool ok = true;
	for (size_t i = 0; i < l->count && ok; i++) {
		if (i && compare_rows(&l->rows[i - 1], &l->rows[i]) < 0) {
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
		struct row *out = alloc_zeroed(l->count, sizeof *out);
		sort_stable_with(run, runs, sizeof *run, compare_runs, l->rows);
		ok = out && dwarf_lines_join_runs(l->rows, run, runs, out);
		if (ok) {
			free(l->rows);
			l->rows = out;
			l->cap = l->count;
		} else {
			free(out);
		}
	}
	if (!ok)
		sort_stable(l->rows, l->count, sizeof l->rows[0], compare_rows);
	free(run);
}

static void dwarf_lines_read_units(const struct program *p, struct lines *l)
{
	Dwarf *dwarf = program_dwarf(p);
	if (!dwarf)
		return;
	/* A row takes at least a byte, more if compressed: with more rows than this, rows
	 * repeat. */
	size_t limit = 4 * p->n < UINT32_MAX ? 4 * p->n : UINT32_MAX;
	struct debug_limit *most = &p->debug->limit;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t unit_type;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &unit_type, &die, NULL) == 0) {
		Dwarf_Lines *table;
		size_t n;
		if (unit_type == DW_UT_type)
			continue;
		if (!debug_limit_lines(most, program_debug_elf(p), &die))
			break;
		if (dwarf_getsrclines(&die, &table, &n) != 0)
			continue;
		if (n > limit - l->count || !debug_limit_rows(most, n) || !add_unit(p, l, table, n))
			break;
	}
	dwarf_lines_sort_rows(l);
}

/* The table, built on first use; NULL only without memory. */
static const struct lines *lines_of(const struct program *p)
{
	if (!p->debug->lines) {
		p->debug->lines = alloc_zeroed(1, sizeof *p->debug->lines);
		if (p->debug->lines)
			dwarf_lines_read_units(p, p->debug->lines);
	}
	return p->debug->lines;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	free(l->rows);
	free(l->files);
	free(l->buckets);
	free(l);
}

/* The row that covers addr, or NULL. */
static const struct row *row_at(const struct program *p, const struct lines *l, uint64_t addr)
{
	/* A damaged table may lack the row that ends it. */
	size_t lo = 0, hi = l && dwarf_lines_address_is_executable(p, addr) ? l->count : 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->rows[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || l->rows[lo - 1].end)
		return NULL;
	return &l->rows[lo - 1];
}

bool program_has_lines(const struct program *p)
{
	const struct lines *l = lines_of(p);
	return l && l->count;
}

bool program_line_at(const struct program *p, uint64_t addr, struct source_line *out)
{
	p = program_image(p, addr);
	const struct lines *l = lines_of(p);
	const struct row *row = row_at(p, l, addr);
	if (!row || row->line == 0)
		return false;
	out->file = l->files[row->file];
	out->line = row->line;
	return true;
}

/* Whether the last components of path are name. */
static bool ends_with_path(const char *path, const char *name)
{
	size_t n = strlen(path), k = strlen(name);
	if (k == 0 || k > n || strcmp(path + n - k, name) != 0)
		return false;
	return k == n || path[n - k - 1] == '/';
}

static bool no_such_file(const struct program *p, const struct lines *l, const char *file,
                         struct err *err)
{
	if (!l || l->count == 0)
		return err_set(err, "%s: no line information (%s)", p->path, program_no_lines(p));
	struct nearest near;
	const char *slash = strrchr(file, '/');
	nearest_init(&near, slash ? slash + 1 : file);
	for (size_t i = 0; i < l->file_count; i++) {
		const char *base = strrchr(l->files[i], '/');
		nearest_offer(&near, base ? base + 1 : l->files[i]);
	}
	if (near.best)
		return err_set(err, "no source file %s in %s; did you mean %s?", file, p->path,
		               near.best);
	return err_set(err, "no source file %s in %s", file, p->path);
}

static bool names_file(const struct program *p, const char *file)
{
	const struct lines *l = lines_of(p);
	for (size_t i = 0; l && i < l->file_count; i++)
		if (ends_with_path(l->files[i], file))
			return true;
	return false;
}

/* Whether a line has no code at its row's address. As in gdb: a row of another file follows at the
 * same address, as where the line's whole code was inlined. */
static bool dwarf_lines_row_has_no_code(const struct lines *l, size_t i)
{
	const uint32_t file = l->rows[i].file;
	const uint64_t addr = l->rows[i].addr;
	while (++i < l->count && l->rows[i].addr == addr && !l->rows[i].end)
		if (l->rows[i].file != file && l->rows[i].stmt && l->rows[i].line)
			return true;
	return false;
}

/* Finds where the line, or the next one that has code, begins, by address. */
static size_t addrs_of_line(const struct program *p, const char *file, unsigned line, uint64_t *out,
                            size_t max, struct err *err)
{
	const struct lines *l = lines_of(p);
	size_t file_count = l ? l->file_count : 0, n = 0;
	bool *match = alloc_zeroed(file_count + 1, sizeof *match);
	if (!match)
		return err_set(err, "out of memory");
	bool any = false, parts = false;
	for (size_t i = 0; i < file_count; i++)
		any |= match[i] = ends_with_path(l->files[i], file);
	uint32_t last = 0, best = 0;
	for (size_t i = 0; any && i < l->count; i++) {
		const struct row *row = &l->rows[i];
		if (row->end || !row->stmt || row->line == 0 || !match[row->file])
			continue;
		if (row->line > last)
			last = row->line;
		if (row->line < line || (best && row->line > best) ||
		    dwarf_lines_row_has_no_code(l, i))
			continue;
		/* A row that continues a line counts only if the line has no other. */
		if (row->line == best && row->part && !parts)
			continue;
		if (row->line != best || (parts && !row->part))
			n = 0;
		best = row->line;
		parts = row->part;
		if (n < max)
			out[n++] = row->addr;
	}
	free(match);
	if (!any)
		return no_such_file(p, l, file, err);
	if (!best)
		return err_set(
			err,
			"%s:%u: no code at this line or after it; the last line with code is %u",
			file, line, last);
	return n;
}

/* The image that has the file: the program itself before libraries and firmware. */
static const struct program *image_of_file(const struct program *p, const char *file)
{
	const struct program *f = p->firmware, *library;
	if (names_file(p, file))
		return p;
	for (unsigned i = 0; (library = program_library(p, i)); i++)
		if (names_file(library, file))
			return library;
	return f && names_file(f, file) ? f : p;
}

size_t lines_addrs(const struct program *p, const char *file, unsigned line, uint64_t *out,
                   size_t max, struct err *err)
{
	return addrs_of_line(image_of_file(p, file), file, line, out, max, err);
}

bool program_addr_of_line(const struct program *p, const char *file, unsigned line, uint64_t *addr,
                          struct err *err)
{
	return lines_addrs(p, file, line, addr, 1, err) == 1;
}

/* As gdb's find_pc_line(): a range reaches from a row to the next row at another address. */
bool program_stretch_at(const struct program *p, uint64_t addr, struct program_stretch *out)
{
	p = program_image(p, addr);
	const struct lines *l = lines_of(p);
	const struct row *row = row_at(p, l, addr), *end = l ? l->rows + l->count : NULL;
	if (!row)
		return false;
	const struct row *next = row + 1;
	while (next < end && next->part)
		next++;
	while (row > l->rows && row->part && !row[-1].end)
		row--;
	const struct row *best = row, *first = row;
	while (first > l->rows && !first[-1].end && first[-1].addr == row->addr)
		first--;
	unsigned rows = 0;
	for (const struct row *r = first; r <= row; r++)
		rows += !r->part && r->line;
	for (const struct row *r = row; !best->stmt && r >= first; r--)
		if (r->stmt && !r->part && r->line)
			best = r;
	if (!best->line)
		return false;
	*out = (struct program_stretch){.pc = row->addr,
	                                .end = next < end ? next->addr : addr + 1,
	                                .at = {l->files[best->file], best->line},
	                                .is_stop = best->stmt,
	                                .rows = rows};
	return true;
}

bool program_stop_line_at(const struct program *p, uint64_t addr, struct source_line *out)
{
	struct program_stretch at;
	if (!program_stretch_at(p, addr, &at))
		return false;
	*out = at.at;
	return true;
}

/* The row that decides the line of its address: the last recommended stop there, NULL if none.
 * *first receives the first row there. */
static const struct row *owner_at(const struct lines *l, const struct row *row,
                                  const struct row **first)
{
	const struct row *end = l->rows + l->count, *owner = NULL;
	while (row > l->rows && !row[-1].end && row[-1].addr == row->addr)
		row--;
	*first = row;
	for (const struct row *r = row; r < end && !r->end && r->addr == row->addr; r++)
		if (r->stmt)
			owner = r;
	return owner;
}

static bool dwarf_lines_row_is_same_line(const struct row *a, const struct row *b)
{
	return a->line == b->line && a->file == b->file;
}

/* Rows that are no recommended stop belong to the line before them. */
bool program_line_range(const struct program *p, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	p = program_image(p, addr);
	const struct lines *l = lines_of(p);
	const struct row *row = row_at(p, l, addr), *first, *before;
	if (!row || row->line == 0)
		return false;
	const struct row *end = l->rows + l->count;
	const struct row *owner = owner_at(l, row, &first);
	while (!owner && first > l->rows && !first[-1].end)
		owner = owner_at(l, first - 1, &first);
	if (!owner)
		owner = first;
	assert(owner);
	/* Go back over ranges of the same line; the line of a range without a stop is that of the
	 * range before. */
	for (const struct row *at = first; at > l->rows && !at[-1].end; at = before) {
		const struct row *who = owner_at(l, at - 1, &before);
		if (who && !dwarf_lines_row_is_same_line(who, owner))
			break;
		if (who)
			first = before;
	}
	const struct row *next = row, *unused;
	while (next < end && !next->end) {
		const struct row *who = next->addr <= addr ? owner : owner_at(l, next, &unused);
		if (who && !dwarf_lines_row_is_same_line(who, owner))
			break;
		next++;
	}
	*lo = first->addr;
	*hi = next < end ? next->addr : addr + 1;
	uint64_t start, stop;
	if (symbols_function(p, addr, &start, &stop)) {
		*lo = *lo > start ? *lo : start;
		*hi = *hi < stop ? *hi : stop;
	}
	return true;
}

const char *program_no_lines(const struct program *p)
{
	const char *left_out = program_left_out(p);
	const struct symbol *main_symbol = program_symbol_by_name(p, "main");
	struct source_line at;
	if (left_out)
		return left_out;
	return main_symbol && program_line_at(p, main_symbol->addr, &at) && at.line
	               ? "this part is compiled without -g; main is not"
	               : "compile with -g";
}
