/* The routine by which an instrumented program writes its tree (loader/instrument/cct_file.h). */
#include <stdlib.h>
#include <string.h>

#include "loader/instrument/cct_code.h"
#include "loader/instrument/cct_file.h"

enum { SP = 2, T0 = 5, T1, T2, A0 = 10, A1, A2, A3, A7 = 17 };
enum { SYS_OPENAT = 56, SYS_CLOSE = 57, SYS_WRITE = 64, SYS_GETPID = 172, HERE = -100 /* AT_FDCWD */, CREATE = 01 | 0100 | 01000, MODE = 0644 };

static const uint8_t kept[] = {T1, T2, A0, A1, A2, A3, A7};
enum { KEPT = sizeof kept, KEPT_BYTES = 64 };

static void put_address(struct writer *w, unsigned rd, uint64_t of)
{
	writer_put_ref(w, OP_AUIPC, rd, 0, 0, REF_HIGH, of);
	writer_put_ref(w, OP_ADDI, rd, rd, 0, REF_LOW, 0);
}

static void put_system_call(struct writer *w, int32_t number)
{
	writer_put(w, OP_ADDI, A7, 0, 0, number);
	writer_put(w, OP_ECALL, REG_SINK, 0, 0, 0);
}

/* The a2 bytes at a1 go to file t1, through the routine's own routine at `label`. */
static void put_write(struct writer *w, unsigned label)
{
	writer_branch(w, OP_JAL, 0, 0, label);
	w->code[w->n - 1].in.rd = T2;
}

static void put_writing(struct writer *w, unsigned label)
{
	const unsigned done = writer_new_label(w);
	writer_here(w, label);
	writer_branch(w, OP_BEQ, A2, 0, done);
	writer_put(w, OP_ADDI, A0, T1, 0, 0);
	put_system_call(w, SYS_WRITE);
	writer_branch(w, OP_BGE, 0, A0, done);
	writer_put(w, OP_ADD, A1, A1, A0, 0);
	writer_put(w, OP_SUB, A2, A2, A0, 0);
	writer_jump(w, label);
	writer_here(w, done);
	writer_return(w, T2);
}

/* Bytes that nothing executes: words and the file's name. */
static uint64_t put_bytes(struct edit *e, const void *bytes, size_t n, struct err *err)
{
	struct edit_code *code = calloc((n + 1) / 2, sizeof *code);
	if (!code) {
		err_format(err, "out of memory for a file's name");
		return 0;
	}
	for (size_t i = 0; i < (n + 1) / 2; i++) {
		uint16_t parcel = 0;
		memcpy(&parcel, (const char *)bytes + 2 * i, n - 2 * i < 2 ? 1 : 2);
		code[i] = (struct edit_code){.in = {.op = OP_ILLEGAL, .len = 2, .rd = REG_SINK, .raw = parcel}};
	}
	const uint64_t name = edit_routine(e, code, (unsigned)((n + 1) / 2), err);
	free(code);
	return name;
}

static void put_parts(struct writer *w, const struct cct_head *head, uint64_t start, unsigned write)
{
	const unsigned some = writer_new_label(w), fits = writer_new_label(w);
	put_address(w, A1, start);
	writer_put(w, OP_ADDI, A2, 0, 0, 16);
	put_write(w, write);
	put_address(w, A1, head->state);
	writer_put(w, OP_ADDI, A2, 0, 0, CCT_PLACES);
	put_write(w, write);
	put_address(w, A1, head->state);
	writer_put(w, OP_LD, A2, A1, 0, CCT_HEAP_NEXT);
	writer_put(w, OP_LD, A3, A1, 0, CCT_HEAP_END);
	put_address(w, A1, head->heap);
	writer_branch(w, OP_BGEU, A3, A2, some);
	writer_put(w, OP_ADDI, A2, A3, 0, 0);
	writer_here(w, some);
	writer_put(w, OP_SUB, A2, A2, A1, 0);
	put_write(w, write);
	put_address(w, A1, head->state);
	writer_put(w, OP_LD, A2, A1, 0, CCT_HEAP_NEXT);
	writer_branch(w, OP_BGEU, A3, A2, fits);
	put_address(w, A1, head->spares);
	writer_put_constant(w, A2, (int64_t)head->spare_bytes);
	put_write(w, write);
	writer_here(w, fits);
}

enum { DIGITS = 24 };

