// A method with control flow.
#pragma once

#include <cstdint>

#include "runtime/method.h"

namespace kindling {

/// A Method that also knows the other instructions ExecuTorch's control flow is made of. Apart from Method, which costs less.
///
/// JumpFalse: if its condition is false, goes on at another instruction, before or behind it, or at the method's end. The condition is a
/// Bool or a tensor of BOOL, true if none of its elements is 0.
/// Move: gives one tensor the bytes of another of the same size. ExecuTorch moves the handle; for whoever reads the tensor that is
/// the same, as long as the plan keeps the memory of both apart.
/// Free: does nothing, as there is nothing to free.
class BranchingMethod : private Method {
 public:
  /// run() gives up after so many instructions, as ExecuTorch does.
  static constexpr uint32_t kMaxInstructions = 10'000'000;

  /// See Method::init. InvalidProgram also: an instruction jumps to where none is. InvalidType: a condition is neither kind,
  /// or a Move between tensors of different elements. InvalidArgument: a Move between tensors that differ in size, or into a constant.
  template <Verification kVerification = Verification::kStructure>
  Error init(const Program& program, uint32_t method, const Environment& environment);

  /// See Method::run. InvalidProgram: no end after kMaxInstructions.
  Error run();

  /// See Method::step. The next instruction need not be the one behind the last.
  Error step(uint32_t instructions);

  using Method::input;
  using Method::input_count;
  using Method::next_instruction;
  using Method::output;
  using Method::output_count;

 private:
  bool is_true(uint32_t value) const;

  Tables values_ = {};
};

extern template Error BranchingMethod::init<Verification::kNone>(const Program&, uint32_t, const Environment&);
extern template Error BranchingMethod::init<Verification::kStructure>(const Program&, uint32_t, const Environment&);
extern template Error BranchingMethod::init<Verification::kFull>(const Program&, uint32_t, const Environment&);

}  // namespace kindling
