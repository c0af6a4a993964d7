// Reads the values of a method, and checks what it reads.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/program.h"
#include "runtime/schema/program_generated.h"
#include "runtime/span.h"
#include "runtime/upstream/tensor.h"

namespace kindling::upstream {

/// The values in an IntList, a TensorList or an OptionalTensorList, by index.
struct List {
  const uint32_t* words;
  uint32_t step;  // words from one to the next
  uint32_t size;

  uint32_t operator[](uint32_t i) const { return words[i * step]; }
};

/// Every function gives InvalidProgram if the value is damaged, and InvalidType if it is none of the asked kind.
class Values {
 public:
  /// `regions[i]` is memory_id i + 1. The program need not outlive this object, its file must.
  Values(const Program& program, Tables values, Span<const Span<uint8_t>> regions)
      : reader_(program.flatbuffer()),
        values_(values),
        regions_(regions),
        constants_(program.constants()),
        constant_offsets_(program.constant_offsets()) {}

  /// A tensor inside its region or the constants, aligned to its elements. InvalidArgument: it is misaligned. NotSupported: its
  /// shape is dynamic, its storage the caller's or initialised, it has more than kMaxRank dimensions or elements of another type.
  Error tensor(uint32_t index, Tensor& tensor) const;

  /// An Int, the nearest of 32 bits. Or of a Bool: 0 or 1.
  Error integer(uint32_t index, int32_t& value) const;

  /// An Int, a Double or a Bool.
  Error number(uint32_t index, double& value) const;

  Error text(uint32_t index, Span<const char>& text) const;

  /// Null gives true.
  Error is_null(uint32_t index, bool& value) const;

  /// An IntList, a TensorList or an OptionalTensorList.
  Error list(uint32_t index, List& list) const;

 private:
  using Kind = executorch_flatbuffer::KernelTypes;

  Error value(uint32_t index, Kind& kind, Table& table) const;
  Error place(const Table& table, uint32_t bytes, Tensor& tensor) const;

  FlatbufferReader<Verification::kStructure> reader_;
  Tables values_;
  Span<const Span<uint8_t>> regions_;
  Span<const uint8_t> constants_;
  Span<const Wide> constant_offsets_;
};

}  // namespace kindling::upstream
