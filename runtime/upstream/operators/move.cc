#include "runtime/upstream/operators/move.h"

namespace kindling::upstream {
namespace {

template <class Element>
void copy(const Copy& p) {
  const auto* from = reinterpret_cast<const Element*>(p.from);
  auto* to = reinterpret_cast<Element*>(p.to);
  for_each(p.loops, [&](const uint32_t* at) { to[at[0]] = from[at[1]]; });
}

void run_copy(const Step& step) {
  const auto& p = static_cast<const Copy&>(step);
  if (p.element_bytes == 1) return copy<uint8_t>(p);
  if (p.element_bytes == 4) return copy<uint32_t>(p);
  return p.element_bytes == 2 ? copy<uint16_t>(p) : copy<uint64_t>(p);
}

/// Numbers of another type to floats.
template <class Number>
void run_to_float(const Step& step) {
  const auto& p = static_cast<const Copy&>(step);
  const auto* from = reinterpret_cast<const Number*>(p.from);
  auto* to = reinterpret_cast<float*>(p.to);
  for_each(p.loops, [&](const uint32_t* at) { to[at[0]] = static_cast<float>(from[at[1]]); });
}

/// The function that turns numbers of a type into floats; null if there is none.
auto to_float_from(ScalarType type) -> void (*)(const Step&) {
  switch (type) {
    case ScalarType::kByte:
    case ScalarType::kBool:
      return run_to_float<uint8_t>;
    case ScalarType::kChar:
      return run_to_float<int8_t>;
    case ScalarType::kInt:
      return run_to_float<int32_t>;
    case ScalarType::kLong:
      return run_to_float<int64_t>;
    case ScalarType::kDouble:
      return run_to_float<double>;
    default:
      return nullptr;
  }
}

void run_fill(const Step& step) {
  const auto& p = static_cast<const Fill&>(step);
  for (uint32_t i = 0; i < p.count; ++i) {
    for (uint32_t k = 0; k < p.element_bytes; ++k) p.to[i * p.element_bytes + k] = p.element[k];
  }
}

/// Copies so that dimension i of the output is dimension order[i] of the input.
Error add_permutation(Call& call, const Tensor& x, const Tensor& y, const uint32_t* order) {
  Loop loops[kMaxRank];
  uint32_t seen = 0;
  call.require(x.rank == y.rank && x.type == y.type);
  for (uint32_t i = 0; i < y.rank && call.error() == Error::Ok; ++i) {
    call.require(order[i] < x.rank && (seen >> order[i] & 1) == 0 && y.sizes[i] == x.sizes[order[i]]);
    if (call.error() != Error::Ok) break;
    seen |= 1u << order[i];
    loops[i] = {y.sizes[i], {y.strides[i], x.strides[order[i]]}};
  }
  return add_copy(call, x.data, y.data, y.element_bytes, loops, y.rank);
}

/// Copies so that dimensions `a` and `b` change places.
Error add_transposition(Call& call, const Tensor& x, const Tensor& y, uint32_t a, uint32_t b) {
  uint32_t order[kMaxRank];
  for (uint32_t i = 0; i < kMaxRank; ++i) order[i] = i == a ? b : i == b ? a : i;
  return add_permutation(call, x, y, order);
}

/// Copies a part of `x` that has the sizes of `y`; `from` is the part's first element.
Error add_part(Call& call, const Tensor& x, const Tensor& y, uint32_t from, const uint32_t* x_strides) {
  Loop loops[kMaxRank];
  call.require(x.type == y.type);
  for (uint32_t i = 0; i < y.rank; ++i) loops[i] = {y.sizes[i], {y.strides[i], x_strides[i]}};
  return add_copy(call, x.data + from * x.element_bytes, y.data, y.element_bytes, loops, y.rank);
}

/// Fills a tensor with an element, of no more bytes than a float.
Error add_fill(Call& call, const Tensor& y, const void* element) {
  if (call.error() != Error::Ok) return call.error();
  Fill fill = {{}, y.data, y.element_bytes, y.count, {}};
  __builtin_memcpy(fill.element, element, y.element_bytes);
  return call.add(run_fill, fill);
}

/// Elements in front of and behind each axis.
struct Padding {
  int32_t before[kMaxRank], after[kMaxRank];
};

/// Fills the output with an element, then copies the input into it. Padding below 0 is not supported.
Error add_padding(Call& call, const Tensor& x, const Tensor& y, const Padding& padding, const void* element) {
  call.require(x.rank == y.rank);
  uint32_t at = 0;
  Loop loops[kMaxRank];
  for (uint32_t i = 0; i < x.rank && call.error() == Error::Ok; ++i) {
    const int32_t before = padding.before[i], after = padding.after[i];
    call.require(before >= 0 && after >= 0, Error::NotSupported);
    const uint32_t both = static_cast<uint32_t>(before) + static_cast<uint32_t>(after);
    call.require(y.sizes[i] >= both && y.sizes[i] - both == x.sizes[i]);
    at += static_cast<uint32_t>(before) * y.strides[i];
    loops[i] = {x.sizes[i], {y.strides[i], x.strides[i]}};
  }
  if (call.error() != Error::Ok) return call.error();
  add_fill(call, y, element);
  return add_copy(call, x.data, y.data + at * y.element_bytes, y.element_bytes, loops, x.rank);
}

/// cortex_m's lists have an entry for each of four axes, of which those that a tensor does not have come first.
Error add_quantized_padding(Call& call, bool channels_last) {
  const Tensor x = call.tensor(0, ScalarType::kChar), y = call.output(4, ScalarType::kChar);
  const Ints before = call.integers(1), after = call.integers(2);
  call.require(before.size == 4 && after.size == 4 && x.rank <= 4);
  Padding padding = {};
  for (uint32_t i = 0; i < x.rank && call.error() == Error::Ok; ++i) {
    constexpr uint32_t kPlaceInNhwc[] = {0, 3, 1, 2};
    const uint32_t entry = channels_last ? kPlaceInNhwc[i] : 4 - x.rank + i;
    padding.before[i] = before[entry];
    padding.after[i] = after[entry];
  }
  const int32_t value = call.integer(3);
  call.require(value >= -128 && value <= 127);
  const int8_t element = static_cast<int8_t>(value);
  return add_padding(call, x, y, padding, &element);
}

}  // namespace

Error add_copy(Call& call, const void* from, void* to, uint32_t element_bytes, Loop* loops, uint32_t rank) {
  if (call.error() != Error::Ok) return call.error();
  Copy step = {{}, static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to), element_bytes, merged<2>(loops, rank)};
  return call.add(run_copy, step);
}

