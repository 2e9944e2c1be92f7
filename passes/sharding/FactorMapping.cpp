// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the mappings of ops.

#include "passes/sharding/FactorMapping.h"

using namespace mlir;

namespace zenith::sharding {

ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

MappingBuilder::MappingBuilder(Operation *op) : op(op) {
  for (Value operand : op->getOperands())
    mapping.operands.emplace_back(shapeOf(operand).size());
  for (Value result : op->getResults())
    mapping.results.emplace_back(shapeOf(result).size());
}

MappingBuilder &MappingBuilder::factor(int64_t size, FactorKind kind,
                                       bool blocked) {
  mapping.factors.push_back({size, kind, blocked});
  return *this;
}

void MappingBuilder::append(SmallVectorImpl<TensorFactors> &tensors,
                            unsigned index, int64_t dim) {
  tensors[index][dim].push_back(mapping.factors.size() - 1);
}

MappingBuilder &MappingBuilder::operand(unsigned index, int64_t dim) {
  append(mapping.operands, index, dim);
  return *this;
}

MappingBuilder &MappingBuilder::result(unsigned index, int64_t dim) {
  append(mapping.results, index, dim);
  return *this;
}

MappingBuilder &MappingBuilder::operandsOfRank(int64_t rank, int64_t dim) {
  for (unsigned i = 0; i < mapping.operands.size(); ++i)
    if (rank > 0 && int64_t(mapping.operands[i].size()) >= rank)
      append(mapping.operands, i, dim);
  return *this;
}

MappingBuilder &MappingBuilder::results(int64_t dim) {
  for (unsigned i = 0; i < mapping.results.size(); ++i)
    append(mapping.results, i, dim);
  return *this;
}

MappingBuilder &MappingBuilder::pointwise() {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    factor(size);
    for (unsigned i = 0; i < mapping.operands.size(); ++i)
      if (mapping.operands[i].size() == shape.size())
        operand(i, dim);
    for (unsigned i = 0; i < mapping.results.size(); ++i)
      if (mapping.results[i].size() == shape.size())
        result(i, dim);
  }
  return *this;
}

FactorMapping MappingBuilder::take() {
  if (mapping.factors.empty())
    return {};
  auto complete = [&](SmallVectorImpl<TensorFactors> &tensors) {
    for (TensorFactors &tensor : tensors)
      for (DimFactors &dim : tensor)
        if (dim.empty()) {
          dim.push_back(mapping.factors.size());
          mapping.factors.push_back({});
        }
  };
  complete(mapping.operands);
  complete(mapping.results);
  return std::move(mapping);
}

FactorMapping pointwiseMapping(Operation *op) {
  return MappingBuilder(op).pointwise().take();
}

} // namespace zenith::sharding
