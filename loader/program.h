/* A loaded guest program: the ELF file, its symbols, source lines and call frames; and the firmware
 * that runs beside it.
 *
 * RISC-V ELF64 only, through libelf and libdw: fixed or position-independent, static or with an
 * interpreter, which is loaded beside it. A program is immutable after loading and shared by any
 * number of machines. Line and call frame tables are read on first use, so look-ups into one
 * program come from one thread at a time. */
#ifndef CYCLOPS_LOADER_PROGRAM_H
#define CYCLOPS_LOADER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"

struct program;

/* Where position-independent programs are placed if nobody says where: sim.load_base's default. */
#define PROGRAM_PIE_BASE UINT64_C(0x10000)
/* The same of interpreters: sim.interp_base's default. */
#define PROGRAM_INTERP_BASE (UINT64_C(3) << 36)

/* Reads and checks the whole file. NULL with *err (one line: which is wrong and what would be
 * right: not an ELF file, not RISC-V, 32-bit, big-endian, a library, truncated, overlapping or
 * absurd segments, no executable entry, needs an extension we lack...). */
struct program *program_open(const char *path, struct err *err);
/* The same of a file that is known by the name `path`, placed at base, a page's address, if it is
 * position-independent. */
struct program *program_open_at(const char *file, const char *path, uint64_t base, struct err *err);
/* The same from memory (fuzzing); bytes are copied. */
struct program *program_from_bytes(const void *bytes, size_t n, const char *name, struct err *err);
/* Code for M-mode: ET_EXEC, all of it in [FIRMWARE_BASE, FIRMWARE_END). It is a program to load
 * with program_load_firmware() and to attach, not one to run by itself. NULL with *err, as
 * program_open(). */
struct program *program_open_firmware(const char *path, struct err *err);
struct program *program_firmware_from_bytes(const void *bytes, size_t n, const char *name,
                                            struct err *err);
/* What begins a dynamically linked program, open for reading as fd, which is taken over (-1: errno
 * says why not); name: the guest's path. */
struct program *program_open_interpreter(int fd, const char *name, uint64_t base, struct err *err);
/* A shared library that a program has mapped at base; to be looked into, not to be loaded. */
struct program *program_open_library(int fd, const char *name, uint64_t base, struct err *err);
void program_free(struct program *p);

/* The guest's path of the interpreter that a dynamically linked program wants; NULL: it is static.
 * Borrowed. */
const char *program_interpreter(const struct program *p);
/* p takes it over: program_load() loads it, too, and begins there. */
void program_attach_interpreter(struct program *p, struct program *interpreter);

/* Maps the segments and the stack into an empty mem, sets h->pc and sp, and lays out argc, argv,
 * environment and auxiliary vector (AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_BASE, AT_ENTRY,
 * AT_UID.., AT_SECURE, AT_HWCAP, AT_RANDOM, AT_EXECFN, AT_CLKTCK, AT_NULL) as Linux does. *brk
 * receives the first free page after bss. AT_RANDOM's bytes are fixed by seed. All failures leave
 * mem in an unspecified state; the caller throws it away. */
bool program_load(const struct program *p, struct mem *mem, struct hart *h, uint64_t *brk,
                  int argc, char *const argv[], char *const envp[], uint64_t stack_bytes,
                  uint64_t seed, struct err *err);

/* Replaces n bytes of what the file holds for addr, before p is loaded anywhere and has firmware:
 * an editor's part. False with *err if the file holds no such bytes (bss, a gap): nothing is
 * written. */
bool program_write(struct program *p, uint64_t addr, const void *bytes, size_t n, struct err *err);

/* p takes firmware over, which had better not be attached twice. From now on p's symbols, lines,
 * texts and call frames are those of both: their addresses never meet, and where both have a name,
 * p's is meant. False if memory runs out: both are as before. */
bool program_attach(struct program *p, struct program *firmware);
/* Looks for its debug information in a file of its own (separate.c), if it has none itself: in what
 * open(ctx, PATH) gives as a descriptor, and below the folders, NULL at the end; NULL: none. Before
 * it is attached to anything. False if memory is out. */
bool program_find_debug(struct program *p, const char *const *folders,
                        int (*open)(const void *ctx, const char *path), const void *ctx);
/* p runs in the machine of this os and memory: from now on, until that is freed or p runs
 * elsewhere, its symbols, lines, texts, variables and call frames are those of its interpreter and
 * of the libraries that are mapped there now, too. Where several have a name, p's own is meant,
 * else the one that was mapped first. */
