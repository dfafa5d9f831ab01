/* Likely successors: for a form (length and operation) of an instruction, the forms that most often
 * follow it.
 *
 * A host predicts a direct jump better, and sooner, than an indirect one with hundreds of targets:
 * so after each instruction the functional loop tests for these before it looks up its table. They
 * affect speed only. Counted over the long programs of demos/programs/list.txt: up to three for
 * each form, the most frequent first; each is at least a sixth of the cases not covered by those
 * before it. */
#ifndef CYCLOPS_CORE_ISA_LIKELY_NEXT_H
#define CYCLOPS_CORE_ISA_LIKELY_NEXT_H

/* NEXT_half_ or NEXT_full_ and an operation: a comma, and AFTER(half or full, operation) for each
 * successor. Most forms have none. */
#define NEXT_full_ADDIW , AFTER(full, ADDIW) AFTER(full, ADDW) AFTER(full, BLTU)
#define NEXT_half_ADDIW , AFTER(full, ADDI) AFTER(half, ADDI)
#define NEXT_full_ADDI , AFTER(half, ADD) AFTER(full, BNE)
#define NEXT_half_ADDI , AFTER(half, ADDI)
#define NEXT_full_ADDW , AFTER(full, SLLI) AFTER(full, ADDW) AFTER(full, ANDI)
#define NEXT_half_ADDW , AFTER(full, ANDI) AFTER(full, XOR) AFTER(full, ADDIW)
#define NEXT_full_ADD , AFTER(full, LBU) AFTER(half, ADD) AFTER(full, ADD)
#define NEXT_half_ADD , AFTER(half, ADD) AFTER(full, LBU)
#define NEXT_full_ANDI , AFTER(half, BNE)
#define NEXT_half_ANDI , AFTER(half, LD) AFTER(full, BGEU) AFTER(full, LD)
#define NEXT_full_AND , AFTER(full, OR) AFTER(full, AND) AFTER(full, SRLIW)
#define NEXT_half_AND , AFTER(half, ADD)
#define NEXT_full_AUIPC , AFTER(full, ADDI) AFTER(full, LD) AFTER(full, FLD)
#define NEXT_full_BEQ , AFTER(half, ADD) AFTER(half, ADDI) AFTER(full, LB)
#define NEXT_half_BEQ , AFTER(half, LD) AFTER(half, JALR) AFTER(full, BNE)
#define NEXT_full_BGEU , AFTER(half, SD) AFTER(full, ADDI) AFTER(full, ADD)
#define NEXT_full_BLTU , AFTER(full, LD) AFTER(full, SLLW) AFTER(full, BEQ)
#define NEXT_full_BLT , AFTER(full, SUB)
#define NEXT_full_BNE , AFTER(full, ADDI) AFTER(half, ADDI)
#define NEXT_half_BNE , AFTER(half, ADD) AFTER(half, ADDI) AFTER(full, ADD)
#define NEXT_full_FADD_D , AFTER(full, FSUB_D) AFTER(full, FADD_D)
#define NEXT_full_FDIV_D , AFTER(full, FMUL_D)
#define NEXT_full_FLD , AFTER(full, FLD) AFTER(full, FMUL_D) AFTER(half, FLD)
#define NEXT_half_FLD , AFTER(half, FLD) AFTER(half, ADDI) AFTER(full, FMUL_D)
#define NEXT_full_FMADD_D , AFTER(full, FMADD_D) AFTER(full, FSD) AFTER(full, FMSUB_D)
#define NEXT_full_FMSUB_D , AFTER(full, FADD_D)
#define NEXT_full_FMUL_D , AFTER(full, FMUL_D) AFTER(half, FLD) AFTER(full, FNMSUB_D)
#define NEXT_full_FNMSUB_D , AFTER(full, FNMSUB_D) AFTER(full, FMADD_D)
#define NEXT_full_FSD , AFTER(full, FSD) AFTER(full, BNE) AFTER(full, BLT)
#define NEXT_full_FSQRT_D , AFTER(full, FMUL_D)
#define NEXT_full_FSUB_D , AFTER(full, FSUB_D) AFTER(full, FSD) AFTER(full, FLD)
#define NEXT_full_LBU , AFTER(half, ADDI) AFTER(full, LBU) AFTER(full, ADDIW)
#define NEXT_full_LB , AFTER(half, ADDW) AFTER(full, SLT)
#define NEXT_full_LD , AFTER(half, ADDI) AFTER(full, LD) AFTER(half, ADD)
#define NEXT_half_LD , AFTER(half, LD)
#define NEXT_half_LUI , AFTER(full, BEQ)
#define NEXT_full_LW , AFTER(full, BEQ) AFTER(half, LW) AFTER(half, ADDI)
#define NEXT_full_MULW , AFTER(full, ADDIW) AFTER(full, SRLIW)
#define NEXT_full_ORI , AFTER(full, ADDIW)
#define NEXT_full_OR , AFTER(full, AND) AFTER(full, OR) AFTER(half, BNE)
#define NEXT_half_OR , AFTER(half, ADDIW) AFTER(full, OR)
#define NEXT_full_SB , AFTER(full, SB) AFTER(full, BNE) AFTER(half, LW)
#define NEXT_full_SD , AFTER(full, SD) AFTER(half, ADDI) AFTER(half, SD)
#define NEXT_half_SD , AFTER(half, SD)
#define NEXT_full_SLLIW , AFTER(full, SRLIW) AFTER(full, SLLIW) AFTER(full, XORI)
#define NEXT_full_SLLI , AFTER(half, SRLI) AFTER(full, SRLI) AFTER(half, ADD)
#define NEXT_half_SLLI , AFTER(half, ADD) AFTER(full, ADDI) AFTER(half, SRLI)
#define NEXT_full_SLLW , AFTER(half, OR)
#define NEXT_full_SLTIU , AFTER(half, ADD)
#define NEXT_full_SRLIW , AFTER(full, SLLIW) AFTER(full, SRLIW) AFTER(full, ADDW)
#define NEXT_full_SRLI , AFTER(half, ADD) AFTER(full, SLLI)
#define NEXT_half_SRLI , AFTER(half, ADD) AFTER(full, SUB)
#define NEXT_full_SRL , AFTER(full, ANDI)
#define NEXT_half_SUBW , AFTER(half, BEQ)
#define NEXT_full_SUB , AFTER(full, ADDI) AFTER(full, SUB) AFTER(full, LBU)
#define NEXT_half_SW , AFTER(half, ADDI) AFTER(full, ADDI)
#define NEXT_full_XORI , AFTER(full, SRLIW)
#define NEXT_full_XOR , AFTER(half, XOR) AFTER(half, ADDW) AFTER(full, XOR)
#define NEXT_half_XOR , AFTER(full, MULW) AFTER(full, ADDW) AFTER(full, SRLIW)

/* Successors of a form: FOLLOWERS(full, ADDI) is AFTER(half, ADD) AFTER(full, BNE); empty if it has
 * none. */
#define FOLLOWERS(length, op) FOLLOWERS_SECOND(NEXT_##length##_##op, , )
#define FOLLOWERS_SECOND(...) FOLLOWERS_SECOND_OF(__VA_ARGS__)
#define FOLLOWERS_SECOND_OF(first, second, ...) second

#endif
