/* Writes to standard output and standard error by turns, also in the middle of lines. */
#include <unistd.h>

#define SAY(fd, text) (write(fd, text, sizeof text - 1) < 0)

int main(void)
{
	return SAY(1, "one\n") || SAY(2, "two\n") || SAY(1, "three ") || SAY(2, "four\nfive\n") || SAY(1, "six\nseven\n") ||
	       SAY(2, "eight\n");
}
