// One method of a program that upstream made, ready to run.
#pragma once

#include <cstdint>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/program.h"
#include "runtime/span.h"
#include "runtime/upstream/arena.h"
#include "runtime/upstream/operator.h"
#include "runtime/verification.h"

namespace kindling::upstream {

/// What a firmware provides for a method. A program fits if its operators are among these, if its inputs and outputs have these
/// types, and as many dimensions and elements, and if it needs no more than there is of the rest.
struct Environment {
  Span<const Operator* const> operators;
  Span<const Port> inputs;
  Span<const Port> outputs;
  Span<const Region> regions;  // region i is memory_id i + 1 of the program; aligned to 16 bytes
  Span<uint8_t> arena;         // for what is prepared of each call; aligned as pointers are
};

/// What a program says that an instruction calls.
struct OperatorName {
  Span<const char> name;  // "aten::addmm"
  Span<const char> overload;  // "out"
};

/// The operator of an instruction. NotFound: no such instruction. NotSupported: it is no call of a kernel. InvalidProgram: damaged.
Error find_operator_name(const Program& program, uint32_t method, uint32_t instruction, OperatorName& name);

/// Executes programs of upstream's operator schemas: cortex_m::* and aten::*.out. Initialisation resolves operators by name, reads
/// and checks the arguments of every instruction, and keeps in the caller's arena what running them takes; running reads
/// nothing of the program but its constants. Not re-entrant, and to be used as kindling::Method is.
class Method {
 public:
  /// Makes ready method number `method` of `program`, which must stay in its place, and not change.
  ///
  /// NotFound: no such method. OperatorMissing: instruction next_instruction() calls an operator that is not among the
  /// environment's; find_operator_name tells which. OutOfResources: a region or the arena is too small. InvalidArgument: sizes of
  /// inputs or outputs are not those of the environment, or something is misaligned, or an instruction's arguments are not what its
  /// operator's schema allows. InvalidType: an argument is of a type or kind that the operator does not take, or an input or output of
  /// a type that is not the environment's. NotSupported: the program needs what this runtime does not have. InvalidProgram: it is damaged. After an error the method cannot run.
  /// The level is there as kindling::Method has it: at any, all that is read is checked.
  template <Verification kVerification = Verification::kStructure>
  Error init(const Program& program, uint32_t method, const Environment& environment) {
    return prepare(program, method, environment);
  }

  /// Runs the method from its start to its end: Ok, or InvalidState if it could not be initialised.
  Error run();

  /// Runs at most `instructions` instructions. Ok: there are more. EndOfMethod: the outputs are ready, and the next step starts over.
  /// InvalidState: as in run().
  Error step(uint32_t instructions);

  /// Index of the instruction that comes next; after a failed init, of the one at which it failed.
  uint32_t next_instruction() const { return next_ == nullptr ? failed_instruction_ : next_->instruction; }

  /// Bytes of the arena that the method takes, known once init gave Ok or, if the arena was too small, OutOfResources.
  uint32_t arena_bytes() const { return arena_bytes_; }

  /// Inputs and outputs lie in the regions, from a successful init on. `i` is below their number.
  void* input(uint32_t i) const { return ports_[i]; }
  void* output(uint32_t i) const { return ports_[inputs_ + i]; }

 private:
  Error prepare(const Program& program, uint32_t method, const Environment& environment);

  void** ports_ = nullptr;  // inputs, then outputs; null: cannot run
  const Step* first_ = nullptr;
  const Step* next_ = nullptr;
  uint32_t inputs_ = 0;
  uint32_t failed_instruction_ = 0;
  uint32_t arena_bytes_ = 0;
};

}  // namespace kindling::upstream