struct os;
void program_watch(const struct program *p, struct os *os, const struct mem *mem);
/* Its libraries in the order of mapping, then its interpreter; NULL behind the last. Borrowed. */
const struct program *program_library(const struct program *p, unsigned i);
/* The one of them that addr belongs to, NULL if none. */
const struct program *program_library_at(const struct program *p, uint64_t addr);
/* Its first page, and where the last ends. */
void program_extent(const struct program *p, uint64_t *start, uint64_t *end);

/* What was attached, NULL if nothing was. Borrowed. */
const struct program *program_firmware(const struct program *p);
/* Maps the segments for M-mode alone into mem, beside the guest's. Failures as program_load(). */
bool program_load_firmware(const struct program *firmware, struct mem *mem, struct err *err);

/* p takes over the microprogram that the co-processor begins with; what it had is freed. */
struct microprogram;
void program_attach_microprogram(struct program *p, struct microprogram *microprogram);
/* What was attached, NULL if nothing was. Borrowed. */
const struct microprogram *program_microprogram(const struct program *p);

const char *program_path(const struct program *p);
uint64_t program_entry(const struct program *p);
/* No instruction of it is compressed, as its header says; nor of firmware's that is attached. */
bool program_is_words(const struct program *p);
/* FNV-1a of the file's bytes, and of its interpreter's: what a checkpoint names its program by. */
uint64_t program_digest(const struct program *p);

/* ---- symbols ---- */
struct symbol {
	/* borrowed from the program; of C++ and Rust as one writes it: "geo::sum(int, int)" */
	const char *name;
	uint64_t addr;    /* byte address as loaded */
	uint64_t size;    /* bytes, 0 if unknown (then it ends at the next symbol) */
	bool code;        /* a function (or label in an executable section), not data */
};

/* All symbols by address; mapping symbols ($x, $d), section and file symbols are left out. */
const struct symbol *program_symbols(const struct program *p, size_t *count);
/* By its name as above, or as the linker has it. */
const struct symbol *program_symbol_by_name(const struct program *p, const char *name);
/* The same, also of libraries that were mapped once and are not now. */
const struct symbol *program_symbol_once(const struct program *p, const char *name);
/* The functions that a person may mean by a name (loader/demangle.h), in order of addresses, the
 * one with just that name first; their number, at most max. Borrowed, until a library is mapped. */
size_t program_functions_meant(const struct program *p, const char *name, const struct symbol **out,
                               size_t max);
/* The symbol that covers addr, NULL if none. Global names win over local aliases. */
const struct symbol *program_symbol_at(const struct program *p, uint64_t addr);
/* "find+0x10", "find", "libc.so.6+0x38f1a" where a library has no symbol, or "0x1040c": never
 * fails. Returns buf. */
char *program_addr_text(const struct program *p, uint64_t addr, char *buf, size_t n);

/* Where procedures begin: addresses by rising order, malloc'd, with bit 0 set where only a part of
 * one does that lies elsewhere (f.cold). NULL if memory is out; *count may be 0. */
uint64_t *program_procedures(const struct program *p, size_t *count);

/* ---- source lines ---- */
struct source_line {
	const char *file; /* as the compiler recorded it, borrowed */
	unsigned line;    /* 1-based; 0 = unknown */
};

/* How much of the host's memory reading the debug information of the program and its firmware may
 * take; 0: any amount. What would take more is left out, and program_left_out() says so. Before
 * anything of it is read. */
void program_limit_debug(const struct program *p, uint64_t bytes);
/* Why something of the debug information was left out, NULL: nothing was so far. */
const char *program_left_out(const struct program *p);
/* Why there may be no source line: what would have to be done. */
const char *program_no_lines(const struct program *p);

/* Whether there are any, without those of libraries. */
bool program_has_lines(const struct program *p);
bool program_line_at(const struct program *p, uint64_t addr, struct source_line *out);
/* First address of "file.c:41" (the file's last path components suffice) or the next line with
 * code. */
bool program_addr_of_line(const struct program *p, const char *file, unsigned line, uint64_t *addr,
                          struct err *err);
/* All of them, where a line has code in several functions, as of a template, or in inlined copies:
 * the first in each; their number, at most max. 0: with *err. */
size_t program_places_of_line(const struct program *p, const char *file, unsigned line,
                              uint64_t *out, size_t max, struct err *err);
/* The addresses [*lo, *hi) around addr that belong to its line, within its function; for
 * next/until. Places that are no recommended stop belong to the line before them. False if addr has
 * no line. */