/// Of the same sizes, whatever the order in memory.
Error prepare_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(2);
  return add_transposition(call, x, y, 0, 0);
}

/// Of one type, or to floats.
Error prepare_to_dim_order_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(3);
  if (x.type == y.type) return add_transposition(call, x, y, 0, 0);
  const auto run = to_float_from(x.type);
  Copy step = {{}, x.data, y.data, y.element_bytes, {}};
  call.require(run != nullptr && y.is(ScalarType::kFloat), Error::NotSupported);
  call.require(x.has_sizes_of(y) && loops_over(step.loops, y, x));
  return call.add(run, step);
}

Error prepare_permute_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(2);
  const Ints dims = call.integers(1);
  uint32_t order[kMaxRank] = {};
  call.require(dims.size == x.rank);
  for (uint32_t i = 0; i < dims.size && i < kMaxRank; ++i) {
    order[i] = static_cast<uint32_t>(dims[i] < 0 ? dims[i] + static_cast<int32_t>(x.rank) : dims[i]);
  }
  return add_permutation(call, x, y, order);
}

Error prepare_transpose_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(3);
  const uint32_t a = call.dimension(1, x.rank), b = call.dimension(2, x.rank);
  return add_transposition(call, x, y, a, b);
}

Error prepare_t_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(1);
  call.require(x.rank <= 2);
  return add_transposition(call, x, y, 0, x.rank == 2 ? 1 : 0);
}

/// The output's shape says all; elements stay in the order of their indices.
Error prepare_view_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(2);
  call.require(x.count == y.count && x.type == y.type);
  call.require(x.is_row_major() && y.is_row_major(), Error::NotSupported);
  Loop all = {x.count, {1, 1}};
  return add_copy(call, x.data, y.data, y.element_bytes, &all, 1);
}

Error prepare_expand_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(3);
  Copy step = {{}, x.data, y.data, y.element_bytes, {}};
  call.require(x.type == y.type && loops_over(step.loops, y, x));
  return call.add(run_copy, step);
}

Error prepare_slice_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(5);
  const uint32_t along = call.dimension(1, x.rank);
  const int32_t size = static_cast<int32_t>(x.sizes[along]), step = call.integer(4);
  const auto bound = [&](uint32_t i, int32_t otherwise) {
    int32_t at = call.is_null(i) ? otherwise : call.integer(i);
    if (at < 0) at = at < -size ? 0 : at + size;
    return at > size ? size : at;
  };
  const int32_t start = bound(2, 0), end = bound(3, size);
  call.require(x.rank == y.rank && step > 0);
  if (call.error() != Error::Ok) return call.error();
  uint32_t strides[kMaxRank];
  for (uint32_t i = 0; i < x.rank; ++i) {
    strides[i] = x.strides[i];
    const uint32_t expected = i != along ? x.sizes[i] : start >= end ? 0 : static_cast<uint32_t>((end - start - 1) / step + 1);
    call.require(y.sizes[i] == expected);
  }
  const uint32_t from = static_cast<uint32_t>(start) * x.strides[along];
  strides[along] *= static_cast<uint32_t>(step);
  return add_part(call, x, y, from, strides);
}

