/* Size of the terminal that a descriptor refers to. */
#ifndef CYCLOPS_CORE_HOST_TERMINAL_SIZE_H
#define CYCLOPS_CORE_HOST_TERMINAL_SIZE_H

/* In cells; 0: no terminal, or one of unknown size. */
struct terminal_size {
	unsigned width, height;
};

struct terminal_size terminal_size(int fd);

#endif
