#include "loader/program.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/populate.h"
#include "loader/microprogram.h"
#include "loader/assembled_note.h"
#include "loader/program_priv.h"

/* Zero bytes kept after the file: a reader that overruns a damaged table slightly finds its end. */
enum { TAIL_BYTES = 64 };
/* Limit for debug information until it is set: sim.debug_memory's default. */
enum { DEBUG_MEMORY = 512 << 20 };

/* A program file larger than this is a mistake. */
#define FILE_BYTES_MAX (INT64_C(4) << 30)

static struct program *program_report_no_memory(struct program *p, const char *name,
                                                struct err *err)
{
	program_free(p);
	err_set(err, "%s: out of memory", name);
	return NULL;
}

/* Takes over bytes, which have TAIL_BYTES of room after n. */
static struct program *from_owned_bytes(uint8_t *bytes, size_t n, const char *name,
                                        enum image_role role, uint64_t base, struct err *err)
{
	struct program *p = alloc_zeroed(1, sizeof *p);
	if (!p) {
		free(bytes);
		return program_report_no_memory(NULL, name, err);
	}
	memset(bytes + n, 0, TAIL_BYTES);
	p->bytes = bytes;
	p->n = n;
	p->role = role;
	p->base = base;
	p->path = alloc_text(name);
	p->debug = alloc_zeroed(1, sizeof *p->debug);
	if (p->debug) {
		p->debug->limit.most = DEBUG_MEMORY;
		walk_begin(p);
	}
	if (!p->path || !p->debug)
		return program_report_no_memory(p, name, err);
	if (!elf_read(p, err)) {
		program_free(p);
		return NULL;
	}
	if (role != IMAGE_DEBUG && !symbols_read(p))
		return program_report_no_memory(p, name, err);
	if (p->entry && !elf_check_entry(p, err)) {
		program_free(p);
		return NULL;
	}
	return p;
}

static struct program *from_bytes(const void *bytes, size_t n, const char *name,
                                  enum image_role role, struct err *err)
{
	uint8_t *copy = alloc_bytes(n + TAIL_BYTES);
	if (!copy)
		return program_report_no_memory(NULL, name, err);
	populate_memory(copy, n);
	if (n)
		memcpy(copy, bytes, n);
	return from_owned_bytes(copy, n, name, role, PROGRAM_PIE_BASE, err);
}

struct program *program_from_bytes(const void *bytes, size_t n, const char *name, struct err *err)
{
	return from_bytes(bytes, n, name, IMAGE_PROGRAM, err);
}

struct program *program_firmware_from_bytes(const void *bytes, size_t n, const char *name,
                                            struct err *err)
{
	return from_bytes(bytes, n, name, IMAGE_FIRMWARE, err);
}

