// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of StableHLO ops that read or write at positions given by data.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
using List = llvm::ArrayRef<int64_t>;
} // namespace

static LogicalResult checkSorted(Operation *op, llvm::StringRef name, List list,
                                 bool scatter) {
  if (!llvm::is_sorted(list))
    return op->emitOpError(scatter ? "Expects " : "expects ")
           << name << " to be sorted" << (scatter ? "; got: [" : ", got: [")
           << listText(list) << "]" << (scatter ? "." : "");
  return success();
}
static LogicalResult checkDistinct(Operation *op, llvm::StringRef name,
                                   List list, bool scatter) {
  if (hasDuplicates(list))
    return op->emitOpError(scatter ? "Expects " : "expects ")
           << name << " to not repeat" << (scatter ? "; got: [" : ", got: [")
           << listText(list) << "]" << (scatter ? "." : "");
  return success();
}
static LogicalResult checkRange(Operation *op, llvm::StringRef name, List list,
                                int64_t end, llvm::StringRef endName) {
  for (int64_t value : list)
    if (value < 0 || value >= end)
      return op->emitOpError("Expects each element of ")
             << name << " to be in range [0, " << endName << ") i.e. [0, "
             << end << "). got: " << value << ".";
  return success();
}
static LogicalResult checkDisjoint(Operation *op, llvm::StringRef first, List a,
                                   llvm::StringRef second, List b) {
  if (std::optional<int64_t> value = duplicateOf(a, b))
    return op->emitOpError("has duplicated dimension from ")
           << first << " and " << second << ": " << *value;
  return success();
}

// Constraints of gather's dimension numbers: gather_c1 to gather_c19 but those
// of slice sizes.
static LogicalResult checkGatherDims(Operation *op,
                                     GatherDimensionNumbersAttr dims,
                                     RankedTensorType operand,
                                     RankedTensorType starts) {
  List offset = dims.getOffsetDims(), collapsed = dims.getCollapsedSliceDims(),
       batching = dims.getOperandBatchingDims(),
       startBatching = dims.getStartIndicesBatchingDims(),
       map = dims.getStartIndexMap();
  int64_t vector = dims.getIndexVectorDim();
  if (failed(checkSorted(op, "offset_dims", offset, false)) ||
      failed(checkDistinct(op, "offset_dims", offset, false)) ||
      failed(checkDisjoint(op, "collapsed_slice_dims", collapsed,
                           "operand_batching_dims", batching)) ||
      failed(checkSorted(op, "collapsed_slice_dims", collapsed, false)) ||
      failed(checkRange(op, "collapsed_slice_dims", collapsed,
                        operand.getRank(), "rank-of('operand')")) ||
      failed(checkSorted(op, "operand_batching_dims", batching, false)) ||
      failed(checkRange(op, "operand_batching_dims", batching,
                        operand.getRank(), "rank-of('operand')")) ||
      failed(checkDistinct(op, "start_indices_batching_dims", startBatching,
                           false)))
    return failure();
  if (vector < 0 || vector > starts.getRank())
    return op->emitOpError("Expects index_vector_dim to be in range [0, "
                           "rank-of('start_indices')] i.e. [0, ")
           << starts.getRank() << "]. got: " << vector << ".";
  if (failed(checkRange(op, "start_indices_batching_dims", startBatching,
                        starts.getRank(), "rank-of('start_indices')")))
    return failure();
  if (llvm::is_contained(startBatching, vector))
    return op->emitOpError("expects start_indices_batching_dims not to include "
                           "index_vector_dim ")
           << vector << ".";
  if (failed(checkRange(op, "start_index_map", map, operand.getRank(),
                        "rank-of('operand')")) ||
      failed(checkDisjoint(op, "start_index_map", map, "operand_batching_dims",
                           batching)))
    return failure();
  int64_t implied =
      vector < starts.getRank() ? starts.getDimSize(vector) : int64_t(1);
  if (!dimsAgree(implied, map.size()))
    return op->emitOpError("start_index_map size (")
           << map.size() << ") is not equal to size of index dimension ("
           << vector << ") of start_indices (" << implied << ")";
  if (batching.size() != startBatching.size())
    return op->emitOpError("operand_batching_dims and "
                           "start_indices_batching_dims should have the same "
                           "size.");
  for (auto [i, pair] : llvm::enumerate(llvm::zip(batching, startBatching))) {
    auto [o, s] = pair;
    if (!dimsAgree(operand.getDimSize(o), starts.getDimSize(s)))
      return op->emitOpError("operand_batching_dims[")
             << i << "] and start_indices_batching_dims[" << i
             << "] must have compatible sizes, but got "
             << operand.getDimSize(o) << " and " << starts.getDimSize(s) << ".";
  }
  return success();
}

