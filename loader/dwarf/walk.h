/* Walks entries of debug information within a budget of depth and work, because files may be
 * malicious. A walk is limited in the bytes of entries that it passes over; at the limit it ends as
 * if nothing followed.
 *
 * Look-ups in a program share one walk, refilled at each query; each query about a type alone has
 * its own. */
#ifndef CYCLOPS_LOADER_DWARF_WALK_H
#define CYCLOPS_LOADER_DWARF_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "loader/dwarf/walk_state.h"

struct program;

/* Cost of checking a range, in bytes of entries. */
enum { WALK_RANGE_BYTES = 8 };

/* The walk of the image's current query. Borrowed. */
struct dwarf_walk *walk_of(const struct program *image);

/* A new walk for a query about a type. */
static inline struct dwarf_walk walk_of_type(void)
{
	return (struct dwarf_walk){.left = WALK_TYPE_BYTES, .names_left = WALK_NAMES_BYTES};
}

/* Ends the current query, and further ones until the next walk_begin(), as if nothing followed.
 * Safe in a signal handler. */
void walk_interrupt(void);
/* Whether walk_interrupt() ended the query: what it found is incomplete. */
bool walk_interrupted(void);
/* The type that an attribute refers to, also in a unit of its own (-fdebug-types-section). False if
 * there is none. */
bool walk_type(Dwarf_Attribute *attr, Dwarf_Die *type);
/* The work allowed for going through a whole unit. */
uint64_t walk_unit(Dwarf_Die *unit);
/* Takes work from the walk; false: it is over. */
bool walk_take(struct dwarf_walk *w, uint64_t bytes);
/* The first child; the next sibling in its place. False if there is none, or the walk is over. */
bool walk_child(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Die *child);
bool walk_next(struct dwarf_walk *w, Dwarf_Die *child);
/* Whether an entry with this tag may hold code. */
bool walk_is_block(int tag);
/* Whether the address is in the entry's code. */
bool walk_holds(struct dwarf_walk *w, Dwarf_Die *die, Dwarf_Addr addr);

#endif
