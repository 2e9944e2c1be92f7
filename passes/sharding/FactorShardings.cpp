// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From shardings of dimensions to those of factors, and back.

#include "passes/sharding/FactorShardings.h"

#include <numeric>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

TensorState stateOf(ShardingAttr sharding, MeshAttr mesh) {
  TensorState state;
  state.mesh = sharding.getMesh();
  for (DimShardingAttr dim : sharding.getDims())
    state.dims.push_back(
        {axesOf(dim.getAxes(), mesh), dim.getOpen(), dim.getPriority()});
  state.replicated = axesOf(sharding.getReplicated(), mesh);
  state.unreduced = axesOf(sharding.getUnreduced(), mesh);
  return state;
}

static SmallVector<AxisRefAttr> attributesOf(ArrayRef<Axis> axes,
                                             MeshAttr mesh) {
  SmallVector<AxisRefAttr> list;
  for (const Axis &axis : axes)
    list.push_back(attributeOf(axis, mesh));
  return list;
}

ShardingAttr attributeOf(const TensorState &state, MeshAttr mesh) {
  if (!state.mesh || !mesh)
    return {};
  MLIRContext *context = mesh.getContext();
  SmallVector<DimShardingAttr> dims;
  for (const DimState &dim : state.dims) {
    int64_t priority = dim.axes.empty() && !dim.open ? 0 : dim.priority;
    dims.push_back(DimShardingAttr::get(context, attributesOf(dim.axes, mesh),
                                        dim.open, priority));
  }
  return ShardingAttr::get(context, state.mesh, dims,
                           attributesOf(state.replicated, mesh),
                           attributesOf(state.unreduced, mesh));
}

// Deals `axes` to one dimension's factors. Of an axis that is larger than what
// is left of a factor, a factor of it goes on with the next one.
static void dealDim(ArrayRef<Axis> axes, bool open, const DimFactors &dim,
                    ArrayRef<Factor> factors,
                    std::map<unsigned, FactorSharding> &shardings) {
  size_t next = 0;
  std::optional<Axis> axis;
  auto advance = [&] {
    axis = next < axes.size() ? std::optional(axes[next++]) : std::nullopt;
  };
  auto rest = [&](Axes &to) {
    for (; axis; advance())
      to.push_back(*axis);
  };
  advance();
  for (auto [i, index] : llvm::enumerate(dim)) {
    FactorSharding &sharding = shardings[index];
    sharding.open = open;
    sharding.minorMost = i + 1 == dim.size();
    if (sharding.minorMost) {
      rest(sharding.axes);
      return;
    }
    int64_t left = factors[index].size;
    while (axis && left > 1) {
      int64_t common = std::gcd(left, axis->size);
      if (common == 1)
        break;
      sharding.axes.push_back({axis->name, axis->before, common, axis->full});
      left /= common;
      if (common == axis->size)
        advance();
      else
        axis = Axis{axis->name, axis->before * common, axis->size / common,
                    axis->full};
    }
    if (axis && left > 1)
      rest(sharding.overflow);
  }
}

TensorFactorShardings dealAxes(const TensorState &state,
                               const TensorFactors &tensor,
                               ArrayRef<Factor> factors) {
  TensorFactorShardings result;
  result.replicated = state.replicated;
  result.unreduced = state.unreduced;
  for (auto [i, dim] : llvm::enumerate(tensor)) {
    static const DimState unknown;
    const DimState &known = state.mesh ? state.dims[i] : unknown;
    dealDim(known.axes, known.open, dim, factors, result.factors);
  }
  return result;
}

bool joinAxes(const TensorFactorShardings &shardings,
              const TensorFactors &tensor, ArrayRef<Factor> factors,
              TensorState &state) {
  bool isChanged = false;
  state.dims.resize(tensor.size());
  for (auto [dim, indices] : llvm::zip_equal(state.dims, tensor)) {
    Axes joined;
    for (unsigned index : indices) {
      const FactorSharding &sharding = shardings.factors.at(index);
      for (const Axis &axis : sharding.axes)
        appendAxis(joined, axis);
      for (const Axis &axis : sharding.overflow)
        appendAxis(joined, axis);
      if (shardsOf(sharding.axes) != factors[index].size)
        break;
    }
    isChanged |= joined != dim.axes;
    dim.axes = joined;
  }
  return isChanged;
}

} // namespace zenith::sharding
