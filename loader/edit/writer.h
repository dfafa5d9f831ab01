/* Writes code to be put in: counting, with what registers are free. For the kinds of
 * instrumentation. */
#ifndef CYCLOPS_LOADER_EDIT_WRITER_H
#define CYCLOPS_LOADER_EDIT_WRITER_H

#include "loader/edit/edit.h"

enum { WRITER_MAX = 256, WRITER_TEMPORARIES = 8, WRITER_LABELS = 32 };

struct writer {
	unsigned n;     /* of code */
	int type;       /* all of it becomes profile instructions of this type; -1: plain ones */
	uint32_t spilled; /* how often registers had to be saved, so far */
	/* Between writer_begin() and writer_end(). */
	uint8_t temporary[WRITER_TEMPORARIES], saved[WRITER_TEMPORARIES];
	unsigned saves;
	unsigned labels;
	uint64_t label[WRITER_LABELS]; /* places in code[] */
	/* last, for it is large, and need not be zero: writer_init() */
	struct edit_code code[WRITER_MAX];
};

void writer_init(struct writer *w, int type);

/* temporary[0] to [count - 1] may be used until writer_end(): registers that are not in `live`, or
 * else some that are not in `keep` either, saved on the stack, above sp; sp is then writer_sp()
 * lower between. None that is saved is one that procedures keep for their callers, as there are
 * enough others: unwind tables say where those are, and need no rows for them. Forgets the code
 * before it. */
void writer_begin_with(struct writer *w, unsigned count, uint32_t live, uint32_t keep);
/* The same with the registers of a mask, whatever is in them; those in `keep` are not saved. */
void writer_begin_fixed(struct writer *w, uint32_t registers, uint32_t live, uint32_t keep);
/* Any two. */
void writer_begin(struct writer *w, uint32_t live, uint32_t keep);
int32_t writer_sp(const struct writer *w);
void writer_end(struct writer *w);
void writer_put(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm);
void writer_put_ref(struct writer *w, enum op op, unsigned rd, unsigned rs1, unsigned rs2,
                    enum edit_ref ref, uint64_t target);
/* rd = an address, as targets are. */
void writer_put_address(struct writer *w, unsigned rd, uint64_t of);
/* rd = imm, any 64 bits. */
void writer_put_constant(struct writer *w, unsigned rd, int64_t imm);

/* Places in the code: writer_new_label() names one that branches and jumps may go to before it is
 * known, writer_here() says that it is here. writer_link() lets them lead there; writer_end() does
 * so, too. */
unsigned writer_new_label(struct writer *w);
void writer_here(struct writer *w, unsigned label);
void writer_branch(struct writer *w, enum op op, unsigned rs1, unsigned rs2, unsigned label);
void writer_jump(struct writer *w, unsigned label);
void writer_link(struct writer *w);

/* A routine of the new program is written like any code, with writer_link() at its end, and is
 * given to edit_routine(). It is called through a link register, t0 if processors are to foresee
 * its return; its last instruction is writer_return(). */
void writer_call(struct writer *w, unsigned link, uint64_t routine);
void writer_return(struct writer *w, unsigned link);

/* memory[counter] += 1: all of it. */
void writer_count(struct writer *w, uint64_t counter, uint32_t live);

/* A register that is not in `taken` and that no procedure has to keep for its caller; 0 if there is
 * none. */
unsigned writer_free_register(uint32_t taken);

#endif
