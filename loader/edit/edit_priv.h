/* What the editor's files share. */
#ifndef CYCLOPS_LOADER_EDIT_EDIT_PRIV_H
#define CYCLOPS_LOADER_EDIT_EDIT_PRIV_H

#include <elf.h>

#include "loader/edit/edit.h"
#include "loader/program_priv.h"

/* A section of the file, as it was. */
struct edit_section {
	const char *name; /* borrowed */
	Elf64_Shdr head;
	/* [head.sh_size], owned: what goes into the new file; NULL if it has none */
	uint8_t *bytes;
	uint32_t first, count; /* of executable ones: instructions */
	/* of those: [head.sh_size / 2 + 1], owned: index + 1 of the instruction that begins there,
	 * 0: none does */
	uint32_t *inst;
	uint64_t new_addr;     /* of those that move */
	bool code;        /* moves */
};

/* Flags of an instruction that only its reader knows. */
enum edit_private_flags {
	EDIT_UNTOLD = 1 << 4, /* an auipc of which no relocation tells */
	EDIT_JOINED = 1 << 6, /* of REF_HIGH: its address follows from a low part */
	/* a relocation says another address than the bytes, by which it goes; of REF_FIXED: it may
	   lead to the old code */
	EDIT_DENIED = 1 << 7,
};

struct edit_reloc {
	uint64_t at;      /* address; of sections that are not loaded, offset */
	uint64_t value;   /* symbol and addend */
	uint32_t type;    /* R_RISCV_* */
	uint32_t section; /* that it lies in */
	uint32_t of;      /* that its symbol lies in */
	uint32_t symbol;  /* in the table of symbols */
	bool moves;       /* the symbol lies in code, or in .eh_frame */
};

/* An entry of .eh_frame: its distance from the table's beginning. */
struct edit_entry {
	uint32_t old, now;
	uint64_t pc;   /* of an FDE: where its function begins in the new program */
	bool is_fde;
};

/* A section that the new file has besides. */
struct edit_extra {
	const char *name; /* borrowed */
	void *bytes;      /* [n], owned */
	size_t n;
};

/* Something put in: a part of edit.code, for one place. */
struct edit_insert {
	uint32_t next;    /* index + 1 of the next one at this place, 0: the last */
	uint32_t first, count; /* in edit.code */
};

/* What edit_routine() calls the first one: no address of a program. */
#define EDIT_ROUTINES (UINT64_C(1) << 63)

struct edit_routine {
	uint32_t insert; /* index + 1 */
	uint32_t item;   /* where it begins */
};

struct edit_places {
	uint32_t enter, before, behind, taken; /* index + 1 of the first insert */
	/* the item with which it begins for its own function: behind `enter` */
	uint32_t inside;
	uint32_t island;                /* index + 1 of the first island behind it */
	/* index + 1 of the island that its jump, and that of its stub, goes over */
	uint32_t via, stub_via;
};

/* A jump that stands behind another, or behind one that leads over it, for jumps that don't reach
 * so far. */
struct edit_island {
	uint32_t behind;  /* instruction */
	uint32_t next;    /* index + 1 of the next island there */
	uint64_t target;  /* address in the program as it was */
	uint32_t stub;    /* the taken branch whose stub it leads to, EDIT_NONE: target */
	uint32_t via;     /* the island that it goes over itself: index + 1, or 0 */
	uint32_t function; /* as of who jumps to it */
	uint32_t item;    /* where it is */
	/* a jump over it stands before it: who comes from the instruction goes on to the next one
	 */
	bool over;
};

/* One instruction of the new code. */
struct edit_item {
	struct inst in;
	uint64_t addr;    /* in the new program */
	uint64_t target;  /* of a reference to data */
	uint32_t to;      /* of one to code: the item, else EDIT_NONE */
	uint32_t high;    /* of REF_LOW: the item of its REF_HIGH */
	uint32_t origin;  /* the instruction that it is, EDIT_NONE: put in */
	/* of jumps: index + 1 of the island that it goes over, or 0; NULL: of what was put in */
	uint32_t *via;
	uint32_t stub;    /* of jumps: the taken branch whose stub it leads to, EDIT_NONE: none */
	/* of branches and jumps that don't link: that they are in, else EDIT_NONE */
	uint32_t function;
	uint32_t branch;  /* of what stands in a stub: the taken branch; else EDIT_NONE */
	uint8_t ref;
	uint8_t size;     /* bytes: more than in.len where it takes several */
};

struct edit {
	const struct program *p; /* borrowed */
	struct edit_section *sections; /* [section_count], owned */
	uint32_t section_count;
	uint32_t code_first, code_last; /* sections: the first and the last one of code */
	Elf64_Sym *symbols;      /* [symbol_count], owned */
	uint32_t symbol_count, symtab;
	const char *names;       /* of symbols, borrowed */
	size_t names_size;
	struct edit_reloc *relocs; /* [reloc_count], owned: by section, then place */
	size_t reloc_count;
	struct edit_inst *insts; /* [inst_count], owned */
	uint32_t inst_count;
	struct edit_function *functions; /* [function_count], owned */
	uint32_t function_count;

	struct edit_places *places; /* [inst_count], owned */
	struct edit_insert *inserts; /* [insert_count], owned */
	uint32_t insert_count, insert_room;
	struct edit_routine *routines; /* [routine_count], owned */
	uint32_t routine_count;
	struct edit_code *code;  /* [code_count], owned */
	uint32_t code_count, code_room;
	uint64_t image_end;      /* address behind the program as it was */
	uint64_t memory, memory_used; /* address and bytes of what was asked for */

