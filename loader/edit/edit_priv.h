/* Shared by the editor's files. */
#ifndef CYCLOPS_LOADER_EDIT_EDIT_PRIV_H
#define CYCLOPS_LOADER_EDIT_EDIT_PRIV_H

#include <elf.h>
#include <string.h>

#include "loader/edit/edit.h"
#include "loader/program_priv.h"

/* A section of the original file. */
struct edit_section {
	const char *name; /* borrowed */
	Elf64_Shdr head;
	/* [head.sh_size], owned: contents in the new file; NULL if none */
	uint8_t *bytes;
	uint32_t first, count; /* of executable ones: instructions */
	/* of executable ones: [head.sh_size / 2 + 1], owned: index + 1 of the instruction that
	 * begins there, 0: none */
	uint32_t *inst;
	uint64_t new_addr;     /* of code that moves */
	bool code;        /* its code moves */
};

/* Flags of an instruction that only the reading files use. */
enum edit_private_flags {
	EDIT_UNTOLD = 1 << 4, /* an auipc without a relocation */
	EDIT_JOINED = 1 << 6, /* of REF_HIGH: its address follows from a low part */
	/* the relocation contradicts the bytes, which are trusted; with REF_FIXED: the target may
	 * be in the old code */
	EDIT_DENIED = 1 << 7,
};

struct edit_reloc {
	uint64_t at;      /* address; of sections that are not loaded, offset */
	uint64_t value;   /* symbol and addend */
	uint32_t type;    /* R_RISCV_* */
	uint32_t section; /* section it lies in */
	uint32_t of;      /* section of its symbol */
	uint32_t symbol;  /* in the table of symbols */
	bool moves;       /* the symbol lies in code, or in .eh_frame */
};

/* An entry of .eh_frame: its distance from the table's beginning. */
struct edit_entry {
	uint32_t old, now;
	uint64_t pc;   /* of an FDE: where its function begins in the new program */
	bool is_fde;
};

/* A section added to the new file. */
struct edit_extra {
	const char *name; /* borrowed */
	void *bytes;      /* [n], owned */
	size_t n;
};

/* An insert: a part of edit.code, for one place. */
struct edit_insert {
	uint32_t next;    /* index + 1 of the next one at this place, 0: the last */
	uint32_t first, count; /* in edit.code */
};

/* The name of the first edit_routine(): not an address of any program. */
#define EDIT_ROUTINES (UINT64_C(1) << 63)

struct edit_routine {
	uint32_t insert; /* index + 1 */
	uint32_t item;   /* its first item */
};

struct edit_places {
	uint32_t enter, before, behind, taken; /* index + 1 of the first insert */
	/* its first item that its own function's control executes: after `enter` */
	uint32_t inside;
	uint32_t island;                /* index + 1 of the first island after it */
	/* index + 1 of the island on the way of its jump, and of its stub's jump */
	uint32_t via, stub_via;
};

/* A jump that continues jumps which don't reach their target. It stands after another jump, or
 * after an inserted jump that leads over it. */
struct edit_island {
	uint32_t behind;  /* instruction that it stands after */
	uint32_t next;    /* index + 1 of the next island there */
	uint64_t target;  /* address in the program as it was */
	uint32_t stub;    /* the taken branch whose stub is its target; EDIT_NONE: target */
	uint32_t via;     /* the next island on its way: index + 1, or 0 */
	uint32_t function; /* of the jumps that use it */
	uint32_t item;    /* its item */
	/* an inserted jump leads over it: control falls through to the next instruction */
	bool over;
};

/* One instruction of the new code. */
struct edit_item {
	struct inst in;
	uint64_t addr;    /* in the new program */
	uint64_t target;  /* of a reference to data */
	uint32_t to;      /* of a reference to code: the item, else EDIT_NONE */
	uint32_t high;    /* of REF_LOW: the item of its REF_HIGH */
	uint32_t origin;  /* the original instruction; EDIT_NONE: inserted */
	/* of jumps: index + 1 of the island it goes over, or 0; NULL: inserted */
	uint32_t *via;
	uint32_t stub;    /* of jumps: the taken branch whose stub is the target; EDIT_NONE: none */
	/* of branches and jumps that don't link: their function, else EDIT_NONE */
	uint32_t function;
	uint32_t branch;  /* of an item in a stub: the taken branch; else EDIT_NONE */
	uint8_t ref;
	uint8_t size;     /* bytes: more than in.len if it takes several */
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
	/* [inst_count + 1], owned: index + 1 of the first instruction of the load-reserved /
	 * store-conditional sequence that it is part of; 0: of none */
	uint32_t *sequence;
	struct edit_function *functions; /* [function_count], owned */
	uint32_t function_count;

	struct edit_places *places; /* [inst_count], owned */
	struct edit_insert *inserts; /* [insert_count], owned */
	uint32_t insert_count, insert_room;
	struct edit_routine *routines; /* [routine_count], owned */
	uint32_t routine_count;
	struct edit_code *code;  /* [code_count], owned */
	uint32_t code_count, code_room;
	uint64_t image_end;      /* address after the original program */
	uint64_t memory, memory_used; /* address and bytes from edit_memory() */

	struct edit_extra *extras; /* [extra_count], owned */
	uint32_t extra_count;

