/* The system's state beside an instruction, as a profiler may capture it. */
#ifndef CYCLOPS_CORE_DEFS_SYSTEM_WORD_H
#define CYCLOPS_CORE_DEFS_SYSTEM_WORD_H

/*   id, name, meaning */
#define SYSTEM_WORDS(W) \
	W(THREAD, "thread", "number of the running thread, 1 is the first") \
	W(PROCESS, "process", "its process, as getpid returns it") \
	W(BLOCKED, "blocked", "signals that the thread blocks: bit n-1 is signal n") \
	W(PENDING, "pending", "signals pending for the thread or the process, as bits")

enum system_word {
#define W(id, name, help) SYSTEM_##id,
	SYSTEM_WORDS(W)
#undef W
	SYSTEM_WORD_COUNT
};

#endif
