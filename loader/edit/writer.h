/* Writes code to insert, with registers that are free: counting and the like. For the kinds of
 * instrumentation. */
#ifndef CYCLOPS_LOADER_EDIT_WRITER_H
#define CYCLOPS_LOADER_EDIT_WRITER_H

#include "core/isa/op.h"
#include "loader/edit/edit.h"

enum { WRITER_MAX = 256, WRITER_TEMPORARIES = 8, WRITER_LABELS = 32 };

struct writer {
	unsigned n;     /* of code */
	int type;       /* all code becomes profile instructions of this type; -1: plain */
	uint32_t spilled; /* how often registers had to be saved */
	/* Valid between writer_begin() and writer_end(). */
	uint8_t temporary[WRITER_TEMPORARIES], saved[WRITER_TEMPORARIES];
	unsigned saves;
	unsigned labels;
	uint64_t label[WRITER_LABELS]; /* indices in code[] */
	/* last, because it is large and writer_init() does not clear it */
	struct edit_code code[WRITER_MAX];
};

void writer_init(struct writer *w, int type);

/* Provides temporary[0] to [count - 1] until writer_end(): registers not in `live`; or else some
 * also not in `keep`, saved on the stack above sp, which is writer_sp() lower meanwhile.
 * Callee-saved registers are never saved so: enough others exist, for which unwind tables need no
 * rows. Discards the code written before. */
void writer_begin_with(struct writer *w, unsigned count, uint32_t live, uint32_t keep);
/* The same with the registers of a mask, even live ones; those in `keep` are not saved. */
void writer_begin_fixed(struct writer *w, uint32_t registers, uint32_t live, uint32_t keep);
/* The same with two registers. */
void writer_begin(struct writer *w, uint32_t live, uint32_t keep);
int32_t writer_sp(const struct writer *w);
void writer_end(struct writer *w);
void writer_put(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm);
void writer_put_ref(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2,
                    enum edit_ref ref, uint64_t target);
/* rd = an address, in the form of edit_code.target. */
void writer_put_address(struct writer *w, unsigned rd, uint64_t of);
/* rd = imm, any 64 bits. */
void writer_put_constant(struct writer *w, unsigned rd, int64_t imm);

/* Labels: writer_new_label() makes one that branches and jumps may use before it is placed;
 * writer_here() places it. writer_link() and writer_end() resolve them. */
unsigned writer_new_label(struct writer *w);
void writer_here(struct writer *w, unsigned label);
void writer_branch(struct writer *w, enum op op, unsigned rs1, unsigned rs2, unsigned label);
void writer_jump(struct writer *w, unsigned label);
void writer_link(struct writer *w);

/* Calls a routine. A routine is written like any code, ended by writer_link(), and passed to
 * edit_routine(). Its last instruction is writer_return(). Use t0 as link if processors should
 * predict its return. */
void writer_call(struct writer *w, unsigned link, uint64_t routine);
void writer_return(struct writer *w, unsigned link);

/* memory[at + offset] += by, a register. Changes `old`; and `at`, if offset is not 0 and the
 * addition is atomic: a single amoadd, which other threads' additions can't interrupt. */
void writer_add(struct writer *w, bool atomic, unsigned at, int32_t offset, unsigned by,
                unsigned old);
/* memory[at + offset] += 1; `value` as `old` above. */
void writer_add_one(struct writer *w, bool atomic, unsigned at, int32_t offset, unsigned value);
/* memory[counter] += 1, complete with registers. */
void writer_count(struct writer *w, bool atomic, uint64_t counter, uint32_t live);

/* A caller-saved register that is not in `taken`; 0 if there is none. */
unsigned writer_free_register(uint32_t taken);

#endif
