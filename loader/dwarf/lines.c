/* Source lines: the line table of each unit, read when a question needs an address or a file of the
 * unit. */
#include <assert.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "core/base/sort.h"
#include "loader/dwarf/code_index.h"
#include "loader/dwarf/line_header.h"
#include "loader/dwarf/line_rows.h"
#include "loader/program_priv.h"

enum { PATH_BYTES = 4096 };
/* Bytes of rows that are kept, at least; more of large files. */
enum { ROWS_KEPT = 32 << 20 };

struct line_unit {
	Dwarf_Off die;      /* offset of the unit's entry */
	Dwarf_Word table;   /* offset of its header in .debug_line */
	const char *folder; /* where it was compiled; borrowed from libdw, NULL: unknown */
	bool has_ranges;    /* addresses find it; else it may have any */
	bool is_read, is_named;
	/* [count], owned, in address order; NULL until it is read, and after it was dropped */
	struct line_row *rows;
	size_t count;
	uint64_t used; /* lines.used at its last use */
	uint64_t taken; /* bytes of the program's limit */
	struct line_header names; /* if is_named; owned */
};

struct line_name {
	const char *text; /* owned */
	bool has_code;    /* in a unit that has been read */
	/* the last unit whose header names it: index + 1 of lines.naming; 0: none */
	uint32_t naming;
};

/* A unit whose header names a file, and the one before it that does. */
struct line_naming {
	uint32_t unit, before; /* before: as line_name.naming */
};

struct lines {
	struct line_sections sections;
	struct line_unit *units; /* [unit_count], owned, by die */
	size_t unit_count, unit_room;
	size_t row_count; /* of all units whose rows are there */
	bool has_rows;    /* some unit has, or had, rows */
	uint64_t used;    /* counts up when a unit is needed */
	struct line_name *files; /* [file_count], owned, each once */
	size_t file_count, file_cap;
	/* [bucket_count], owned: file index + 1 by hash of its name, 0 = empty */
	uint32_t *buckets;
	size_t bucket_count; /* a power of two, at least twice file_count */
	/* [naming_count], owned; of all units if is_listed */
	struct line_naming *naming;
	size_t naming_count, naming_room;
	bool is_listed;
};

static size_t hash_name(const char *s)
{
	uint64_t h = hash_text(s);
	return (size_t)(h ^ h >> 32);
}

static bool grow_files(struct lines *l)
{
	size_t cap = l->file_cap ? 2 * l->file_cap : 64;
	struct line_name *files = alloc_resize_array(l->files, cap, sizeof *files);
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
		size_t at = hash_name(l->files[i].text) & (l->bucket_count - 1);
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
		if (strcmp(l->files[*index].text, name) == 0)
			return true;
	}
	char *copy = alloc_text(name);
	if (!copy)
		return false;
	*index = (uint32_t)l->file_count;
	l->files[l->file_count++] = (struct line_name){.text = copy};
	l->buckets[at] = *index + 1;
	return true;
}

static bool dwarf_lines_address_is_executable(const struct program *p, uint64_t addr)
{
	const struct segment *s = segment_at(p, addr);
	return s && s->prot & PROT_X;
}

static void dwarf_lines_find_units(const struct program *p, struct lines *l)
{
	Dwarf *dwarf = program_dwarf(p);
	Elf *elf = program_debug_elf(p);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	if (!dwarf)
		return;
	l->sections = (struct line_sections){
		.line = debug_section_data(elf, ".debug_line", ".zdebug_line"),
		.line_text = debug_section_data(elf, ".debug_line_str", ".zdebug_line_str"),
		.text = debug_section_data(elf, ".debug_str", ".zdebug_str")};
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		Dwarf_Attribute attr;
		Dwarf_Addr base, start, end;
		struct line_unit u = {.die = dwarf_dieoffset(&die)};
		if (type == DW_UT_type || !dwarf_attr(&die, DW_AT_stmt_list, &attr) ||
		    dwarf_formudata(&attr, &u.table) != 0)
			continue;
		struct line_unit *grown =
			alloc_grow(l->units, l->unit_count, &l->unit_room, sizeof *grown, 16);
		if (!grown)
			return;
		if (dwarf_attr(&die, DW_AT_comp_dir, &attr))
			u.folder = dwarf_formstring(&attr);
		u.has_ranges = dwarf_ranges(&die, 0, &base, &start, &end) > 0;
		l->units = grown;
		l->units[l->unit_count++] = u;
	}
}