static LogicalResult checkSliceSizes(Operation *op,
                                     GatherDimensionNumbersAttr dims,
                                     RankedTensorType operand, List sizes) {
  for (auto [name, list] :
       {std::pair<llvm::StringRef, List>{"collapsed_slice_dims",
                                         dims.getCollapsedSliceDims()},
        {"operand_batching_dims", dims.getOperandBatchingDims()}})
    for (int64_t dim : list)
      if (sizes[dim] > 1)
        return op->emitOpError("Expects that for each dim in ")
               << name << ", slice_sizes[dim] should be <= 1, but got "
               << sizes[dim];
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t bound = operand.getDimSize(i);
    if (size < 0 || (!ShapedType::isDynamic(bound) && size > bound))
      return op->emitOpError("slice size (")
             << size << ") is out of bounds for operand dimension (" << bound
             << ") at index " << i;
  }
  return success();
}

// The result's shape from batch dimensions and slice sizes.
static LogicalResult checkGatherResult(Operation *op,
                                       GatherDimensionNumbersAttr dims,
                                       RankedTensorType operand,
                                       RankedTensorType starts, List sizes) {
  List offset = dims.getOffsetDims();
  int64_t vector = dims.getIndexVectorDim();
  int64_t batchRank = starts.getRank() - (vector < starts.getRank());
  int64_t rank = batchRank + offset.size();
  if (failed(
          checkRange(op, "offset_dims", offset, rank, "implied-result-rank")))
    return failure();
  Integers batch, slice, result;
  for (int64_t i = 0; i < starts.getRank(); ++i)
    if (i != vector)
      batch.push_back(starts.getDimSize(i));
  for (int64_t i = 0; i < operand.getRank(); ++i)
    if (!llvm::is_contained(dims.getCollapsedSliceDims(), i) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), i))
      slice.push_back(sizes.empty() ? ShapedType::kDynamic : sizes[i]);
  size_t nextBatch = 0, nextSlice = 0;
  for (int64_t i = 0; i < rank; ++i)
    result.push_back(llvm::is_contained(offset, i) ? slice[nextSlice++]
                                                   : batch[nextBatch++]);
  return checkResults(
      op, Type(RankedTensorType::get(result, operand.getElementType())));
}

static LogicalResult checkAnyGather(Operation *op, bool dynamic) {
  auto dims =
      op->getAttrOfType<GatherDimensionNumbersAttr>("dimension_numbers");
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType starts = tensorOf(op->getOperand(1));
  if (!dims)
    return success();
  Integers sizes;
  int64_t count = 0;
  if (!dynamic) {
    sizes = integersOf(op, "slice_sizes");
    auto raw = op->getAttrOfType<DenseIntElementsAttr>("slice_sizes");
    if (raw && cast<ShapedType>(raw.getType()).getRank() != 1)
      return op->emitOpError("slice_sizes.rank != 1");
    count = sizes.size();
  } else {
    RankedTensorType type = tensorOf(op->getOperand(2));
    count = type.getDimSize(0);
    sizes = constantOf(op->getOperand(2)).value_or(Integers());
  }
  size_t offsets = dims.getOffsetDims().size(),
         collapsed = dims.getCollapsedSliceDims().size(),
         batching = dims.getOperandBatchingDims().size();
  if (int64_t(offsets + collapsed + batching) != operand.getRank())
    return op->emitOpError("offset_dims size (")
           << offsets << ") plus collapse_slice_dims size (" << collapsed
           << ") plus operand_batching_dims size (" << batching
           << ") is not equal to operand rank (" << operand.getRank() << ")";
  if (failed(checkGatherDims(op, dims, operand, starts)))
    return failure();
  if (!dimsAgree(count, operand.getRank()))
    return op->emitOpError("slice_sizes size (")
           << count << ") not equal to operand rank (" << operand.getRank()
           << ")";
  if (!sizes.empty() && failed(checkSliceSizes(op, dims, operand, sizes)))
    return failure();
  return checkGatherResult(op, dims, operand, starts, sizes);
}
static LogicalResult checkGather(Operation *op) {
  return checkAnyGather(op, false);
}
static LogicalResult checkDynamicGather(Operation *op) {
  return checkAnyGather(op, true);
}

