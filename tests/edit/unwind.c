/* Unwinds its own stack: by the compiler's library, which reads .eh_frame, and by .eh_frame_hdr,
 * found through the program headers. With an argument, from a signal handler, too. It prints the
 * functions that it met, never their addresses. */
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

int main(int argc, char **argv);
static int first(int n);
static int second(const void *a, const void *b);
static void unwind_third(int s);

static const struct {
	const char *name;
	const void *at;
} functions[] = {{"main", (const void *)main}, {"first", (const void *)first}, {"second", (const void *)second}, {"third", (const void *)unwind_third},
                 {"qsort", (const void *)qsort}, {"raise", (const void *)raise}};

static const char *unwind_name_of(const void *at)
{
	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
		if (functions[i].at == at)
			return functions[i].name;
	return "another";
}

struct index {
	uint8_t version, pointer, count_form, form;
	int32_t frames;
	uint32_t count;
	struct {
		int32_t pc, entry;
	} rows[];
};

static int find_index(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			*(const struct index **)out = (const struct index *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 0;
}

/* The function whose entry of the table covers the address. */
static const void *look_up(const struct index *x, const uint8_t *pc)
{
	const uint8_t *base = (const uint8_t *)x;
	uint32_t lo = 0, hi = x->count;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (base + x->rows[mid].pc <= pc)
			lo = mid;
		else
			hi = mid;
	}
	const uint8_t *entry = base + x->rows[lo].entry;
	int32_t begin;
	uint32_t bytes;
	memcpy(&begin, entry + 8, sizeof begin);
	memcpy(&bytes, entry + 12, sizeof bytes);
	const uint8_t *first_byte = entry + 8 + begin;
	return first_byte == base + x->rows[lo].pc && (uintptr_t)(pc - first_byte) < bytes ? first_byte : NULL;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *data)
{
	int before = 0;
	const uint8_t *pc = (const uint8_t *)_Unwind_GetIPInfo(c, &before);
	const void *function = _Unwind_FindEnclosingFunction((void *)(pc - !before));
	const struct index *x = *(const struct index **)data;
	printf("  %s%s\n", unwind_name_of(function), look_up(x, pc - !before) == function ? "" : ", but the table has another");
	return function == (const void *)main ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void back(const char *where)
{
	const struct index *x = NULL;
	dl_iterate_phdr(find_index, &x);
	printf("%s:\n", where);
	if (!x)
		exit(2);
	for (uint32_t i = 1; i < x->count; i++)
		if (x->rows[i - 1].pc >= x->rows[i].pc)
			printf("  the table is not in order\n");
	_Unwind_Backtrace(frame, &x);
}

static void unwind_third(int s)
{
	(void)s;
	back("a signal");
}

static int with_signal;

static int second(const void *a, const void *b)
{
	static int calls;
	if (++calls == 7) {
		back("a comparison");
		if (with_signal)
			raise(SIGUSR1);
	}
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int first(int n)
{
	int list[20];
	for (int i = 0; i < 20; i++)
		list[i] = (i * 7 + n) % 20;
	qsort(list, 20, sizeof *list, second);
	return list[3];
}

int main(int argc, char **argv)
{
	(void)argv;
	with_signal = argc > 1;
	signal(SIGUSR1, unwind_third);
	int n = first(4);
	back("the end");
	return n;
}
