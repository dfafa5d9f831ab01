/* The guest's address space, for the calls that change it, and files in memory, whose bytes lie in
 * it (memory.c, remap.c, memfd.c). Calls have returned -errno, or what they return means nothing
 * (call_repeats()). */
#ifndef CYCLOPS_CORE_OS_SPACE_H
#define CYCLOPS_CORE_OS_SPACE_H

#include "core/os/host_questions.h"
#include "core/os/os_priv.h"

/* memory.c */
uint64_t page_up(uint64_t v);
bool space_holds(uint64_t start, uint64_t length); /* it ends below MEM_TOP */
bool space_is_free(const struct mem *mem, uint64_t start, uint64_t length); /* nothing is mapped */
/* Whether the guest may have all of the range with this protection, beside what it has elsewhere.
 */
bool space_may_have(const struct call *c, uint64_t start, uint64_t length, unsigned prot);
/* Before the range gets this protection or goes: as Linux does, what was fetched of it is fetched
 * anew. */
void space_note_code(const struct call *c, uint64_t start, uint64_t length, unsigned prot);
/* What lies there goes, but for the bytes of files in memory, which only become inaccessible. */
bool space_unmap(struct call *c, uint64_t start, uint64_t length);

/* memfd.c */
/* The file that a description is open on. */
struct os_memfd *memfd_of(struct os_state *st, const struct os_file *f);
/* The first open one that has bytes in this range of addresses; NULL: none. */
struct os_memfd *memfd_within(struct os_state *st, uint64_t start, uint64_t length);
/* Something else comes where files in memory may have their bytes: they go elsewhere, or false, if
 * a part of one is mapped. */
bool memfd_give_way(struct call *c, uint64_t start, uint64_t length);
/* Before descriptors are closed, in which a call must not go on if false; and behind that: files
 * that nobody has open leave nothing but what is mapped. */
bool memfd_close(struct call *c);
void memfd_closed(struct call *c);
int64_t memfd_read(struct call *c, const struct os_file *f, const struct lx_iovec *v,
                   unsigned count, int64_t offset);
/* *offset < 0 appends; it moves on. */
int64_t memfd_write(struct call *c, const struct os_file *f, const struct lx_iovec *v,
                    unsigned count, int64_t *offset);
int64_t memfd_truncate(struct call *c, const struct os_file *f, int64_t size);
int64_t memfd_allocate(struct call *c, const struct os_file *f, uint64_t mode, uint64_t offset,
                       uint64_t length);
int64_t memfd_seals(struct call *c, const struct os_file *f, bool add, uint64_t seals);
void memfd_stat(const struct os *os, const struct os_file *f, struct host_stat *out);
/* A private mapping is filled. */
int64_t memfd_copy(struct call *c, const struct os_file *f, uint64_t start, uint64_t length,
                   uint64_t offset);
/* The shared mapping that an mmap() asks for. */
int64_t memfd_map(struct call *c, const struct os_file *f, uint64_t length, unsigned prot);

#endif
