/* The initial stack, laid out as Linux does (fs/exec.c, fs/binfmt_elf.c), from high to low
 * addresses:
 *
 *   top - 8        zero
 *                  the program's path (AT_EXECFN)
 *                  environment strings, in order upwards
 *                  argument strings, in order upwards
 *                  16 bytes of AT_RANDOM
 *                  auxiliary vector, environment and argument pointers, argc at sp, which is a
 *                  multiple of 16
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/os/linux.h"
#include "loader/program_priv.h"

enum {
	CLOCK_TICKS = 100,
	HWCAP = 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('F' - 'A') |
	        1 << ('D' - 'A') | 1 << ('C' - 'A'),
	RANDOM_BYTES = 16,
	AUXV_PAIRS = 17
};

/* Bytes being laid out, one block that ends at the stack's top. */
struct layout {
	uint8_t *bytes; /* [n] */
	uint64_t base;  /* guest address of bytes[0] */
	uint64_t at;    /* guest address of the lowest byte used so far */
	unsigned word;  /* bytes of a pointer */
};

static uint64_t push_bytes(struct layout *l, const void *src, size_t n)
{
	l->at -= n;
	memcpy(l->bytes + (l->at - l->base), src, n);
	return l->at;
}

static void loader_stack_write_word(struct layout *l, uint64_t addr, uint64_t value)
{
	memcpy(l->bytes + (addr - l->base), &value, l->word);
}

static size_t loader_stack_count_strings(char *const strings[])
{
	size_t n = 0;
	while (strings && strings[n])
		n++;
	return n;
}

static uint64_t strings_bytes(char *const strings[], size_t n)
{
	uint64_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += strlen(strings[i]) + 1;
	return total;
}

/* Pushes strings last to first, so that they are in order; at[] receives their addresses. */
static void push_strings(struct layout *l, char *const strings[], size_t n, uint64_t *at)
{
	for (size_t i = n; i-- > 0;)
		at[i] = push_bytes(l, strings[i], strlen(strings[i]) + 1);
}

static void put_auxv(struct layout *l, uint64_t addr, const struct program *p, uint64_t execfn,
                     uint64_t random)
{
	const uint64_t auxv[AUXV_PAIRS][2] = {
		{ AT_HWCAP, HWCAP },
		{ AT_PAGESZ, PAGE_BYTES },
		{ AT_CLKTCK, CLOCK_TICKS },
		{ AT_PHDR, p->phdr },
		{ AT_PHENT, p->is_32bit ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr) },
		{ AT_PHNUM, p->phnum },
		{ AT_BASE, p->loader ? p->loader->bias : 0 },
		{ AT_FLAGS, 0 },
		{ AT_ENTRY, p->entry },
		{ AT_UID, GUEST_UID },
		{ AT_EUID, GUEST_UID },
		{ AT_GID, GUEST_UID },
		{ AT_EGID, GUEST_UID },
		{ AT_SECURE, 0 },
		{ AT_RANDOM, random },
		{ AT_EXECFN, execfn },
		{ AT_NULL, 0 },
	};
	for (size_t i = 0; i < AUXV_PAIRS; i++) {
		loader_stack_write_word(l, addr + 2 * l->word * i, auxv[i][0]);
		loader_stack_write_word(l, addr + 2 * l->word * i + l->word, auxv[i][1]);
	}
}

/* Fills the whole block; pointers has room for the addresses of all of argv and envp. */
static uint64_t loader_stack_write_initial_stack(struct layout *l, const struct program *p,
                                                 size_t argc, char *const argv[], size_t envc,
                                                 char *const envp[], uint64_t seed,
                                                 uint64_t *pointers)
{
	l->at -= 8;
	uint64_t execfn = push_bytes(l, p->path, strlen(p->path) + 1);
	push_strings(l, envp, envc, pointers + argc);
	push_strings(l, argv, argc, pointers);
	l->at &= ~UINT64_C(15);
	uint64_t noise[2] = {hash_splitmix64_next(&seed), hash_splitmix64_next(&seed)};
	uint64_t random = push_bytes(l, noise, RANDOM_BYTES);

	size_t words = 1 + argc + 1 + envc + 1 + 2 * AUXV_PAIRS;
	uint64_t sp = (l->at - l->word * words) & ~UINT64_C(15), at = sp;
	loader_stack_write_word(l, at, argc);
	for (size_t i = 0; i < argc; i++)
		loader_stack_write_word(l, at += l->word, pointers[i]);
	loader_stack_write_word(l, at += l->word, 0);
	for (size_t i = 0; i < envc; i++)
		loader_stack_write_word(l, at += l->word, pointers[argc + i]);
	loader_stack_write_word(l, at += l->word, 0);
	put_auxv(l, at + l->word, p, execfn, random);
	return sp;
}

bool stack_build(const struct program *p, struct mem *mem, int argc, char *const argv[],
                 char *const envp[], uint64_t stack_bytes, uint64_t seed, uint64_t *sp,
                 struct err *err)
{
	size_t nargs = argc > 0 ? (size_t)argc : 0, envc = loader_stack_count_strings(envp);
	uint64_t strings =
		8 + strlen(p->path) + 1 + strings_bytes(argv, nargs) + strings_bytes(envp, envc);
	uint64_t words = 3 + nargs + envc + 2 * AUXV_PAIRS;
	uint64_t need = strings + 8 * words + RANDOM_BYTES + 32; /* 32: two alignments */
	/* Linux limits these to a quarter of the stack. */
	if (need > stack_bytes / 4)
		return err_set(
			err,
			"%s: arguments and environment take %ju bytes, more than a quarter of the "
			"stack of %ju (pass fewer or a larger stack)",
			p->path, (uintmax_t)need, (uintmax_t)stack_bytes);

	const uint64_t top = program_stack_top(p);
	struct layout l = {alloc_zeroed(1, need), top - need, top, p->is_32bit ? 4 : 8};
	uint64_t *pointers = alloc_zeroed(nargs + envc + 1, sizeof *pointers);
	bool ok = l.bytes && pointers;
	if (ok) {
		*sp = loader_stack_write_initial_stack(&l, p, nargs, argv, envc, envp, seed,
		                                       pointers);
		ok = mem_poke(mem, l.base, l.bytes, need);
	}
	free(pointers);
	free(l.bytes);
	return ok || err_set(err, "%s: out of memory for the initial stack", p->path);
}
