// What an instruction must look like to suit a kernel.
#pragma once

#include <cstdint>

namespace kindling {

/// Types of elements, as far as kernels tell them apart.
enum ElementType : uint8_t { kUint8 = 1, kInt8, kInt16, kInt32, kFloat32, kBool, kOtherType };

/// What a program says of a tensor, in bits: these, its rank << kRankShift, its ElementType << kTypeShift.
inline constexpr uint32_t kAligned = 1;   // it starts at a multiple of 16 bytes
inline constexpr uint32_t kConstant = 2;  // it lies in the constants
inline constexpr uint32_t kRankShift = 2;
inline constexpr uint32_t kRank = 7 << kRankShift;
inline constexpr uint32_t kTypeShift = 5;
inline constexpr uint32_t kType = 7 << kTypeShift;
inline constexpr uint32_t kTraits = kAligned | kConstant | kRank | kType;
inline constexpr uint32_t kTraitBits = 8;

constexpr uint32_t trait_of(ElementType type) { return static_cast<uint32_t>(type) << kTypeShift; }

/// What one argument must be like: of the judged traits it has exactly those that are given. In 16 bits, read at once.
class Argument {
 public:
  constexpr Argument(uint32_t traits, uint32_t judged) : bits_(static_cast<uint16_t>(traits | judged << kTraitBits)) {}

  /// The same, if the tensor must have so many dimensions.
  constexpr Argument of_rank(uint32_t rank) const { return {(bits_ & kTraits) | rank << kRankShift, bits_ >> kTraitBits | kRank}; }

  /// If no type is given, the first of an instruction's arguments may have any, and the others must have the same.
  constexpr bool is_of_any_type() const { return (bits_ & kType) == 0; }
  /// Of any type, what it must be like if that is the type in `traits`.
  constexpr Argument of_type(uint32_t traits) const { return Argument(bits_ | (traits & kType), 0); }

  /// In which of the judged traits a tensor of these is otherwise.
  constexpr uint32_t wrong_in(uint32_t traits) const { return (traits ^ bits_) & bits_ >> kTraitBits; }

 private:
  uint16_t bits_;
};

/// int8 tensors may start anywhere, as may those of any type, which are copied byte by byte.
constexpr Argument input_of(ElementType type) {
  uint32_t aligned = type == kInt8 ? 0 : kAligned;
  return {trait_of(type) | aligned, kType | aligned};
}
constexpr Argument output_of(ElementType type) {
  uint32_t aligned = type == kInt8 ? 0 : kAligned;
  return {trait_of(type) | aligned, kType | aligned | kConstant};
}
inline constexpr Argument kInputOfAnyType = {0, kType};
inline constexpr Argument kOutputOfAnyType = {0, kType | kConstant};
inline constexpr Argument kParamsArgument = Argument(trait_of(kUint8) | kAligned | kConstant, kTraits).of_rank(1);
inline constexpr Argument kScratchArgument = Argument(trait_of(kUint8) | kAligned, kTraits).of_rank(1);

/// Of a kernel. Its tensors are `inputs`, the params constant, then those that the kernel writes.
struct Signature {
  uint8_t name_bytes;  // of the operator
  uint8_t inputs;
  uint8_t count;  // of `arguments`, at most kMaxArguments
  const Argument* arguments;
};

inline constexpr uint32_t kMaxArguments = 16;

}  // namespace kindling
