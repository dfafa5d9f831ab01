/* Choices and limits of parameters (params.def) that more than one room uses. */
#ifndef CYCLOPS_CORE_DEFS_CHOICES_H
#define CYCLOPS_CORE_DEFS_CHOICES_H

/* Most instructions that any stage takes in a cycle: bounds pipe.fetch_width, decode_width,
 * issue_width and commit_width, and so all arrays for one cycle. */
enum { PIPE_WIDTH_MAX = 16 };

/* bpred.resolve: the stage that finds mispredictions. */
enum resolve { RESOLVE_EX, RESOLVE_ID, RESOLVE_MEM };

/* bpred.indirect and btb.kind: a plug-in has the targets. */
enum { TARGETS_EXTERNAL = 1 };

/* The instruction set, `isa`. */
enum { ISA_ALL, ISA_RV64GC, ISA_RV32GC };

#endif
