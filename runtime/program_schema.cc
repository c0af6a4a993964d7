// Made at compile time from what flatc says of the schema, program.fbs.

#include "runtime/program_schema.h"

#include <type_traits>
#include <utility>

#include "runtime/schema/program_generated.h"

namespace kindling {
namespace {

using namespace executorch_flatbuffer;

template <typename... Ts>
struct List {
  static constexpr uint32_t kCount = sizeof...(Ts);

  template <typename T>
  static consteval uint32_t index() {
    static_assert((std::is_same_v<T, Ts> || ...), "a table of the schema that the list lacks");
    uint32_t i = 0;
    (void)((std::is_same_v<T, Ts> || (++i, false)) || ...);
    return i;
  }
};

// The members of a union stand together, in its order.
using AllTables =
    List<Null, Int, Bool, Double, Tensor, String, IntList, DoubleList, BoolList, TensorList, OptionalTensorList, KernelCall,
         DelegateCall, MoveCall, JumpFalseCall, FreeCall, AllocationDetails, ExtraTensorInfo, EValue, Operator, Instruction, Frame,
         FrameList, Chain, BackendDelegateDataReference, CompileSpec, BackendDelegate, BackendDelegateInlineData,
         ContainerMetadata, NonConstBufferDevice, ExecutionPlan, Buffer, DataSegment, SubsegmentOffsets, NamedData,
         executorch_flatbuffer::Program>;

template <typename T>
consteval bool stands_at_its_place() {
  constexpr uint32_t value = static_cast<uint32_t>(KernelTypesTraits<T>::enum_value);
  constexpr uint32_t instruction = static_cast<uint32_t>(InstructionArgumentsTraits<T>::enum_value);
  constexpr uint32_t index = AllTables::index<T>();
  return (value == 0 || index == AllTables::index<Null>() + value - 1) &&
         (instruction == 0 || index == AllTables::index<KernelCall>() + instruction - 1);
}

template <typename... Ts>
consteval bool unions_are_in_order(List<Ts...>) {
  return (stands_at_its_place<Ts>() && ...);
}

static_assert(unions_are_in_order(AllTables()));

template <typename T>
consteval FieldKind number() {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  return __builtin_ctz(sizeof(T));
}

/// Kinds by what flatc's accessors return.
template <typename T, typename Table>
struct Kind {
  static constexpr FieldKind kValue = number<T>();
};
template <typename T>
struct Kind<KernelTypes, T> {
  static constexpr FieldKind kValue = 0x30 + static_cast<uint32_t>(KernelTypes::MAX);
};
template <typename T>
struct Kind<InstructionArguments, T> {
  static constexpr FieldKind kValue = 0x30 + static_cast<uint32_t>(InstructionArguments::MAX);
};
template <>
struct Kind<const void*, EValue> {
  static constexpr FieldKind kValue = 0xC0 + AllTables::index<Null>();
};
template <>
struct Kind<const void*, Instruction> {
  static constexpr FieldKind kValue = 0xC0 + AllTables::index<KernelCall>();
};
template <typename T>
struct Kind<const flatbuffers::String*, T> {
  static constexpr FieldKind kValue = 0x20;
};
template <typename Pointee, typename T>
struct Kind<const Pointee*, T> {
  static constexpr FieldKind kValue = 0x40 + AllTables::index<Pointee>();
};
template <typename Element, typename T>
struct Kind<const flatbuffers::Vector<Element>*, T> {
  static constexpr FieldKind kValue = 0x10 + number<Element>();
};
template <typename Element, typename T>
struct Kind<const flatbuffers::Vector<flatbuffers::Offset<Element>>*, T> {
  static constexpr FieldKind kValue = 0x80 + AllTables::index<Element>();
};

template <typename T, size_t... kIndex>
consteval void add_fields(FieldKind*& next, std::index_sequence<kIndex...>) {
  ((*next++ = Kind<typename T::Traits::template FieldType<kIndex>, T>::kValue), ...);
}

template <typename T>
consteval void add_fields(FieldKind*& next) {
  if constexpr (T::Traits::fields_number > 0) add_fields<T>(next, std::make_index_sequence<T::Traits::fields_number>());
}

template <typename... Ts>
consteval auto fields(List<Ts...>) {
  struct {
    FieldKind kinds[(Ts::Traits::fields_number + ...)] = {};
    uint8_t starts[sizeof...(Ts) + 1] = {};
  } all;
  static_assert((Ts::Traits::fields_number + ...) < 256 && sizeof...(Ts) <= 64);
  FieldKind* next = all.kinds;
  uint32_t i = 0;
  ((add_fields<Ts>(next), all.starts[++i] = next - all.kinds), ...);
  return all;
}

constexpr auto kFields = fields(AllTables());

}  // namespace

constinit const Schema kProgramSchema = {kFields.kinds, kFields.starts, AllTables::index<executorch_flatbuffer::Program>()};

}  // namespace kindling
