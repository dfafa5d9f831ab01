/* Kinds of those parts of the machine of which there are several: one row each, in the order of the
 * values of its parameter.
 *
 *   KIND(ID, name, "choice", "help", ...)
 *   APART(ID, name, "choice", "help", ..., "test")
 *
 * A kind is a const descriptor in a file of its own. Choices and help of the parameter (a KIND row
 * of params.def), the enum, the table of descriptors and the lists of tests follow from the rows.
 * Each has a reference model in a file of its own, which shares nothing with it; of one that stands
 * APART, for it decides nothing itself, the last column names the test. make/check-kinds.py holds
 * this, and says which file is missing. */
#ifndef CYCLOPS_CORE_DEFS_KINDS_H
#define CYCLOPS_CORE_DEFS_KINDS_H

/* Whether a predictor can learn at dispatch, where a squash takes back what was learnt: ANYTIME, or
 * LATE: not with bpred.update=dispatch. */
enum kind_learns { ANYTIME, LATE };

/* bpred.kind: predictor_NAME in core/pipe/frontend/predict_NAME.c, model_NAME in
 * tests/predict/model_NAME.c. */
#define BPRED_ROWS(KIND, APART)                                                                    \
	KIND(BIMODAL, bimodal, "bimodal", "two-bit counters by address", ANYTIME)                  \
	KIND(TWOLEVEL, twolevel, "twolevel", "counters by history and address", ANYTIME)           \
	KIND(GSHARE, gshare, "gshare", "counters by history xor address", ANYTIME)                 \
	KIND(COMBINED, combined, "combined", "bimodal and twolevel with a chooser (Table I)",      \
	     ANYTIME)                                                                              \
	KIND(TAKEN, taken, "taken", "every branch is taken", ANYTIME)                              \
	KIND(NOTTAKEN, nottaken, "nottaken", "no branch is taken", ANYTIME)                        \
	APART(EXTERNAL, external, "external", "a plug-in, which learns at commit (--plugin)",      \
	      ANYTIME, "lua/test_plugin")                                                          \
	KIND(PERCEPTRON, perceptron, "perceptron",                                                 \
	     "Jimenez and Lin's, not with bpred.update=dispatch", LATE)                            \
	APART(PERFECT, perfect, "perfect",                                                         \
	      "for limit studies, fetch knows directions and targets, but guesses after system "   \
	      "calls and profile instructions",                                                    \
	      ANYTIME, "predict/perfect")

#define KIND_ENUM_BPRED(id, ...) BPRED_##id,
enum bpred_kind { BPRED_ROWS(KIND_ENUM_BPRED, KIND_ENUM_BPRED) BPRED_KINDS };

#endif
