// Features of C++ beyond C, in small: namespaces, overloads, methods, bases, references, templates,
// static members. Compared with gdb by run.sh.
#include <cstdio>
#include <cstdlib>

namespace geo {

enum class Colour : unsigned char { red, green = 5, blue };
enum Side { LEFT = 1, RIGHT = 2 };

int count;

struct Point {
	int x, y;
	Point(int a, int b) : x(a), y(b) {}
	Point operator+(const Point &o) const { return Point(x + o.x, y + o.y); }
	bool operator<(const Point &o) const { return x < o.x; }
};

class Shape {
public:
	static int made;
	static const int most = 40;
	explicit Shape(Colour c) : colour(c), name('s') { made++; }
	virtual ~Shape() {}
	virtual int area() const = 0;
	virtual void scale(int by) { factor *= by; }

protected:
	Colour colour;
	char name;
	int factor = 1;
};

int Shape::made;

class Named {
public:
	const char *label;
	bool shown = true;
	void *nothing = nullptr;
	explicit Named(const char *l) : label(l) {}
	int length() const
	{
		int n = 0;
		while (label[n])
			n++;
		return n;
	}
};

class Box : public Shape, public Named {
public:
	Box(Point a, Point b) : Shape(Colour::green), Named("box"), from(a), to(b) {}
	int area() const override
	{
		const int w = to.x - from.x;
		const int h = to.y - from.y;
		return w * h * factor;
	}
	void scale(int by) override
	{
		Shape::scale(by);
		to.x = to.x + by;
	}

private:
	Point from, to;
};

class Disc : public Shape {
	Point centre;
	int radius;

public:
	Disc(const Point &c, int r) : Shape(Colour::blue), centre(c), radius(r) {}
	int area() const override { return 3 * radius * radius * factor; }
};

int sum(int a)
{
	count++;
	return a;
}

int sum(int a, int b)
{
	count += 2;
	return a + b;
}

double sum(double a, double b)
{
	const double r = a + b;
	return r;
}

int sum(const Point &p)
{
	const int r = p.x + p.y;
	return r;
}

template <typename T> T twice(T v)
{
	T r = v + v;
	return r;
}

template <typename T, int N> struct Stack {
	T all[N];
	int used = 0;
	void push(const T &v)
	{
		if (used < N)
			all[used++] = v;
	}
	T &top() { return all[used - 1]; }
};

void swap(int &a, int &b)
{
	const int t = a;
	a = b;
	b = t;
}

} // namespace geo

namespace {
int hidden = 7;
int bump(int by)
{
	hidden += by;
	return hidden;
}
} // namespace

static int total(geo::Shape *const *all, int n)
{
	int r = 0;
	for (int i = 0; i < n; i++) {
		geo::Shape &s = *all[i];
		r += s.area();
	}
	return r;
}

__attribute__((noinline)) static int run()
{
	geo::Point a(1, 2), b(5, 7);
	geo::Box box(a, b);
	geo::Disc disc(b, 3);
	geo::Shape *all[] = {&box, &disc};
	geo::Stack<int, 8> pile;
	geo::Side side = geo::RIGHT;
	int &r = a.x;
	for (int i = 0; i < 3; i++) {
		pile.push(geo::sum(i, i + 1));
		box.scale(i + 1);
		geo::swap(a.x, b.x);
		r += total(all, 2);
	}
	const geo::Point c = a + b;
	const double d = geo::sum(1.5, 2.0);
	int t = geo::sum(c) + geo::sum(4) + geo::twice(21) + (int)geo::twice(d);
	t += bump(pile.top()) + box.length() + (a < b) + side;
	const auto add = [&t](int by) { return t + by; };
	t = add(5);
	printf("%d %d %d\n", t, geo::count, geo::Shape::made);
	return t;
}

/* The stack's old contents differ between a simulator and an emulator. */
__attribute__((noinline)) static void clear()
{
	volatile char bytes[8192];
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

int main()
{
	clear();
	return run() == 0;
}
