// Exceptions through frames with clean-ups, over several functions, with values and with
// non-matching types.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct trace {
	const char *name;
	explicit trace(const char *n) : name(n) {}
	~trace() { std::printf("leaves %s\n", name); }
};

static int choose(int x)
{
	trace t("choose");
	switch (x) {
	case 0: return 3;
	case 1: return 5;
	case 2: throw std::runtime_error("two");
	case 3: throw std::string("three");
	case 4: throw 4;
	case 5: return std::vector<int>(5, 1).at(9);
	case 6: return 11;
	default: return x;
	}
}

static int deeper(int x)
{
	trace t("deeper");
	try {
		return choose(x) + 1;
	} catch (const std::string &s) {
		std::printf("a string: %s\n", s.c_str());
		throw std::logic_error(s + " again");
	}
}

int main(int argc, char **)
{
	int sum = 0;
	for (int i = 0; i < 9; i++) {
		try {
			sum += deeper(i * argc);
		} catch (const std::exception &e) {
			std::printf("caught %s\n", e.what());
			sum += 100;
		} catch (int n) {
			sum += 1000 * n;
		}
	}
	std::printf("%d\n", sum);
	return sum % 100;
}
