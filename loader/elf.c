/* Checks an ELF file and finds its segments.
 *
 * libelf is lenient; a program that is to be executed must not rely on that. All headers are
 * checked here first, against the file's real size, and libelf gets the file only if they hold. */
#include "loader/program_priv.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"

#define HOW_TO_COMPILE "compile with riscv64-linux-gnu-gcc"

enum { INTERPRETER_MAX = 255 }; /* bytes of its path */

struct checker {
	struct program *p;
	struct err *err;
	Elf64_Ehdr eh; /* as of a 64-bit file */
};

/* ---- headers of either class, as those of a 64-bit file ---- */
/* A kind of header: its bytes in both classes, and the fields of interest. */
struct elf_kind {
	uint8_t narrow, wide;
	struct {
		uint8_t narrow, wide, bytes; /* offsets in both, and bytes in the narrow one */
	} fields[16];                        /* the first of 0 bytes ends them */
};

#define FIELD(kind, name)                                                                          \
	{                                                                                          \
		offsetof(Elf32_##kind, name), offsetof(Elf64_##kind, name),                        \
			sizeof((Elf32_##kind *)0)->name                                            \
	}

static const struct elf_kind file_header = {
	sizeof(Elf32_Ehdr),
	sizeof(Elf64_Ehdr),
	{FIELD(Ehdr, e_ident), FIELD(Ehdr, e_type), FIELD(Ehdr, e_machine), FIELD(Ehdr, e_version),
         FIELD(Ehdr, e_entry), FIELD(Ehdr, e_phoff), FIELD(Ehdr, e_shoff), FIELD(Ehdr, e_flags),
         FIELD(Ehdr, e_ehsize), FIELD(Ehdr, e_phentsize), FIELD(Ehdr, e_phnum),
         FIELD(Ehdr, e_shentsize), FIELD(Ehdr, e_shnum), FIELD(Ehdr, e_shstrndx)}};

static const struct elf_kind section_header = {
	sizeof(Elf32_Shdr),
	sizeof(Elf64_Shdr),
	{FIELD(Shdr, sh_type), FIELD(Shdr, sh_offset), FIELD(Shdr, sh_size)}};

static const struct elf_kind program_header = {
	sizeof(Elf32_Phdr),
	sizeof(Elf64_Phdr),
	{FIELD(Phdr, p_type), FIELD(Phdr, p_flags), FIELD(Phdr, p_offset), FIELD(Phdr, p_vaddr),
         FIELD(Phdr, p_paddr), FIELD(Phdr, p_filesz), FIELD(Phdr, p_memsz), FIELD(Phdr, p_align)}};

static size_t elf_bytes(const struct program *p, const struct elf_kind *kind)
{
	return p->is_32bit ? kind->narrow : kind->wide;
}

/* Reads header i of a table at that offset of the file into *out, the 64-bit struct of its kind. */
static void elf_get(const struct checker *c, const struct elf_kind *kind, uint64_t table,
                    uint64_t i, void *out)
{
	const uint8_t *at = c->p->bytes + table + i * elf_bytes(c->p, kind);
	if (!c->p->is_32bit) {
		memcpy(out, at, kind->wide);
		return;
	}
	memset(out, 0, kind->wide);
	for (unsigned f = 0; kind->fields[f].bytes; f++)
		memcpy((uint8_t *)out + kind->fields[f].wide, at + kind->fields[f].narrow,
		       kind->fields[f].bytes);
}

static void phdr_get(const struct checker *c, unsigned i, Elf64_Phdr *out)
{
	elf_get(c, &program_header, c->eh.e_phoff, i, out);
}

static bool elf_range_is_inside(uint64_t offset, uint64_t size, uint64_t n)
{
	return offset <= n && size <= n - offset;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_386: return "x86";
	case EM_X86_64: return "x86-64";
	case EM_ARM: return "ARM";
	case EM_AARCH64: return "AArch64";
	case EM_MIPS: return "MIPS";
	case EM_PPC: return "PowerPC";
	case EM_PPC64: return "PowerPC 64";
	case EM_S390: return "S/390";
	case EM_SPARCV9: return "SPARC V9";
	case EM_ALPHA: return "Alpha";
	case EM_LOONGARCH: return "LoongArch";
	default: return NULL;
	}
}

/* Files of other systems and other kinds, by their first bytes. */
static const char *other_kind(const uint8_t *b, size_t n)
{
	static const struct {
		const char *bytes;
		uint8_t n;
		const char *name;
	} kinds[] = {
		{"MZ", 2, "a Windows executable"},
		{"\xcf\xfa\xed\xfe", 4, "a macOS executable"},
		{"\xce\xfa\xed\xfe", 4, "a macOS executable"},
		{"\xca\xfe\xba\xbe", 4, "a macOS executable, or a Java class"},
		{"\0asm", 4, "WebAssembly"},
		{"!<arch>\n", 8, "an archive of object files, which is linked into programs"},
		{"BC\xc0\xde", 4, "LLVM bitcode"},
		{"\x1f\x8b", 2, "a gzip file"},
		{"PK\3\4", 4, "a zip file"},
		{":10", 3, "an Intel HEX file"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (n >= kinds[i].n && !memcmp(b, kinds[i].bytes, kinds[i].n))
			return kinds[i].name;
	return NULL;
}

/* Checks whether it is a RISC-V executable at all, before its size is checked. */
static bool check_kind(struct checker *c)
{
	const struct program *p = c->p;
	const uint8_t *b = p->bytes;
	if (p->n == 0)
		return err_set(c->err, "%s: empty file; Cyclops runs RISC-V ELF programs",
		               p->path);
	if (p->n >= 2 && b[0] == '#' && b[1] == '!')
		return err_set(c->err, "%s: a script; Cyclops runs RISC-V ELF programs",
		               p->path);
	const char *other = other_kind(b, p->n);
	if (other)
		return err_set(c->err, "%s: %s; Cyclops runs RISC-V programs (%s)", p->path,
		               other, HOW_TO_COMPILE);
	if (p->n < SELFMAG || memcmp(b, ELFMAG, SELFMAG) != 0)
		return err_set(c->err,
		               "%s: not an ELF file; Cyclops runs RISC-V programs (%s)",
		               p->path, HOW_TO_COMPILE);
	if (p->n < 20)
		return err_set(c->err,
		               "%s: truncated: %zu bytes, but an ELF header alone takes %zu",
		               p->path, p->n, sizeof(Elf64_Ehdr));

	bool big = b[EI_DATA] == ELFDATA2MSB;
	unsigned machine = big ? (unsigned)(b[18] << 8 | b[19]) : (unsigned)(b[19] << 8 | b[18]);
	if (machine != EM_RISCV) {
		const char *name = machine_name(machine);
		if (name)
			return err_set(c->err, "%s: ELF for %s, not RISC-V (%s)", p->path, name,
			               HOW_TO_COMPILE);
		return err_set(c->err, "%s: ELF for machine %u, not RISC-V (%s)", p->path, machine,
		               HOW_TO_COMPILE);
	}
	if (big)
		return err_set(
			c->err,
			"%s: big-endian RISC-V ELF; Cyclops runs little-endian programs (%s)",
			p->path, HOW_TO_COMPILE);
	if ((b[EI_CLASS] != ELFCLASS64 && b[EI_CLASS] != ELFCLASS32) || b[EI_DATA] != ELFDATA2LSB)
		return err_set(c->err,
		               "%s: damaged ELF header: class %u, data encoding %u; expected 2 "
		               "(64 bits) or 1 (32 bits), and 1",
		               p->path, b[EI_CLASS], b[EI_DATA]);
	c->p->is_32bit = b[EI_CLASS] == ELFCLASS32;
	if (p->n < elf_bytes(p, &file_header))
		return err_set(c->err,
		               "%s: truncated: %zu bytes, but an ELF header alone takes %zu",
		               p->path, p->n, elf_bytes(p, &file_header));
	return !p->is_32bit || p->role == IMAGE_PROGRAM ||
	       err_set(c->err,
	               "%s: 32-bit RISC-V ELF; %s is of 64 bits (compile with -march=rv64gc "
	               "-mabi=lp64d)",
	               p->path, p->role == IMAGE_FIRMWARE ? "firmware" : "a library");
}

static bool check_header(struct checker *c)
{
	const char *path = c->p->path;
	const Elf64_Ehdr *eh = &c->eh;
	elf_get(c, &file_header, 0, 0, &c->eh);

	if (eh->e_ident[EI_VERSION] != EV_CURRENT || eh->e_version != EV_CURRENT)
		return err_set(c->err, "%s: damaged ELF header: version %u (expected 1)", path,
		               (unsigned)eh->e_version);
	if (eh->e_type == ET_REL)
		return err_set(c->err, "%s: object file, not linked yet (riscv64-linux-gnu-gcc %s)",
		               path, path);
	if (eh->e_type == ET_CORE)
		return err_set(c->err, "%s: core dump; Cyclops runs programs", path);
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
		return err_set(c->err,
		               "%s: unknown ELF type %u; an executable has type 2, or 3 if it is "
		               "position-independent",
		               path, eh->e_type);
	if (c->p->role == IMAGE_FIRMWARE && eh->e_type != ET_EXEC)
		return err_set(c->err,
		               "%s: position-independent; firmware has a fixed place (link it with "
		               "-no-pie)",
		               path);
	if (eh->e_flags & EF_RISCV_RVE)
		return err_set(c->err, "%s: built for RV%sE, with 16 registers "
		               "(compile with %s)", path, c->p->is_32bit ? "32" : "64",
		               c->p->is_32bit ? "-march=rv32gc -mabi=ilp32d"
		                              : "-march=rv64gc -mabi=lp64d");
	if ((eh->e_flags & EF_RISCV_FLOAT_ABI) == EF_RISCV_FLOAT_ABI_QUAD)
		return err_set(c->err, "%s: built for quad-precision floating point "
		               "(compile with %s)", path,
		               c->p->is_32bit ? "-march=rv32gc -mabi=ilp32d"
		                              : "-march=rv64gc -mabi=lp64d");
	c->p->compressed = eh->e_flags & EF_RISCV_RVC;
	if (eh->e_phnum == 0)
		return err_set(c->err,
		               "%s: no program headers, nothing to load (link it as an executable)",
		               path);
	const size_t each = elf_bytes(c->p, &program_header);
	if (eh->e_phentsize != each)
		return err_set(c->err,
		               "%s: damaged ELF header: program headers of %u bytes (expected %zu)",
		               path, eh->e_phentsize, each);
	if (eh->e_phnum > 2 * SEGMENTS_MAX)
		return err_set(c->err, "%s: %u program headers; at most %d are accepted", path,
		               eh->e_phnum, 2 * SEGMENTS_MAX);
	if (!elf_range_is_inside(eh->e_phoff, eh->e_phnum * each, c->p->n))
		return err_set(c->err,
		               "%s: truncated: program headers at 0x%" PRIx64
		               " (%u of them), but the file "
		               "has 0x%zx bytes",
		               path, (uint64_t)eh->e_phoff, eh->e_phnum, c->p->n);
	return true;
}

/* Checks section headers. They are at the end of a file, so a truncated file fails here even when
 * all segments are whole. */
static bool elf_check_section_headers(struct checker *c)
{
	const struct program *p = c->p;
	const Elf64_Ehdr *eh = &c->eh;
	if (eh->e_shoff == 0) {
		if (eh->e_shnum)
			return err_set(c->err,
			               "%s: damaged ELF header: %u section headers at offset 0",
			               p->path, eh->e_shnum);
		return true;
	}
	const size_t each = elf_bytes(p, &section_header);
	if (eh->e_shentsize != each)
		return err_set(c->err,
		               "%s: damaged ELF header: section headers of %u bytes (expected %zu)",
		               p->path, eh->e_shentsize, each);
	Elf64_Shdr sh;
	uint64_t count = eh->e_shnum;
	if (count == 0 && elf_range_is_inside(eh->e_shoff, each, p->n)) {
		elf_get(c, &section_header, eh->e_shoff, 0, &sh);
		count = sh.sh_size;
	}
	if (count > p->n / each ||
	    !elf_range_is_inside(eh->e_shoff, (count ? count : 1) * each, p->n))
		return err_set(c->err,
		               "%s: truncated: section headers at 0x%" PRIx64 " (%" PRIu64
		               " of them), but "
		               "the file has 0x%zx bytes (copy or build it again)",
		               p->path, (uint64_t)eh->e_shoff, count, p->n);
	for (uint64_t i = 0; i < count; i++) {
		elf_get(c, &section_header, eh->e_shoff, i, &sh);
		if (sh.sh_type == SHT_NULL || sh.sh_type == SHT_NOBITS)
			continue;
		if (!elf_range_is_inside(sh.sh_offset, sh.sh_size, p->n))
			return err_set(c->err,
			               "%s: truncated: section %" PRIu64
			               " needs file bytes from 0x%" PRIx64 ", 0x%" PRIx64
			               " of them, but the file has 0x%zx (copy or build it again)",
			               p->path, i, (uint64_t)sh.sh_offset, (uint64_t)sh.sh_size,
			               p->n);
	}
	return true;
}

/* Reads the path in PT_INTERP. */
static bool read_interpreter(struct checker *c, const uint8_t *at, uint64_t n)
{
	struct program *p = c->p;
	if (p->role == IMAGE_INTERPRETER)
		return err_set(c->err, "%s: needs an interpreter itself, so it can't be one",
		               p->path);
	if (n < 2 || n > INTERPRETER_MAX || at[n - 1] || memchr(at, '\0', n) != at + n - 1 ||
	    at[0] != '/')
		return err_set(c->err,
		               "%s: damaged: the name of its interpreter is no absolute path (link "
		               "it again)",
		               p->path);
	for (uint64_t i = 0; i < n - 1; i++)
		if (at[i] <= ' ' || at[i] >= 0x7f)
			return err_set(c->err,
			               "%s: damaged: the name of its interpreter has strange "
			               "characters (link it again)",
			               p->path);
	free(p->interpreter);
	p->interpreter = alloc_text((const char *)at);
	return p->interpreter || err_set(c->err, "%s: out of memory", p->path);
}

/* Finds whether the program needs an interpreter, and which. */
static bool check_dynamic(struct checker *c)
{
	struct program *p = c->p;
	bool needs = false;
	for (unsigned i = 0; i < c->eh.e_phnum; i++) {
		Elf64_Phdr ph;
		phdr_get(c, i, &ph);
		if (ph.p_type != PT_INTERP && ph.p_type != PT_DYNAMIC)
			continue;
		if (!elf_range_is_inside(ph.p_offset, ph.p_filesz, p->n))
			return err_set(
				c->err,
				"%s: truncated: program header %u needs file bytes from 0x%" PRIx64
				", but the file has 0x%zx (copy or build it again)",
				p->path, i, (uint64_t)ph.p_offset, p->n);
		const uint8_t *at = p->bytes + ph.p_offset;
		if (ph.p_type == PT_INTERP && p->role != IMAGE_LIBRARY &&
		    !read_interpreter(c, at, ph.p_filesz))
			return false;
		/* a tag is a word, as its value is */
		const size_t word = p->is_32bit ? sizeof(Elf32_Word) : sizeof(Elf64_Xword);
		for (uint64_t off = 0; ph.p_type == PT_DYNAMIC && off + 2 * word <= ph.p_filesz;
		     off += 2 * word) {
			uint64_t tag = 0;
			memcpy(&tag, at + off, word);
			if (tag == DT_NULL)
				break;
			needs |= tag == DT_NEEDED;
		}
	}
	if (p->interpreter && p->is_32bit)
		return err_set(c->err,
		               "%s: a dynamically linked 32-bit program; expected a static one "
		               "(link it with -static)",
		               p->path);
	if (p->interpreter && p->role == IMAGE_FIRMWARE)
		return err_set(
			c->err,
			"%s: dynamically linked; firmware is not (link it with -static -nostdlib)",
			p->path);
	if (needs && !p->interpreter && p->role != IMAGE_LIBRARY)
		return err_set(c->err,
		               "%s: a shared library: it needs others and names no interpreter "
		               "that would load them (link it as an "
		               "executable)",
		               p->path);
	return true;
}

static bool check_segment(struct checker *c, unsigned i, const Elf64_Phdr *ph)
{
	const struct program *p = c->p;
	uint64_t at = ph->p_vaddr, size = ph->p_memsz;
	if (ph->p_filesz > size)
		return err_set(c->err,
		               "%s: damaged: segment %u has 0x%" PRIx64
		               " bytes in the file but only "
		               "0x%" PRIx64 " in memory",
		               p->path, i, (uint64_t)ph->p_filesz, size);
	if (ph->p_filesz && !elf_range_is_inside(ph->p_offset, ph->p_filesz, p->n))
		return err_set(c->err,
		               "%s: truncated: segment %u needs file bytes from 0x%" PRIx64
		               ", 0x%" PRIx64
		               " of them, but the file has 0x%zx (copy or build it again)",
		               p->path, i, (uint64_t)ph->p_offset, (uint64_t)ph->p_filesz, p->n);
	if (size > UINT64_MAX - at)
		return err_set(
			c->err,
			"%s: segment %u at 0x%" PRIx64 " with 0x%" PRIx64 " bytes wraps around "
			"the address space; %s memory ends at 0x%" PRIx64,
			p->path, i, at, size, p->role == IMAGE_FIRMWARE ? "firmware's" : "user",
			p->role == IMAGE_FIRMWARE ? FIRMWARE_END : MEM_TOP);
	if (size > SEGMENT_BYTES_MAX)
		return err_set(c->err,
		               "%s: segment %u needs 0x%" PRIx64
		               " bytes of memory; at most 64 GiB are "
		               "given",
		               p->path, i, size);
	if (p->role == IMAGE_FIRMWARE && size && (at < FIRMWARE_BASE || at + size > FIRMWARE_END))
		return err_set(c->err,
		               "%s: segment %u at 0x%" PRIx64 "-0x%" PRIx64
		               " is not in firmware's memory, 0x%" PRIx64 "-0x%" PRIx64
		               " (link it with -T demos/firmware/firmware.ld)",
		               p->path, i, at, at + size, FIRMWARE_BASE, FIRMWARE_END);
	if (p->is_32bit && at + size > UINT64_C(1) << 32)
		return err_set(c->err,
		               "%s: segment %u at 0x%" PRIx64 " with 0x%" PRIx64
		               " bytes ends above 4 GiB, where a 32-bit program has no memory",
		               p->path, i, at, size);
	if (p->role != IMAGE_FIRMWARE && at + size > MEM_TOP)
		return err_set(c->err,
		               "%s: segment %u at 0x%" PRIx64 "-0x%" PRIx64
		               " lies above user memory, "
		               "which ends at 0x%" PRIx64 " (link it lower)",
		               p->path, i, at, at + size, MEM_TOP);
	return true;
}

static int compare_segments(const void *a, const void *b)
{
	uint64_t x = ((const struct segment *)a)->vaddr, y = ((const struct segment *)b)->vaddr;
	return x < y ? -1 : x > y;
}

static unsigned segment_prot(const Elf64_Phdr *ph)
{
	unsigned prot = 0;
	if (ph->p_flags & PF_R)
		prot |= PROT_R;
	if (ph->p_flags & PF_W)
		prot |= PROT_R | PROT_W; /* RISC-V has no write-only pages */
	if (ph->p_flags & PF_X)
		prot |= PROT_X;
	return prot;
}

static bool read_segments(struct checker *c)
{
	struct program *p = c->p;
	uint64_t total = 0;
	for (unsigned i = 0; i < c->eh.e_phnum; i++) {
		Elf64_Phdr ph;
		phdr_get(c, i, &ph);
		if (ph.p_type != PT_LOAD)
			continue;
		if (!check_segment(c, i, &ph))
			return false;
		if (ph.p_memsz == 0)
			continue;
		if (p->segment_count == SEGMENTS_MAX)
			return err_set(c->err, "%s: more than %d loadable segments", p->path,
			               SEGMENTS_MAX);
		total += ph.p_memsz;
		p->segments[p->segment_count++] = (struct segment){
			ph.p_vaddr, ph.p_memsz, ph.p_filesz ? ph.p_offset : 0, ph.p_filesz,
			segment_prot(&ph)};
	}
	if (p->segment_count == 0)
		return err_set(c->err,
		               "%s: no loadable segment, nothing to run (link it as an executable)",
		               p->path);
	if (total > SEGMENT_BYTES_MAX)
		return err_set(c->err,
		               "%s: segments need 0x%" PRIx64
		               " bytes of memory; at most 64 GiB are "
		               "given",
		               p->path, total);
	sort_stable(p->segments, p->segment_count, sizeof p->segments[0], compare_segments);
	for (size_t i = 1; i < p->segment_count; i++) {
		const struct segment *a = &p->segments[i - 1], *b = &p->segments[i];
		if (a->vaddr + a->memsz > b->vaddr)
			return err_set(c->err,
			               "%s: segments overlap: 0x%" PRIx64 "-0x%" PRIx64
			               " and 0x%" PRIx64 "-0x%" PRIx64 " (link it again)",
			               p->path, a->vaddr, a->vaddr + a->memsz, b->vaddr,
			               b->vaddr + b->memsz);
	}
	return true;
}

static bool elf_entry_error(const struct program *p, struct err *err)
{
	return err_set(err,
	               "%s: entry point 0x%" PRIx64
	               " is not in an executable segment (is this a "
	               "library? link it as an executable with a _start)",
	               p->path, p->entry);
}

bool elf_check_entry(const struct program *p, struct err *err)
{
	const struct segment *s = segment_within(p, p->entry);
	return (s->prot & PROT_X) || program_symbol_by_name(p, TOHOST) || elf_entry_error(p, err);
}

/* Moves a position-independent image to its place. A fixed program must leave the null page free,
 * and room for a stack unless it is firmware. */
static bool elf_relocate_segments(struct checker *c)
{
	struct program *p = c->p;
	if (c->eh.e_type == ET_DYN)
		p->bias = (p->base & ~(uint64_t)(PAGE_BYTES - 1)) -
		          (p->segments[0].vaddr & ~(uint64_t)(PAGE_BYTES - 1));
	else if (p->segments[0].vaddr < PAGE_BYTES)
		return err_set(c->err,
		               "%s: segment at 0x%" PRIx64
		               " covers the null page, which stays unmapped "
		               "(link it at 0x10000 or above)",
		               p->path, p->segments[0].vaddr);
	for (size_t i = 0; i < p->segment_count; i++)
		p->segments[i].vaddr += p->bias;
	const struct segment *last = &p->segments[p->segment_count - 1];
	if (p->role != IMAGE_FIRMWARE && last->vaddr + last->memsz > MEM_TOP - PAGE_BYTES)
		return err_set(c->err,
		               "%s: segments end at 0x%" PRIx64
		               ", leaving no room for a stack below "
		               "0x%" PRIx64 " (link it lower)",
		               p->path, last->vaddr + last->memsz, MEM_TOP);

	if (p->role == IMAGE_LIBRARY)
		return true;
	p->entry = c->eh.e_entry + p->bias;
	if (c->eh.e_type == ET_DYN && !c->eh.e_entry)
		return err_set(c->err,
		               "%s: a shared library: it names no place to begin (link it as an "
		               "executable)",
		               p->path);
	if (!segment_within(p, p->entry))
		return elf_entry_error(p, c->err);
	if (p->entry & 1)
		return err_set(c->err,
		               "%s: entry point 0x%" PRIx64 " is odd; instructions start at even "
		               "addresses",
		               p->path, p->entry);
	return true;
}

/* Finds where the running program sees its own program headers, and the protection of its stack, as
 * Linux does. */
static void read_phdrs(struct checker *c)
{
	struct program *p = c->p;
	p->phnum = c->eh.e_phnum;
	p->stack_prot = PROT_R | PROT_W;
	for (size_t i = 0; i < p->segment_count; i++) {
		const struct segment *s = &p->segments[i];
		if (c->eh.e_phoff >= s->offset && c->eh.e_phoff - s->offset < s->filesz)
			p->phdr = s->vaddr + (c->eh.e_phoff - s->offset);
	}
	for (unsigned i = 0; i < c->eh.e_phnum; i++) {
		Elf64_Phdr ph;
		phdr_get(c, i, &ph);
		if (ph.p_type == PT_PHDR)
			p->phdr = ph.p_vaddr + p->bias;
		if (ph.p_type == PT_GNU_STACK && (ph.p_flags & PF_X))
			p->stack_prot |=
				PROT_X; /* nested functions: gcc puts their trampolines there */
	}
}

const struct segment *segment_within(const struct program *p, uint64_t addr)
{
	for (size_t i = 0; i < p->segment_count; i++) {
		const struct segment *s = &p->segments[i];
		if (addr >= s->vaddr && addr - s->vaddr < s->memsz)
			return s;
	}
	return NULL;
}

static bool libelf_failed(void)
{
	const int number = elf_errno();
	return number && strcmp(elf_errmsg(number), "out of memory") == 0;
}

bool elf_read(struct program *p, struct err *err)
{
	struct checker c = { .p = p, .err = err };
	if (!check_kind(&c) || !check_header(&c) || !elf_check_section_headers(&c))
		return false;
	if (p->role != IMAGE_DEBUG) {
		if (!check_dynamic(&c) || !read_segments(&c) || !elf_relocate_segments(&c))
			return false;
		read_phdrs(&c);
	}
	elf_version(EV_CURRENT);
	alloc_ask_library(libelf_failed);
	p->elf = elf_memory((char *)p->bytes, p->n);
	if (!p->elf)
		return err_set(err, "%s: libelf can't read it: %s", p->path, elf_errmsg(-1));
	return true;
}
