/*
 * chess: counts move trees (perft) and searches for the best move with alpha-beta.
 *
 * Behaviour. Irregular integer code of the kind branch predictors are measured by: loops whose
 * length is how far a rook sees, tests on what stands on a square, a search cut off when a move
 * turns out good enough. Expect a high misprediction rate and an IPC well below the width.
 * Each move copies the position (a burst of loads and stores); calls nest as deep as the search; the
 * transposition table is read at random over 1 MB, one miss per node, that nothing waits for at
 * once: a wide window overlaps it with the generation of moves.
 *
 * Input. A file of positions in Forsyth-Edwards notation, one task a line:
 *     perft DEPTH NODES FEN     the number of legal move sequences must be NODES
 *     search DEPTH MOVE FEN     the move found must be MOVE; - when any will do
 * Usage: chess FILE
 *
 * Expected. "ok" after each perft, with the well-known counts (20, 400, 8902,
 * ... from the initial position), and the key move of each problem. Exit status 1 if any is wrong.
 *
 * Squares are numbered 0x00 (a1) to 0x77 (h8); a square is off the board if it has a bit of 0x88.
 *
 * Tour, two minutes: `build/cyclops build/demos/chess ...`, then type (or run demos/tours/chess.cyc):
 *     tbreak generate       the move generator
 *     ignore 1 50
 *     continue
 *     catch squash
 *     continue
 *     view bpred            counters and history of the branches in flight
 *     view pipe             the mispredicted branch and what it threw away
 *     stats bpred.dir_rate  93% so far, 89% in the whole run: only sort is as hard to predict
 *     view cpi              bad speculation: 7% so far, 10% in the whole run
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHITE, BLACK };
enum { EMPTY, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };	/* a piece: type | colour << 3 */
enum { OFF_BOARD = 0x88, NO_SQUARE = 0x88, MOVES_MAX = 256, DEPTH_MAX = 32 };
enum { CASTLE_WK = 1, CASTLE_WQ = 2, CASTLE_BK = 4, CASTLE_BQ = 8 };
enum { MATE = 30000, INFINITE = 31000, TABLE_LOG2 = 16 };

struct move {
	uint8_t from, to;
	uint8_t captured;	/* piece or EMPTY; en passant: the pawn */
	uint8_t promotion;	/* piece type or EMPTY */
};

struct position {
	uint8_t board[128];	/* the right half of each row of 16 is off the board and stays empty */
	uint8_t side;		/* to move */
	uint8_t castling;	/* CASTLE_ bits still allowed */
	uint8_t en_passant;	/* the square passed by a pawn that just moved two, or NO_SQUARE */
	uint8_t king[2];
	int16_t score;		/* material and placement, positive is good for white */
	uint64_t hash;
};

enum bound { EXACT, AT_LEAST, AT_MOST };

struct entry {			/* of the transposition table */
	uint64_t hash;
	int16_t score;
	uint8_t depth, bound;
	uint8_t from, to;
};

static struct {
	struct entry table[1 << TABLE_LOG2];
	struct move killer[DEPTH_MAX];
	uint64_t nodes;
} search;

static const int8_t knight_steps[8] = {-33, -31, -18, -14, 14, 18, 31, 33};
static const int8_t king_steps[8] = {-17, -16, -15, -1, 1, 15, 16, 17};
/* The first four directions are a bishop's, the last four a rook's, all eight a queen's. */
static const int8_t slider_steps[8] = {-17, -15, 15, 17, -16, -1, 1, 16};
static int16_t worth[16][128];		/* of a piece on a square, negative for black */
static uint64_t keys[16][128], castling_keys[16], en_passant_keys[256], side_key;
static uint8_t castling_kept[128];	/* castling rights that survive a move from or to a square */

