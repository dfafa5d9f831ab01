/* The program's next instruction for the value sampler's interpreter, or the reason not to
 * interpret it. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_NEXT_INST_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_NEXT_INST_H

#include "core/pipe/pipe.h"

/* The next instruction. */
struct next_inst {
	struct inst in;
	unsigned prefix; /* bytes of its prefix, 0: it has none */
	unsigned flags;  /* enum op_flag; for pushpf and poppf also the memory access */
	uint64_t addr;   /* byte address of its access */
	unsigned size;   /* bytes; 0: no access */
};

/* Why the next instruction can't be interpreted; VSAMPLE_GOES_ON: it can, and is in *c. Skips
 * profile instructions that are not executed, so that the hart's pc and flags are those of the next
 * instruction or the obstacle. */
enum vsample_stop next_inst_obstacle(struct pipe *p, struct next_inst *c);
/* True if this is the first store to a page, which faults if vsample.fault_cycles is set: the page
 * holds only zeros. Wrong-path stores that were undone thus make no difference. */
bool next_inst_meets_page_fault(const struct pipe *p, const struct next_inst *c);

#endif
