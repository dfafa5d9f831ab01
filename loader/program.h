/* A loaded guest program: the ELF file, its symbols, source lines and call frames; and the firmware
 * that runs beside it.
 *
 * RISC-V ELF64 only, through libelf and libdw: fixed or position-independent, static or with an
 * interpreter, which is loaded beside it. A program is immutable after loading and shared by any
 * number of machines. Line and call frame tables are read on first use, so only one thread at a
 * time may look into a program. */
#ifndef CYCLOPS_LOADER_PROGRAM_H
#define CYCLOPS_LOADER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"

struct program;

/* Default address of position-independent programs: sim.load_base's. */
#define PROGRAM_PIE_BASE UINT64_C(0x10000)
/* Default address of interpreters: sim.interp_base's. */
#define PROGRAM_INTERP_BASE (UINT64_C(3) << 36)

/* Reads and checks the whole file. NULL with *err, one line with the cause and what was expected:
 * not an ELF file, not RISC-V, 32-bit, big-endian, a library, truncated, overlapping or absurd
 * segments, no executable entry, needs an extension we lack... */
struct program *program_open(const char *path, struct err *err);
/* Opens a file under the name `path`, placed at base, a page's address, if it is
 * position-independent. */
struct program *program_open_at(const char *file, const char *path, uint64_t base, struct err *err);
/* Opens a program from memory (fuzzing); bytes are copied. */
struct program *program_from_bytes(const void *bytes, size_t n, const char *name, struct err *err);
/* Opens code for M-mode: ET_EXEC, all of it in [FIRMWARE_BASE, FIRMWARE_END). It is to be loaded
 * with program_load_firmware() and attached, not run by itself. NULL with *err, as
 * program_open(). */
struct program *program_open_firmware(const char *path, struct err *err);
struct program *program_firmware_from_bytes(const void *bytes, size_t n, const char *name,
                                            struct err *err);
/* Opens the interpreter of a dynamically linked program. fd is open for reading and taken over (-1:
 * errno has the cause); name: the guest's path. */
struct program *program_open_interpreter(int fd, const char *name, uint64_t base, struct err *err);
/* Opens a shared library that a program has mapped at base; for look-ups only, never loaded. */
struct program *program_open_library(int fd, const char *name, uint64_t base, struct err *err);
void program_free(struct program *p);

/* The guest's path of a dynamically linked program's interpreter; NULL if it is static.
 * Borrowed. */
const char *program_interpreter(const struct program *p);
/* Attaches an interpreter, which p takes over: program_load() loads it too, and begins there. */
void program_attach_interpreter(struct program *p, struct program *interpreter);

/* Maps the segments and the stack into an empty mem, sets h->pc and sp, and lays out argc, argv,
 * environment and auxiliary vector (AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_BASE, AT_ENTRY,
 * AT_UID.., AT_SECURE, AT_HWCAP, AT_RANDOM, AT_EXECFN, AT_CLKTCK, AT_NULL) as Linux does. *brk
 * receives the first free page after bss. AT_RANDOM's bytes are fixed by seed. All failures leave
 * mem in an unspecified state; the caller throws it away. */
bool program_load(const struct program *p, struct mem *mem, struct hart *h, uint64_t *brk,
                  int argc, char *const argv[], char *const envp[], uint64_t stack_bytes,
                  uint64_t seed, struct err *err);

/* Replaces n bytes of the file's contents for addr, before p is loaded or has firmware: for
 * editors. False with *err if the file holds no such bytes (bss, a gap): nothing is written. */
bool program_write(struct program *p, uint64_t addr, const void *bytes, size_t n, struct err *err);

/* Attaches firmware, at most once; p takes it over. From now on p's symbols, lines, texts and call
 * frames are those of both programs: their addresses never overlap, and a name that both have means
 * p's. False if memory runs out: both are unchanged. */
bool program_attach(struct program *p, struct program *firmware);
/* Looks for the debug information of a program that has none in a separate file (separate.c):
 * through open(ctx, PATH), which returns a descriptor, and below the folders, NULL at the end
 * (NULL: none). Before the program is attached to anything. False if memory is out. */
bool program_find_debug(struct program *p, const char *const *folders,
                        int (*open)(const void *ctx, const char *path), const void *ctx);
/* A text that names the debug information that program_find_debug() has not found; "": none. */
const char *program_debug_missing(const struct program *p);
/* Makes p run in the machine of this os and memory, until that is freed or p runs elsewhere: its
 * symbols, lines, texts, variables and call frames include those of its interpreter and of the
 * libraries mapped there now. For a name in several, p's own is meant, else that of the one mapped
 * first. */
