/* Common structures of the loader: a checked ELF image and the look-up tables built from it.
 *
 * Everything read from the file is checked before use: elf.c checks headers and
 * segments by itself, so that libelf and libdw only ever see tables that lie inside the file.
 * Symbols are built on opening; source lines and call frame tables on first use, through pointers,
 * so that a const program can fill them: one thread at a time looks into one program. */
#ifndef CYCLOPS_LOADER_PROGRAM_PRIV_H
#define CYCLOPS_LOADER_PROGRAM_PRIV_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "core/os/os.h"
#include "loader/dwarf/debug_limit.h"
#include "loader/dwarf/walk_state.h"
#include "loader/program.h"

enum { SEGMENTS_MAX = 64 };

/* Memory that all segments together may ask for. */
#define SEGMENT_BYTES_MAX (UINT64_C(64) << 30)

/* One PT_LOAD with memory, in address order, none overlapping another. */
struct segment {
	uint64_t vaddr;   /* byte address as loaded */
	uint64_t memsz;   /* bytes, > 0 */
	uint64_t offset;  /* of its first byte in the file */
	uint64_t filesz;  /* bytes, <= memsz; the rest is zero */
	unsigned prot;    /* enum mem_prot */
};

/* The use of a file. */
enum image_role {
	IMAGE_PROGRAM,     /* to run */
	IMAGE_FIRMWARE,    /* runs in M-mode, in memory of its own */
	IMAGE_INTERPRETER, /* ld.so of a dynamically linked program */
	IMAGE_DEBUG,       /* debug information of another file: separate.c */
	/* mapped by the program itself: only looked up, never loaded */
	IMAGE_LIBRARY
};

struct lines;   /* dwarf/lines.c */
struct cfi;     /* dwarf/cfi.c */
struct sources; /* source.c */
struct names;   /* dwarf/index.c */
struct code_index;    /* dwarf/code_index.c */
struct inlined_index; /* dwarf/inlined_copies.c */
struct profile_code;

/* Where a symbol's bytes end, and which sized symbol encloses it: for program_symbol_at(). */
struct symbol_span {
	uint64_t end;    /* byte address, exclusive */
	uint32_t parent; /* index of the innermost sized symbol around it, or SYMBOL_NONE */
	/* unsized, untyped and local: a place inside hand-written code, not a function */
	bool label;
};

#define SYMBOL_NONE UINT32_MAX

struct symbol_name {
	struct symbol_name *next; /* owned */
	char text[];
};

struct symbol_table {
	/* [count], owned: by address, preferred names first; names are borrowed from elf, text or
	 * names */
	struct symbol *syms;
	struct symbol_span *spans; /* [count], owned */
	/* [count], owned: indices in name order, preferred symbols first */
	uint32_t *by_name;
	size_t count;
	char *text;                /* owned: names that are not in the file */
	struct symbol_name *names; /* owned: demangled names of C++ and Rust */
};

enum { IMAGES_MAX = OS_MAPS + 1 };

struct known_image {
	char *path;      /* owned: of struct os_map */
	uint64_t start, length;
	struct program *image; /* owned; NULL: not readable */
};

/* Images beside the program in its machine: images.c. */
struct images {
	struct os *watched;     /* that machine's; NULL after it is freed */
	const struct mem *mem;  /* its memory; only valid with `watched` */
	/* the image of a mapping, NULL if it is no readable ELF file: libraries.c; set with
	 * `watched` */
	struct program *(*image_of)(const struct program *p, const struct os_map *m);
	bool fresh;
	uint64_t digest;        /* of the maps that the next fields describe */
	unsigned count;
	/* [count]: libraries in the order of mapping, then the interpreter; borrowed */
	struct program *active[IMAGES_MAX];
	uint64_t start[IMAGES_MAX], end[IMAGES_MAX]; /* [count], bytes */
	bool merged;            /* `symbols` includes theirs */
	/* [symbol_count], owned: of all images, by address; NULL: only the program's */
	struct symbol *symbols;
	size_t symbol_count;
	struct known_image *known; /* [known_count], owned */
	size_t known_count;
	uint64_t bytes;         /* of the files that were opened */
};