static uint8_t *program_read_file_bytes(FILE *f, const char *path, size_t *n, struct err *err)
{
	struct stat st;
	if (fstat(fileno(f), &st) != 0) {
		err_set(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(err, "%s: %s, not a program file", path,
		        S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
		return NULL;
	}
	if (st.st_size > FILE_BYTES_MAX) {
		err_set(err, "%s: %jd bytes; a program file has at most 4 GiB", path,
		        (intmax_t)st.st_size);
		return NULL;
	}
	uint8_t *bytes = alloc_bytes((size_t)st.st_size + TAIL_BYTES);
	if (!bytes) {
		err_set(err, "%s: out of memory", path);
		return NULL;
	}
	populate_memory(bytes, (size_t)st.st_size);
	*n = fread(bytes, 1, (size_t)st.st_size, f);
	if (ferror(f)) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Takes over the descriptor; fd < 0: errno has the reason. */
static struct program *from_descriptor(int fd, const char *path, enum image_role role,
                                       uint64_t base, struct err *err)
{
	FILE *f = fd >= 0 ? alloc_file_of(fd, "rb") : NULL;
	if (!f) {
		err_set(err, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	size_t n = 0;
	uint8_t *bytes = program_read_file_bytes(f, path, &n, err);
	fclose(f);
	return bytes ? from_owned_bytes(bytes, n, path, role, base, err) : NULL;
}

static struct program *program_open_path(const char *path, enum image_role role, uint64_t base,
                                         struct err *err)
{
	/* O_NONBLOCK: don't wait for the writer of a pipe. */
	return from_descriptor(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), path, role, base,
	                       err);
}

struct program *program_open(const char *path, struct err *err)
{
	return program_open_path(path, IMAGE_PROGRAM, PROGRAM_PIE_BASE, err);
}

struct program *program_open_at(const char *file, const char *path, uint64_t base, struct err *err)
{
	return from_descriptor(open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC), path, IMAGE_PROGRAM,
	                       base, err);
}

struct program *program_open_interpreter(int fd, const char *name, uint64_t base, struct err *err)
{
	return from_descriptor(fd, name, IMAGE_INTERPRETER, base, err);
}

struct program *program_open_library(int fd, const char *name, uint64_t base, struct err *err)
{
	return from_descriptor(fd, name, IMAGE_LIBRARY, base, err);
}

struct program *program_open_separate(int fd, const char *name, struct err *err)
{
	return from_descriptor(fd, name, IMAGE_DEBUG, 0, err);
}

struct program *program_open_firmware(const char *path, struct err *err)
{
	return program_open_path(path, IMAGE_FIRMWARE, 0, err);
}

static void program_free_images(struct images *all)
{
	if (all->watched)
		os_watch(all->watched, NULL);
	for (size_t i = 0; i < all->known_count; i++) {
		program_free(all->known[i].image);
		free(all->known[i].path);
	}
	free(all->known);
	free(all->symbols);
}

void program_free(struct program *p)
{
	if (!p)
		return;
	if (p->debug) {
		program_free_images(&p->debug->images);
		sources_free(p->debug->sources);
		names_free(p->debug->names);
		code_index_free(p->debug->code_index);
		inlined_index_free(p->debug->inlined);
		locations_free(p->debug->locations);
		lines_free(p->debug->lines);
		cfi_free(p->debug->cfi);
		dwarf_end(p->debug->dwarf);
		profile_code_free(p->debug->code);
		free(p->debug);
	}
	program_free(p->firmware);
	program_free(p->loader);
	program_free(p->separate);
	free(p->interpreter);
	microprogram_free(p->microprogram);
	symbols_deinit(&p->symbols);
	if (p->elf)
		elf_end(p->elf);
	free(p->bytes);
	free(p->path);
	free(p);
}

bool program_write(struct program *p, uint64_t addr, const void *bytes, size_t n, struct err *err)
{
	assert(!p->firmware);
	const struct segment *s = segment_at(p, addr);
	uint64_t at = s ? addr - s->vaddr : 0;
	if (!s || at >= s->filesz || n > s->filesz - at)
		return err_set(err,
		               "%s: the file holds nothing for 0x%" PRIx64 " to 0x%" PRIx64
		               ": only code and initialised data "
		               "can be rewritten",
		               p->path, addr, addr + n - 1);
	memcpy(p->bytes + s->offset + at, bytes, n);
	return true;
}

bool program_attach(struct program *p, struct program *firmware)
{
	if (!symbols_append(&p->symbols, &firmware->symbols))
		return false;
	p->firmware = firmware;
	return true;
}

void program_attach_microprogram(struct program *p, struct microprogram *microprogram)
{
	microprogram_free(p->microprogram);
	p->microprogram = microprogram;
}

const struct microprogram *program_microprogram(const struct program *p)
{
	return p->microprogram;
}

const char *program_interpreter(const struct program *p)
{
	return p->interpreter;
}

void program_attach_interpreter(struct program *p, struct program *interpreter)
{
	program_free(p->loader);
	p->loader = interpreter;
}

const struct program *program_firmware(const struct program *p)
{
	return p->firmware;
}

const char *program_path(const struct program *p)
{
	return p->path;
}

enum os_abi program_abi(const struct program *p)
{
	return p->abi;
}

void program_set_abi(struct program *p, enum os_abi abi)
{
	p->abi = abi;
	for (size_t i = 0; abi == OS_HTIF && i < p->segment_count; i++)
		p->segments[i].prot = PROT_R | PROT_W | PROT_X;
}

uint64_t program_entry(const struct program *p)
{
	return p->entry;
}

bool program_is_32bit(const struct program *p)
{
	return p->is_32bit;
}

/* The end of its stack. */
uint64_t program_stack_top(const struct program *p)
{
	return p->is_32bit ? MEM_TOP_32 : MEM_TOP;
}

bool program_is_words(const struct program *p)
{
	return !p->compressed && (!p->firmware || !p->firmware->compressed) &&
	       (!p->loader || !p->loader->compressed);
}

uint64_t program_digest(const struct program *p)
{
	const uint64_t own = hash_bytes(HASH_START, p->bytes, p->n);
	return p->loader ? hash_bytes(own, p->loader->bytes, p->loader->n) : own;
}

/* A run of whole pages with one protection. */
struct run {
	uint64_t start, end;
	unsigned prot;
};

static uint64_t page_down(uint64_t addr)
{
	return addr & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t page_up(uint64_t addr)
{
	return page_down(addr + PAGE_BYTES - 1);
}

/* Fills the runs of pages. Segments may share a page: it gets the union of their protections. runs
 * has room for two per segment; returns how many were filled. */
static size_t page_runs(const struct program *p, struct run *runs)
{
	size_t n = 0;
	for (size_t i = 0; i < p->segment_count; i++) {
		const struct segment *s = &p->segments[i];
		uint64_t start = page_down(s->vaddr), end = page_up(s->vaddr + s->memsz);
		if (n && runs[n - 1].end > start) {
			/* Sorted and disjoint: only the last page of the previous run can be
			 * shared. */
			unsigned both = runs[n - 1].prot | s->prot;
			runs[n - 1].end = start;
			if (runs[n - 1].start == start)
				n--;
			runs[n++] = (struct run){ start, start + PAGE_BYTES, both };
			start += PAGE_BYTES;
		}
		if (start < end)
			runs[n++] = (struct run){ start, end, s->prot };
	}
	return n;
}

static const char *run_name(const struct program *p, unsigned prot)
{
	if (p->role == IMAGE_FIRMWARE)
		return prot & PROT_X   ? "firmware text"
		       : prot & PROT_W ? "firmware data"
		                       : "firmware rodata";
	return prot & PROT_X ? "text" : prot & PROT_W ? "data" : "rodata";
}

static bool load_segments(const struct program *p, struct mem *mem, struct err *err)
{
	struct run runs[2 * SEGMENTS_MAX];
	size_t n = page_runs(p, runs);
	for (size_t i = 0; i < n; i++) {
		const struct run *r = &runs[i];
		unsigned prot = p->role == IMAGE_FIRMWARE ? r->prot | PROT_M : r->prot;
		if (!mem_map(mem, r->start, r->end - r->start, prot, run_name(p, prot)))
			return err_set(err,
			               "%s: can't map 0x%" PRIx64 "-0x%" PRIx64
			               ": out of memory, or too many memory regions",
			               p->path, r->start, r->end);
	}
	for (size_t i = 0; i < p->segment_count; i++) {
		const struct segment *s = &p->segments[i];
		if (s->filesz && !mem_poke(mem, s->vaddr, p->bytes + s->offset, s->filesz))
			return err_set(err, "%s: out of memory for the segment at 0x%" PRIx64,
			               p->path, s->vaddr);
	}
	return true;
}

/* Loads the interpreter's segments, which must not overlap others. */
static bool load_interpreter(const struct program *p, const struct program *loader, struct mem *mem,
                             uint64_t stack_bytes, struct err *err)
{
	uint64_t start, end, own_start, own_end;
	program_extent(loader, &start, &end);
	program_extent(p, &own_start, &own_end);
	if ((start < own_end && own_start < end) || end > MEM_TOP - stack_bytes)
		return err_set(err,
		               "%s: its interpreter %s, at 0x%" PRIx64 "-0x%" PRIx64
		               ", lies over it or its stack (set sim.interp_base or "
		               "sim.load_base)",
		               p->path, loader->path, start, end);
	return load_segments(loader, mem, err);
}

/* Places stack, heap and gp where simulators of 32 bits have them, whose programs keep addresses in
 * words. */
static bool program_place_course(const struct program *p, struct mem *mem, struct hart *h,
                                 uint64_t *brk, struct err *err)
{
	enum { STACK_TOP = 0x7ffff000, STACK_BYTES = 4 << 20, STACK_FREE = 16 };
	enum { HEAP = 0x10040000, GLOBAL_POINTER = 0x10008000 };
	if (!mem_map(mem, STACK_TOP - STACK_BYTES, STACK_BYTES, PROT_R | PROT_W, "stack"))
		return err_set(err, "%s: there is no room for the stack of %s at 0x%x", p->path,
		               os_abi_name(p->abi), STACK_TOP);
	h->r[REG_SP] = STACK_TOP - STACK_FREE;
	h->r[REG_GP] = GLOBAL_POINTER;
	*brk = *brk < HEAP ? HEAP : *brk;
	return true;
}

/* Maps what a bare-metal program finds around its segments: memory, from its first page on. */
static bool program_place_ram(const struct program *p, struct mem *mem, uint64_t start,
                              uint64_t limit, struct err *err)
{
	enum { RAM_BYTES = 128 << 20 };
	const uint64_t end = limit - start < RAM_BYTES ? limit : start + RAM_BYTES;
	return mem_map(mem, start, end - start, PROT_R | PROT_W, MEM_SPARSE) ||
	       err_set(err, "%s: can't map memory at 0x%" PRIx64, p->path, start);
}

bool program_load(const struct program *p, struct mem *mem, struct hart *h, uint64_t *brk,
                  int argc, char *const argv[], char *const envp[], uint64_t stack_bytes,
                  uint64_t seed, struct err *err)
{
	const struct program *loader = p->loader;
	uint64_t start, end;
	program_extent(p, &start, &end);
	if (p->interpreter && !loader)
		return err_set(err, "%s: dynamically linked, and its interpreter %s is not there",
		               p->path, p->interpreter);
	const uint64_t top = program_stack_top(p);
	if (stack_bytes < PAGE_BYTES || stack_bytes > top - (end < top ? end : PAGE_BYTES))
		return err_set(err,
		               "%s: no room for a stack of %" PRIu64
		               " bytes between the program's end at "
		               "0x%" PRIx64 " and 0x%" PRIx64,
		               p->path, stack_bytes, end, top);
	stack_bytes = page_up(stack_bytes);
	if (p->abi == OS_HTIF &&
	    !program_place_ram(p, mem, start,
	                       start < top ? top - stack_bytes
	                       : p->is_32bit ? UINT64_C(1) << 32
	                                     : MEM_TOP,
	                       err))
		return false;
	if (!load_segments(p, mem, err) ||
	    (loader && !load_interpreter(p, loader, mem, stack_bytes, err)))
		return false;
	if (!mem_map(mem, top - stack_bytes, stack_bytes, p->stack_prot, "stack"))
		return err_set(err, "%s: can't map a stack of %" PRIu64 " bytes", p->path,
		               stack_bytes);
	uint64_t sp;
	if (!stack_build(p, mem, argc, argv, envp, stack_bytes, seed, &sp, err))
		return false;
	h->pc = loader ? loader->entry : p->entry;
	h->r[REG_SP] = sp;
	*brk = end;
	return !os_abi_is_course(p->abi) || program_place_course(p, mem, h, brk, err);
}

bool program_load_firmware(const struct program *firmware, struct mem *mem, struct err *err)
{
	return load_segments(firmware, mem, err);
}