struct os;
void program_watch(const struct program *p, struct os *os, const struct mem *mem);
/* Libraries in the order of mapping, then the interpreter; NULL after the last. Borrowed. */
const struct program *program_library(const struct program *p, unsigned i);
/* The library or interpreter that addr belongs to; NULL if none. */
const struct program *program_library_at(const struct program *p, uint64_t addr);
/* The addresses of an image's first page, and of the end of its last. */
void program_extent(const struct program *p, uint64_t *start, uint64_t *end);

/* The attached firmware; NULL if there is none. Borrowed. */
const struct program *program_firmware(const struct program *p);
/* Maps the firmware's segments into mem, for M-mode alone, beside the guest's. Failures as
 * program_load(). */
bool program_load_firmware(const struct program *firmware, struct mem *mem, struct err *err);

/* Attaches the co-processor's initial microprogram, which p takes over; an earlier one is freed. */
struct microprogram;
void program_attach_microprogram(struct program *p, struct microprogram *microprogram);
/* The attached microprogram; NULL if there is none. Borrowed. */
const struct microprogram *program_microprogram(const struct program *p);

const char *program_path(const struct program *p);
uint64_t program_entry(const struct program *p);
/* Whether neither p nor its firmware has compressed instructions, by their headers. */
bool program_is_words(const struct program *p);
/* Whether it is an ELF32 file, for RV32GC. */
bool program_is_32bit(const struct program *p);
/* The symbol of a bare-metal program through which it prints and ends. */
#define TOHOST "tohost"
/* The ABI of p's ecalls; OS_LINUX until set, before p is loaded. */
enum os_abi program_abi(const struct program *p);
void program_set_abi(struct program *p, enum os_abi abi);
/* FNV-1a of the bytes of the file and its interpreter: identifies a checkpoint's program. */
uint64_t program_digest(const struct program *p);

/* ---- symbols ---- */
struct symbol {
	/* borrowed from the program; of C++ and Rust demangled: "geo::sum(int, int)" */
	const char *name;
	uint64_t addr;    /* byte address as loaded */
	uint64_t size;    /* bytes, 0 if unknown (then it ends at the next symbol) */
	bool code;        /* a function (or label in an executable section), not data */
};

/* All symbols by address; mapping symbols ($x, $d), section and file symbols are left out. */
const struct symbol *program_symbols(const struct program *p, size_t *count);
/* By its name as above, or its mangled name. */
const struct symbol *program_symbol_by_name(const struct program *p, const char *name);
/* The same, including libraries that are mapped no more. */
const struct symbol *program_symbol_once(const struct program *p, const char *name);
/* The functions that a user's name may mean (loader/demangle.h), by address, an exact match first;
 * returns their number, at most max. Borrowed, until a library is mapped. */
size_t program_functions_meant(const struct program *p, const char *name, const struct symbol **out,
                               size_t max);
/* The symbol that covers addr; NULL if none. Global names win over local aliases. */
const struct symbol *program_symbol_at(const struct program *p, uint64_t addr);
/* Formats "find+0x10", "find", "libc.so.6+0x38f1a" where a library has no symbol, or "0x1040c".
 * Never fails. Returns buf. */
char *program_addr_text(const struct program *p, uint64_t addr, char *buf, size_t n);

/* Entries of procedures, rising, malloc'd; bit 0 is set if only a separate part of one begins there
 * (f.cold). NULL if memory is out; *count may be 0. */
uint64_t *program_procedures(const struct program *p, size_t *count);

/* ---- source lines ---- */
struct source_line {
	const char *file; /* as the compiler recorded it, borrowed */
	unsigned line;    /* 1-based; 0 = unknown */
};

/* Limits the host memory that reading the debug information of the program and its firmware may
 * take; 0: no limit. Information beyond the limit is left out, and program_left_out() reports it.
 * Before any of it is read. */
void program_limit_debug(const struct program *p, uint64_t bytes);
/* Why some debug information was left out; NULL if none was so far. */
const char *program_left_out(const struct program *p);
/* Where names of the program are that were not read, and what to do about it; NULL: nowhere. */
const char *program_names_apart(const struct program *p);
/* Why there may be no source lines, and what to do about it. */
const char *program_no_lines(const struct program *p);

/* Whether there are source lines, not counting libraries'. */
bool program_has_lines(const struct program *p);
bool program_line_at(const struct program *p, uint64_t addr, struct source_line *out);
/* First address of "file.c:41" (the file's last path components suffice) or the next line with
 * code. */
bool program_addr_of_line(const struct program *p, const char *file, unsigned line, uint64_t *addr,
                          struct err *err);
/* All places of a line that has code in several functions, as in templates, or in inlined copies:
 * the first address in each. Returns their number, at most max; 0 with *err. */