/* Tables built on first use. */
struct program_debug {
	Dwarf *dwarf;            /* owned, NULL if not asked for or there is none */
	bool dwarf_tried;
	struct debug_limit limit;
	struct lines *lines;     /* owned, NULL until used */
	struct cfi *cfi;         /* owned, NULL until used */
	struct sources *sources; /* owned, NULL until used */
	struct names *names;     /* owned, NULL until used */
	struct code_index *code_index; /* owned, NULL until used */
	struct inlined_index *inlined; /* owned, NULL until used */
	/* owned: tsearch()'s tree of expressions that libdw keeps (dwarf/location.c) */
	void *locations;
	bool locations_full;     /* one of them found no room */
	struct dwarf_walk walk;  /* of the current question */
	/* dwarf/inlined.c: the user's pc, and how many inlined functions that begin there are
	 * entered */
	uint64_t entered_pc;
	unsigned entered;
	struct images images;
	struct profile_code *code; /* owned, NULL until used */
};

struct program {
	char *path;     /* owned */
	uint8_t *bytes; /* owned: the whole file, [n] */
	size_t n;
	Elf *elf;       /* owned, over bytes */
	uint64_t bias;  /* address as loaded = address in the file + bias (mod 2^64) */
	uint64_t entry; /* as loaded */
	uint64_t phdr;  /* address of the program headers as loaded, 0 if no segment holds them */
	uint64_t phnum;
	/* owned: the guest's path of its interpreter; NULL: linked statically */
	char *interpreter;
	uint64_t base;  /* where its first page goes, if it is position-independent */
	unsigned stack_prot; /* enum mem_prot: executable only if PT_GNU_STACK asks for it */
	struct segment segments[SEGMENTS_MAX];
	size_t segment_count;
	struct symbol_table symbols; /* with the firmware's after its own, once attached */
	struct program *firmware;    /* owned, NULL if there is none */
	/* owned: separate file of its debug information; NULL: none */
	struct program *separate;
	char debug_missing[288]; /* where its debug information is, which was not found; "" */
	struct program *loader;      /* owned: the interpreter, NULL if there is none */
	struct microprogram *microprogram; /* owned, NULL if there is none */
	bool is_32bit;               /* ELF32: RV32GC's */
	enum os_abi abi;             /* OS_LINUX until program_set_abi() */
	bool compressed;             /* has compressed instructions, or may have */
	enum image_role role;
	const char *const *source_folders; /* NULL at the end, borrowed; NULL: none */
	struct program_debug *debug; /* owned */
};

/* Checks p->bytes and fills all fields up to the segments. On failure p->elf is NULL. */
bool elf_read(struct program *p, struct err *err);
/* Checks, after the symbols are read, that the entry may be executed: in a bare-metal program all
 * memory may. */
bool elf_check_entry(const struct program *p, struct err *err);

/* True for a name without control characters: traces and messages print it unchanged. Others are
 * left out, and files with such a name are called "?". */
bool symbols_is_printable(const char *name);
/* Builds p->symbols from p->elf. A damaged symbol table gives fewer symbols, never a failure; false
 * only if memory runs out. */
bool symbols_read(struct program *p);
void symbols_deinit(struct symbol_table *t);

/* plt.c: the stubs of a file that calls others. */
#define PLT_SUFFIX "@plt"
struct plt {
	struct symbol *stubs; /* [count], owned; names in text */
	size_t count;
	char *text;           /* owned */
};
/* A damaged table gives fewer stubs. False if memory runs out: *out is empty. */
bool plt_read(const struct program *p, struct plt *out);
void plt_deinit(struct plt *plt);

/* Adds the symbols of other, whose addresses all lie above t's. False if memory runs out: t is
 * unchanged. */
