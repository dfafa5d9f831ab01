// Parts of C++ programs: containers, strings, streams, virtual and templated calls,
// exceptions across frames, lambdas. For corpus.sh.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

struct box : shape {
	double a, b;
	box(double x, double y) : a(x), b(y) {}
	double area() const override { return a * b; }
};

struct disc : shape {
	double r;
	explicit disc(double x) : r(x) { if (x < 0) throw std::domain_error("radius"); }
	double area() const override { return 3 * r * r; }
};

static std::unique_ptr<shape> make(int i)
{
	if (i % 7 == 3)
		return std::make_unique<disc>(i % 21 == 3 ? -1.0 : i);
	return std::make_unique<box>(i, i + 1);
}

template <class T> static T fold(const std::vector<T> &v, const std::function<T(T, T)> &f)
{
	return std::accumulate(v.begin(), v.end(), T{}, f);
}

int main()
{
	std::map<std::string, int> ordered;
	std::unordered_map<std::string, std::vector<int>> hashed;
	double area = 0;
	int failed = 0;
	for (int i = 0; i < 3000; i++) {
		std::ostringstream name;
		name << "key" << i % 97;
		ordered[name.str()] += i;
		hashed[name.str()].push_back(i);
		try {
			area += make(i)->area();
		} catch (const std::domain_error &) {
			failed++;
		}
	}
	std::vector<long> sums;
	for (auto &[name, list] : hashed) {
		std::sort(list.begin(), list.end(), std::greater<>());
		sums.push_back(list.front() + static_cast<long>(name.size()));
	}
	std::cout << ordered.size() << ' ' << fold<long>(sums, [](long a, long b) { return a + b; })
		<< ' ' << area << ' ' << failed << '\n';
}
