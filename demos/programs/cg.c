/*
 * cg: solves a sparse linear system by conjugate gradients, with three preconditioners.
 *
 * Behaviour. Memory-bound floating point. The product with the matrix (multiply) streams through
 * values and column numbers and gathers x[column] from all over a vector: the addresses are known early,
 * so a wide window overlaps the misses, until RUU, LSQ or MSHRs run out. The sum of a row is a chain of
 * dependent multiply-adds, but rows are independent. Dot products are one chain from end to end.
 * The incomplete Cholesky factor needs the fewest iterations, but its triangular solves go
 * row after row, each waiting for the ones before, with a division or a subtraction at the end of the
 * chain: fewer instructions, lower IPC. Compare cycles, not iterations.
 *
 * Input. A symmetric positive definite matrix in Matrix Market format, lower triangle; by default the
 * network of all five-letter words, linked where one changed letter leads from one to another.
 * Usage: cg MATRIX SOURCE [ROW]...       rows count from 1
 *
 * Expected. With a current of 1 fed into row SOURCE: for each preconditioner the iterations to a relative
 * residual of 1e-6 (none > diagonal > incomplete Cholesky), the residual of the solution as checked
 * afterwards, and the potentials of the rows. All current leaves through the ground: the row sums
 * weighted with the solution give 1, as far as the tolerance goes. Exit status 1 if a solution is not one.
 *
 * Tour, two minutes: `build/cyclops build/demos/cg ...`, then type (or run demos/tours/cg.cyc):
 *     tbreak multiply  sparse matrix times vector
 *     ignore 1 20
 *     continue
 *     step 54
 *     view pipe        a column index, then the gather that needs it, then the multiply-add
 *     view lsq         many loads at once: memory-level parallelism
 *     view mshr        one miss serves three of them, side by side in one line
 *     view cpi
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6

/* Compressed sparse rows: row i is [start[i], start[i + 1]) of column and value, columns ascending. */
struct matrix {
	uint32_t rows;
	uint32_t *start;	/* owned, [rows + 1] */
	uint32_t *column;	/* owned, [start[rows]] */
	double *value;		/* owned, [start[rows]] */
};

enum preconditioner { NONE, DIAGONAL, CHOLESKY, PRECONDITIONERS };

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "cg: out of memory\n");
		exit(1);
	}
	return memory;
}

static void give_up(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s\n", path, what);
	exit(1);
}

static void allocate_matrix(struct matrix *m, uint32_t rows, size_t entries)
{
	m->rows = rows;
	m->start = must(calloc((size_t)rows + 1, sizeof *m->start));
	m->column = must(malloc((entries + 1) * sizeof *m->column));
	m->value = must(malloc((entries + 1) * sizeof *m->value));
}

static void free_matrix(struct matrix *m)
{
	free(m->start);
	free(m->column);
	free(m->value);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(1);
	}
	size_t size = (size_t)ftell(file);
	rewind(file);
	char *text = must(malloc(size + 1));
	text[fread(text, 1, size, file)] = '\0';
	fclose(file);
	return text;
}

/*
 * Reads the lower triangle as it is in the file, which lists it column by column. Rows are filled by
 * counting first, then placing; columns ascend within a row because the file is ordered.
 */
static void read_matrix(const char *path, struct matrix *m)
{
	static const char header[] = "%%MatrixMarket matrix coordinate real symmetric";
	char *text = read_file(path), *at = text;
	if (strncmp(text, header, sizeof header - 1) != 0)
		give_up(path, "not a symmetric real coordinate matrix in Matrix Market format");
	while (*at == '%')
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at);
	unsigned long rows = strtoul(at, &at, 10), columns = strtoul(at, &at, 10), entries = strtoul(at, &at, 10);
	if (rows < 1 || rows != columns || rows > 1u << 24 || entries < rows || entries > 1u << 28)
		give_up(path, "not a square matrix of a sensible size");

	allocate_matrix(m, (uint32_t)rows, entries);
	uint32_t *row = must(malloc(entries * sizeof *row)), *column = must(malloc(entries * sizeof *column));
	double *value = must(malloc(entries * sizeof *value));
	for (size_t e = 0; e < entries; e++) {
		row[e] = (uint32_t)strtoul(at, &at, 10) - 1;
		column[e] = (uint32_t)strtoul(at, &at, 10) - 1;
		value[e] = strtod(at, &at);
		if (row[e] >= rows || column[e] > row[e] || (e > 0 && column[e] < column[e - 1]))
			give_up(path, "entries must be of the lower triangle, column by column");
		m->start[row[e] + 1]++;
	}
	for (size_t i = 0; i < rows; i++)
		m->start[i + 1] += m->start[i];
	uint32_t *next = must(malloc(rows * sizeof *next));
	memcpy(next, m->start, rows * sizeof *next);
	for (size_t e = 0; e < entries; e++) {
		uint32_t to = next[row[e]]++;
		m->column[to] = column[e];
		m->value[to] = value[e];
	}
	for (size_t i = 0; i < rows; i++)
		if (m->start[i + 1] == m->start[i] || m->column[m->start[i + 1] - 1] != i)
			give_up(path, "a diagonal entry is missing");
	free(next);
	free(value);
	free(column);
	free(row);
	free(text);
}