bool symbols_append(struct symbol_table *t, const struct symbol_table *other);

/* images.c */
void images_refresh(const struct program *p);
void images_merge(const struct program *p);
const struct program *images_at(const struct program *p, uint64_t addr);

static inline bool program_has_images(const struct program *p)
{
	return p->loader || p->debug->images.watched;
}

/* The file that addr belongs to: p itself, its firmware, its interpreter or a library. */
static inline const struct program *program_image(const struct program *p, uint64_t addr)
{
	if (p->firmware && addr >= FIRMWARE_BASE)
		return p->firmware;
	return program_has_images(p) ? images_at(p, addr) : p;
}

/* The file whose table has the symbols of addr: firmware's are in the program's. */
static inline const struct program *program_symbol_image(const struct program *p, uint64_t addr)
{
	return addr < MEM_TOP && program_has_images(p) ? images_at(p, addr) : p;
}

uint64_t program_stack_top(const struct program *p);

/* Bounds of the function around addr, by symbols: from the last function start to the next. */
bool symbols_function(const struct program *p, uint64_t addr, uint64_t *lo, uint64_t *hi);

/* segment_within(): the segment of p that holds addr (as loaded), or NULL. segment_at(): the same
 * in any of p's images. */
const struct segment *segment_within(const struct program *p, uint64_t addr);
const struct segment *segment_at(const struct program *p, uint64_t addr);

/* Writes strings, vectors and auxiliary values to the top of the mapped stack, sets *sp. */
bool stack_build(const struct program *p, struct mem *mem, int argc, char *const argv[],
                 char *const envp[], uint64_t stack_bytes, uint64_t seed, uint64_t *sp,
                 struct err *err);

struct program *program_open_separate(int fd, const char *name, struct err *err);
/* The file that has the debug information and most symbols. */
static inline Elf *program_debug_elf(const struct program *p)
{
	return p->separate ? p->separate->elf : p->elf;
}

/* libdw's handle on the debug information, NULL if there is none. */
Dwarf *program_dwarf(const struct program *p);

void locations_free(void *locations);
void profile_code_free(struct profile_code *code);
void lines_free(struct lines *lines);
/* Each place where a line, or the next one that has code, begins; their number, at most max. 0 with
 * *err. */
size_t lines_addrs(const struct program *p, const char *file, unsigned line, uint64_t *out,
                   size_t max, struct err *err);
/* The path of file `number` of the unit that has this entry; NULL: it has none. Borrowed. */
const char *lines_file(const struct program *p, Dwarf_Die *of, uint64_t number);
void cfi_free(struct cfi *cfi);
void sources_free(struct sources *sources);
void names_free(struct names *x);
void code_index_free(struct code_index *x);
void inlined_index_free(struct inlined_index *x);

/* ---- one step of unwinding ---- */
enum unwind_result {
	UNWIND_NONE,  /* no rule covers this place */
	UNWIND_OK,    /* *caller and *cfa are filled */
	UNWIND_OUTER, /* the outermost frame: *cfa is filled, there is no caller */
};

struct code_range {
	uint64_t lo, hi; /* addresses, hi exclusive */
	bool is_32bit;   /* RV32GC's code */
};

/* Unwinds by DWARF CFI. look is the address to look up: pc in the innermost frame, pc - 1 in
 * callers. *bare receives the range of the rules used, if they define no frame; else it
 * is unchanged. */
enum unwind_result cfi_step(const struct program *p, const struct frame_memory *mem,
                            const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                            struct unwind_regs *caller, struct code_range *bare);
/* Unwinds by following this code from its start, where there is no frame, to `look`. */
enum unwind_result prologue_within(const struct code_range *in, const struct frame_memory *mem,
                                   const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                                   struct unwind_regs *caller);
/* The same for the function that holds `look`. */
enum unwind_result prologue_step(const struct program *p, const struct frame_memory *mem,
                                 const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                                 struct unwind_regs *caller);

#endif