	struct edit_extra *extras; /* [extra_count], owned */
	uint32_t extra_count;

	struct edit_item *items; /* [item_count], owned: the new code */
	uint32_t item_count;
	size_t item_room;
	/* [inst_count + 1], owned: the item with which an instruction, and what stands before it,
	 * begins; then routines */
	uint32_t *start;
	struct edit_island *islands; /* [island_count], owned */
	uint32_t island_count, island_room;
	uint64_t text, text_end; /* addresses of the new code */
	uint64_t routines_at;    /* address of the first routine */
	struct edit_section *frame_section; /* .eh_frame; NULL: there is none */
	uint64_t frames;         /* its address in the new program */
	/* [entry_count], owned: where its entries were and are, by place */
	struct edit_entry *entries;
	size_t entry_count;
	/* owned: .eh_frame and .debug_frame, written anew; NULL: there is none */
	uint8_t *frame_bytes[2];
	size_t frame_size[2];
	void *file;              /* owned: the new ELF file */
	size_t file_size;
};

/* image.c: sections, symbols and relocations. */
bool edit_read_image(struct edit *e, struct err *err);
/* code.c: instructions with their references, functions. */
bool edit_read_code(struct edit *e, struct err *err);
/* auipc_pairs.c: what an auipc without a relocation is for: REF_FIXED when this begins, REF_HIGH
 * where that is found. */
void edit_find_pairs(struct edit *e);
/* Behind that and edit_read_code()'s functions: marks those that keep old addresses. */
void edit_mark_fixed(struct edit *e);
/* check_image.c: sections agree with segments; symbols with sections, and what relocations say of
 * data with its bytes. False with *err if not. */
bool edit_check_sections(const struct edit *e, struct err *err);
bool edit_check_symbols(struct edit *e, struct err *err);
/* Whether a symbol names a function: of code that moves; or whether its type says so, wherever it
 * lies. */
bool edit_names_function(const struct edit *e, const Elf64_Sym *s);
bool edit_is_function(const Elf64_Sym *s);
/* False: a symbol lies, says *err. */
bool edit_bad_symbol(const struct edit *e, const Elf64_Sym *s, const char *what, struct err *err);
const char *edit_symbol_name(const struct edit *e, const Elf64_Sym *s);
/* "R_RISCV_BRANCH"; "?" if the editor doesn't know the type. */
const char *edit_reloc_name(uint32_t type);
/* Bytes of a relocation's field of data; 0: it is of an instruction, or says nothing. */
unsigned edit_field_bytes(uint32_t type);
/* check_code.c: the same of instructions, behind edit_read_code(): functions whose bytes deny a
 * relocation are marked, and what can't be moved as its bytes say is refused. */
bool edit_check_code(struct edit *e, struct err *err);
/* layout.c: items and their addresses. */
bool edit_lay_out(struct edit *e, struct err *err);
/* Where an item's reference leads, in the new program. */
uint64_t edit_place_of(const struct edit *e, const struct edit_item *item);
/* Whether a signed field of so many bits holds it. */
bool edit_fits(int64_t offset, unsigned bits);
/* A jump that isn't taken back: nothing behind it is executed because of it. */
bool edit_never_goes_on(const struct edit_inst *i);
/* Whether something that is jumped over may stand behind instruction i. */
bool edit_may_be_parted(const struct edit *e, uint32_t i);
/* islands.c: lets jumps that don't reach so far go over islands. False with *err; *moved says
 * whether any did, so that all has to be laid out again. */
bool edit_bridge(struct edit *e, bool *moved, struct err *err);
/* bytes.c. False: an item can't be written, says *err, and why. */
bool edit_cant(const struct edit *e, const struct edit_item *item, const char *why,
               struct err *err);
/* An item's bytes; out has room for item->size. */
bool edit_encode(const struct edit *e, const struct edit_item *item, uint8_t *out, struct err *err);
/* data.c: what in other sections names code. */
bool edit_follow(struct edit *e, struct err *err);
/* Afterwards: line tables whose steps have outgrown their fields. */
bool edit_lines(struct edit *e, struct err *err);
/* frames.c: unwind tables. */
bool edit_frames(struct edit *e, struct err *err);
/* frame_index.c: .eh_frame_hdr, by which unwinders find an entry. Behind edit_frames(). */
bool edit_index_frames(struct edit *e, struct err *err);
/* Address of what was so many bytes behind the beginning of .eh_frame. */
uint64_t edit_new_frame(const struct edit *e, uint32_t old);
/* write.c: the new file. */
bool edit_write(struct edit *e, struct err *err);

/* edit_new_address(), but where a section of code ends that is meant, not what may begin there. */
uint64_t edit_new_end(const struct edit *e, uint64_t addr);
/* The section of code that holds addr, or (end) that ends there; NULL. */
struct edit_section *edit_code_section(const struct edit *e, uint64_t addr, bool end);
/* Whether it holds relocations that the program applies when it starts. */
bool edit_is_run_time(const struct edit_section *s);
/* Relocations of a section: [*first, *end) in e->relocs. */
void edit_relocs_of(const struct edit *e, uint32_t section, size_t *first, size_t *end);

#endif
