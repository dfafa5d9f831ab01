/* The routine by which an instrumented program writes its tree (loader/instrument/cct_file.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/mem/mem.h"
#include "loader/instrument/cct_code.h"
#include "loader/instrument/cct_file.h"

enum { SP = 2, T0 = 5, T1, T2, A0 = 10, A1, A2, A3, A7 = 17 };
enum {
	SYS_OPENAT = 56,
	SYS_CLOSE = 57,
	SYS_WRITE = 64,
	SYS_GETPID = 172,
	SYS_MINCORE = 232,
	HERE = -100 /* AT_FDCWD */,
	CREATE = 01 | 0100 | 01000,
	MODE = 0644
};

static const uint8_t kept[] = {T1, T2, A0, A1, A2, A3, A7};
enum { KEPT = sizeof kept, KEPT_BYTES = 64 };
/* Bytes of stack checked beyond the depth at which places are shared: deeper code leaves nonzero
 * words there. */
enum { DEEP_BYTES = 1 << 16 };

static void cct_save_emit_system_call(struct writer *w, int32_t number)
{
	writer_put(w, OP_ADDI, A7, 0, 0, number);
	writer_put(w, OP_ECALL, REG_SINK, 0, 0, 0);
}

/* Writes a2 bytes at a1 to file t1, by the routine at `label`, which returns only if all are
 * written. */
static void put_write(struct writer *w, unsigned label)
{
	writer_branch(w, OP_JAL, 0, 0, label);
	w->code[w->n - 1].in.rd = T2;
}

static void put_writing(struct writer *w, unsigned label, unsigned failed)
{
	const unsigned done = writer_new_label(w);
	writer_here(w, label);
	writer_branch(w, OP_BEQ, A2, 0, done);
	writer_put(w, OP_ADDI, A0, T1, 0, 0);
	cct_save_emit_system_call(w, SYS_WRITE);
	writer_branch(w, OP_BGE, 0, A0, failed);
	writer_put(w, OP_ADD, A1, A1, A0, 0);
	writer_put(w, OP_SUB, A2, A2, A0, 0);
	writer_jump(w, label);
	writer_here(w, done);
	writer_return(w, T2);
}

/* Inserts data as code that is never executed: words and the file's name. */
static uint64_t cct_save_insert_bytes(struct edit *e, const void *bytes, size_t n, struct err *err)
{
	struct edit_code *code = alloc_zeroed((n + 1) / 2, sizeof *code);
	if (!code) {
		err_format(err, "out of memory for a file's name");
		return 0;
	}
	for (size_t i = 0; i < (n + 1) / 2; i++) {
		uint16_t parcel = 0;
		memcpy(&parcel, (const char *)bytes + 2 * i, n - 2 * i < 2 ? 1 : 2);
		code[i] = (struct edit_code){
			.in = {.op = OP_ILLEGAL, .len = 2, .rd = REG_SINK, .raw = parcel}};
	}
	const uint64_t name = edit_routine(e, code, (unsigned)((n + 1) / 2), err);
	free(code);
	return name;
}

static void put_parts(struct writer *w, const struct cct_head *head, uint64_t start, unsigned write)
{
	const unsigned some = writer_new_label(w), fits = writer_new_label(w);
	writer_put_address(w, A1, start);
	writer_put(w, OP_ADDI, A2, 0, 0, 16);
	put_write(w, write);
	writer_put_address(w, A1, head->state);
	writer_put(w, OP_ADDI, A2, 0, 0, CCT_PLACES);
	put_write(w, write);
	writer_put_address(w, A1, head->state);
	writer_put(w, OP_LD, A2, A1, 0, CCT_HEAP_NEXT);
	writer_put(w, OP_LD, A3, A1, 0, CCT_HEAP_END);
	writer_put_address(w, A1, head->heap);
	writer_branch(w, OP_BGEU, A3, A2, some);
	writer_put(w, OP_ADDI, A2, A3, 0, 0);
	writer_here(w, some);
	writer_put(w, OP_SUB, A2, A2, A1, 0);
	put_write(w, write);
	writer_put_address(w, A1, head->state);
	writer_put(w, OP_LD, A2, A1, 0, CCT_HEAP_NEXT);
	writer_branch(w, OP_BGEU, A3, A2, fits);
	writer_put_address(w, A1, head->spares);
	writer_put_constant(w, A2, (int64_t)head->spare_bytes);
	put_write(w, write);
	writer_here(w, fits);
}

enum { DIGITS = 24 };

/* a1 = the file's name, with a dot and the process's number if it is not the first process. */
static void cct_save_emit_file_name(struct writer *w, struct edit *e, const struct cct_head *head,
                                    uint64_t name, size_t length)
{
	const uint64_t own = edit_memory(e, length + DIGITS);
	const unsigned same = writer_new_label(w), copy = writer_new_label(w),
		       larger = writer_new_label(w), digits = writer_new_label(w);
	cct_save_emit_system_call(w, SYS_GETPID);
	writer_put_address(w, A1, name);
	writer_put_address(w, T1, head->state);
	writer_put(w, OP_LD, T1, T1, 0, CCT_PROCESS);
	writer_branch(w, OP_BEQ, T1, A0, same);
	writer_put_address(w, A2, own);
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
	writer_put_address(w, A1, own);
	writer_here(w, same);
}

