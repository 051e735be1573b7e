// workers: threads of your own finish the calls. A handler keeps its call and puts it in a queue; a
// worker computes, reports progress and answers. Whoever makes output writes it, in the wake.
//
// Build:  c++ -std=c++17 workers.cpp $(pkg-config --cflags --libs mcplite) -pthread -o workers
// Try:    ./workers in an MCP client; ask it how many primes there are below a million.
#include <mcplite.hpp>

#include <condition_variable>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

class jobs {
public:
    void push(mcp::held_call job)
    {
        const std::lock_guard lock(mutex_);
        waiting_.push(std::move(job));
        changed_.notify_one();
    }

    // Waits for a job; empty when there will be none.
    mcp::held_call pop()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
        if (waiting_.empty()) return {};
        mcp::held_call job = std::move(waiting_.front());
        waiting_.pop();
        return job;
    }

    void close()
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<mcp::held_call> waiting_;
    bool closed_ = false;
};

bool is_prime(int64_t n)
{
    for (int64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

void count_primes(mcp::call &call)
{
    constexpr int steps = 20;
    const int64_t below = call.arg_int("below", 0);
    int64_t n = 0, count = 0;
    for (int step = 1; step <= steps; step++) {
        for (; n < below * step / steps; n++) {
            if (n % 1024 == 0 && call.cancelled()) return; // nobody waits for this any more
            count += is_prime(n);
        }
        call.progress(step, steps, "counting");
    }
    call.put("primes", count);
    call.reply(); // if it was cancelled just now, sends nothing
}

} // namespace

int main()
{
    // What callbacks refer to is declared first, so that it is destroyed last.
    jobs jobs;
    std::mutex mutex;
    std::condition_variable woken;
    mcp::server server("workers", "1.0");
    mcp::session session(server);
    const mcp::status status = server.register_tool("primes", "Counts the primes below a number.",
        R"({"type": "object", "required": ["below"], "properties": {
            "below": {"type": "integer", "minimum": 0, "maximum": 99999999}}})",
        [&jobs](mcp::call &call) { jobs.push(call.retain()); });
    if (status != MCP_OK) {
        std::cerr << mcp::status_text(status) << '\n';
        return 1;
    }

    // A wake runs on the thread that made the output, but never twice at a time: it may write.
    session.set_wake([&] {
        while (const auto message = session.poll()) std::cout << *message << '\n';
        std::cout.flush();
        const std::lock_guard lock(mutex);
        woken.notify_one();
    });

    std::vector<std::thread> workers;
    for (int i = 0; i < 2; i++) {
        workers.emplace_back([&jobs] {
            while (mcp::held_call job = jobs.pop()) count_primes(job);
        });
    }

    std::string line;
    while (std::getline(std::cin, line) && session.handle_message(line) == MCP_OK) continue;
    session.end();
    {
        // The client has closed our input, but what it asked for is still answered.
        std::unique_lock lock(mutex);
        woken.wait(lock, [&session] { return session.finished(); });
    }
    jobs.close();
    for (std::thread &worker : workers) worker.join();
    return 0;
}
