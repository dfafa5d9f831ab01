/* Reads a name and a number. With an argument: "count" prints its progress repeatedly instead;
 * "late" computes for long between the questions, "kept" leaves them in stdio's buffer, "errors"
 * prompts on standard error. */
#include <stdio.h>
#include <string.h>

static void asks_compute(unsigned times)
{
	volatile unsigned sum = 0;
	for (unsigned i = 0; i < times; i++)
		sum += i;
}

static void count(void)
{
	for (unsigned k = 0;; k++) {
		printf("so far %u\n", k);
		fflush(stdout);
		asks_compute(100000);
	}
}

int main(int argc, char **argv)
{
	char name[64];
	int times;
	const char *how = argc > 1 ? argv[1] : "";
	FILE *to = strcmp(how, "errors") ? stdout : stderr;
	if (!strcmp(how, "count"))
		count();
	fprintf(to, "Good morning.\nName? ");
	if (strcmp(how, "kept"))
		fflush(to);
	if (!fgets(name, sizeof name, stdin)) {
		printf("Nobody.\n");
		return 1;
	}
	name[strcspn(name, "\n")] = '\0';
	if (!strcmp(how, "late"))
		asks_compute(600000);
	fprintf(to, "How often? ");
	if (strcmp(how, "kept"))
		fflush(to);
	if (scanf("%d", &times) != 1) {
		printf("No number.\n");
		return 2;
	}
	for (int i = 1; i <= times; i++)
		printf("%d: Hello, %s!\n", i, name);
	return 0;
}
