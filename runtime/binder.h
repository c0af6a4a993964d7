// Finds out, and checks, where the values of a method are.
#pragma once

#include <cstdint>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/program.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Binding is most of a method's initialisation. What it is given must outlive it. Verified, it relies on regions that are aligned
/// and on room for as many addresses as there are `values`.
template <Verification kVerification>
class Binder {
 public:
  static constexpr Verification kLevel = kVerification;

  Binder(const Program& program, Tables values, const Environment& environment);

  /// OperatorMissing: the operators are not those of the environment.
  Error check_operators(Tables operators) const;

  /// Binds the values that instruction `i`, a call, works on. InvalidType: one is not of the type that its kernel takes.
  /// InvalidArgument: it is not so in another respect.
  /// NotSupported, InvalidProgram: as in Method::init.
  Error bind_call(Tables instructions, uint32_t i);
  Error bind_instruction(Tables instructions, uint32_t i) { return bind_call(instructions, i); }

  /// Binds inputs or outputs of the method. InvalidType: one has elements of another type. InvalidArgument: one has another shape, or
  /// they are more or fewer. NotSupported: one is a constant, though it is `written`.
  Error bind_all(Span<const uint32_t> indices, Span<const Port> ports, bool written);

  /// Binds all values, also those that nothing uses, and checks their shapes.
  Error bind_rest()
    requires(kVerification == Verification::kFull);

 protected:
  /// What is known of a value: its traits, and its bytes, shifted. 0: nothing yet.
  static constexpr uint32_t kBytesShift = kTraitBits;

  // These return what is to be noted of a value; 0: error_ says why not.
  uint32_t bind(uint32_t index);
  uint32_t find(uint32_t index);
  uint32_t fail(Error error);

  bool has_shape(uint32_t index, Span<const uint32_t> shape) const;

  FlatbufferReader<kVerification> reader_;
  const Program& program_;
  const Environment& environment_;
  // Copies, for speed.
  Span<const Region> regions_;
  void** addresses_;
  Tables values_;
  Span<uint32_t> notes_ = {nullptr, 0};  // by value; none if there is no room for them
  Error error_ = Error::Ok;
};

extern template class Binder<Verification::kNone>;
extern template class Binder<Verification::kStructure>;
extern template class Binder<Verification::kFull>;

}  // namespace kindling