static uint64_t next_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void set_up(void)
{
	static const int16_t material[7] = {0, 100, 320, 330, 500, 900, 0};
	/* Centipawns for each step nearer to the middle of the board; a king prefers its corner. */
	static const int16_t centre[7] = {0, 3, 8, 5, 1, 2, -6};
	uint64_t seed = 1;
	for (int square = 0; square < 128; square++) {
		castling_kept[square] = 15;
		if (square & OFF_BOARD)
			continue;
		int file = square & 7, row = square >> 4;
		int middle = (file < 4 ? file : 7 - file) + (row < 4 ? row : 7 - row);
		for (int type = PAWN; type <= KING; type++) {
			int value = material[type] + centre[type] * middle;
			worth[type][square] = (int16_t)(value + (type == PAWN ? 6 * row : 0));
			worth[type | 8][square] = (int16_t)-(value + (type == PAWN ? 6 * (7 - row) : 0));
			keys[type][square] = next_random(&seed);
			keys[type | 8][square] = next_random(&seed);
		}
		en_passant_keys[square] = next_random(&seed);
	}
	for (int rights = 0; rights < 16; rights++)
		castling_keys[rights] = next_random(&seed);
	side_key = next_random(&seed);
	castling_kept[0x00] = 15 - CASTLE_WQ;
	castling_kept[0x07] = 15 - CASTLE_WK;
	castling_kept[0x04] = 15 - CASTLE_WQ - CASTLE_WK;
	castling_kept[0x70] = 15 - CASTLE_BQ;
	castling_kept[0x77] = 15 - CASTLE_BK;
	castling_kept[0x74] = 15 - CASTLE_BQ - CASTLE_BK;
}

static void put(struct position *p, int square, int piece)
{
	p->board[square] = (uint8_t)piece;
	p->score = (int16_t)(p->score + worth[piece][square]);
	p->hash ^= keys[piece][square];
}

static void take(struct position *p, int square)
{
	int piece = p->board[square];
	p->board[square] = EMPTY;
	p->score = (int16_t)(p->score - worth[piece][square]);
	p->hash ^= keys[piece][square];
}

static bool attacked(const struct position *p, int square, int by)
{
	int colour = by << 3;
	int behind = by == WHITE ? -16 : 16;	/* where a pawn that attacks the square stands, give or take a file */
	for (int side = -1; side <= 1; side += 2) {
		int from = square + behind + side;
		if (!(from & OFF_BOARD) && p->board[from] == (PAWN | colour))
			return true;
	}
	for (int i = 0; i < 8; i++) {
		int from = square + knight_steps[i];
		if (!(from & OFF_BOARD) && p->board[from] == (KNIGHT | colour))
			return true;
		from = square + king_steps[i];
		if (!(from & OFF_BOARD) && p->board[from] == (KING | colour))
			return true;
		int slider = (i < 4 ? BISHOP : ROOK) | colour;
		for (from = square + slider_steps[i]; !(from & OFF_BOARD); from += slider_steps[i]) {
			int piece = p->board[from];
			if (piece == EMPTY)
				continue;
			if (piece == slider || piece == (QUEEN | colour))
				return true;
			break;
		}
	}
	return false;
}

static struct move *add(struct move *out, int from, int to, int captured, int promotion)
{
	*out = (struct move){(uint8_t)from, (uint8_t)to, (uint8_t)captured, (uint8_t)promotion};
	return out + 1;
}

static struct move *add_pawn(struct move *out, int from, int to, int captured)
{
	if (to >> 4 != 0 && to >> 4 != 7)
		return add(out, from, to, captured, EMPTY);
	for (int type = QUEEN; type >= KNIGHT; type--)
		out = add(out, from, to, captured, type);
	return out;
}

