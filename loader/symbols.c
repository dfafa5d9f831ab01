/* Symbols of an ELF file, sorted, and look-up by address or name. */
#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/demangle.h"
#include "loader/program_priv.h"

/* A symbol with its rank among those at its address. */
struct candidate {
	struct symbol sym;
	unsigned rank; /* lower is preferred */
	bool label;
};

struct collector {
	const struct program *p;
	struct candidate *all; /* [cap], owned */
	size_t count, cap;
};

/* The first section of a type, or NULL. */
static Elf_Scn *loader_symbols_find_section(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static bool loader_symbols_symbol_is_code(const struct program *p, const GElf_Sym *sym,
                                          const struct segment *seg)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	if (type != STT_NOTYPE)
		return false;
	GElf_Shdr sh;
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE
	                       ? elf_getscn(program_debug_elf(p), sym->st_shndx)
	                       : NULL;
	if (scn && gelf_getshdr(scn, &sh))
		return sh.sh_flags & SHF_EXECINSTR;
	return seg->prot & PROT_X;
}

static unsigned rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info), type = GELF_ST_TYPE(sym->st_info);
	unsigned rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
	/* Prefer a function's name to a label at the same place. */
	return rank + (type == STT_NOTYPE ? 4 : 0) + (sym->st_size == 0 ? 8 : 0);
}

bool symbols_is_printable(const char *name)
{
	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		if (*c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
			return false;
	return true;
}

/* Leaves out mapping symbols ($x, $d), assembler-local labels, and symbols that are no address in
 * the program. */
static bool loader_symbols_symbol_is_wanted(const GElf_Sym *sym, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	if (sym->st_shndx == SHN_UNDEF)
		return false;
	if (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)
		return false;
	return name[0] != '\0' && name[0] != '$' && strncmp(name, ".L", 2) != 0 &&
	       symbols_is_printable(name);
}

/* Replaces a mangled name by its demangled form, which the table keeps. False if memory runs
 * out. */
static bool written_out(struct symbol_table *t, const char **name)
{
	char buf[DEMANGLED_MAX];
	if (!demangle(*name, buf) || !symbols_is_printable(buf))
		return true;
	const size_t n = strlen(buf) + 1;
	struct symbol_name *new = alloc_bytes(sizeof *new + n);
	if (!new)
		return false;
	memcpy(new->text, buf, n);
	new->next = t->names;
	t->names = new;
	*name = new->text;
	return true;
}

/* Makes room for one more; NULL if memory is out. */
static struct candidate *next_candidate(struct collector *c)
{
	struct candidate *all = alloc_grow(c->all, c->count, &c->cap, sizeof *all, 1024);
	if (!all)
		return NULL;
	c->all = all;
	return &c->all[c->count++];
}

static bool loader_symbols_append_candidate(struct collector *c, const GElf_Sym *sym,
                                            const char *name)
{
	uint64_t addr = sym->st_value + c->p->bias;
	/* A symbol may mark the end of a segment. */
	const struct segment *seg = segment_at(c->p, addr);
	if (!seg)
		seg = segment_at(c->p, addr - 1);
	if (!seg)
		return true;
	struct candidate *new = next_candidate(c);
	if (!new)
		return false;
	/* Ignore a size that reaches out of the segment. */
	uint64_t room = seg->vaddr + seg->memsz - addr;
	uint64_t size = sym->st_size <= room ? sym->st_size : 0;
	new->sym = (struct symbol){name, addr, size, loader_symbols_symbol_is_code(c->p, sym, seg)};
	new->rank = rank_of(sym);
	new->label = size == 0 && GELF_ST_TYPE(sym->st_info) == STT_NOTYPE &&
	             GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	return true;
}

static bool collect_all(struct collector *c, struct symbol_table *t)
{
	GElf_Shdr sh;
	Elf *elf = program_debug_elf(c->p);
	Elf_Scn *scn = loader_symbols_find_section(elf, SHT_SYMTAB, &sh);
	if (!scn) {
		elf = c->p->elf;
		scn = loader_symbols_find_section(elf, SHT_SYMTAB, &sh);
	}
	if (!scn)
		scn = loader_symbols_find_section(elf, SHT_DYNSYM, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const size_t each = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!data || sh.sh_entsize != each)
		return true;
	size_t count = data->d_size / each;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, (int)i, &sym))
			break;
		const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (name && loader_symbols_symbol_is_wanted(&sym, name) &&
		    (!written_out(t, &name) || !loader_symbols_append_candidate(c, &sym, name)))
			return false;
	}
	return true;
}

