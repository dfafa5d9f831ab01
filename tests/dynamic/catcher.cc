/* A program in C++ that catches what a shared library throws, lets its own callback throw through qsort's caller, and loads another by dlopen(). */
#include <dlfcn.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

void thrower(int n);
int count();

static int plug()
{
	void *h = dlopen("./libplug.so", RTLD_LAZY);
	if (!h) {
		std::cout << dlerror() << std::endl;
		return 1;
	}
	auto work = reinterpret_cast<int (*)(int)>(dlsym(h, "plug_work"));
	std::cout << "plug " << work(4) << " " << work(5) << std::endl;
	std::cout << "none: " << (dlsym(h, "nothing") ? "?" : dlerror()) << std::endl;
	dlclose(h);
	h = dlopen("./libplug.so", RTLD_NOW | RTLD_NOLOAD);
	std::cout << "still there: " << (h != nullptr) << std::endl;
	h = dlopen("./missing.so", RTLD_NOW);
	std::cout << (h ? "?" : dlerror()) << std::endl;
	return 0;
}

int main()
{
	try {
		thrower(0);
	} catch (const std::exception &e) {
		std::cout << "caught " << e.what() << std::endl;
	}
	std::map<std::string, int> counts;
	for (const char *name : {"a", "b", "a"})
		counts[name] += count();
	for (const auto &p : counts)
		std::cout << p.first << " " << p.second << std::endl;
	try {
		std::vector<int>().at(3);
	} catch (const std::out_of_range &e) {
		std::cout << "caught " << e.what() << std::endl;
	}
	if (plug() || plug())
		return 1;
	return 3;
}
