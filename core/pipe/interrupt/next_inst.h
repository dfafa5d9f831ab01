/* The program's next instruction, as the value sampler's interpreter meets it, and why it may not
 * interpret it. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_NEXT_INST_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_NEXT_INST_H

#include "core/pipe/pipe.h"

/* What comes next in the program. */
struct next_inst {
	struct inst in;
	unsigned prefix; /* bytes of its prefix, 0: it has none */
	unsigned flags;  /* enum op_flag, and of pushpf and poppf that they access memory */
	uint64_t addr;   /* byte address that it accesses */
	unsigned size;   /* bytes; 0: it accesses none */
};

/* Why the instruction that comes can't be interpreted; VSAMPLE_GOES_ON: *c says what it is. Passes
 * over profile instructions that are not executed, so that the hart's pc and flags are the
 * instruction's, or those of what is in the way. */
enum vsample_stop next_inst_obstacle(struct pipe *p, struct next_inst *c);
/* The first store to a page, where that is a page fault: to one that holds nothing but zeros yet.
 * What was ever stored to it and taken back, on a wrong path, makes no difference then. */
bool next_inst_meets_page_fault(const struct pipe *p, const struct next_inst *c);

#endif
