/* The kinds of instrumentation: what each counts (instrument.h). */
#ifndef CYCLOPS_LOADER_INSTRUMENT_KINDS_H
#define CYCLOPS_LOADER_INSTRUMENT_KINDS_H


/*   id, name, what is counted */
#define INSTRUMENT_KINDS(K)                                                                        \
	K(NOTHING, "nothing", "nothing: the code is laid out again as it was")                     \
	K(BB, "bb", "how often each basic block is entered")                                       \
	K(EDGE, "edge",                                                                            \
	  "how often each branch is taken, and not taken, each direct jump, and where dispatch "   \
	  "tables and computed gotos lead")                                                        \
	K(PATH, "path",                                                                            \
	  "how often each path through a procedure is executed (Ammons, Ball and Larus, section "  \
	  "2)")                                                                                    \
	K(PATH_HW, "path+hw",                                                                      \
	  "the same, and what two statistics of the machine add on each path (section 3)")         \
	K(CALLGRAPH, "callgraph", "counts of calls: arcs from call sites to procedures")           \
	K(CCT, "cct",                                                                              \
	  "how often each procedure is called in each context: a calling context tree (section "   \
	  "4)")                                                                                    \
	K(CCT_HW, "cct+hw",                                                                        \
	  "the same, and what two statistics of the machine add in each context (section 4.3)")    \
	K(CCT_PATH, "cct+path", "how often each path is executed in each context")

enum instrument_kind {
#define K(id, name, help) INSTRUMENT_##id,
	INSTRUMENT_KINDS(K)
#undef K
	INSTRUMENT_KIND_COUNT
};

extern const char *const instrument_name[INSTRUMENT_KIND_COUNT],
	*const instrument_help[INSTRUMENT_KIND_COUNT];

#endif