/* Replaces files' numbers of the unit by those of `l`. */
static bool dwarf_lines_name_files(struct lines *l, const struct line_header *h,
                                   struct line_unit *u)
{
	char path[PATH_BYTES];
	uint32_t *index = alloc_zeroed(h->file_count, sizeof *index); /* + 1; 0: not yet */
	bool ok = index;
	for (size_t i = 0; ok && i < u->count; i++) {
		uint32_t *to = &index[u->rows[i].file], named;
		if (!*to) {
			const bool shown =
				line_header_path(h, u->rows[i].file, path, sizeof path) &&
				symbols_is_printable(path);
			ok = intern_file(l, shown ? path : "?", &named);
			*to = named + 1;
			if (ok)
				l->files[named].has_code = true;
		}
		u->rows[i].file = *to - 1;
	}
	free(index);
	return ok;
}

/* Drops the rows of units that were not needed for longest, but of `kept`, if all take too much
 * memory. Pointers to rows of other units are invalid after a unit is read. */
static void dwarf_lines_drop_rows(const struct program *p, struct lines *l,
                                  const struct line_unit *kept)
{
	const size_t most = p->n / 4 > ROWS_KEPT ? p->n / 4 : ROWS_KEPT;
	while (l->row_count * sizeof *kept->rows > most) {
		struct line_unit *oldest = NULL;
		for (size_t i = 0; i < l->unit_count; i++) {
			struct line_unit *u = &l->units[i];
			if (u->rows && u != kept && (!oldest || u->used < oldest->used))
				oldest = u;
		}
		if (!oldest)
			return;
		free(oldest->rows);
		oldest->rows = NULL;
		oldest->is_read = false;
		l->row_count -= oldest->count;
		oldest->count = 0;
		p->debug->limit.taken -= oldest->taken;
	}
}

static void dwarf_lines_read_unit(const struct program *p, struct lines *l, struct line_unit *u)
{
	struct line_header h;
	/* A row takes at least a byte, more if compressed: with more rows than this, rows
	 * repeat. */
	const size_t limit = 4 * p->n < UINT32_MAX ? 4 * p->n : UINT32_MAX;
	u->used = ++l->used;
	if (u->is_read)
		return;
	u->is_read = true;
	const uint64_t taken = p->debug->limit.taken;
	if (line_header_read(&l->sections, u->table, u->folder, &h)) {
		u->rows = line_rows_read(p, &h, limit - l->row_count, &u->count);
		if (u->rows && !dwarf_lines_name_files(l, &h, u)) {
			free(u->rows);
			u->rows = NULL;
			u->count = 0;
		}
		l->row_count += u->count;
		l->has_rows |= u->count != 0;
	}
	line_header_deinit(&h);
	u->taken = p->debug->limit.taken - taken;
	dwarf_lines_drop_rows(p, l, u);
}

/* The units' tables, none of which is read at first; NULL only without memory. */
static struct lines *lines_of(const struct program *p)
{
	if (!p->debug->lines) {
		p->debug->lines = alloc_zeroed(1, sizeof *p->debug->lines);
		if (p->debug->lines)
			dwarf_lines_find_units(p, p->debug->lines);
	}
	return p->debug->lines;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->unit_count; i++)
		free(l->units[i].rows), line_header_deinit(&l->units[i].names);
	for (size_t i = 0; i < l->file_count; i++)
		free((void *)l->files[i].text);
	free(l->units);
	free(l->files);
	free(l->buckets);
	free(l->naming);
	free(l);
}

static int dwarf_lines_compare_unit(const void *key, const void *unit)
{
	const Dwarf_Off die = *(const Dwarf_Off *)key, at = ((const struct line_unit *)unit)->die;
	return die < at ? -1 : die > at;
}

static struct line_unit *dwarf_lines_unit_of(struct lines *l, Dwarf_Die *die)
{
	const Dwarf_Off at = dwarf_dieoffset(die);
	return bsearch(&at, l->units, l->unit_count, sizeof *l->units, dwarf_lines_compare_unit);
}