/* The whole symmetric matrix from its lower triangle. */
static void mirror(const struct matrix *lower, struct matrix *full)
{
	uint32_t n = lower->rows;
	allocate_matrix(full, n, 2 * (size_t)lower->start[n]);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = lower->start[i]; k < lower->start[i + 1]; k++) {
			full->start[i + 1]++;
			if (lower->column[k] != i)
				full->start[lower->column[k] + 1]++;
		}
	for (uint32_t i = 0; i < n; i++)
		full->start[i + 1] += full->start[i];
	uint32_t *next = must(malloc(n * sizeof *next));
	memcpy(next, full->start, n * sizeof *next);
	/* Row by row, so each row gets its own entries first (columns below it), then those of later rows. */
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = lower->start[i]; k < lower->start[i + 1]; k++) {
			uint32_t j = lower->column[k], to = next[i]++;
			full->column[to] = j;
			full->value[to] = lower->value[k];
			if (j == i)
				continue;
			to = next[j]++;
			full->column[to] = i;
			full->value[to] = lower->value[k];
		}
	free(next);
}

/* y = A x */
static void multiply(const struct matrix *a, const double *x, double *y)
{
	const uint32_t *column = a->column;
	const double *value = a->value;
	size_t k = 0;
	for (size_t i = 0; i < a->rows; i++) {
		double sum = 0;
		for (size_t end = a->start[i + 1]; k < end; k++)
			sum += value[k] * x[column[k]];
		y[i] = sum;
	}
}

static double dot(uint32_t n, const double *x, const double *y)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/*
 * Replaces the lower triangle A by L with L L^T = A wherever A has entries: incomplete Cholesky without
 * fill. False if a pivot is not positive.
 */
static bool factor(struct matrix *l)
{
	for (uint32_t i = 0; i < l->rows; i++) {
		uint32_t last = l->start[i + 1] - 1;
		for (uint32_t k = l->start[i]; k <= last; k++) {
			/* The dot product of the two rows up to here: a merge of their column lists. */
			uint32_t j = l->column[k], a = l->start[i], b = l->start[j], diagonal = l->start[j + 1] - 1;
			double sum = l->value[k];
			while (a < k && b < diagonal) {
				uint32_t ca = l->column[a], cb = l->column[b];
				if (ca == cb)
					sum -= l->value[a] * l->value[b];
				a += ca <= cb;
				b += cb <= ca;
			}
			if (k == last && sum <= 0)
				return false;
			l->value[k] = k == last ? sqrt(sum) : sum / l->value[diagonal];
		}
	}
	return true;
}

/* z = (L L^T)^-1 r: forwards through the rows, then backwards, where a row of L is a column of L^T. */
static void solve_factored(const struct matrix *l, const double *r, double *z)
{
	for (uint32_t i = 0; i < l->rows; i++) {
		uint32_t last = l->start[i + 1] - 1;
		double sum = r[i];
		for (uint32_t k = l->start[i]; k < last; k++)
			sum -= l->value[k] * z[l->column[k]];
		z[i] = sum / l->value[last];
	}
	for (uint32_t i = l->rows; i-- > 0;) {
		uint32_t last = l->start[i + 1] - 1;
		z[i] /= l->value[last];
		for (uint32_t k = l->start[i]; k < last; k++)
			z[l->column[k]] -= l->value[k] * z[i];
	}
}