static struct move *pawn_moves(const struct position *p, int from, struct move *out, bool captures_only)
{
	int forward = p->side == WHITE ? 16 : -16, start = p->side == WHITE ? 1 : 6;
	for (int side = -1; side <= 1; side += 2) {
		int to = from + forward + side;
		if (to & OFF_BOARD)
			continue;
		if (p->board[to] != EMPTY && p->board[to] >> 3 != p->side)
			out = add_pawn(out, from, to, p->board[to]);
		else if (to == p->en_passant)
			out = add(out, from, to, PAWN | (p->side ^ 1) << 3, EMPTY);
	}
	int to = from + forward;
	if (p->board[to] != EMPTY || (captures_only && to >> 4 != 0 && to >> 4 != 7))
		return out;
	out = add_pawn(out, from, to, EMPTY);
	if (from >> 4 == start && p->board[to + forward] == EMPTY)
		out = add(out, from, to + forward, EMPTY, EMPTY);
	return out;
}

static struct move *castling_moves(const struct position *p, struct move *out)
{
	int king = p->side == WHITE ? 0x04 : 0x74, enemy = p->side ^ 1;
	int rights = p->side == WHITE ? p->castling : p->castling >> 2;
	if ((rights & (CASTLE_WK | CASTLE_WQ)) == 0 || attacked(p, king, enemy))
		return out;
	/* Where the king arrives is checked like any other move; where it passes through, here. */
	if (rights & CASTLE_WK && !p->board[king + 1] && !p->board[king + 2] && !attacked(p, king + 1, enemy))
		out = add(out, king, king + 2, EMPTY, EMPTY);
	if (rights & CASTLE_WQ && !p->board[king - 1] && !p->board[king - 2] && !p->board[king - 3] &&
	    !attacked(p, king - 1, enemy))
		out = add(out, king, king - 2, EMPTY, EMPTY);
	return out;
}

/* Writes the moves of the side to move, legal but for leaving the king attacked; returns how many. */
static size_t generate(const struct position *p, struct move *moves, bool captures_only)
{
	struct move *out = moves;
	for (int from = 0; from < 128; from = (from + 9) & ~8) {	/* skips the right half of each row */
		int piece = p->board[from], type = piece & 7;
		if (piece == EMPTY || piece >> 3 != p->side)
			continue;
		if (type == PAWN) {
			out = pawn_moves(p, from, out, captures_only);
			continue;
		}
		const int8_t *steps = type == KNIGHT ? knight_steps : slider_steps;
		int first = type == ROOK ? 4 : 0, last = type == BISHOP ? 4 : 8;
		bool slides = type != KNIGHT && type != KING;
		for (int i = first; i < last; i++) {
			for (int to = from + steps[i]; !(to & OFF_BOARD); to += steps[i]) {
				int target = p->board[to];
				if (target == EMPTY ? !captures_only : target >> 3 != p->side)
					out = add(out, from, to, target, EMPTY);
				if (target != EMPTY || !slides)
					break;
			}
		}
	}
	if (!captures_only)
		out = castling_moves(p, out);
	return (size_t)(out - moves);
}

/* Makes the move on a copy; false if it leaves the mover's king attacked, and then the copy is of no use. */
static bool make(const struct position *before, struct move m, struct position *p)
{
	*p = *before;
	int piece = p->board[m.from], side = p->side;
	p->hash ^= castling_keys[p->castling] ^ en_passant_keys[p->en_passant] ^ side_key;
	if (m.captured) {
		bool passing = (piece & 7) == PAWN && m.to == p->en_passant;
		take(p, passing ? m.to + (side == WHITE ? -16 : 16) : m.to);
	}
	take(p, m.from);
	put(p, m.to, m.promotion ? m.promotion | side << 3 : piece);
	p->en_passant = NO_SQUARE;
	if ((piece & 7) == PAWN && (m.to ^ m.from) == 0x20)
		p->en_passant = (uint8_t)((m.from + m.to) / 2);
	if ((piece & 7) == KING) {
		p->king[side] = m.to;
		int stride = m.to - m.from;
		if (stride == 2 || stride == -2) {
			take(p, stride > 0 ? m.to + 1 : m.to - 2);
			put(p, (m.from + m.to) / 2, ROOK | side << 3);
		}
	}
	p->castling &= castling_kept[m.from] & castling_kept[m.to];
	p->side = (uint8_t)(side ^ 1);
	p->hash ^= castling_keys[p->castling] ^ en_passant_keys[p->en_passant];
	return !attacked(p, p->king[side], side ^ 1);
}