/* a0 = 0 if a1 bytes from t2 on are all mapped. */
static void put_is_mapped(struct writer *w, uint64_t pages)
{
	writer_put(w, OP_ADDI, A0, T2, 0, 0);
	writer_put_address(w, A2, pages);
	cct_save_emit_system_call(w, SYS_MINCORE);
}

/* Notes in the program's words if its stack was deeper than there are places. Memory so far below
 * may belong to something else; then it is not contiguous with the stack. */
static void put_depth(struct writer *w, struct edit *e, const struct cct_head *head)
{
	const uint64_t places = UINT64_C(1) << CCT_STACK_LOG2,
		       pages = edit_memory(e, (places + DEEP_BYTES) >> PAGE_LOG2);
	const unsigned look = writer_new_label(w), used = writer_new_label(w),
		       end = writer_new_label(w);
	writer_put_address(w, T1, head->state);
	writer_put(w, OP_LD, T2, T1, 0, CCT_STACK);
	writer_put_constant(w, A1, (int64_t)places + DEEP_BYTES);
	writer_put(w, OP_SUB, T2, T2, A1, 0);
	writer_put(w, OP_SRLI, T2, T2, 0, PAGE_LOG2);
	writer_put(w, OP_SLLI, T2, T2, 0, PAGE_LOG2);
	writer_put_constant(w, A1, DEEP_BYTES);
	put_is_mapped(w, pages);
	writer_branch(w, OP_BNE, A0, 0, end);
	writer_put(w, OP_ADD, A1, A1, T2, 0);
	writer_put(w, OP_ADDI, A2, T2, 0, 0);
	writer_here(w, look);
	writer_put(w, OP_LD, A0, A2, 0, 0);
	writer_branch(w, OP_BNE, A0, 0, used);
	writer_put(w, OP_ADDI, A2, A2, 0, 8);
	writer_branch(w, OP_BLTU, A2, A1, look);
	writer_jump(w, end);
	writer_here(w, used);
	writer_put_constant(w, A1, (int64_t)places);
	put_is_mapped(w, pages);
	writer_branch(w, OP_BNE, A0, 0, end);
	writer_put(w, OP_LD, T2, T1, 0, CCT_STACK);
	writer_put(w, OP_ORI, T2, T2, 0, CCT_STACK_WAS_DEEP);
	writer_put(w, OP_SD, REG_SINK, T1, T2, CCT_STACK);
	writer_here(w, end);
}

/* Adds a routine that reports the failure, so that the file is not lost silently. */
static uint64_t put_complaint(struct edit *e, const char *path, size_t *length, struct err *err)
{
	char *text = alloc_format("%s: the calling context tree can't be written\n", path);
	if (!text) {
		err_format(err, "out of memory for a file's name");
		return 0;
	}
	*length = strlen(text);
	const uint64_t name = cct_save_insert_bytes(e, text, *length, err);
	free(text);
	return name;
}

uint64_t cct_put_save(struct edit *e, const struct cct_head *head, uint64_t digest,
                      const char *path, struct err *err)
{
	const uint64_t words[2] = {CCT_FILE_MAGIC, digest};
	size_t length = 0;
	const uint64_t start = cct_save_insert_bytes(e, words, sizeof words, err),
		       name = start ? cct_save_insert_bytes(e, path, strlen(path) + 1, err) : 0;
	const uint64_t complaint = name ? put_complaint(e, path, &length, err) : 0;
	struct writer *w = complaint ? alloc_bytes(sizeof *w) : NULL;
	if (!w) {
		if (complaint)
			err_format(err, "out of memory for a routine");
		return 0;
	}
	writer_init(w, -1);
	const unsigned failed = writer_new_label(w), close = writer_new_label(w),
		       out = writer_new_label(w), write = writer_new_label(w);
	writer_put(w, OP_ADDI, SP, SP, 0, -KEPT_BYTES);
	for (unsigned i = 0; i < KEPT; i++)
		writer_put(w, OP_SD, REG_SINK, SP, kept[i], 8 * (int32_t)i);
	put_depth(w, e, head);
	cct_save_emit_file_name(w, e, head, name, strlen(path) + 1);
	writer_put(w, OP_ADDI, A0, 0, 0, HERE);
	writer_put_constant(w, A2, CREATE);
	writer_put_constant(w, A3, MODE);
	cct_save_emit_system_call(w, SYS_OPENAT);
	writer_put(w, OP_ADDI, T1, A0, 0, 0);
	writer_branch(w, OP_BLT, A0, 0, failed);
	put_parts(w, head, start, write);
	writer_here(w, close);
	writer_put(w, OP_ADDI, A0, T1, 0, 0);
	cct_save_emit_system_call(w, SYS_CLOSE);
	writer_here(w, out);
	for (unsigned i = 0; i < KEPT; i++)
		writer_put(w, OP_LD, kept[i], SP, 0, 8 * (int32_t)i);
	writer_put(w, OP_ADDI, SP, SP, 0, KEPT_BYTES);
	writer_return(w, T0);
	writer_here(w, failed);
	writer_put(w, OP_ADDI, A0, 0, 0, 2);
	writer_put_address(w, A1, complaint);
	writer_put_constant(w, A2, (int64_t)length);
	cct_save_emit_system_call(w, SYS_WRITE);
	writer_branch(w, OP_BGE, T1, 0, close);
	writer_jump(w, out);
	put_writing(w, write, failed);
	writer_link(w);
	const uint64_t routine = edit_routine(e, w->code, w->n, err);
	free(w);
	return routine;
}