	struct edit_item *items; /* [item_count], owned: the new code */
	uint32_t item_count;
	size_t item_room;
	/* [inst_count + 1], owned: the first item of an instruction, including inserts before it;
	 * then routines */
	uint32_t *start;
	struct edit_island *islands; /* [island_count], owned */
	uint32_t island_count, island_room;
	uint64_t text, text_end; /* addresses of the new code */
	uint64_t routines_at;    /* address of the first routine */
	struct edit_section *frame_section; /* .eh_frame; NULL: there is none */
	uint64_t frames;         /* its address in the new program */
	/* [entry_count], owned: old and new places of its entries, by place */
	struct edit_entry *entries;
	size_t entry_count;
	/* owned: .eh_frame and .debug_frame, rewritten; NULL: there is none */
	uint8_t *frame_bytes[2];
	size_t frame_size[2];
	void *file;              /* owned: the new ELF file */
	size_t file_size;
};

/* image.c: sections, symbols and relocations. */
bool edit_read_image(struct edit *e, struct err *err);
/* The section of code that holds addr, or (end) that ends there; NULL if none. */
struct edit_section *edit_code_section(const struct edit *e, uint64_t addr, bool end);
/* Whether the section holds relocations that the program applies when it starts. */
bool edit_is_run_time(const struct edit_section *s);
/* Whether it is the table of landing pads that compilers write. */
static inline bool edit_is_exception_table(const struct edit_section *s)
{
	return strncmp(s->name, ".gcc_except_table", sizeof ".gcc_except_table" - 1) == 0;
}
/* The relocations of a section: [*first, *end) in e->relocs. */
void edit_relocs_of(const struct edit *e, uint32_t section, size_t *first, size_t *end);
/* Whether a symbol names a function: it is in code that moves, or has a function's type. */
bool edit_names_function(const struct edit *e, const Elf64_Sym *s);
bool edit_is_function(const Elf64_Sym *s);
/* Sets *err: the symbol is wrong. Always false. */
bool edit_bad_symbol(const struct edit *e, const Elf64_Sym *s, const char *what, struct err *err);
const char *edit_symbol_name(const struct edit *e, const Elf64_Sym *s);
/* "R_RISCV_BRANCH"; "?" for types that the editor does not support. */
const char *edit_reloc_name(uint32_t type);
/* Bytes of a data relocation's field; 0: it is of an instruction, or has no field. */
unsigned edit_field_bytes(uint32_t type);
/* Bytes of the field of a relocation that is half of a difference, which may be smaller; 0 for any
 * other relocation. */
unsigned edit_difference_bytes(uint32_t type);
/* code.c: instructions with their references, functions. */
bool edit_read_code(struct edit *e, struct err *err);
/* auipc_pairs.c: decodes auipcs without a relocation: all are REF_FIXED before; found pairs become
 * REF_HIGH. */
void edit_find_pairs(struct edit *e);
/* atomic_sequences.c: after all of the above. False with *err if memory is out. */
bool edit_find_sequences(struct edit *e, struct err *err);
/* landing_pads.c: marks EDIT_PAD, after functions are known. */
void edit_find_landing_pads(struct edit *e);
/* auipc_pairs.c: marks functions with auipcs that may lead to the old code. Call after
 * edit_find_pairs(), and when functions are known. */
void edit_mark_fixed(struct edit *e);
/* check_image.c: checks sections against segments, symbols against sections, and relocations of
 * data against its bytes. False with *err if they disagree. */
bool edit_check_sections(const struct edit *e, struct err *err);
bool edit_check_symbols(struct edit *e, struct err *err);
/* check_code.c: the same for instructions, after edit_read_code(): marks functions whose bytes
 * contradict a relocation; refuses code that cannot be moved by its bytes. */
bool edit_check_code(struct edit *e, struct err *err);
/* layout.c: items and their addresses. */
bool edit_lay_out(struct edit *e, struct err *err);
/* bytes.c. Sets *err: an item cannot be encoded, and why. Always false. */
bool edit_cant(const struct edit *e, const struct edit_item *item, const char *why,
               struct err *err);
/* Encodes an item; out has room for item->size. */
bool edit_encode(const struct edit *e, const struct edit_item *item, uint8_t *out, struct err *err);
/* data.c: updates references to code in other sections. */
bool edit_follow(struct edit *e, struct err *err);
/* lines.c: splits steps of line tables that outgrew their fields. After edit_follow(). */
bool edit_lines(struct edit *e, struct err *err);
/* frames.c: rewrites unwind tables, and .eh_frame_hdr, by which unwinders find an entry. */
bool edit_frames(struct edit *e, struct err *err);
/* write.c: writes the new file. */
bool edit_write(struct edit *e, struct err *err);

/* new_addresses.c */
/* Like edit_new_address(), but the end of a code section maps to its new end, not to what begins
 * there. */
uint64_t edit_new_end(const struct edit *e, uint64_t addr);
/* The new address of the byte at offset `old` of .eh_frame. */
uint64_t edit_new_frame(const struct edit *e, uint32_t old);
/* The target of an item's reference, in the new program. */
uint64_t edit_place_of(const struct edit *e, const struct edit_item *item);
/* Whether a signed field of this many bits holds the offset. */
bool edit_fits(int64_t offset, unsigned bits);

#endif