bool program_line_range(const struct program *p, uint64_t addr, uint64_t *lo, uint64_t *hi);
/* One stretch of code of a line, as the line table has it; gdb steps by these. */
struct program_stretch {
	uint64_t pc, end; /* [pc, end) */
	struct source_line at;
	bool is_stop;     /* its beginning is a recommended place to stop */
	unsigned rows;    /* of the table that begin at pc */
};
/* False if addr has no line. */
bool program_stretch_at(const struct program *p, uint64_t addr, struct program_stretch *out);
/* The line that one is told to be at: of several at one address, one to stop at. */
bool program_stop_line_at(const struct program *p, uint64_t addr, struct source_line *out);
/* Text of a source line, found as recorded, relative to the current directory, the program's folder
 * and those of program_set_sources(), or by base name in them or above. Only files below one of
 * these folders are read, for the name is the program's. NULL if the file can't be found or has no
 * such line. Borrowed. *count, if not NULL, receives the file's number of lines. */
const char *program_source_text(struct program *p, const char *file, unsigned line,
                                unsigned *count);

/* Where the file was found, canonical; NULL: nowhere. Borrowed. */
const char *program_source_path(struct program *p, const char *file);
/* Why there is no text of a file, for people. */
const char *program_source_missing(struct program *p, const char *file);
/* Before the first question: folders with sources, NULL at the end; borrowed. */
void program_set_sources(struct program *p, const char *const *folders);

/* arch.c: what the file that addr belongs to was compiled for, "rv64i2p1_m2p0_a2p1_..."; NULL if it
 * doesn't say. Borrowed. */
const char *program_arch(const struct program *p, uint64_t addr);

/* ---- call frames ---- */
enum frame_kind {
	FRAME_CALLER, /* pc is a return address */
	FRAME_AT,     /* pc is the next instruction: of the innermost, or where a signal came */
	FRAME_SIGNAL  /* what a handler of a signal returns to; the next frame is where that came */
};

struct frame {
	uint64_t pc;  /* of the frame; for callers, the return address */
	uint64_t cfa; /* canonical frame address, bytes */
	enum frame_kind kind;
	/* Of functions inlined there (loader/dwarf/inlined.h): whose frame it is, 1 the outermost
	 * one's; 0: that of the function which was called */
	unsigned inlined;
	/* number of its call, 0 the innermost; frames of inlined functions share it */
	unsigned call;
};

/* An address in the code that a frame is in: a call may be a function's last instruction, and its
 * return address the next one's. */
static inline uint64_t frame_look(const struct frame *f)
{
	return f->kind == FRAME_CALLER ? f->pc - 1 : f->pc;
}

/* What stands in the place of a function's name. */
#define FRAME_SIGNAL_TEXT "<signal handler called>"

/* Unwinds from the register file r (x0..x31) at pc: by DWARF CFI (.eh_frame or .debug_frame), else
 * by prologue analysis (leaf: ra; else scanning the function's start for the sp adjustment and
 * where ra was stored). Fills at most max frames, innermost first; returns their number (at least
 * 1). Never reads unmapped memory and always ends. */
size_t program_backtrace(const struct program *p, const struct mem *mem, const uint64_t *r,
                         uint64_t pc, struct frame *out, size_t max);

/* The registers of a frame, as far as they are known. */
struct unwind_regs {
	uint64_t r[64]; /* x0..x31, f0..f31 */
	uint64_t known; /* bit i: r[i] is the frame's value */
	uint64_t pc;
};

/* Memory as unwinding is to read it. */
struct frame_memory {
	const struct mem *mem;
	/* Instead of what mem holds now: the committed bytes, while the machine is ahead of them.
	 * NULL: mem. */
	bool (*peek)(const void *ctx, uint64_t addr, void *buf, size_t n);
	const void *ctx;
};

static inline bool frame_read(const struct frame_memory *m, uint64_t addr, void *buf, size_t n)
{
	return m->peek ? m->peek(m->ctx, addr, buf, n) : mem_peek(m->mem, addr, buf, n);
}

size_t program_backtrace_in(const struct program *p, const struct frame_memory *mem,
                            const uint64_t *r, uint64_t pc, struct frame *out, size_t max);
/* The same from all that is known of the innermost frame's registers. regs, if not NULL, receives
 * those of each frame ([max]). */
size_t program_unwind(const struct program *p, const struct frame_memory *mem,
                      const struct unwind_regs *innermost, struct frame *out,
                      struct unwind_regs *regs, size_t max);

#endif
