/* An ordered map whose states are cheap to keep: they share all that has not changed between them.
 * What a script's declared variables are made of (scripting/api/state.c).
 *
 * A map is its root; equal contents have equal shapes, however they came about. */
#ifndef CYCLOPS_SCRIPTING_HOST_STATE_MAP_H
#define CYCLOPS_SCRIPTING_HOST_STATE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_node {
	struct map_node *left, *right;
	uint32_t refs;
	uint32_t priority;  /* digest of the key: a parent's is not less than its children's */
	uint32_t key_n, value_n; /* bytes */
	uint8_t bytes[];    /* the key, then the value */
};

struct map {
	struct map_node *root; /* a reference; NULL: empty */
	size_t fresh;          /* bytes allocated since it was zeroed */
};

static inline const uint8_t *map_value(const struct map_node *n)
{
	return n->bytes + n->key_n;
}

/* Another reference to a map, or the end of one. */
struct map_node *map_keep(struct map_node *root);
void map_drop(struct map_node *root);

/* False if memory is out: the map is as before. */
bool map_set(struct map *m, const void *key, size_t key_n, const void *value, size_t value_n);
/* Removes all keys that begin so, itself included. False if memory is out: others may be missing
 * then, too. */
bool map_remove(struct map *m, const void *prefix, size_t n);

/* NULL if there is none. */
const struct map_node *map_get(const struct map_node *root, const void *key, size_t n);
/* The first behind a key, or behind all that begin with it. */
const struct map_node *map_after(const struct map_node *root, const void *key, size_t n,
                                 bool behind_prefix);

/* Equal contents, equal digests. */
uint64_t map_hash(const struct map_node *root);

#endif
