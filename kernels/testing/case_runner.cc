// Runs the cases of cases.bin (format: cases.py) and writes what differs to results.bin.
//
// Every buffer lies between guard zones, at an address that is aligned as its type demands and no better. Each case runs with all
// buffers apart, then once for each overlap with its output laid over an input. The first run is between calls of
// kindling_mark_kernel_begin and kindling_mark_kernel_end, so that an emulator can count its instructions.
//
// Exit code: 0 if all cases ran, however many failed.
#include <cstddef>
#include <cstdint>

#include "kernels/testing/all_kernels.h"
#include "kernels/testing/host_file.h"
#include "platforms/boards/unaligned.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (void)(address), (void)(size)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (void)(address), (void)(size)
#endif

extern "C" {
__attribute__((noinline)) void kindling_mark_kernel_begin() { __asm__ volatile(""); }
__attribute__((noinline)) void kindling_mark_kernel_end() { __asm__ volatile(""); }
}

namespace kindling {
namespace {

constexpr std::uint32_t kMagic = 0x5341434b;
constexpr std::uint32_t kMaxArguments = 8, kMaxOverlaps = 16, kMaxFailures = 32;
constexpr std::uint32_t kGuard = 64;
constexpr std::uint8_t kPaint = 0xa5;

constexpr std::uint32_t kAnyError = 0xffffffff;  // the check may say what it likes: what it lets pass must stay in its buffers

enum Role : std::uint32_t { kInput, kParams, kScratch, kOutput };
enum What : std::int32_t { kCheck = 1, kOutputByte, kOutsideByte, kInputByte };

struct Argument {
  std::uint32_t role, bytes, alignment;
};

struct Overlap {
  std::uint32_t input, lead;
};

struct Case {
  std::uint32_t kernel, error, argument_count;
  Argument arguments[kMaxArguments];
  std::uint32_t overlap_count;
  Overlap overlaps[kMaxOverlaps];
  const std::uint8_t* data[kMaxArguments];  // what goes in or must come out
};

struct Failure {
  std::int32_t index, overlap, what, where, actual, expected;
};

#if defined(__arm__)
#define KINDLING_ARENA __attribute__((section(".arena")))
#else
#define KINDLING_ARENA
#endif

/// What the case file holds of one case, and the memory it runs in.
alignas(16) std::uint8_t store[768 * 1024] KINDLING_ARENA;
alignas(16) std::uint8_t arena[768 * 1024] KINDLING_ARENA;

class Runner {
 public:
  explicit Runner(HostFile& cases) : cases_(cases) {}

  bool run() {
    if (word() != kMagic) return false;
    const std::uint32_t count = word();
    for (ran_ = 0; ran_ < count && complete_; ++ran_) {
      Case item;
      if (!read(item)) return false;
      run(item);
    }
    return complete_;
  }

  bool report(HostFile& results) const {
    const std::uint32_t head[] = {kMagic, ran_, failed_};
    const std::uint32_t recorded = failed_ < kMaxFailures ? failed_ : kMaxFailures;
    return results.write(head, sizeof(head)) && results.write(failures_, recorded * sizeof(Failure));
  }

 private:
  void read(void* data, std::uint32_t bytes) { complete_ = complete_ && cases_.read(data, bytes) == bytes; }

  std::uint32_t word() {
    std::uint32_t value = 0;
    read(&value, sizeof(value));
    return value;
  }

  bool read(Case& item) {
    read(&item, offsetof(Case, arguments));
    if (!complete_ || item.kernel >= kAllKernelsCount || item.argument_count > kMaxArguments) return false;
    read(item.arguments, item.argument_count * sizeof(Argument));
    item.overlap_count = word();
    if (!complete_ || item.overlap_count > kMaxOverlaps) return false;
    read(item.overlaps, item.overlap_count * sizeof(Overlap));
    std::uint32_t used = 0;
    for (std::uint32_t i = 0; i < item.argument_count; ++i) {
      const Argument& argument = item.arguments[i];
      if (argument.role == kScratch) continue;
      const std::uint32_t bytes = (argument.bytes + 3) & ~3u;
      if (bytes > sizeof(store) - used) return false;
      item.data[i] = store + used;
      read(store + used, bytes);
      used = (used + bytes + 15) & ~15u;
    }
    return complete_;
  }

