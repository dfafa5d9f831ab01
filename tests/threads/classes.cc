// C++'s threads, futures and exceptions across them: output does not depend on who runs when.
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int main()
{
	std::vector<std::thread> all;
	std::mutex lock;
	long sum = 0;
	std::atomic<int> rounds{0};
	for (int i = 0; i < 6; i++)
		all.emplace_back([&, i] {
			for (int k = 0; k < 300; k++) {
				std::lock_guard<std::mutex> guard(lock);
				sum += i;
				rounds++;
			}
		});
	for (auto &t : all)
		t.join();
	auto squared = std::async(std::launch::async, [](int x) { return x * x; }, 12);
	auto later = std::async(std::launch::deferred, [] { return 5; });
	std::promise<int> promise;
	std::thread keeper([&] {
		std::this_thread::sleep_for(std::chrono::milliseconds(3));
		promise.set_value(99);
	});
	std::cout << sum << " " << rounds << " " << squared.get() << " " << later.get() << " "
	          << promise.get_future().get() << "\n";
	keeper.join();
	try {
		std::async(std::launch::async, [] { throw std::runtime_error("thrown"); }).get();
	} catch (std::exception &e) {
		std::cout << e.what() << "\n";
	}
	thread_local int own = 4;
	std::thread([] { own = 5; }).join();
	std::shared_mutex shared;
	std::shared_lock<std::shared_mutex> one(shared), two(shared, std::try_to_lock);
	std::cout << own << " " << two.owns_lock() << "\n";
}