static LogicalResult checkStarts(Operation *op, ValueRange starts,
                                 RankedTensorType operand) {
  if (int64_t(starts.size()) != operand.getRank())
    return op->emitOpError("expects number of start_indices to match operand "
                           "rank: ")
           << starts.size() << " vs " << operand.getRank() << ".";
  for (Value start : starts) {
    RankedTensorType type = tensorOf(start);
    if (type.getRank() != 0)
      return op->emitOpError("operand should be rank 0 tensor but got rank ")
             << type.getRank();
    if (type.getElementType() != tensorOf(starts[0]).getElementType())
      return op->emitOpError("start indices must have same element type");
  }
  return success();
}

// dynamic_slice_c2 to dynamic_slice_c5
static LogicalResult checkDynamicSlice(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  Integers sizes = integersOf(op, "slice_sizes");
  ValueRange starts = op->getOperands().drop_front();
  if (sizes.size() != starts.size())
    return op->emitOpError("has mismatched number of slice sizes (")
           << sizes.size() << ") and number of start indices (" << starts.size()
           << ")";
  if (int64_t(sizes.size()) != operand.getRank())
    return op->emitOpError("has mismatched number of start indices (")
           << sizes.size() << ") and the rank of operand (" << operand.getRank()
           << ")";
  if (failed(checkStarts(op, starts, operand)))
    return failure();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size < 0)
      return op->emitOpError("has negative size index to dynamic slice: ")
             << size;
    int64_t bound = operand.getDimSize(i);
    if (!ShapedType::isDynamic(bound) && size > bound)
      return op->emitOpError("has slice size ")
             << size << " greater than dimension size " << bound
             << " in dimension " << i << " of operand";
  }
  return checkResults(
      op, Type(RankedTensorType::get(sizes, operand.getElementType())));
}

// dynamic_update_slice_c1 to dynamic_update_slice_c6
static LogicalResult checkDynamicUpdateSlice(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType update = tensorOf(op->getOperand(1));
  if (!elementsAgree(operand, update))
    return op->emitOpError(
        "requires the same element type for operand and update");
  if (operand.getRank() != update.getRank())
    return op->emitOpError("update rank does not match operand rank: ")
           << update.getRank() << " vs " << operand.getRank() << ".";
  if (failed(checkStarts(op, op->getOperands().drop_front(2), operand)))
    return failure();
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    int64_t size = update.getDimSize(i), bound = operand.getDimSize(i);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(bound) &&
        size > bound)
      return op->emitOpError("expects size at dimension ")
             << i << " of update to be in range [0, " << bound
             << "]. Got: " << size << ".";
  }
  return checkResults(op, Type(operand));
}

