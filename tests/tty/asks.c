/* Asks for a name and a number, or, with an argument, says again and again how far it is. */
#include <stdio.h>
#include <string.h>

static void count(void)
{
	volatile unsigned sum = 0;
	for (unsigned k = 0;; k++) {
		printf("so far %u\n", k);
		fflush(stdout);
		for (unsigned i = 0; i < 100000; i++)
			sum += i;
	}
}

int main(int argc, char **argv)
{
	char name[64];
	int times;
	(void)argv;
	if (argc > 1)
		count();
	printf("Good morning.\nName? ");
	fflush(stdout);
	if (!fgets(name, sizeof name, stdin)) {
		printf("Nobody.\n");
		return 1;
	}
	name[strcspn(name, "\n")] = '\0';
	printf("How often? ");
	fflush(stdout);
	if (scanf("%d", &times) != 1) {
		printf("No number.\n");
		return 2;
	}
	for (int i = 1; i <= times; i++)
		printf("%d: Hello, %s!\n", i, name);
	return 0;
}
