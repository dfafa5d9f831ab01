// Containers of libstdc++: filled, emptied, changed, and shown by their elements (run.sh).
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

struct Item {
	std::string name;
	int price;
};

struct Shelf {
	std::vector<Item> items;
	std::map<std::string, int> stock;
	std::unique_ptr<Item> best;
	int count = 0;
};

__attribute__((noinline)) static int add(Shelf &shelf, const std::string &name, int price)
{
	shelf.items.push_back(Item{name, price});
	shelf.stock[name] += price;
	shelf.count++;
	if (!shelf.best || price > shelf.best->price)
		shelf.best.reset(new Item{name, price});
	return shelf.count;
}

__attribute__((noinline)) static int run()
{
	std::vector<int> numbers;
	std::vector<int> none;
	std::vector<bool> truths;
	std::string text = "a text", empty, longer = "a text that has no room in the string itself";
	std::map<int, std::string> names;
	std::map<int, int> squares;
	std::unordered_map<int, int> hashed;
	std::unordered_set<int> seen;
	std::set<int> set;
	std::multimap<int, int> multi;
	std::list<int> list;
	std::deque<int> deque;
	std::pair<int, std::string> pair{1, "one"};
	std::tuple<int, char, double> tuple{1, 'x', 2.5};
	std::tuple<> nothing;
	std::optional<int> perhaps, never;
	std::unique_ptr<int> owned, nobody;
	std::shared_ptr<Item> shared, second;
	std::weak_ptr<Item> weak;
	std::vector<std::vector<int>> nested;
	std::vector<std::string> words;
	Shelf shelf;
	int sum = 0;
	for (int i = 0; i < 4; i++) {
		numbers.push_back(i * i);
		truths.push_back(i % 2);
		names[i] = "name " + std::to_string(i);
		squares[i * 7 % 5] = i * i;
		hashed[i] = i + 1;
		seen.insert(i * 3);
		set.insert(10 - i);
		multi.insert({i / 2, i});
		list.push_front(i);
		deque.push_back(i);
		nested.push_back(numbers);
		words.push_back(names[i]);
		sum += add(shelf, names[i], 10 * i);
	}
	perhaps = 7;
	owned = std::make_unique<int>(5);
	shared = std::make_shared<Item>(Item{"shared", 3});
	second = shared;
	weak = shared;
	for (int i = 0; i < 300; i++)
		numbers.push_back(i), deque.push_front(-i);
	auto at = names.find(2);
	auto place = numbers.begin() + 1;
	std::string &alias = longer;
	std::vector<int> *pointer = &numbers;
	sum += at->second.size() + *place + alias.size() + pointer->size();
	names.erase(1);
	list.clear();
	perhaps.reset();
	shared.reset();
	printf("%d\n", sum);
	return sum;
}

__attribute__((noinline)) static void clear()
{
	volatile char bytes[16384];
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = 0;
}

int main()
{
	clear();
	return run() == 0;
}
