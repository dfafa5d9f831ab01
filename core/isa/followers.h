/* What comes next: for a form (length and operation) of an instruction, those that most often stand behind it.
 *
 * A host predicts a jump to one place better, and sooner, than one to any of hundreds: so behind each instruction the functional
 * loop asks for these before it looks its table up. Nothing depends on them but speed. Counted over the long programs
 * of demos/programs/list.txt: up to three for each form, of which each is at least every sixth of what is left; the most frequent first. */
#ifndef CYCLOPS_CORE_ISA_FOLLOWERS_H
#define CYCLOPS_CORE_ISA_FOLLOWERS_H

/* PAIR(half or full, OP_ of the first, half or full, OP_ of the second) */
#define FOLLOWERS(PAIR) \
	PAIR(full, ADDIW, full, ADDIW) PAIR(full, ADDIW, full, ADDW) PAIR(full, ADDIW, full, BLTU) \
	PAIR(half, ADDIW, full, ADDI) PAIR(half, ADDIW, half, ADDI) \
	PAIR(full, ADDI, half, ADD) PAIR(full, ADDI, full, BNE) \
	PAIR(half, ADDI, half, ADDI) \
	PAIR(full, ADDW, full, SLLI) PAIR(full, ADDW, full, ADDW) PAIR(full, ADDW, full, ANDI) \
	PAIR(half, ADDW, full, ANDI) PAIR(half, ADDW, full, XOR) PAIR(half, ADDW, full, ADDIW) \
	PAIR(full, ADD, full, LBU) PAIR(full, ADD, half, ADD) PAIR(full, ADD, full, ADD) \
	PAIR(half, ADD, half, ADD) PAIR(half, ADD, full, LBU) \
	PAIR(full, ANDI, half, BNE) \
	PAIR(half, ANDI, half, LD) PAIR(half, ANDI, full, BGEU) PAIR(half, ANDI, full, LD) \
	PAIR(full, AND, full, OR) PAIR(full, AND, full, AND) PAIR(full, AND, full, SRLIW) \
	PAIR(half, AND, half, ADD) \
	PAIR(full, AUIPC, full, ADDI) PAIR(full, AUIPC, full, LD) PAIR(full, AUIPC, full, FLD) \
	PAIR(full, BEQ, half, ADD) PAIR(full, BEQ, half, ADDI) PAIR(full, BEQ, full, LB) \
	PAIR(half, BEQ, half, LD) PAIR(half, BEQ, half, JALR) PAIR(half, BEQ, full, BNE) \
	PAIR(full, BGEU, half, SD) PAIR(full, BGEU, full, ADDI) PAIR(full, BGEU, full, ADD) \
	PAIR(full, BLTU, full, LD) PAIR(full, BLTU, full, SLLW) PAIR(full, BLTU, full, BEQ) \
	PAIR(full, BLT, full, SUB) \
	PAIR(full, BNE, full, ADDI) PAIR(full, BNE, half, ADDI) \
	PAIR(half, BNE, half, ADD) PAIR(half, BNE, half, ADDI) PAIR(half, BNE, full, ADD) \
	PAIR(full, FADD_D, full, FSUB_D) PAIR(full, FADD_D, full, FADD_D) \
	PAIR(full, FDIV_D, full, FMUL_D) \
	PAIR(full, FLD, full, FLD) PAIR(full, FLD, full, FMUL_D) PAIR(full, FLD, half, FLD) \
	PAIR(half, FLD, half, FLD) PAIR(half, FLD, half, ADDI) PAIR(half, FLD, full, FMUL_D) \
	PAIR(full, FMADD_D, full, FMADD_D) PAIR(full, FMADD_D, full, FSD) PAIR(full, FMADD_D, full, FMSUB_D) \
	PAIR(full, FMSUB_D, full, FADD_D) \
	PAIR(full, FMUL_D, full, FMUL_D) PAIR(full, FMUL_D, half, FLD) PAIR(full, FMUL_D, full, FNMSUB_D) \
	PAIR(full, FNMSUB_D, full, FNMSUB_D) PAIR(full, FNMSUB_D, full, FMADD_D) \
	PAIR(full, FSD, full, FSD) PAIR(full, FSD, full, BNE) PAIR(full, FSD, full, BLT) \
	PAIR(full, FSQRT_D, full, FMUL_D) \
	PAIR(full, FSUB_D, full, FSUB_D) PAIR(full, FSUB_D, full, FSD) PAIR(full, FSUB_D, full, FLD) \
	PAIR(full, LBU, half, ADDI) PAIR(full, LBU, full, LBU) PAIR(full, LBU, full, ADDIW) \
	PAIR(full, LB, half, ADDW) PAIR(full, LB, full, SLT) \
	PAIR(full, LD, half, ADDI) PAIR(full, LD, full, LD) PAIR(full, LD, half, ADD) \
	PAIR(half, LD, half, LD) \
	PAIR(half, LUI, full, BEQ) \
	PAIR(full, LW, full, BEQ) PAIR(full, LW, half, LW) PAIR(full, LW, half, ADDI) \
	PAIR(full, MULW, full, ADDIW) PAIR(full, MULW, full, SRLIW) \
	PAIR(full, ORI, full, ADDIW) \
	PAIR(full, OR, full, AND) PAIR(full, OR, full, OR) PAIR(full, OR, half, BNE) \
	PAIR(half, OR, half, ADDIW) PAIR(half, OR, full, OR) \
	PAIR(full, SB, full, SB) PAIR(full, SB, full, BNE) PAIR(full, SB, half, LW) \
	PAIR(full, SD, full, SD) PAIR(full, SD, half, ADDI) PAIR(full, SD, half, SD) \
	PAIR(half, SD, half, SD) \
	PAIR(full, SLLIW, full, SRLIW) PAIR(full, SLLIW, full, SLLIW) PAIR(full, SLLIW, full, XORI) \
	PAIR(full, SLLI, half, SRLI) PAIR(full, SLLI, full, SRLI) PAIR(full, SLLI, half, ADD) \
	PAIR(half, SLLI, half, ADD) PAIR(half, SLLI, full, ADDI) PAIR(half, SLLI, half, SRLI) \
	PAIR(full, SLLW, half, OR) \
	PAIR(full, SLTIU, half, ADD) \
	PAIR(full, SRLIW, full, SLLIW) PAIR(full, SRLIW, full, SRLIW) PAIR(full, SRLIW, full, ADDW) \
	PAIR(full, SRLI, half, ADD) PAIR(full, SRLI, full, SLLI) \
	PAIR(half, SRLI, half, ADD) PAIR(half, SRLI, full, SUB) \
	PAIR(full, SRL, full, ANDI) \
	PAIR(half, SUBW, half, BEQ) \
	PAIR(full, SUB, full, ADDI) PAIR(full, SUB, full, SUB) PAIR(full, SUB, full, LBU) \
	PAIR(half, SW, half, ADDI) PAIR(half, SW, full, ADDI) \
	PAIR(full, XORI, full, SRLIW) \
	PAIR(full, XOR, half, XOR) PAIR(full, XOR, half, ADDW) PAIR(full, XOR, full, XOR) \
	PAIR(half, XOR, full, MULW) PAIR(half, XOR, full, ADDW) PAIR(half, XOR, full, SRLIW)

#endif