static uint64_t perft(const struct position *p, int depth)
{
	if (depth == 0)
		return 1;
	struct move moves[MOVES_MAX];
	size_t count = generate(p, moves, false);
	uint64_t total = 0;
	for (size_t i = 0; i < count; i++) {
		struct position next;
		if (make(p, moves[i], &next))
			total += perft(&next, depth - 1);
	}
	return total;
}

static bool same_move(struct move a, struct move b)
{
	return a.from == b.from && a.to == b.to && a.promotion == b.promotion;
}

/* The most valuable victim first, by the least valuable attacker; then the killer; then the rest. */
static int urgency(const struct position *p, struct move m, const struct entry *known, struct move killer)
{
	if (known && known->from == m.from && known->to == m.to)
		return 1000;
	if (m.captured || m.promotion)
		return 100 + 10 * (m.captured & 7) + m.promotion - (p->board[m.from] & 7);
	return same_move(m, killer) ? 50 : 0;
}

/* Brings the most urgent of the moves from `at` on to `at`: most nodes need only the first few. */
static void pick(struct move *moves, int *order, size_t at, size_t count)
{
	size_t best = at;
	for (size_t i = at + 1; i < count; i++)
		if (order[i] > order[best])
			best = i;
	struct move m = moves[at];
	moves[at] = moves[best];
	moves[best] = m;
	int o = order[at];
	order[at] = order[best];
	order[best] = o;
}

/*
 * The value of a position for the side to move, at least exact between alpha and beta. Below depth 0
 * only captures are tried. `best`, if not NULL, gets the move (left as it is when there is none).
 */
static int evaluate(const struct position *p, int depth, int ply, int alpha, int beta, struct move *best)
{
	search.nodes++;
	struct entry *slot = &search.table[p->hash & ((1 << TABLE_LOG2) - 1)];
	const struct entry *known = slot->hash == p->hash ? slot : NULL;
	if (known && !best && depth > 0 && known->depth >= depth &&
	    (known->bound == EXACT || (known->bound == AT_LEAST && known->score >= beta) ||
	     (known->bound == AT_MOST && known->score <= alpha)))
		return known->score;

	bool check = attacked(p, p->king[p->side], p->side ^ 1), quiet = depth <= 0 && !check;
	int value = -INFINITE, floor = alpha;
	if (quiet || ply >= DEPTH_MAX - 1) {
		value = p->side == WHITE ? p->score : -p->score;
		if (value >= beta || ply >= DEPTH_MAX - 1)
			return value;
		if (value > alpha)
			alpha = value;
	}

	struct move moves[MOVES_MAX], chosen = {0, 0, 0, 0};
	int order[MOVES_MAX];
	size_t count = generate(p, moves, quiet);
	for (size_t i = 0; i < count; i++)
		order[i] = urgency(p, moves[i], known, search.killer[ply]);
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		pick(moves, order, i, count);
		struct position next;
		if (!make(p, moves[i], &next))
			continue;
		any = true;
		int score = -evaluate(&next, depth - 1, ply + 1, -beta, -alpha, NULL);
		if (score > value) {
			value = score;
			chosen = moves[i];
		}
		if (value > alpha)
			alpha = value;
		if (alpha >= beta) {
			if (!moves[i].captured)
				search.killer[ply] = moves[i];
			break;
		}
	}
	if (!any && !quiet)
		return check ? -MATE + ply : 0;
	if (best && any)
		*best = chosen;
	if (depth > 0)
		*slot = (struct entry){p->hash, (int16_t)value, (uint8_t)depth,
				       value >= beta ? AT_LEAST : value > floor ? EXACT : AT_MOST,
				       chosen.from, chosen.to};
	return value;
}