  void run(const Case& item) {
    std::uint32_t argument_bytes[kMaxArguments];
    const void* params = nullptr;
    for (std::uint32_t i = 0; i < item.argument_count; ++i) {
      argument_bytes[i] = item.arguments[i].bytes;
      if (item.arguments[i].role == kParams) params = item.data[i];
    }
    const auto error = static_cast<std::uint32_t>(kAllKernels[item.kernel].check(argument_bytes, params));
    if (error != item.error && item.error != kAnyError) fail(-1, kCheck, 0, error, item.error);
    if (error != 0 || (item.error != 0 && item.error != kAnyError)) return;
    for (std::int32_t overlap = -1; overlap < static_cast<std::int32_t>(item.overlap_count); ++overlap) run(item, overlap);
  }

  /// Places the arguments one behind the other, except for the output that lies over an input.
  void run(const Case& item, std::int32_t overlap) {
    std::uint8_t* places[kMaxArguments];
    std::uint32_t used = 0;
    const Overlap over = overlap < 0 ? Overlap{kMaxArguments, 0} : item.overlaps[overlap];
    for (std::uint32_t i = 0; i < item.argument_count; ++i) {
      const Argument& argument = item.arguments[i];
      const std::uint32_t last = item.argument_count - 1;
      if (overlap >= 0 && i == last) {
        places[i] = places[over.input] - over.lead;
        continue;
      }
      std::uint32_t start = used + kGuard, bytes = argument.bytes;
      if (i == over.input) {
        start += over.lead;
        const std::uint32_t output_bytes = item.arguments[last].bytes;
        if (output_bytes > over.lead && output_bytes - over.lead > bytes) bytes = output_bytes - over.lead;
      }
      start = (start + 15) / 16 * 16 + (ran_ * 7 + i * 3) % 16 / argument.alignment * argument.alignment;
      places[i] = arena + start;
      used = start + bytes;
    }
    used += kGuard;
    if (used > sizeof(arena)) {
      complete_ = false;
      return;
    }

    for (std::uint32_t i = 0; i < used; ++i) arena[i] = kPaint;
    void* arguments[kMaxArguments];
    ASAN_POISON_MEMORY_REGION(arena, used);
    for (std::uint32_t i = 0; i < item.argument_count; ++i) {
      const Argument& argument = item.arguments[i];
      arguments[i] = places[i];
      ASAN_UNPOISON_MEMORY_REGION(places[i], argument.bytes);
      if (argument.role == kScratch || argument.role == kOutput) continue;
      for (std::uint32_t k = 0; k < argument.bytes; ++k) places[i][k] = item.data[i][k];
    }
    if (overlap < 0) kindling_mark_kernel_begin();
    kAllKernels[item.kernel].run(arguments);
    if (overlap < 0) kindling_mark_kernel_end();
    ASAN_UNPOISON_MEMORY_REGION(arena, used);
    compare(item, overlap, places, used);
  }

  void compare(const Case& item, std::int32_t overlap, std::uint8_t* const* places, std::uint32_t used) {
    for (std::uint32_t i = 0; i < item.argument_count; ++i) {
      const Argument& argument = item.arguments[i];
      const bool changes = argument.role == kScratch || (overlap >= 0 && i == item.overlaps[overlap].input) ||
                           (argument.role == kOutput && item.error == kAnyError);
      for (std::uint32_t k = 0; k < argument.bytes && !changes; ++k) {
        if (places[i][k] == item.data[i][k]) continue;
        fail(overlap, argument.role == kOutput ? kOutputByte : kInputByte, k, places[i][k], item.data[i][k]);
        break;
      }
    }
    for (std::uint32_t i = 0; i < item.argument_count; ++i) {
      for (std::uint32_t k = 0; k < item.arguments[i].bytes; ++k) places[i][k] = kPaint;
    }
    for (std::uint32_t i = 0; i < used; ++i) {
      if (arena[i] == kPaint) continue;
      fail(overlap, kOutsideByte, static_cast<std::int32_t>(i - (places[item.argument_count - 1] - arena)), arena[i], kPaint);
      break;
    }
  }

  void fail(std::int32_t overlap, What what, std::int32_t where, std::int32_t actual, std::int32_t expected) {
    if (failed_ < kMaxFailures) failures_[failed_] = {static_cast<std::int32_t>(ran_), overlap, what, where, actual, expected};
    ++failed_;
  }

  HostFile& cases_;
  bool complete_ = true;
  std::uint32_t ran_ = 0, failed_ = 0;
  Failure failures_[kMaxFailures];
};

}  // namespace

int run_cases() {
  trap_unaligned_accesses();
  HostFile cases("cases.bin", HostFile::kRead);
  HostFile results("results.bin", HostFile::kWrite);
  if (!cases.is_open() || !results.is_open()) return 2;
  static Runner runner(cases);
  const bool complete = runner.run();
  return runner.report(results) && complete ? 0 : 2;
}

}  // namespace kindling

int main() { return kindling::run_cases(); }
