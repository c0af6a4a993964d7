// aten and cortex_m operators that put elements elsewhere, of whatever type.
#pragma once

#include "runtime/upstream/loops.h"
#include "runtime/upstream/operator.h"

namespace kindling::upstream {

/// Element by element from one place to another.
struct Copy : Step {
  const uint8_t* from;
  uint8_t* to;
  uint32_t element_bytes;
  Loops<2> loops;  // to, from
};

/// `count` elements, all alike.
struct Fill : Step {
  uint8_t* to;
  uint32_t element_bytes;
  uint32_t count;
  uint8_t element[4];
};

/// Adds the step that copies `loops`, of which the strides are those of to and from, in elements.
Error add_copy(Call& call, const void* from, void* to, uint32_t element_bytes, Loop* loops, uint32_t rank);

Error prepare_copy(Call& call);
Error prepare_permute_copy(Call& call);
Error prepare_transpose_copy(Call& call);
Error prepare_t_copy(Call& call);
Error prepare_view_copy(Call& call);
Error prepare_expand_copy(Call& call);
Error prepare_slice_copy(Call& call);
Error prepare_select_copy(Call& call);
Error prepare_cat(Call& call);
Error prepare_constant_pad_nd(Call& call);
Error prepare_full(Call& call);
Error prepare_full_like(Call& call);
Error prepare_split_with_sizes_copy(Call& call);
Error prepare_to_dim_order_copy(Call& call);

inline constexpr Operator aten_clone_out = {"aten::clone.out", 3, kCallBytes<Copy>, prepare_copy};
inline constexpr Operator dim_order_ops__clone_dim_order_out = {"dim_order_ops::_clone_dim_order.out", 4, kCallBytes<Copy>,
                                                                prepare_to_dim_order_copy};
inline constexpr Operator dim_order_ops__to_dim_order_copy_out = {"dim_order_ops::_to_dim_order_copy.out", 4, kCallBytes<Copy>,
                                                                  prepare_to_dim_order_copy};
inline constexpr Operator aten_permute_copy_out = {"aten::permute_copy.out", 3, kCallBytes<Copy>, prepare_permute_copy};
inline constexpr Operator aten_transpose_copy_int_out = {"aten::transpose_copy.int_out", 4, kCallBytes<Copy>, prepare_transpose_copy};
inline constexpr Operator aten_t_copy_out = {"aten::t_copy.out", 2, kCallBytes<Copy>, prepare_t_copy};
inline constexpr Operator aten_view_copy_out = {"aten::view_copy.out", 3, kCallBytes<Copy>, prepare_view_copy};
inline constexpr Operator aten_unsqueeze_copy_out = {"aten::unsqueeze_copy.out", 3, kCallBytes<Copy>, prepare_view_copy};
inline constexpr Operator aten_squeeze_copy_dims_out = {"aten::squeeze_copy.dims_out", 3, kCallBytes<Copy>, prepare_view_copy};
inline constexpr Operator aten_expand_copy_out = {"aten::expand_copy.out", 4, kCallBytes<Copy>, prepare_expand_copy};
inline constexpr Operator aten_slice_copy_Tensor_out = {"aten::slice_copy.Tensor_out", 6, kCallBytes<Copy>, prepare_slice_copy};
inline constexpr Operator aten_select_copy_int_out = {"aten::select_copy.int_out", 4, kCallBytes<Copy>, prepare_select_copy};
inline constexpr Operator aten_cat_out = {"aten::cat.out", 3, kCallBytes<Copy>, prepare_cat};
inline constexpr Operator aten_constant_pad_nd_out = {"aten::constant_pad_nd.out", 4, kCallBytes<Fill> + kCallBytes<Copy>,
                                                      prepare_constant_pad_nd};

inline constexpr Operator aten_full_out = {"aten::full.out", 3, kCallBytes<Fill>, prepare_full};
inline constexpr Operator aten_full_like_out = {"aten::full_like.out", 4, kCallBytes<Fill>, prepare_full_like};
inline constexpr Operator aten_split_with_sizes_copy_out = {"aten::split_with_sizes_copy.out", 4, kCallBytes<Copy>,
                                                            prepare_split_with_sizes_copy};

Error prepare_quantized_pad(Call& call);
Error prepare_quantized_pad_nhwc(Call& call);

inline constexpr Operator cortex_m_transpose_out = {"cortex_m::transpose.out", 3, kCallBytes<Copy>, prepare_permute_copy};
inline constexpr Operator cortex_m_pad_out = {"cortex_m::pad.out", 5, kCallBytes<Fill> + kCallBytes<Copy>, prepare_quantized_pad};
inline constexpr Operator cortex_m_pad_nhwc_out = {"cortex_m::pad_nhwc.out", 5, kCallBytes<Fill> + kCallBytes<Copy>,
                                                   prepare_quantized_pad_nhwc};

}  // namespace kindling::upstream