/* Reads a position; false when it is not one. */
static bool parse_fen(const char *fen, struct position *p)
{
	static const char letters[] = " PNBRQK  pnbrqk";
	*p = (struct position){.en_passant = NO_SQUARE, .king = {NO_SQUARE, NO_SQUARE}};
	int file = 0, row = 7;
	for (; *fen && *fen != ' '; fen++) {
		const char *piece = strchr(letters, *fen);
		if (*fen == '/') {
			file = 0;
			row--;
		} else if (*fen >= '1' && *fen <= '8') {
			file += *fen - '0';
		} else if (piece && *piece != ' ' && file < 8 && row >= 0) {
			int code = (int)(piece - letters), square = row * 16 + file++;
			if ((code & 7) == PAWN && (row == 0 || row == 7))
				return false;
			put(p, square, code);
			if ((code & 7) == KING)
				p->king[code >> 3] = (uint8_t)square;
		} else {
			return false;
		}
	}
	char side, castling[8], en_passant[8];
	if (sscanf(fen, " %c %7s %7s", &side, castling, en_passant) != 3 || p->king[0] == NO_SQUARE ||
	    p->king[1] == NO_SQUARE)
		return false;
	p->side = side == 'b';
	p->castling = (uint8_t)((strchr(castling, 'K') ? CASTLE_WK : 0) | (strchr(castling, 'Q') ? CASTLE_WQ : 0) |
				(strchr(castling, 'k') ? CASTLE_BK : 0) | (strchr(castling, 'q') ? CASTLE_BQ : 0));
	if (en_passant[0] >= 'a' && en_passant[0] <= 'h' && (en_passant[1] == '3' || en_passant[1] == '6'))
		p->en_passant = (uint8_t)((en_passant[1] - '1') * 16 + en_passant[0] - 'a');
	p->hash ^= castling_keys[p->castling] ^ en_passant_keys[p->en_passant] ^ (p->side ? side_key : 0);
	return true;
}

static bool run_perft(const struct position *p, int depth, uint64_t expected)
{
	uint64_t nodes = perft(p, depth);
	printf("perft %d: %llu %s\n", depth, (unsigned long long)nodes, nodes == expected ? "ok" : "WRONG");
	return nodes == expected;
}

static bool run_search(const struct position *p, int depth, const char *expected)
{
	struct move best = {0, 0, 0, 0};
	int score = 0;
	memset(&search, 0, sizeof search);
	for (int d = 1; d <= depth; d++)
		score = evaluate(p, d, 0, -INFINITE, INFINITE, &best);

	char name[6] = {(char)('a' + (best.from & 7)), (char)('1' + (best.from >> 4)),
			(char)('a' + (best.to & 7)),   (char)('1' + (best.to >> 4)),
			best.promotion ? "  nbrq"[best.promotion] : '\0'};
	bool ok = strcmp(expected, "-") == 0 || strcmp(expected, name) == 0;
	printf("search %d: %s, ", depth, name);
	if (score > MATE - DEPTH_MAX)
		printf("mate in %d", (MATE - score + 1) / 2);
	else
		printf("%+d centipawns", score);
	printf(", %llu nodes %s\n", (unsigned long long)search.nodes, ok ? "ok" : "WRONG");
	return ok;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!file) {
		if (argc == 2)
			perror(argv[1]);
		else
			fprintf(stderr, "usage: chess FILE\n");
		return 2;
	}
	set_up();
	bool good = true;
	char line[256];
	while (fgets(line, sizeof line, file)) {
		char task[16], expected[32];
		int depth, fen = 0;
		struct position p;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "%15s %d %31s %n", task, &depth, expected, &fen) != 3 || depth < 1 ||
		    depth >= DEPTH_MAX || !parse_fen(line + fen, &p)) {
			printf("not a task: %s", line);
			good = false;
		} else if (strcmp(task, "perft") == 0) {
			good &= run_perft(&p, depth, strtoull(expected, NULL, 10));
		} else {
			good &= run_search(&p, depth, expected);
		}
	}
	fclose(file);
	return !good;
}
