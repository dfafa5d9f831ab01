// A type profile that is known: one place calls a virtual function of objects of three classes, in
// an order by chance. Prints each class's method table, as an object has it, and its calls.
#include <cstdio>
#include <cstring>

struct Shape {
	virtual ~Shape() {}
	virtual int area(int by) = 0;
};
struct Square : Shape {
	int area(int by) override { return by * by; }
};
struct Circle : Shape {
	int area(int by) override { return 3 * by * by; }
};
struct Line : Shape {
	int area(int) override { return 0; }
};

extern "C" __attribute__((noinline)) int area_of(Shape *shape, int by)
{
	return shape->area(by) + 1;
}

int main()
{
	Square square;
	Circle circle;
	Line line;
	Shape *const all[] = {&square, &circle, &line};
	int calls[3] = {0}, sum = 0;
	unsigned random = 1;
	for (int i = 0; i < 5000; i++) {
		random = random * 1103515245 + 12345;
		const unsigned draw = random >> 16 & 15, which = draw < 9 ? 0 : draw < 14 ? 1 : 2;
		calls[which]++;
		sum += area_of(all[which], i & 7);
	}
	for (int i = 0; i < 3; i++) {
		unsigned long table;
		memcpy(&table, static_cast<void *>(all[i]), sizeof table);
		printf("%lu %d\n", table, calls[i]);
	}
	return sum == 0;
}