/* a1 = the file's name, with a dot and the process's number behind it if that is not who began. */
static void put_name(struct writer *w, struct edit *e, const struct cct_head *head, uint64_t name, size_t length)
{
	const uint64_t own = edit_memory(e, length + DIGITS);
	const unsigned same = writer_new_label(w), copy = writer_new_label(w), larger = writer_new_label(w), digits = writer_new_label(w);
	put_system_call(w, SYS_GETPID);
	put_address(w, A1, name);
	put_address(w, T1, head->state);
	writer_put(w, OP_LD, T1, T1, 0, CCT_PROCESS);
	writer_branch(w, OP_BEQ, T1, A0, same);
	put_address(w, A2, own);
	writer_here(w, copy);
	writer_put(w, OP_LBU, T2, A1, 0, 0);
	writer_put(w, OP_SB, REG_SINK, A2, T2, 0);
	writer_put(w, OP_ADDI, A1, A1, 0, 1);
	writer_put(w, OP_ADDI, A2, A2, 0, 1);
	writer_branch(w, OP_BNE, T2, 0, copy);
	writer_put(w, OP_ADDI, T2, 0, 0, '.');
	writer_put(w, OP_SB, REG_SINK, A2, T2, -1);
	writer_put(w, OP_ADDI, A3, 0, 0, 10);
	writer_put(w, OP_ADDI, T1, 0, 0, 1);
	const unsigned enough = writer_new_label(w);
	writer_here(w, larger);
	writer_put(w, OP_DIVU, T2, A0, T1, 0);
	writer_branch(w, OP_BLTU, T2, A3, enough);
	writer_put(w, OP_MUL, T1, T1, A3, 0);
	writer_jump(w, larger);
	writer_here(w, enough);
	writer_here(w, digits);
	writer_put(w, OP_DIVU, T2, A0, T1, 0);
	writer_put(w, OP_REMU, A0, A0, T1, 0);
	writer_put(w, OP_ADDI, T2, T2, 0, '0');
	writer_put(w, OP_SB, REG_SINK, A2, T2, 0);
	writer_put(w, OP_ADDI, A2, A2, 0, 1);
	writer_put(w, OP_DIVU, T1, T1, A3, 0);
	writer_branch(w, OP_BNE, T1, 0, digits);
	writer_put(w, OP_SB, REG_SINK, A2, 0, 0);
	put_address(w, A1, own);
	writer_here(w, same);
}

uint64_t cct_put_save(struct edit *e, const struct cct_head *head, uint64_t digest, const char *path, struct err *err)
{
	const uint64_t words[2] = {CCT_FILE_MAGIC, digest};
	const uint64_t start = put_bytes(e, words, sizeof words, err), name = start ? put_bytes(e, path, strlen(path) + 1, err) : 0;
	struct writer *w = name ? calloc(1, sizeof *w) : NULL;
	if (!w) {
		if (name)
			err_format(err, "out of memory for a routine");
		return 0;
	}
	w->type = -1;
	const unsigned out = writer_new_label(w), write = writer_new_label(w);
	writer_put(w, OP_ADDI, SP, SP, 0, -KEPT_BYTES);
	for (unsigned i = 0; i < KEPT; i++)
		writer_put(w, OP_SD, REG_SINK, SP, kept[i], 8 * (int32_t)i);
	put_name(w, e, head, name, strlen(path) + 1);
	writer_put(w, OP_ADDI, A0, 0, 0, HERE);
	writer_put_constant(w, A2, CREATE);
	writer_put_constant(w, A3, MODE);
	put_system_call(w, SYS_OPENAT);
	writer_branch(w, OP_BLT, A0, 0, out);
	writer_put(w, OP_ADDI, T1, A0, 0, 0);
	put_parts(w, head, start, write);
	writer_put(w, OP_ADDI, A0, T1, 0, 0);
	put_system_call(w, SYS_CLOSE);
	writer_here(w, out);
	for (unsigned i = 0; i < KEPT; i++)
		writer_put(w, OP_LD, kept[i], SP, 0, 8 * (int32_t)i);
	writer_put(w, OP_ADDI, SP, SP, 0, KEPT_BYTES);
	writer_return(w, T0);
	put_writing(w, write);
	writer_link(w);
	const uint64_t routine = edit_routine(e, w->code, w->n, err);
	free(w);
	return routine;
}
