/* Orders for sort_stable(): the first field in which two elements differ decides.
 *
 *   ORDER(by_seen, struct listed, DOWN(seen) ?: UP(pc)) */
#ifndef CYCLOPS_HWVIEWS_GRID_ORDER_H
#define CYCLOPS_HWVIEWS_GRID_ORDER_H

#define ORDER(name, type, ...)                                                                     \
	static int name(const void *pa, const void *pb)                                            \
	{                                                                                          \
		const type *a = pa, *b = pb;                                                       \
		return __VA_ARGS__;                                                                \
	}
/* Smallest, or largest, value first. */
#define UP(field) ((a->field > b->field) - (a->field < b->field))
#define DOWN(field) ((a->field < b->field) - (a->field > b->field))

#endif
