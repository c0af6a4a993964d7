// A .pte in memory, opened where it lies.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Where the parts of a .pte are. Copies nothing: the file must stay in its place, unchanged, while this program or a method
/// made from it is in use. Needed to initialise methods; may be forgotten afterwards.
class Program {
 public:
  /// Opens `file`, a whole .pte aligned to 16 bytes.
  /// InvalidArgument: it is misaligned. InvalidProgram: it is no .pte of generation ET12, or truncated, or damaged.
  template <Verification kVerification = Verification::kStructure>
  Error load(Span<const uint8_t> file);

  /// Sets `method` to the number of the method called `name`, a literal. NotFound: there is none. InvalidProgram: it is damaged.
  template <Verification kVerification = Verification::kStructure, uint32_t kBytes>
  Error find_method(const char (&name)[kBytes], uint32_t& method) const {
    return find_method<kVerification>(Span<const char>(name, kBytes - 1), method);
  }
  template <Verification kVerification = Verification::kStructure>
  Error find_method(Span<const char> name, uint32_t& method) const;

  /// The flatbuffer, without the segments that follow it.
  Span<const uint8_t> flatbuffer() const { return flatbuffer_; }
  /// The ExecutionPlan of each method.
  Tables plans() const { return plans_; }
  /// What the segments' offsets count from, up to the end of the file.
  Span<const uint8_t> segments() const { return segments_; }
  /// The segment of constants, and the distance of each from its start by data_buffer_idx; entry 0 stands for none.
  Span<const uint8_t> constants() const { return constants_; }
  Span<const Wide> constant_offsets() const { return constant_offsets_; }

 private:
  Span<const uint8_t> flatbuffer_;
  Tables plans_ = {};  // none until all is loaded
  Span<const uint8_t> segments_;
  Span<const uint8_t> constants_;
  Span<const Wide> constant_offsets_;
};

extern template Error Program::load<Verification::kNone>(Span<const uint8_t>);
extern template Error Program::load<Verification::kStructure>(Span<const uint8_t>);
extern template Error Program::load<Verification::kFull>(Span<const uint8_t>);
extern template Error Program::find_method<Verification::kNone>(Span<const char>, uint32_t&) const;
extern template Error Program::find_method<Verification::kStructure>(Span<const char>, uint32_t&) const;
extern template Error Program::find_method<Verification::kFull>(Span<const char>, uint32_t&) const;

}  // namespace kindling
