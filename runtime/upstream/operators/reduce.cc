#include "kernels/float_math.h"
#include "runtime/upstream/operators/reduce.h"

namespace kindling::upstream {
namespace {

template <class Body>
void for_each_result(const Reduction& p, Body body) {
  for_each(p.kept, [&](const uint32_t* at) {
    const float* x = p.x + at[1];
    bool is_first = true;
    float result = 0;
    for_each(p.reduced, [&](const uint32_t* offset) {
      result = is_first ? x[*offset] : body(result, x[*offset]);
      is_first = false;
    });
    p.y[at[0]] = result;
  });
}

void run_sum(const Step& step) {
  const auto& p = static_cast<const Reduction&>(step);
  for_each_result(p, [](float sum, float x) { return sum + x; });
}

void run_mean(const Step& step) {
  run_sum(step);
  const auto& p = static_cast<const Reduction&>(step);
  for_each(p.kept, [&](const uint32_t* at) { p.y[at[0]] /= p.count; });
}

void run_amax(const Step& step) {
  const auto& p = static_cast<const Reduction&>(step);
  for_each_result(p, [](float largest, float x) { return greater(x, largest); });
}

void run_amin(const Step& step) {
  const auto& p = static_cast<const Reduction&>(step);
  for_each_result(p, [](float least, float x) { return lesser(x, least); });
}

void run_any(const Step& step) {
  const auto& p = static_cast<const Any&>(step);
  for_each(p.loops, [&](const uint32_t* at) {
    bool any = false;
    for (uint32_t i = 0; i < p.depth && !any; ++i) any = p.x[at[1] + i * p.stride] != 0;
    p.y[at[0]] = any;
  });
}

/// Argument 1 are dimensions, all if there are none; argument 2 says whether they stay, of size 1.
Error prepare_reduction(Call& call, uint32_t output, void (*run)(const Step&)) {
  const Tensor x = call.tensor(0, ScalarType::kFloat), y = call.output(output, ScalarType::kFloat);
  const bool keep = call.flag(2);
  uint32_t chosen = 0;
  if (!call.is_null(1)) {
    const Ints dims = call.integers(1);
    for (uint32_t i = 0; i < dims.size; ++i) {
      const int32_t dim = dims[i] < 0 ? dims[i] + static_cast<int32_t>(x.rank) : dims[i];
      call.require(dim >= 0 && dim < static_cast<int32_t>(x.rank));
      if (call.error() == Error::Ok) chosen |= 1u << dim;
    }
  }
  if (chosen == 0) chosen = (1u << x.rank) - 1;
  Loop kept[kMaxRank], reduced[kMaxRank];
  uint32_t kept_rank = 0, reduced_rank = 0, count = 1, axis = 0;
  for (uint32_t i = 0; i < x.rank && call.error() == Error::Ok; ++i) {
    if ((chosen >> i & 1) != 0) {
      call.require(!keep || (axis < y.rank && y.sizes[axis] == 1));
      if (keep) ++axis;
      count *= x.sizes[i];
      reduced[reduced_rank++] = {x.sizes[i], {x.strides[i]}};
      continue;
    }
    call.require(axis < y.rank && y.sizes[axis] == x.sizes[i]);
    if (call.error() != Error::Ok) break;
    kept[kept_rank++] = {x.sizes[i], {y.strides[axis++], x.strides[i]}};
  }
  call.require(axis == y.rank && x.count != 0);
  if (call.error() != Error::Ok) return call.error();
  Reduction step = {{}, x.as<const float>(), y.as<float>(), static_cast<float>(count), merged<2>(kept, kept_rank),
                    merged<1>(reduced, reduced_rank)};
  return call.add(run, step);
}

}  // namespace

Error prepare_mean(Call& call) {
  call.require(call.is_null(3), Error::NotSupported);  // another type
  return prepare_reduction(call, 4, run_mean);
}
Error prepare_sum(Call& call) {
  call.require(call.is_null(3), Error::NotSupported);
  return prepare_reduction(call, 4, run_sum);
}
Error prepare_amax(Call& call) { return prepare_reduction(call, 3, run_amax); }
Error prepare_amin(Call& call) { return prepare_reduction(call, 3, run_amin); }


/// Along the dimension that argument 1 is, which stays, of size 1, if argument 2 says so.
Error prepare_any(Call& call) {
  const Tensor x = call.tensor(0, ScalarType::kBool), y = call.output(3, ScalarType::kBool);
  const uint32_t along = call.dimension(1, x.rank);
  const bool keep = call.flag(2);
  call.require(y.rank == (keep ? x.rank : x.rank - 1) && x.count != 0);
  Loop loops[kMaxRank];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x.rank && call.error() == Error::Ok; ++i) {
    const uint32_t axis = keep || i < along ? i : i - 1;
    if (i == along) {
      call.require(!keep || y.sizes[i] == 1);
      continue;
    }
    call.require(y.sizes[axis] == x.sizes[i]);
    loops[rank++] = {x.sizes[i], {y.strides[axis], x.strides[i]}};
  }
  if (call.error() != Error::Ok) return call.error();
  return call.add(run_any, Any{{}, x.data, y.data, x.sizes[along], x.strides[along], merged<2>(loops, rank)});
}

}  // namespace kindling::upstream
