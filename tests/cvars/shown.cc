// Objects with virtual functions, arrays and texts, for shown.sh: how `set print` has them shown.
struct Base {
	virtual ~Base() {}
	virtual int area() const { return 0; }
	virtual void *self() { return this; }
	int b = 1;
	static int made;
};
int Base::made = 3;
struct Other {
	virtual int other() { return 5; }
	long o = 2;
};
struct Box : Base, Other {
	int area() const override { return 4; }
	int side = 7;
};
struct Vbase : virtual Base {
	int v = 9;
	int area() const override { return 8; }
};
struct Plain {
	int x;
	union {
		int i;
		float f;
	} u;
};
namespace geo {
struct In : Base {
	int k = 4;
};
template <class T> struct Pair : Base {
	T t{};
};
}
typedef unsigned long my_size;
typedef int (*my_function)(const char *, my_size);
enum Colour { RED, GREEN };
union Either {
	int i;
	double d;
};
int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
Plain plains[2] = {{1, {2}}, {3, {4}}};
const char *names[3] = {"a", "b", nullptr};
char text[12] = "abc\0def", words[4][6] = {"abcd", "efgh", "ijkl", "mnop"};
int nums[30] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5};
my_size size;
my_function called;
Either either;
Colour colour = GREEN;
void f() {}
void (*hook)() = f;

struct First {
	int x, y;
	int run(int n) { return n + x; }
	virtual int turn(int n) { return n; }
	virtual int back() { return 1; }
	static int shared(int n) { return n; }
};
struct Pad {
	long pad;
	virtual ~Pad() {}
};
struct Both : Pad, First {
	int z;
};
typedef int (First::*Method)(int);
int First::*data = &First::y, First::*nothing_there = nullptr, Both::*inherited = &Both::x,
	   Both::*own = &Both::z;
const int First::*constant = &First::x;
int (First::*run)(int) = &First::run, (First::*none_such)(int) = nullptr;
int (First::*turned_by)(int) = &First::turn;
int (First::*back)() = &First::back;
int (Both::*adjusted)(int) = &Both::run;
int (First::*methods[2])(int) = {&First::run, &First::turn};
int (First::**to_method)(int) = &run;
Method named_method = &First::run;
struct Holder {
	int First::*d;
	int (First::*f)(int);
} holder = {&First::x, &First::turn};
First first;
Both both, *to_both = &both;

int main()
{
	first.x = 1;
	first.y = 7;
	both.x = 5;
	Base *base = new Box, *second = new geo::In, *pair = new geo::Pair<int>, *none = nullptr;
	Other *other = new Box;
	Base *turned = new Vbase;
	Base &ref = *base;
	Box box;
	int *heap = new int(5);
	void *nothing = nullptr;
	return base->area() + other->other() + second->b + pair->b + turned->b + ref.b + box.b + // here
	       *heap + (nothing == heap) + (none == base) + (first.*run)(1) + first.shared(1) +
	       (both.*adjusted)(2);
}