const char *lines_file(const struct program *p, Dwarf_Die *of, uint64_t number)
{
	struct lines *l = lines_of(p);
	Dwarf_Die die;
	char path[PATH_BYTES];
	uint32_t index;
	if (!l || !l->unit_count || !dwarf_cu_die(of->cu, &die, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	struct line_unit *u = dwarf_lines_unit_of(l, &die);
	if (!u)
		return NULL;
	if (!u->is_named)
		line_header_read(&l->sections, u->table, u->folder, &u->names);
	u->is_named = true;
	return line_header_path(&u->names, number, path, sizeof path) &&
	                       intern_file(l, symbols_is_printable(path) ? path : "?", &index)
	               ? l->files[index].text
	               : NULL;
}

/* A unit's row that covers addr, or NULL. */
static const struct line_row *dwarf_lines_row_of_unit(const struct line_unit *u, uint64_t addr)
{
	/* A damaged table may lack the row that ends it. */
	size_t lo = 0, hi = u->count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (u->rows[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || u->rows[lo - 1].end)
		return NULL;
	return &u->rows[lo - 1];
}

/* The row that covers addr, of the image p, and its unit, or NULL. */
static const struct line_row *row_at(const struct program *p, uint64_t addr,
                                     const struct line_unit **unit)
{
	struct lines *l = lines_of(p);
	Dwarf_Die die;
	const struct line_row *row = NULL;
	if (!l || !l->unit_count || !dwarf_lines_address_is_executable(p, addr))
		return NULL;
	if (code_index_find_unit(p, addr - p->bias, &die)) {
		struct line_unit *u = dwarf_lines_unit_of(l, &die);
		if (u)
			dwarf_lines_read_unit(p, l, u);
		row = u ? dwarf_lines_row_of_unit(u, addr) : NULL;
		*unit = u;
	}
	for (size_t i = 0; !row && i < l->unit_count; i++) {
		if (l->units[i].has_ranges)
			continue;
		dwarf_lines_read_unit(p, l, &l->units[i]);
		row = dwarf_lines_row_of_unit(&l->units[i], addr);
		*unit = &l->units[i];
	}
	return row;
}

bool program_has_lines(const struct program *p)
{
	struct lines *l = lines_of(p);
	for (size_t i = 0; l && i < l->unit_count && !l->has_rows; i++)
		dwarf_lines_read_unit(p, l, &l->units[i]);
	return l && l->has_rows;
}

bool program_line_at(const struct program *p, uint64_t addr, struct source_line *out)
{
	p = program_image(p, addr);
	const struct line_unit *u;
	const struct line_row *row = row_at(p, addr, &u);
	if (!row || row->line == 0)
		return false;
	out->file = p->debug->lines->files[row->file].text;
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

static bool no_such_file(const struct program *p, const char *file, struct err *err)
{
	struct lines *l = lines_of(p);
	if (!program_has_lines(p))
		return err_set(err, "%s: no line information (%s)", p->path, program_no_lines(p));
	struct nearest near;
	const char *slash = strrchr(file, '/');
	nearest_init(&near, slash ? slash + 1 : file);
	for (size_t i = 0; i < l->unit_count; i++)
		dwarf_lines_read_unit(p, l, &l->units[i]);
	for (size_t i = 0; i < l->file_count; i++) {
		const char *base = strrchr(l->files[i].text, '/');
		if (l->files[i].has_code)
			nearest_offer(&near, base ? base + 1 : l->files[i].text);
	}
	if (near.best)
		return err_set(err, "no source file %s in %s; did you mean %s?", file, p->path,
		               near.best);
	return err_set(err, "no source file %s in %s", file, p->path);
}

/* Notes that the unit's header names the file. */
static bool dwarf_lines_note_naming(const struct program *p, struct lines *l, uint32_t unit,
                                    const char *path)
{
	uint32_t file;
	const size_t before = l->file_count;
	if (!intern_file(l, path, &file))
		return false;
	if (l->files[file].naming && l->naming[l->files[file].naming - 1].unit == unit)
		return true;
	struct line_naming *grown =
		debug_limit_take(&p->debug->limit, sizeof *grown + (l->file_count - before) *
	                                                                   strlen(path))
			? alloc_grow(l->naming, l->naming_count, &l->naming_room, sizeof *grown, 64)
			: NULL;
	if (!grown)
		return false;
	l->naming = grown;
	l->naming[l->naming_count++] = (struct line_naming){unit, l->files[file].naming};
	l->files[file].naming = (uint32_t)l->naming_count;
	return true;
}

/* Lists the files of all units' headers, once. */
static void dwarf_lines_list_files(const struct program *p, struct lines *l)
{
	char path[PATH_BYTES];
	bool ok = !l->is_listed;
	for (size_t i = 0; ok && i < l->unit_count; i++) {
		struct line_header h;
		if (line_header_read(&l->sections, l->units[i].table, l->units[i].folder, &h))
			for (size_t k = 0; k < h.file_count && ok; k++)
				ok = !line_header_path(&h, k, path, sizeof path) ||
				     !symbols_is_printable(path) ||
				     dwarf_lines_note_naming(p, l, (uint32_t)i, path);
		line_header_deinit(&h);
	}
	l->is_listed = true;
}

/* Whether a line has no code at its row's address. As in gdb: a row of another file follows at the
 * same address, as where the line's whole code was inlined. */
static bool dwarf_lines_row_has_no_code(const struct line_unit *u, size_t i)
{
	const uint32_t file = u->rows[i].file;
	const uint64_t addr = u->rows[i].addr;
	while (++i < u->count && u->rows[i].addr == addr && !u->rows[i].end)
		if (u->rows[i].file != file && u->rows[i].stmt && u->rows[i].line)
			return true;
	return false;
}

/* Places of a line, or of the next one that has code. */
struct line_search {
	const char *file;
	unsigned line;
	bool any;        /* the file has code */
	uint32_t last;   /* its last line with code */
	uint32_t best;   /* the line found, 0: none */
	bool parts;      /* the places continue the line: it has no others */
	uint64_t *found; /* [count], owned */
	size_t count, room;
	bool failed; /* no memory */
};

static void dwarf_lines_search_unit(struct line_search *s, const struct line_unit *u,
                                    uint32_t file)
{
	for (size_t i = 0; i < u->count; i++) {
		const struct line_row *row = &u->rows[i];
		if (row->file != file)
			continue;
		s->any = true;
		if (row->end || !row->stmt || row->line == 0)
			continue;
		if (row->line > s->last)
			s->last = row->line;
		if (row->line < s->line || (s->best && row->line > s->best) ||
		    dwarf_lines_row_has_no_code(u, i))
			continue;
		/* A row that continues a line counts only if the line has no other. */
		if (row->line == s->best && row->part && !s->parts)
			continue;
		if (row->line != s->best || (s->parts && !row->part))
			s->count = 0;
		s->best = row->line;
		s->parts = row->part;
		uint64_t *found = alloc_grow(s->found, s->count, &s->room, sizeof *found, 16);
		s->failed |= !found;
		if (!found)
			return;
		s->found = found;
		s->found[s->count++] = row->addr;
	}
}

static int dwarf_lines_compare_addresses(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

/* Searches the units that name the file, which are read. Reading may add files. */
static void dwarf_lines_search(const struct program *p, struct line_search *s)
{
	struct lines *l = lines_of(p);
	if (l)
		dwarf_lines_list_files(p, l);
	for (size_t i = 0; l && i < l->file_count && !s->failed; i++) {
		if (!ends_with_path(l->files[i].text, s->file))
			continue;
		for (uint32_t at = l->files[i].naming; at && !s->failed;
		     at = l->naming[at - 1].before) {
			struct line_unit *u = &l->units[l->naming[at - 1].unit];
			dwarf_lines_read_unit(p, l, u);
			dwarf_lines_search_unit(s, u, (uint32_t)i);
		}
	}
	if (s->count)
		sort_stable(s->found, s->count, sizeof *s->found, dwarf_lines_compare_addresses);
}

/* Finds where the line, or the next one that has code, begins, by address. */
static size_t addrs_of_line(const struct program *p, const char *file, unsigned line, uint64_t *out,
                            size_t max, struct err *err)
{
	struct line_search s = {.file = file, .line = line};
	dwarf_lines_search(p, &s);
	const size_t n = s.count < max ? s.count : max;
	if (n)
		memcpy(out, s.found, n * sizeof *out);
	free(s.found);
	if (s.failed)
		return err_set(err, "out of memory");
	if (!s.any)
		return no_such_file(p, file, err);
	if (!s.best)
		return err_set(
			err,
			"%s:%u: no code at this line or after it; the last line with code is %u",
			file, line, s.last);
	return n;
}

/* Whether the program has code of the file. */
static bool names_file(const struct program *p, const char *file)
{
	struct lines *l = lines_of(p);
	bool any = false;
	if (l)
		dwarf_lines_list_files(p, l);
	for (size_t i = 0; l && i < l->file_count && !any; i++) {
		if (!ends_with_path(l->files[i].text, file))
			continue;
		for (uint32_t at = l->files[i].naming; at && !l->files[i].has_code;
		     at = l->naming[at - 1].before)
			dwarf_lines_read_unit(p, l, &l->units[l->naming[at - 1].unit]);
		any = l->files[i].has_code;
	}
	return any;
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
	const struct line_unit *u;
	const struct line_row *row = row_at(p, addr, &u);
	if (!row)
		return false;
	const struct line_row *next = row + 1, *end = u->rows + u->count;
	while (next < end && next->part)
		next++;
	while (row > u->rows && row->part && !row[-1].end)
		row--;
	const struct line_row *best = row, *first = row;
	while (first > u->rows && !first[-1].end && first[-1].addr == row->addr)
		first--;
	unsigned rows = 0;
	for (const struct line_row *r = first; r <= row; r++)
		rows += !r->part && r->line;
	for (const struct line_row *r = row; !best->stmt && r >= first; r--)
		if (r->stmt && !r->part && r->line)
			best = r;
	if (!best->line)
		return false;
	*out = (struct program_stretch){.pc = row->addr,
	                                .end = next < end ? next->addr : addr + 1,
	                                .at = {p->debug->lines->files[best->file].text, best->line},
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
static const struct line_row *owner_at(const struct line_unit *u, const struct line_row *row,
                                       const struct line_row **first)
{
	const struct line_row *end = u->rows + u->count, *owner = NULL;
	while (row > u->rows && !row[-1].end && row[-1].addr == row->addr)
		row--;
	*first = row;
	for (const struct line_row *r = row; r < end && !r->end && r->addr == row->addr; r++)
		if (r->stmt)
			owner = r;
	return owner;
}

static bool dwarf_lines_row_is_same_line(const struct line_row *a, const struct line_row *b)
{
	return a->line == b->line && a->file == b->file;
}

/* Rows that are no recommended stop belong to the line before them. */
bool program_line_range(const struct program *p, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	p = program_image(p, addr);
	const struct line_unit *u;
	const struct line_row *row = row_at(p, addr, &u), *first, *before;
	if (!row || row->line == 0)
		return false;
	const struct line_row *end = u->rows + u->count;
	const struct line_row *owner = owner_at(u, row, &first);
	while (!owner && first > u->rows && !first[-1].end)
		owner = owner_at(u, first - 1, &first);
	if (!owner)
		owner = first;
	assert(owner);
	/* Go back over ranges of the same line; the line of a range without a stop is that of the
	 * range before. */
	for (const struct line_row *at = first; at > u->rows && !at[-1].end; at = before) {
		const struct line_row *other = owner_at(u, at - 1, &before);
		if (other && !dwarf_lines_row_is_same_line(other, owner))
			break;
		if (other)
			first = before;
	}
	const struct line_row *next = row, *unused;
	while (next < end && !next->end) {
		const struct line_row *other =
			next->addr <= addr ? owner : owner_at(u, next, &unused);
		if (other && !dwarf_lines_row_is_same_line(other, owner))
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

/* Whether a unit's variables are in a file of their own, as by -gsplit-dwarf. */
static bool lines_has_split_units(const struct program *p)
{
	Dwarf *dwarf = program_dwarf(p);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	Dwarf_Attribute attr;
	uint8_t type;
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0)
		if (type == DW_UT_skeleton || dwarf_attr(&unit, DW_AT_GNU_dwo_name, &attr))
			return true;
	return false;
}

const char *program_names_apart(const struct program *p)
{
	if (*p->debug_missing)
		return p->debug_missing;
	return lines_has_split_units(p) ? "its variables are in .dwo files, which are not read: "
	                                  "compile without -gsplit-dwarf"
	                                : NULL;
}

const char *program_no_lines(const struct program *p)
{
	const char *left_out = program_left_out(p), *apart = program_names_apart(p);
	const struct symbol *main_symbol = program_symbol_by_name(p, "main");
	struct source_line at;
	if (left_out || apart)
		return left_out ? left_out : apart;
	return main_symbol && program_line_at(p, main_symbol->addr, &at) && at.line
	               ? "this part is compiled without -g; main is not"
	               : "compile with -g";
}
