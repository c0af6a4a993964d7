// One method of a program, ready to run.
#pragma once

#include <cstdint>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/flatbuffer.h"
#include "runtime/program.h"
#include "runtime/span.h"
#include "runtime/verification.h"

namespace kindling {

/// Executes a method's instructions where they lie in the file. In RAM it keeps itself, and one address per value of the
/// method in memory that the caller gives it.
///
/// Who may run when: a method is used by one thread, or interrupt, at a time, and nothing here waits or locks. Methods with regions,
/// addresses and Method of their own run independently of each other. Methods may share regions, to save RAM: then a run,
/// from its inputs' writing to its outputs' reading, must end before another's begins, and only what lies in a region that
/// is Environment::state survives it.
///
///   Program program;
///   static Method method;
///   Error error = program.load({file, bytes});
///   if (error == Error::Ok) error = method.init(program, 0, environment);
///   if (error != Error::Ok) return error;
///   std::memcpy(method.input(0), samples, sizeof samples);
///   error = method.run();
///   ... method.output(0) ...
class Method {
 public:
  /// Makes ready method number `method` of `program`. What `environment` points to must outlive the method. What its first region
  /// holds is lost, so methods that share it are initialised before one of them runs, or between runs. State is left as it is.
  ///
  /// NotFound: no such method. OutOfResources, OperatorMissing: the environment does not suffice. InvalidType: an
  /// argument is not a tensor, or not of the elements that its kernel takes, or an input or output not of those of the environment.
  /// InvalidArgument: the same of shapes; or an argument is otherwise not what its kernel takes (rank where that matters, size, place,
  /// alignment, params), or it is misaligned. NotSupported: it needs what this runtime does not have. InvalidProgram: it is damaged;
  /// a tensor of 2^24 bytes or more counts as such.
  /// After an error the method cannot run; next_instruction() is how far initialisation got.
  template <Verification kVerification = Verification::kStructure>
  Error init(const Program& program, uint32_t method, const Environment& environment);

  /// Runs the method from its start to its end: Ok, or InvalidState if it could not be initialised.
  Error run();

  /// Runs at most `instructions` instructions, so that other work can go between. Ok: there are more. EndOfMethod: the outputs
  /// are ready, and the next step starts over. InvalidState: as in run().
  Error step(uint32_t instructions);

  /// Index of the instruction that comes next.
  uint32_t next_instruction() const { return next_; }

  /// Inputs and outputs lie in the regions, from a successful init on. `i` is below their number.
  uint32_t input_count() const { return inputs_.size; }
  uint32_t output_count() const { return outputs_.size; }
  void* input(uint32_t i) const { return addresses_[inputs_[i]]; }
  void* output(uint32_t i) const { return addresses_[outputs_[i]]; }

 protected:
  /// init(), with a binder that knows what its instructions are.
  template <class AnyBinder>
  Error bind(const Program& program, uint32_t method, const Environment& environment);

  Span<const uint8_t> flatbuffer_ = {};
  void** addresses_ = nullptr;  // by value; null: cannot run
  const Kernel* kernels_ = nullptr;
  Tables instructions_ = {};
  Span<const uint32_t> inputs_ = {};
  Span<const uint32_t> outputs_ = {};
  uint32_t next_ = 0;
};

extern template Error Method::init<Verification::kNone>(const Program&, uint32_t, const Environment&);
extern template Error Method::init<Verification::kStructure>(const Program&, uint32_t, const Environment&);
extern template Error Method::init<Verification::kFull>(const Program&, uint32_t, const Environment&);

}  // namespace kindling
