/* A shared library that throws, with thread-local storage and an object that is made before main. */
#include <iostream>
#include <stdexcept>
#include <string>

thread_local int counted = 3;
thread_local std::string kept = "kept";

struct made {
	made() { std::cout << "library made" << std::endl; }
	~made() { std::cout << "library gone" << std::endl; }
} one;

struct failure : std::runtime_error {
	explicit failure(int n) : std::runtime_error("failure " + std::to_string(n)) {}
};

struct guard {
	int n;
	~guard() { std::cout << "unwound " << n << std::endl; }
};

void thrower(int n)
{
	guard g{n};
	if (n == 3)
		throw failure(n);
	thrower(n + 1);
}

int count()
{
	kept += "!";
	return counted++ + (int)kept.size();
}