// Windows of updates against the operand: scatter_c4, scatter_c17.
static LogicalResult checkUpdates(Operation *op,
                                  ScatterDimensionNumbersAttr dims,
                                  RankedTensorType operand,
                                  RankedTensorType indices,
                                  RankedTensorType updates) {
  List window = dims.getUpdateWindowDims();
  int64_t vector = dims.getIndexVectorDim();
  int64_t expected =
      indices.getRank() - (vector < indices.getRank()) + window.size();
  if (updates.getRank() != expected)
    return op->emitOpError("expects updates tensor must be of rank ")
           << expected
           << " ( == rank-of('scatter_indices') - 1 + size-of("
              "'update_window_dims'), where 'scatter_indices' is expanded by a "
              "trailing 1 dimension if 'index_vector_dim' == rank-of("
              "'scatter_indices')), but got "
           << updates.getRank() << ".";
  if (failed(checkRange(op, "update_window_dims", window, updates.getRank(),
                        "rank-of('updates')")))
    return failure();
  size_t next = 0;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    if (llvm::is_contained(dims.getInsertedWindowDims(), i) ||
        llvm::is_contained(dims.getInputBatchingDims(), i))
      continue;
    int64_t size = updates.getDimSize(window[next]),
            bound = operand.getDimSize(i);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(bound) &&
        size > bound)
      return op->emitOpError("expects bounds of the window dimensions of "
                             "updates to not exceed the bounds of the "
                             "corresponding dimensions of operand. For "
                             "dimension ")
             << window[next] << ", updates bound is " << size
             << ", operand bound is " << bound << ".";
    ++next;
  }
  int64_t at = 0;
  for (int64_t i = 0; i < updates.getRank(); ++i) {
    if (llvm::is_contained(window, i))
      continue;
    if (at == vector)
      ++at;
    if (at >= indices.getRank())
      break;
    if (!dimsAgree(updates.getDimSize(i), indices.getDimSize(at)))
      return op->emitOpError("expects bounds of the scatter dimensions of "
                             "updates to be same as the bounds of the "
                             "corresponding dimensions of scatter indices. For "
                             "scatter dimension ")
             << i << ", updates bound is " << updates.getDimSize(i)
             << " , scatter_indices bound is " << indices.getDimSize(at) << ".";
    ++at;
  }
  return success();
}

static LogicalResult checkScatterDims(Operation *op,
                                      ScatterDimensionNumbersAttr dims,
                                      RankedTensorType operand,
                                      RankedTensorType indices) {
  List window = dims.getUpdateWindowDims(),
       inserted = dims.getInsertedWindowDims(),
       batching = dims.getInputBatchingDims(),
       indexBatching = dims.getScatterIndicesBatchingDims(),
       map = dims.getScatterDimsToOperandDims();
  int64_t vector = dims.getIndexVectorDim();
  if (failed(checkSorted(op, "update_window_dims", window, true)) ||
      failed(checkDistinct(op, "update_window_dims", window, true)) ||
      failed(checkDisjoint(op, "inserted_window_dims", inserted,
                           "input_batching_dims", batching)) ||
      failed(checkSorted(op, "inserted_window_dims", inserted, true)) ||
      failed(checkRange(op, "inserted_window_dims", inserted, operand.getRank(),
                        "rank-of('operand')")) ||
      failed(checkSorted(op, "input_batching_dims", batching, true)) ||
      failed(checkRange(op, "input_batching_dims", batching, operand.getRank(),
                        "rank-of('operand')")))
    return failure();
  int64_t total = window.size() + inserted.size() + batching.size();
  if (operand.getRank() != total)
    return op->emitOpError("Expects rank-of operand to match "
                           "size-of('update_window_dims') + "
                           "size-of('inserted_window_dims') + "
                           "size-of('input_batching_dims') i.e. ")
           << total << " but got " << operand.getRank() << ".";
  if (failed(checkDistinct(op, "scatter_indices_batching_dims", indexBatching,
                           true)))
    return failure();
  if (vector < 0 || vector > indices.getRank())
    return op->emitOpError("Expects index_vector_dim to be in range [0, "
                           "rank-of('scatter_indices')] i.e. [0, ")
           << indices.getRank() << "]. got: " << vector << ".";
  if (failed(checkRange(op, "scatter_indices_batching_dims", indexBatching,
                        indices.getRank(), "rank-of('scatter_indices')")))
    return failure();
  if (llvm::is_contained(indexBatching, vector))
    return op->emitOpError("expects scatter_indices_batching_dims not to "
                           "include index_vector_dim ")
           << vector << ".";
  if (batching.size() != indexBatching.size())
    return op->emitOpError("input_batching_dims and "
                           "scatter_indices_batching_dims should have the same "
                           "size.");
  for (auto [i, pair] : llvm::enumerate(llvm::zip(batching, indexBatching))) {
    auto [o, s] = pair;
    if (!dimsAgree(operand.getDimSize(o), indices.getDimSize(s)))
      return op->emitOpError("input_batching_dims[")
             << i << "] and scatter_indices_batching_dims[" << i
             << "] must have compatible sizes, but got "
             << operand.getDimSize(o) << " and " << indices.getDimSize(s)
             << ".";
  }
  int64_t bound =
      vector < indices.getRank() ? indices.getDimSize(vector) : int64_t(1);
  if (!dimsAgree(bound, map.size()))
    return op->emitOpError("Scatter op has ")
           << map.size()
           << " elements in scatter_dims_to_operand_dims and the bound of "
              "dimension index_vector_dim="
           << vector << " of scatter_indices is " << bound
           << ". These two numbers must be equal.";
  if (failed(checkRange(op, "scatter_dims_to_operand_dims", map,
                        operand.getRank(), "rank-of('operand')")))
    return failure();
  return checkDisjoint(op, "scatter_dims_to_operand_dims", map,
                       "input_batching_dims", batching);
}

