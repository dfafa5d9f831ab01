/* Walks entries of debug information within a budget of depth and work, since files may lie.
 * A walk has a bound of what it passes over, in bytes of entries; one that reaches it is over as if
 * nothing followed.
 *
 * What is asked of a program shares one walk, refilled when a question begins; of a type alone each
 * question has its own. */
#ifndef CYCLOPS_LOADER_DWARF_WALK_H
#define CYCLOPS_LOADER_DWARF_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "loader/dwarf/walk_state.h"

struct program;

/* That of an image's present question. Borrowed. */
struct dwarf_walk *walk_of(const struct program *image);

/* One for a question about a type. */
static inline struct dwarf_walk walk_of_type(void)
{
	return (struct dwarf_walk){.left = WALK_TYPE_BYTES, .names_left = WALK_NAMES_BYTES};
}

/* Ends the question under way, and each until the next begins, as if nothing followed. Safe in a
 * signal handler. */
void walk_interrupt(void);
/* What going through the whole of a unit may take. */
uint64_t walk_unit(Dwarf_Die *unit);
/* False: the walk is over. */
bool walk_take(struct dwarf_walk *w, uint64_t bytes);
/* The first child, and the next one in its place; false if there is none, or the walk is over. */
bool walk_child(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Die *child);
bool walk_next(struct dwarf_walk *w, Dwarf_Die *child);
/* Whether the entry's code has the address. */
bool walk_holds(struct dwarf_walk *w, Dwarf_Die *die, Dwarf_Addr addr);

#endif
