/* Alternative implementations of parts of the machine: one row each, in the order of the
 * parameter's values.
 *
 *   KIND(ID, name, "choice", "help", ...)
 *   APART(ID, name, "choice", "help", ..., "test")
 *
 * A kind is a const descriptor in a file of its own. Choices and help of the parameter (a KIND row
 * of params.def), the enum, the table of descriptors and the lists of tests follow from the rows.
 * Each has an independent reference model in a file of its own. A kind that decides nothing itself
 * is APART: it has no model, and the last column names its test. make/check-kinds.py checks this,
 * and names a file that is missing. */
#ifndef CYCLOPS_CORE_DEFS_KINDS_H
#define CYCLOPS_CORE_DEFS_KINDS_H

/* Whether a predictor can learn at dispatch, where a squash takes back what was learnt: ANYTIME, or
 * LATE: not with bpred.update=dispatch. */
enum kind_learns { ANYTIME, LATE };

/* bpred.kind: predictor_NAME in core/pipe/frontend/predict_NAME.c, model_NAME in
 * tests/predict/model_NAME.c. */
#define BPRED_ROWS(KIND, APART)                                                                    \
	KIND(BIMODAL, bimodal, "bimodal", "two-bit counters by address", ANYTIME)                  \
	KIND(TWOLEVEL, twolevel, "twolevel", "by history and address", ANYTIME)                    \
	KIND(GSHARE, gshare, "gshare", "by history xor address", ANYTIME)                          \
	KIND(COMBINED, combined, "combined", "bimodal and twolevel with a chooser (Table I)",      \
	     ANYTIME)                                                                              \
	KIND(TAKEN, taken, "taken", "predicts taken", ANYTIME)                                     \
	KIND(NOTTAKEN, nottaken, "nottaken", "predicts not taken", ANYTIME)                        \
	APART(EXTERNAL, external, "external", "a plug-in, which learns at commit (--plugin)",      \
	      ANYTIME, "lua/test_plugin")                                                          \
	KIND(PERCEPTRON, perceptron, "perceptron",                                                 \
	     "Jimenez and Lin's, not with bpred.update=dispatch", LATE)                            \
	APART(PERFECT, perfect, "perfect",                                                         \
	      "for limit studies, fetch has all directions and targets, but guesses after "        \
	      "system calls and profile instructions",                                             \
	      ANYTIME, "predict/perfect")                                                          \
	KIND(BTFN, btfn, "btfn",                                                                   \
	     "predicts taken for backward branches, not taken for forward ones", ANYTIME)

/* l1i.replacement, l1d.replacement, l2.replacement: replacement_NAME in
 * core/pipe/memory/replace_NAME.c, model_NAME in tests/timing/model_NAME.c. */
#define REPLACE_ROWS(KIND, APART)                                                                  \
	KIND(LRU, lru, "lru", "the one used longest ago")                                          \
	KIND(FIFO, fifo, "fifo", "the one that came first")                                        \
	KIND(RANDOM, random, "random", "any")                                                      \
	KIND(TREE_PLRU, tree_plru, "tree-plru", "the one that a binary tree of bits points to")    \
	APART(EXTERNAL, external, "external", "the one that a plug-in chooses (--plugin)",         \
	      "cli/plugins")

/* l1i.prefetch: prefetcher_NAME in core/pipe/memory/prefetch_NAME.c, model_NAME in
 * tests/timing/model_NAME.c. */
#define CODE_PREFETCH_ROWS(KIND, APART)                                                            \
	APART(NONE, none, "none", "nothing", "timing/run")                                         \
	KIND(NEXT_LINE, next_line, "next-line",                                                    \
	     "those after a line that missed or was prefetched and is used (Smith's tagged "       \
	     "prefetch)")                                                                          \
	APART(EXTERNAL, external, "external", "those that a plug-in requests (--plugin)",          \
	      "cli/plugins")

/* l1d.prefetch and l2.prefetch: the above, and prefetchers that need an instruction's address. */
#define PREFETCH_ROWS(KIND, APART)                                                                 \
	CODE_PREFETCH_ROWS(KIND, APART)                                                            \
	KIND(STRIDE, stride, "stride",                                                             \
	     "an instruction's predicted addresses (Chen and Baer's reference prediction table)")

/* lsq.predictor: memdep_NAME in core/pipe/memdep_NAME.c; tests/predict/memdep.c has the models. */
#define MEMDEP_ROWS(KIND, APART)                                                                   \
	APART(NONE, none, "none", "no load", "predict/run")                                        \
	KIND(WAIT_TABLE, wait_table, "wait-table",                                                 \
	     "those replayed before, for all older stores (Alpha 21264)")                          \
	KIND(STORE_SETS, store_sets, "store-sets",                                                 \
	     "those of a set of conflicting stores, for its last store (Chrysos and Emer's store " \
	     "sets)")                                                                         \
	KIND(PERFECT, perfect, "perfect",                                                          \
	     "those that will conflict, for the last store that writes their bytes: for limit "    \
	     "studies")

/* Components of sampler.compressor, by their letters; help begins with their parameters:
 * component_NAME in core/prof/sampler/compress_NAME.c; tests/sampler/reference.lua has the
 * models. */
#define COMPONENT_ROWS(KIND, APART)                                                                \
	KIND(RANDOM, random, "R", "(r) one tuple in r, each independently of the others")          \
	KIND(COUNTDOWN, countdown, "Rc",                                                           \
	     "(r) the next one after a random countdown from 1 to 2r - 1")                         \
	KIND(PERIODIC, periodic, "P", "(r) every r-th tuple")                                      \
	KIND(TAGGED, tagged, "T",                                                                  \
	     "(n) n counters with partial tags; with options T(n, ways=2, tag=2, hit=8, miss=3, "  \
	     "evict=32, replace=8, hash=random)")                                                  \
	KIND(ASSOCIATIVE, associative, "A",                                                        \
	     "(k) k counters of whole tuples, which lose nothing; A(k, BITS)")                     \
	APART(EXTERNAL, external, "external", " a plug-in, the next that was given",               \
	      "lua/test_plugin_prof")

#define KIND_COUNT(...) +1
#define KIND_ENUM_BPRED(id, ...) BPRED_##id,
#define KIND_ENUM_REPLACE(id, ...) REPLACE_##id,
#define KIND_ENUM_MEMDEP(id, ...) MEMDEP_##id,
#define KIND_ENUM_PREFETCH(id, ...) PREFETCH_##id,
#define KIND_ENUM_COMPONENT(id, ...) COMPONENT_##id,
enum bpred_kind { BPRED_ROWS(KIND_ENUM_BPRED, KIND_ENUM_BPRED) BPRED_KINDS };
enum replace_kind { REPLACE_ROWS(KIND_ENUM_REPLACE, KIND_ENUM_REPLACE) REPLACE_KINDS };
enum prefetch { PREFETCH_ROWS(KIND_ENUM_PREFETCH, KIND_ENUM_PREFETCH) PREFETCH_KINDS };
enum memdep_choice { MEMDEP_ROWS(KIND_ENUM_MEMDEP, KIND_ENUM_MEMDEP) MEMDEP_KINDS };
enum component_kind { COMPONENT_ROWS(KIND_ENUM_COMPONENT, KIND_ENUM_COMPONENT) COMPONENT_KINDS };
enum { CODE_PREFETCH_KINDS = CODE_PREFETCH_ROWS(KIND_COUNT, KIND_COUNT) };

#endif