/* Adds the PLT stubs; their names go into the table's text. */
static bool collect_stubs(struct collector *c, struct symbol_table *t)
{
	struct plt plt;
	if (!plt_read(c->p, &plt))
		return false;
	bool ok = true;
	for (size_t i = 0; i < plt.count && ok; i++) {
		const struct segment *seg = segment_at(c->p, plt.stubs[i].addr);
		if (!seg || seg->vaddr + seg->memsz - plt.stubs[i].addr < plt.stubs[i].size ||
		    !symbols_is_printable(plt.stubs[i].name))
			continue;
		struct candidate *new =
			written_out(t, &plt.stubs[i].name) ? next_candidate(c) : NULL;
		ok = new != NULL;
		if (ok)
			*new = (struct candidate){.sym = plt.stubs[i]};
	}
	t->text = plt.text;
	plt.text = NULL;
	plt_deinit(&plt);
	return ok;
}

static int compare_candidates(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	if (a->sym.addr != b->sym.addr)
		return a->sym.addr < b->sym.addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->sym.size != b->sym.size)
		return a->sym.size > b->sym.size ? -1 : 1;
	return strcmp(a->sym.name, b->sym.name);
}

static int compare_names(const void *pa, const void *pb, void *ctx)
{
	const struct candidate *all = ctx;
	const struct candidate *a = &all[*(const uint32_t *)pa], *b = &all[*(const uint32_t *)pb];
	int order = strcmp(a->sym.name, b->sym.name);
	if (order)
		return order;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The end of an unsized symbol: the next higher symbol's address, or its segment's end. */
static uint64_t open_end(const struct program *p, const struct symbol_table *t, size_t i)
{
	uint64_t addr = t->syms[i].addr;
	const struct segment *seg = segment_at(p, addr);
	if (!seg)
		return addr;
	uint64_t end = seg->vaddr + seg->memsz;
	for (size_t j = i + 1; j < t->count; j++)
		if (t->syms[j].addr != addr)
			return t->syms[j].addr < end ? t->syms[j].addr : end;
	return end;
}

/* Walks symbols by address, with the sized symbols that are still open as a chain of parents. */
static void find_spans(const struct program *p, struct symbol_table *t)
{
	uint32_t open = SYMBOL_NONE;
	for (size_t i = 0; i < t->count; i++) {
		const struct symbol *s = &t->syms[i];
		while (open != SYMBOL_NONE && t->spans[open].end <= s->addr)
			open = t->spans[open].parent;
		t->spans[i].parent = open;
		bool first = i == 0 || t->syms[i - 1].addr != s->addr;
		if (!first) {
			/* Look-up finds the first of several aliases only. */
			t->spans[i].end = t->spans[i - 1].end;
		} else if (s->size) {
			t->spans[i].end = s->addr + s->size;
			open = (uint32_t)i;
		} else {
			t->spans[i].end = open_end(p, t, i);
		}
	}
}

bool symbols_read(struct program *p)
{
	struct collector c = { .p = p };
	struct symbol_table *t = &p->symbols;
	bool ok = collect_all(&c, t) && collect_stubs(&c, t);
	if (ok && c.count && c.count < SYMBOL_NONE) {
		sort_stable(c.all, c.count, sizeof c.all[0], compare_candidates);
		t->syms = alloc_zeroed(c.count, sizeof t->syms[0]);
		t->spans = alloc_zeroed(c.count, sizeof t->spans[0]);
		t->by_name = alloc_zeroed(c.count, sizeof t->by_name[0]);
		ok = t->syms && t->spans && t->by_name;
	}
	if (ok && t->syms) {
		t->count = c.count;
		for (size_t i = 0; i < c.count; i++) {
			t->syms[i] = c.all[i].sym;
			t->spans[i].label = c.all[i].label;
			t->by_name[i] = (uint32_t)i;
		}
		sort_stable_with(t->by_name, t->count, sizeof t->by_name[0], compare_names, c.all);
		find_spans(p, t);
	}
	free(c.all);
	return ok;
}

static void *loader_symbols_concatenate_arrays(const void *a, size_t na, const void *b, size_t nb,
                                               size_t size)
{
	uint8_t *both = alloc_zeroed(na + nb + 1, size);
	if (both && na)
		memcpy(both, a, na * size);
	if (both && nb)
		memcpy(both + na * size, b, nb * size);
	return both;
}

/* Merges the indices by name; of equal names t's own come first. */
static void merge_names(struct symbol_table *t, const struct symbol_table *a,
                        const struct symbol_table *b)
{
	size_t i = 0, j = 0;
	while (i < a->count || j < b->count) {
		bool first =
			j == b->count || (i < a->count && strcmp(a->syms[a->by_name[i]].name,
		                                                 b->syms[b->by_name[j]].name) <= 0);
		t->by_name[i + j] = first ? a->by_name[i] : (uint32_t)a->count + b->by_name[j];
		*(first ? &i : &j) += 1;
	}
}

bool symbols_append(struct symbol_table *t, const struct symbol_table *other)
{
	size_t n = t->count, more = other->count;
	struct symbol_table both = {
		.syms = loader_symbols_concatenate_arrays(t->syms, n, other->syms, more,
	                                                  sizeof *t->syms),
		.spans = loader_symbols_concatenate_arrays(t->spans, n, other->spans, more,
	                                                   sizeof *t->spans),
		.by_name = alloc_zeroed(n + more + 1, sizeof *t->by_name),
		.count = n + more,
	};
	if (!both.syms || !both.spans || !both.by_name || both.count >= SYMBOL_NONE) {
		symbols_deinit(&both);
		return false;
	}
	for (size_t i = n; i < both.count; i++)
		if (both.spans[i].parent != SYMBOL_NONE)
			both.spans[i].parent += (uint32_t)n;
	merge_names(&both, t, other);
	both.text = t->text;
	both.names = t->names;
	t->text = NULL;
	t->names = NULL;
	symbols_deinit(t);
	*t = both;
	return true;
}

void symbols_deinit(struct symbol_table *t)
{
	free(t->syms);
	free(t->spans);
	free(t->by_name);
	free(t->text);
	for (struct symbol_name *next; t->names; t->names = next) {
		next = t->names->next;
		free(t->names);
	}
	*t = (struct symbol_table){ 0 };
}

const struct symbol *program_symbols(const struct program *p, size_t *count)
{
	const struct images *all = &p->debug->images;
	if (program_has_images(p)) {
		images_refresh(p);
		images_merge(p);
	}
	*count = all->symbols ? all->symbol_count : p->symbols.count;
	return all->symbols ? all->symbols : p->symbols.syms;
}

/* Index of the first symbol whose address is above addr. */
static size_t first_after(const struct symbol_table *t, uint64_t addr)
{
	size_t lo = 0, hi = t->count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct symbol *program_symbol_at(const struct program *p, uint64_t addr)
{
	const struct symbol_table *t = &program_symbol_image(p, addr)->symbols;
	size_t after = first_after(t, addr);
	if (after == 0)
		return NULL;
	size_t i = after - 1;
	uint64_t start = t->syms[i].addr;
	while (i > 0 && t->syms[i - 1].addr == start)
		i--;
	/* A label inside a sized function does not end the function. */
	if (t->syms[i].size == 0 && t->spans[i].parent != SYMBOL_NONE &&
	    t->spans[t->spans[i].parent].end > addr)
		i = t->spans[i].parent;
	for (uint32_t at = (uint32_t)i; at != SYMBOL_NONE; at = t->spans[at].parent)
		if (addr < t->spans[at].end)
			return &t->syms[at];
	return NULL;
}

static bool starts_function(const struct symbol_table *t, size_t i)
{
	return t->syms[i].code && !t->spans[i].label;
}

uint64_t *program_procedures(const struct program *p, size_t *count)
{
	const struct symbol_table *t = &p->symbols;
	uint64_t *all = alloc_bytes((t->count + 1) * sizeof *all);
	*count = 0;
	for (size_t i = 0; all && i < t->count; i++) {
		const uint64_t at = t->syms[i].addr;
		if (!starts_function(t, i) || (*count && (all[*count - 1] | 1) == (at | 1)))
			continue;
		const struct symbol *named = program_symbol_at(p, at);
		all[(*count)++] = at | (named && strstr(named->name, ".cold"));
	}
	return all;
}

bool symbols_function(const struct program *p, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	const struct symbol_table *t = &program_symbol_image(p, addr)->symbols;
	const struct segment *seg = segment_at(p, addr);
	size_t after = first_after(t, addr), i = after;
	while (i > 0 && !starts_function(t, i - 1))
		i--;
	if (!seg || i == 0 || t->syms[i - 1].addr < seg->vaddr)
		return false;
	*lo = t->syms[i - 1].addr;
	*hi = seg->vaddr + seg->memsz;
	for (size_t j = after; j < t->count; j++) {
		if (starts_function(t, j)) {
			if (t->syms[j].addr < *hi)
				*hi = t->syms[j].addr;
			break;
		}
	}
	return true;
}

char *program_addr_text(const struct program *p, uint64_t addr, char *buf, size_t n)
{
	const struct symbol *s = program_symbol_at(p, addr);
	const struct program *library = s ? NULL : program_library_at(p, addr);
	if (library) {
		const char *slash = strrchr(library->path, '/');
		snprintf(buf, n, "%s+0x%" PRIx64, slash ? slash + 1 : library->path,
		         addr - library->bias);
	} else if (!s)
		snprintf(buf, n, "0x%" PRIx64, addr);
	else if (s->addr == addr)
		snprintf(buf, n, "%s", s->name);
	else
		snprintf(buf, n, "%s+0x%" PRIx64, s->name, addr - s->addr);
	return buf;
}
