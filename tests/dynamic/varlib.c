/* The library that vars.c is linked with; with LATER, the one that it opens by dlopen(). */
#ifdef LATER
static __thread int inner = 20;
__thread struct { int a, b; } pairs = {5, 6};

int later_work(int by)
{
	inner += by;
	pairs.b += inner;
	return pairs.b;
}

const void *later_where(int which)
{
	return which ? (const void *)&pairs : &inner;
}
#else
int counted = 3;
const char *named = "of the library";
static __thread int early = 1;

int lib_count(int by)
{
	early += by;
	counted += early;
	return counted + 11;
}
#endif
