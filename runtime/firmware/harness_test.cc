// The harness with models of two inputs and two outputs, on files in the test's own folder.

#include "runtime/firmware/harness.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kindling {
namespace {

#define REQUIRE(condition)                                                      \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (false)

struct Report {
  uint32_t magic, error, runs, arena_bytes, state_bytes, stack_bytes;
};

int8_t inputs[2][3];
int8_t outputs[2][2];
Error init_error, run_error;

Error init() { return init_error; }

/// Outputs: the sums of the inputs' first two bytes, then of all.
Error run() {
  for (int i = 0; i < 2; ++i) {
    outputs[i][0] = static_cast<int8_t>(inputs[i][0] + inputs[i][1]);
    outputs[i][1] = static_cast<int8_t>(outputs[i][0] + inputs[i][2]);
  }
  return run_error;
}

void* input(uint32_t i) { return inputs[i]; }
void* output(uint32_t i) { return outputs[i]; }

constexpr uint32_t kInputShape[] = {3}, kOutputShape[] = {2};
constexpr TensorInfo kInputs[] = {{"a", "int8", kInputShape, 1, 0, 3}, {"b", "int8", kInputShape, 1, 0, 3}};
constexpr TensorInfo kOutputs[] = {{"c", "int8", kOutputShape, 1, 0, 2}, {"d", "int8", kOutputShape, 1, 0, 2}};
constexpr Model kModel = {kInputs, kOutputs, 640, 128, init, nullptr, run, nullptr, input, output};

void write_file(const char* name, const void* data, size_t bytes) {
  std::FILE* file = std::fopen(name, "wb");
  REQUIRE(file != nullptr && std::fwrite(data, 1, bytes, file) == bytes && std::fclose(file) == 0);
}

size_t read_file(const char* name, void* data, size_t bytes) {
  std::FILE* file = std::fopen(name, "rb");
  if (file == nullptr) return 0;
  size_t got = std::fread(data, 1, bytes, file);
  std::fclose(file);
  return got;
}

Report run_on(const char* input_bytes, size_t count) {
  write_file("input.bin", input_bytes, count);
  REQUIRE(run_harness(kModel) == 0);
  Report report;
  REQUIRE(read_file("report.bin", &report, sizeof report + 1) == sizeof report);
  REQUIRE(std::memcmp(&report.magic, "KNDL", 4) == 0);
  REQUIRE(report.arena_bytes == 640 && report.state_bytes == 128);
  return report;
}

void every_input_gives_its_outputs() {
  Report report = run_on("\1\2\3\4\5\6\7\10\11\12\13\14", 12);
  REQUIRE(report.error == 0 && report.runs == 2);
  char got[16];
  REQUIRE(read_file("output.bin", got, sizeof got) == 8);
  REQUIRE(std::memcmp(got, "\3\6\11\17\17\30\25\41", 8) == 0);
}

void no_input_gives_no_output() {
  Report report = run_on("", 0);
  char got[1];
  REQUIRE(report.error == 0 && report.runs == 0 && read_file("output.bin", got, 1) == 0);
}

void an_input_cut_short_is_an_error_after_the_whole_ones() {
  for (size_t bytes = 7; bytes < 12; ++bytes) {
    Report report = run_on("\1\2\3\4\5\6\7\10\11\12\13", bytes);
    REQUIRE(report.error == static_cast<uint32_t>(Error::InvalidArgument) && report.runs == 1);
  }
}

void a_missing_input_file_is_an_error() {
  REQUIRE(std::remove("input.bin") == 0);
  REQUIRE(run_harness(kModel) == 0);
  Report report;
  REQUIRE(read_file("report.bin", &report, sizeof report) == sizeof report);
  REQUIRE(report.error == static_cast<uint32_t>(Error::AccessFailed));
}

void errors_of_the_model_are_reported() {
  init_error = Error::InvalidProgram;
  REQUIRE(run_on("\1\2\3\4\5\6", 6).error == static_cast<uint32_t>(Error::InvalidProgram));
  init_error = Error::Ok;
  run_error = Error::InvalidState;
  Report report = run_on("\1\2\3\4\5\6", 6);
  REQUIRE(report.error == static_cast<uint32_t>(Error::InvalidState) && report.runs == 0);
  run_error = Error::Ok;
}

}  // namespace
}  // namespace kindling

int main() {
  const char* folder = std::getenv("TEST_TMPDIR");
  if (folder == nullptr || chdir(folder) != 0) return 1;
  kindling::every_input_gives_its_outputs();
  kindling::no_input_gives_no_output();
  kindling::an_input_cut_short_is_an_error_after_the_whole_ones();
  kindling::a_missing_input_file_is_an_error();
  kindling::errors_of_the_model_are_reported();
}