Error prepare_select_copy(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(3);
  const uint32_t along = call.dimension(1, x.rank);
  const uint32_t index = call.dimension(2, x.sizes[along]);
  call.require(x.rank == y.rank + 1);
  if (call.error() != Error::Ok) return call.error();
  uint32_t strides[kMaxRank];
  for (uint32_t i = 0; i < y.rank; ++i) {
    const uint32_t from = i < along ? i : i + 1;
    strides[i] = x.strides[from];
    call.require(y.sizes[i] == x.sizes[from]);
  }
  return add_part(call, x, y, index * x.strides[along], strides);
}

/// A step for each input.
Error prepare_cat(Call& call) {
  const Tensor y = call.output(2);
  const uint32_t along = call.dimension(1, y.rank), count = call.list_size(0);
  uint32_t at = 0;
  for (uint32_t n = 0; n < count && call.error() == Error::Ok; ++n) {
    const Tensor x = call.tensor_in_list(0, n);
    call.require(x.rank == y.rank && x.type == y.type && x.sizes[along] <= y.sizes[along] - at);
    Loop loops[kMaxRank];
    for (uint32_t i = 0; i < x.rank && call.error() == Error::Ok; ++i) {
      call.require(i == along || x.sizes[i] == y.sizes[i]);
      loops[i] = {x.sizes[i], {y.strides[i], x.strides[i]}};
    }
    add_copy(call, x.data, y.data + at * y.strides[along] * y.element_bytes, y.element_bytes, loops, x.rank);
    at += x.sizes[along];
  }
  call.require(at == y.sizes[along]);
  return call.error();
}

Error prepare_constant_pad_nd(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(3, ScalarType::kFloat);
  const Ints pad = call.integers(1);
  call.require(pad.size <= 2 * x.rank && pad.size % 2 == 0);
  Padding padding = {};
  for (uint32_t i = 0; i < pad.size / 2 && i < x.rank; ++i) {  // the last axis comes first
    padding.before[x.rank - 1 - i] = pad[2 * i];
    padding.after[x.rank - 1 - i] = pad[2 * i + 1];
  }
  const float value = call.is_null(2) ? 0 : call.real(2);
  return add_padding(call, x, y, padding, &value);
}

Error prepare_full(Call& call) {
  const Tensor y = call.output(2, ScalarType::kFloat);
  const float value = call.real(1);
  return add_fill(call, y, &value);
}

Error prepare_full_like(Call& call) {
  const Tensor x = call.tensor(0), y = call.output(3, ScalarType::kFloat);
  call.require(x.has_sizes_of(y));
  const float value = call.real(1);
  return add_fill(call, y, &value);
}

/// A step for each output.
Error prepare_split_with_sizes_copy(Call& call) {
  const Tensor x = call.tensor(0);
  const Ints sizes = call.integers(1);
  const uint32_t along = call.dimension(2, x.rank), count = call.list_size(3);
  uint32_t at = 0;
  call.require(sizes.size == count);
  for (uint32_t n = 0; n < count && call.error() == Error::Ok; ++n) {
    const Tensor y = call.tensor_in_list(3, n);
    call.require(!y.is_constant, Error::NotSupported);
    call.require(y.rank == x.rank && y.sizes[along] == static_cast<uint32_t>(sizes[n]) && y.sizes[along] <= x.sizes[along] - at);
    for (uint32_t i = 0; i < x.rank; ++i) call.require(i == along || y.sizes[i] == x.sizes[i]);
    if (call.error() != Error::Ok) break;
    add_part(call, x, y, at * x.strides[along], x.strides);
    at += y.sizes[along];
  }
  call.require(at == x.sizes[along]);
  return call.error();
}

Error prepare_quantized_pad(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kChar);
  // Where channels come last in memory, they do so in the lists.
  const bool channels_last = x.rank == 4 && (x.sizes[1] == 1 || (x.sizes[2] == 1 && x.sizes[3] == 1) || x.strides[2] > x.strides[1]);
  return add_quantized_padding(call, channels_last);
}

Error prepare_quantized_pad_nhwc(Call& call) { return add_quantized_padding(call, false); }

}  // namespace kindling::upstream
