// Finds out, and checks, where the values of a method are.
#pragma once

#include <cstdint>

#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/kernel_table.h"
#include "runtime/program.h"
#include "runtime/region.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Binding is most of a method's initialisation. Everything it points to must outlive it; verified, `values` are no more than there
/// is room for `addresses`, and `regions` are aligned.
template <Verification kVerification>
class Binder {
 public:
  Binder(const Program& program, Tables values, const KernelTable& kernels, void** addresses, Span<const Region> regions);

  /// The method's operators must be those of the kernel table. OperatorMissing: they are not.
  Error check_operators(Tables operators) const;

  /// Binds the values that instruction `i` works on. They must be what its kernel takes.
  /// InvalidType, InvalidArgument: they are not. NotSupported, InvalidProgram: as in Method::init.
  Error bind_call(Tables instructions, uint32_t i);

  /// Binds inputs or outputs of the method. NotSupported: a value is constant, though it is `written`.
  Error bind_all(Span<const uint32_t> indices, bool written);

 private:
  // These return what is to be noted of a value; 0: error_ says why not.
  uint32_t bind(uint32_t index);
  uint32_t find(uint32_t index);
  uint32_t fail(Error error);

  FlatbufferReader<kVerification> reader_;
  const Program& program_;
  const KernelTable& kernels_;
  void** addresses_;           // by value
  uint32_t* notes_ = nullptr;  // likewise; null: there is no room for them
  Span<const Region> regions_;
  Tables values_;
  Error error_ = Error::Ok;
};

extern template class Binder<Verification::kNone>;
extern template class Binder<Verification::kStructure>;

}  // namespace kindling