static LogicalResult checkScatter(Operation *op) {
  size_t count = (op->getNumOperands() - 1) / 2;
  SmallVector<RankedTensorType> types = tensorsOf(op->getOperands());
  llvm::ArrayRef<RankedTensorType> all(types);
  auto inputs = all.take_front(count), updates = all.take_back(count);
  RankedTensorType indices = all[count];
  auto dims = op->getAttrOfType<ScatterDimensionNumbersAttr>(
      "scatter_dimension_numbers");
  if (inputs.empty() || !dims)
    return op->emitOpError("requires at least 1 input value");
  for (size_t i = 1; i < count; ++i) {
    if (!shapesAgree(inputs[0], inputs[i]))
      return op->emitOpError("Not all inputs have compatible shapes.");
    if (!shapesAgree(updates[0], updates[i]))
      return op->emitOpError("Not all updates have compatible shapes.");
  }
  if (failed(checkScatterDims(op, dims, inputs[0], indices)) ||
      failed(checkUpdates(op, dims, inputs[0], indices, updates[0])))
    return failure();
  SmallVector<RankedTensorType> inits;
  for (RankedTensorType type : inputs)
    inits.push_back(RankedTensorType::get({}, type.getElementType()));
  Region &body = op->getRegion(0);
  if (failed(checkReducer(op, body, updates, inits, {})))
    return failure();
  SmallVector<Type> inferred;
  for (auto [input, type] : llvm::zip(inputs, *returnTypes(body)))
    inferred.push_back(
        RankedTensorType::get(input.getShape(), getElementTypeOrSelf(type)));
  return checkResults(op, inferred);
}

static LogicalResult checkTorchIndexSelect(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType index = tensorOf(op->getOperand(1));
  int64_t dim = integerOf(op, "dim"), batch = integerOf(op, "batch_dims");
  if (dim < 0 || dim >= operand.getRank() || batch < 0 || batch > dim ||
      batch > index.getRank())
    return op->emitOpError("dim and batch_dims must name dimensions of the "
                           "operand and the index");
  return success();
}

// get_dimension_size_c1
static LogicalResult checkDimensionSize(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  if (failed(checkAtLeast(op, "dimension", 0)))
    return failure();
  int64_t dim = integerOf(op, "dimension");
  if (dim >= operand.getRank())
    return op->emitOpError("requires dimension attribute in range [0, ")
           << operand.getRank() << "); found (" << dim << ")";
  if (op->getNumOperands() == 1)
    return checkResults(op, Type(RankedTensorType::get(
                                {}, IntegerType::get(op->getContext(), 32))));
  RankedTensorType size = tensorOf(op->getOperand(1));
  if (size.getRank() != 0)
    return op->emitOpError("size operand should be of rank-0");
  return success();
}

OpCheck zenith::stablehlo::indexingCheck(llvm::StringRef name) {
  return llvm::StringSwitch<OpCheck>(name)
      .Case("gather", checkGather)
      .Case("dynamic_gather", checkDynamicGather)
      .Case("dynamic_slice", checkDynamicSlice)
      .Case("dynamic_update_slice", checkDynamicUpdateSlice)
      .Case("scatter", checkScatter)
      .Case("torch_index_select", checkTorchIndexSelect)
      .Cases("get_dimension_size", "set_dimension_size", checkDimensionSize)
      .Default(nullptr);
}
