/* The guest's address space, for the calls that change it, and files in memory, whose bytes lie in
 * it (memory.c, remap.c, memfd.c). Results are -errno on failure; they mean nothing if
 * call_repeats(). */
#ifndef CYCLOPS_CORE_OS_SPACE_H
#define CYCLOPS_CORE_OS_SPACE_H

#include "core/os/host_questions.h"
#include "core/os/os_priv.h"

/* space.c */
uint64_t page_up(uint64_t v);
bool space_holds(uint64_t start, uint64_t length); /* below MEM_TOP */
bool space_is_free(const struct mem *mem, uint64_t start, uint64_t length); /* nothing is mapped */
/* Whether the guest may have all of the range with this protection, besides its memory
 * elsewhere. */
bool space_may_have(const struct call *c, uint64_t start, uint64_t length, unsigned prot);
/* Whether the mapped range may get this protection. Sparse pages (MEM_SPARSE) may: they count when
 * written. */
bool space_may_protect(const struct call *c, uint64_t start, uint64_t length, unsigned prot);
/* Bytes by which the guest's memory may grow: `best` or, if that is too much, `least`; 0, after a
 * warning: neither. */
uint64_t space_may_grow(const struct call *c, uint64_t least, uint64_t best);
/* Notes a change of code, before the range gets this protection or is unmapped: as on Linux, its
 * instructions are fetched anew. */
void space_note_code(const struct call *c, uint64_t start, uint64_t length, unsigned prot);
/* The same before the range is mapped anew: the code there goes (code_versions.h). */
void space_note_mapping(const struct call *c, uint64_t start, uint64_t length, unsigned prot);
/* Afterwards, with the call's result: if it has succeeded, code has come. Returns the result. */
int64_t space_note_result(const struct call *c, int64_t result, uint64_t start, uint64_t length,
                          unsigned prot);

/* memory.c */
/* Unmaps the range; bytes of files in memory only become inaccessible. */
bool space_unmap(struct call *c, uint64_t start, uint64_t length);

/* memfd.c */
/* The file that a description is open on. */
struct os_memfd *memfd_of(struct os_state *st, const struct os_file *f);
/* The first open file with bytes in this range of addresses; NULL: none. */
struct os_memfd *memfd_within(struct os_state *st, uint64_t start, uint64_t length);
/* Moves files in memory out of a range to be mapped; false if a part of one is mapped there. */
bool memfd_give_way(struct call *c, uint64_t start, uint64_t length);
/* Before and after descriptors are closed: frees files that no descriptor is open on, except for
 * their mapped pages. If memfd_close() fails the call must stop. */
bool memfd_close(struct call *c);
void memfd_closed(struct call *c);
int64_t memfd_read(struct call *c, const struct os_file *f, const struct lx_iovec *v,
                   unsigned count, int64_t offset);
/* *offset < 0 appends; *offset advances. */
int64_t memfd_write(struct call *c, const struct os_file *f, const struct lx_iovec *v,
                    unsigned count, int64_t *offset);
int64_t memfd_truncate(struct call *c, const struct os_file *f, int64_t size);
int64_t memfd_allocate(struct call *c, const struct os_file *f, uint64_t mode, uint64_t offset,
                       uint64_t length);
int64_t memfd_seals(struct call *c, const struct os_file *f, bool add, uint64_t seals);
void memfd_stat(const struct os *os, const struct os_file *f, struct host_stat *out);
/* Fills a private mapping. */
int64_t memfd_copy(struct call *c, const struct os_file *f, uint64_t start, uint64_t length,
                   uint64_t offset);
/* Makes the shared mapping that an mmap() asks for. */
int64_t memfd_map(struct call *c, const struct os_file *f, uint64_t length, unsigned prot);

#endif
