/* Roles: meanings of cells. A theme assigns a look to each role. */
#ifndef CYCLOPS_HWVIEWS_GRID_ROLE_H
#define CYCLOPS_HWVIEWS_GRID_ROLE_H

/* Meanings, never colours: id, name, description */
#define ROLES(R)                                                                                   \
	R(PLAIN, "plain", "nothing special")                                                       \
	R(DIM, "dim", "of secondary interest: labels, empty entries")                              \
	R(HEAD, "head",                                                                            \
	  "titles and column heads; a row of this role is for people only: JSON leaves it out")    \
	R(CURRENT, "current", "where the program is; the oldest instruction")                      \
	R(SELECTED, "selected", "the row that the cursor is on")                                   \
	R(CHANGED, "changed", "changed since the last stop")                                       \
	R(WRONG_PATH, "wrong_path", "speculative: after a misprediction")                          \
	R(SQUASHED, "squashed", "removed, never happened")                                         \
	R(WAITING, "waiting", "held up by something")                                              \
	R(READY, "ready", "could go on")                                                           \
	R(RUNNING, "running", "executing, in the memory system")                                   \
	R(DONE, "done", "complete")                                                                \
	R(MISS, "miss", "a miss, a late thing: costs time")                                        \
	R(HIT, "hit", "a hit, a right prediction")                                                 \
	R(HOT, "hot", "large, busy")                                                               \
	R(STALE, "stale", "old, invalid")                                                          \
	R(PROFILE, "profile", "profiling code and state")                                          \
	R(DROPPED, "dropped", "dropped profile instructions")                                      \
	R(LOCKED, "locked", "locked entry")                                                        \
	R(BREAKPOINT, "breakpoint", "a breakpoint stands here")                                    \
	R(ADDRESS, "address", "addresses and symbols")                                             \
	R(NUMBER, "number", "counts and values")                                                   \
	R(ERROR, "error", "faults and errors")

enum role {
#define R(id, name, help) ROLE_##id,
	ROLES(R)
#undef R
	ROLE_COUNT
};

extern const char *const role_name[ROLE_COUNT];

#endif