static void precondition(enum preconditioner kind, const struct matrix *l, const double *inverse_diagonal,
			 const double *r, double *z)
{
	switch (kind) {
	case DIAGONAL:
		for (uint32_t i = 0; i < l->rows; i++)
			z[i] = r[i] * inverse_diagonal[i];
		break;
	case CHOLESKY:
		solve_factored(l, r, z);
		break;
	default:
		memcpy(z, r, l->rows * sizeof *z);
	}
}

/* Solves A x = b from x = 0; returns the iterations it took, or 0 if it gave up. */
static unsigned solve(const struct matrix *a, const struct matrix *l, const double *inverse_diagonal,
		      enum preconditioner kind, const double *b, double *x)
{
	uint32_t n = a->rows;
	double *work = must(malloc(4 * (size_t)n * sizeof *work));
	double *r = work, *z = work + n, *p = work + 2 * (size_t)n, *q = work + 3 * (size_t)n;
	memset(x, 0, n * sizeof *x);
	memcpy(r, b, n * sizeof *r);
	precondition(kind, l, inverse_diagonal, r, z);
	memcpy(p, z, n * sizeof *p);
	double rz = dot(n, r, z), target = TOLERANCE * TOLERANCE * dot(n, b, b);
	unsigned iteration = 0;
	while (dot(n, r, r) > target) {
		if (iteration++ == 10 * n) {
			iteration = 0;
			break;
		}
		multiply(a, p, q);
		double alpha = rz / dot(n, p, q);
		for (uint32_t i = 0; i < n; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		precondition(kind, l, inverse_diagonal, r, z);
		double before = rz;
		rz = dot(n, r, z);
		double beta = rz / before;
		for (uint32_t i = 0; i < n; i++)
			p[i] = z[i] + beta * p[i];
	}
	free(work);
	return iteration;
}

/* Reports one solution, which is checked against the matrix itself; false if it is not one. */
static bool report(const char *name, unsigned iterations, const struct matrix *a, const double *b, const double *x,
		   int count, char **rows)
{
	uint32_t n = a->rows;
	double *y = must(malloc(n * sizeof *y)), error = 0, leaving = 0;
	multiply(a, x, y);
	for (uint32_t i = 0; i < n; i++) {
		error = fmax(error, fabs(b[i] - y[i]));
		leaving += y[i];
	}
	free(y);
	bool ok = iterations > 0 && error < 10 * TOLERANCE;
	printf("%-19s %4u iterations, %s, current %.4f, potential", name, iterations,
	       ok ? "residual below 1e-5" : "NOT SOLVED", leaving);
	for (int i = 0; i < count; i++)
		printf(" %.6f", x[strtoul(rows[i], NULL, 10) - 1]);
	printf("\n");
	return ok;
}

int main(int argc, char **argv)
{
	static const char *const names[PRECONDITIONERS] = {"none", "diagonal", "incomplete Cholesky"};
	if (argc < 3) {
		fprintf(stderr, "usage: cg MATRIX SOURCE [ROW]...\n");
		return 2;
	}
	struct matrix lower, full;
	read_matrix(argv[1], &lower);
	mirror(&lower, &full);
	uint32_t n = full.rows;
	for (int a = 2; a < argc; a++)
		if (!isdigit((unsigned char)argv[a][0]) || strtoul(argv[a], NULL, 10) - 1 >= n)
			give_up(argv[a], "no such row");
	printf("%u rows, %u entries\n", n, full.start[n]);

	double *b = must(calloc(n, sizeof *b)), *x = must(calloc(n, sizeof *x));
	double *inverse_diagonal = must(calloc(n, sizeof *inverse_diagonal));
	b[strtoul(argv[2], NULL, 10) - 1] = 1;
	for (uint32_t i = 0; i < n; i++)
		inverse_diagonal[i] = 1 / lower.value[lower.start[i + 1] - 1];
	bool ok = factor(&lower);
	if (!ok)
		printf("not positive definite enough to factor\n");
	for (int kind = NONE; kind < PRECONDITIONERS && ok; kind++) {
		unsigned iterations = solve(&full, &lower, inverse_diagonal, (enum preconditioner)kind, b, x);
		ok &= report(names[kind], iterations, &full, b, x, argc - 2, argv + 2);
	}
	free(inverse_diagonal);
	free(x);
	free(b);
	free_matrix(&full);
	free_matrix(&lower);
	return !ok;
}