size_t program_places_of_line(const struct program *p, const char *file, unsigned line,
                              uint64_t *out, size_t max, struct err *err);
/* The addresses [*lo, *hi) around addr that belong to its line, within its function; for
 * next/until. Code that is no recommended stop belongs to the line before it. False if addr has no
 * line. */
bool program_line_range(const struct program *p, uint64_t addr, uint64_t *lo, uint64_t *hi);
/* One stretch of code of a line, as the line table has it; gdb steps by these. */
struct program_stretch {
	uint64_t pc, end; /* [pc, end) */
	struct source_line at;
	bool is_stop;     /* its beginning is a recommended place to stop */
	unsigned rows;    /* of the table, beginning at pc */
};
/* False if addr has no line. */
bool program_stretch_at(const struct program *p, uint64_t addr, struct program_stretch *out);
/* The line shown for addr: of several at one address, one to stop at. */
bool program_stop_line_at(const struct program *p, uint64_t addr, struct source_line *out);
/* The text of a source line. The file is looked for as recorded, relative to the current directory,
 * the program's folder and those of program_set_sources(), or by base name in them or above. Only
 * files below one of these folders are read, because the name comes from the program. NULL if there
 * is no such file or line. Borrowed. *count, if not NULL, receives the file's number of lines. */
const char *program_source_text(struct program *p, const char *file, unsigned line,
                                unsigned *count);

/* The canonical path of a source file that was found; NULL if it was not. Borrowed. */
const char *program_source_path(struct program *p, const char *file);
/* Why the text of a file is missing, for users. */
const char *program_source_missing(struct program *p, const char *file);
/* Sets folders with sources, NULL at the end; borrowed. Before the first look-up. */
void program_set_sources(struct program *p, const char *const *folders);

/* arch.c: the ISA string of the file that addr belongs to, "rv64i2p1_m2p0_a2p1_..."; NULL if it has
 * none. Borrowed. */
const char *program_arch(const struct program *p, uint64_t addr);

/* ---- call frames ---- */
enum frame_kind {
	FRAME_CALLER, /* pc is a return address */
	FRAME_AT,     /* pc is the next instruction: innermost, or interrupted by a signal */
	FRAME_SIGNAL  /* a signal handler's return; the next frame was interrupted */
};

struct frame {
	uint64_t pc;  /* of the frame; for callers, the return address */
	uint64_t cfa; /* canonical frame address, bytes */
	enum frame_kind kind;
	/* Of functions inlined there (loader/dwarf/inlined.h): 1 is the outermost function's frame;
	 * 0: the called function's frame */
	unsigned inlined;
	/* number of its call, 0 the innermost; frames of inlined functions share it */
	unsigned call;
};

/* An address inside the frame's code: a call may be a function's last instruction, so its return
 * address may lie in the next function. */
static inline uint64_t frame_look(const struct frame *f)
{
	return f->kind == FRAME_CALLER ? f->pc - 1 : f->pc;
}

/* Shown as the function's name. */
#define FRAME_SIGNAL_TEXT "<signal handler called>"

/* Unwinds from the register file r (x0..x31) at pc: by DWARF CFI (.eh_frame or .debug_frame), else
 * by prologue analysis (leaf: ra; else scanning the function's start for the sp adjustment and
 * where ra was stored). Fills at most max frames, innermost first; returns their number (at least
 * 1). Never reads unmapped memory and always ends. */
size_t program_backtrace(const struct program *p, const struct mem *mem, const uint64_t *r,
                         uint64_t pc, struct frame *out, size_t max);

/* The known registers of a frame. */
struct unwind_regs {
	uint64_t r[64]; /* x0..x31, f0..f31 */
	uint64_t known; /* bit i: r[i] is the frame's value */
	uint64_t pc;
};

/* Memory for unwinding. */
struct frame_memory {
	const struct mem *mem;
	/* Reads the committed bytes while mem is ahead of them. NULL: read mem. */
	bool (*peek)(const void *ctx, uint64_t addr, void *buf, size_t n);
	const void *ctx;
};

static inline bool frame_read(const struct frame_memory *m, uint64_t addr, void *buf, size_t n)
{
	return m->peek ? m->peek(m->ctx, addr, buf, n) : mem_peek(m->mem, addr, buf, n);
}

size_t program_backtrace_in(const struct program *p, const struct frame_memory *mem,
                            const uint64_t *r, uint64_t pc, struct frame *out, size_t max);
/* Unwinds from all known registers of the innermost frame. regs, if not NULL, receives those of
 * each frame ([max]). */
size_t program_unwind(const struct program *p, const struct frame_memory *mem,
                      const struct unwind_regs *innermost, struct frame *out,
                      struct unwind_regs *regs, size_t max);

#endif
