// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, writes and checks the shardings of values.

#include "ir/program/Shardings.h"

#include "ir/GraphOps.h"
#include "ir/ShapeChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zenith::graph {

MeshAttr meshOf(Operation *op, FlatSymbolRefAttr name) {
  auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, name);
  return mesh ? mesh.getMesh() : MeshAttr();
}

bool hasMesh(ModuleOp module) {
  return llvm::any_of(module.getOps<MeshOp>(), [](MeshOp mesh) {
    return mesh.getMesh().numDevices() > 1;
  });
}

int64_t axisSize(AxisRefAttr axis, MeshAttr mesh) {
  return axis.isWhole() ? *mesh.sizeOf(axis.getName()) : axis.getSize();
}

int64_t axisSizes(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  int64_t product = 1;
  for (AxisRefAttr axis : axes)
    product *= axisSize(axis, mesh);
  return product;
}

int64_t shardCount(DimShardingAttr dim, MeshAttr mesh) {
  return axisSizes(dim.getAxes(), mesh);
}

static RankedTensorType
blockTypeWhere(RankedTensorType type, ShardingAttr sharding, MeshAttr mesh,
               llvm::function_ref<bool(StringRef)> counts) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, sharding.getDims())) {
    if (ShapedType::isDynamic(size))
      continue;
    int64_t shards = 1;
    for (AxisRefAttr axis : dim.getAxes())
      if (counts(axis.getName()))
        shards *= axisSize(axis, mesh);
    size = llvm::divideCeil(size, shards);
  }
  return type.clone(shape);
}

RankedTensorType blockType(RankedTensorType type, ShardingAttr sharding,
                           MeshAttr mesh) {
  return blockTypeWhere(type, sharding, mesh, [](StringRef) { return true; });
}

RankedTensorType blockTypeOver(RankedTensorType type, ShardingAttr sharding,
                               MeshAttr mesh, ArrayRef<StringRef> axes) {
  return blockTypeWhere(type, sharding, mesh, [&](StringRef axis) {
    return llvm::is_contained(axes, axis);
  });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

// The function of which `value` is an argument.
static FunctionOpInterface functionOf(BlockArgument value) {
  auto function =
      dyn_cast_or_null<FunctionOpInterface>(value.getOwner()->getParentOp());
  bool isEntry = function && value.getOwner()->isEntryBlock();
  return isEntry ? function : FunctionOpInterface();
}

static Attribute entryOf(Attribute list, unsigned result) {
  if (auto array = dyn_cast_or_null<ArrayAttr>(list))
    return result < array.size() ? array[result] : Attribute();
  return list;
}

ShardingAttr shardingOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    FunctionOpInterface function = functionOf(argument);
    return function ? function.getArgAttrOfType<ShardingAttr>(
                          argument.getArgNumber(), shardingAttrName)
                    : ShardingAttr();
  }
  auto result = cast<OpResult>(value);
  return dyn_cast_or_null<ShardingAttr>(
      entryOf(result.getOwner()->getDiscardableAttr(shardingAttrName),
              result.getResultNumber()));
}

void setSharding(Value value, ShardingAttr sharding) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    FunctionOpInterface function = functionOf(argument);
    if (sharding)
      function.setArgAttr(argument.getArgNumber(), shardingAttrName, sharding);
    else
      function.removeArgAttr(
          argument.getArgNumber(),
          StringAttr::get(value.getContext(), shardingAttrName));
    return;
  }
  Operation *op = value.getDefiningOp();
  Attribute none = UnitAttr::get(value.getContext());
  SmallVector<Attribute> entries(op->getNumResults(), none);
  for (OpResult result : op->getResults())
    if (ShardingAttr present = shardingOf(result))
      entries[result.getResultNumber()] = present;
  entries[cast<OpResult>(value).getResultNumber()] =
      sharding ? Attribute(sharding) : none;
  if (llvm::all_of(entries, llvm::IsaPred<UnitAttr>))
    op->removeDiscardableAttr(shardingAttrName);
  else
    op->setDiscardableAttr(shardingAttrName,
                           ArrayAttr::get(value.getContext(), entries));
}

ShardingAttr resultSharding(Operation *function, unsigned result) {
  return cast<FunctionOpInterface>(function).getResultAttrOfType<ShardingAttr>(
      result, StringAttr::get(function->getContext(), shardingAttrName));
}

void setResultSharding(Operation *op, unsigned result, ShardingAttr sharding) {
  auto function = cast<FunctionOpInterface>(op);
  auto name = StringAttr::get(op->getContext(), shardingAttrName);
  if (sharding)
    function.setResultAttr(result, name, sharding);
  else
    function.removeResultAttr(result, name);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::optional<std::string> axisMistake(AxisRefAttr axis, MeshAttr mesh,
                                              StringRef meshName) {
  std::optional<int64_t> full = mesh.sizeOf(axis.getName());
  if (!full)
    return ("got axis \"" + axis.getName() + "\", expected an axis of @" +
            meshName + " (sharding_c2)")
        .str();
  if (axis.isWhole())
    return std::nullopt;
  int64_t end = axis.getPreSize() * axis.getSize();
  if (*full % end == 0 && axis.getSize() < *full)
    return std::nullopt;
  return ("got " + axis.text() + ", expected a factor of the " + Twine(*full) +
          " positions of \"" + axis.getName() + "\" (sharding_c2)")
      .str();
}

std::optional<std::string> shardingMistake(Operation *user,
                                           ShardingAttr sharding, Type type) {
  MeshAttr mesh = meshOf(user, sharding);
  StringRef meshName = sharding.getMesh().getValue();
  if (!mesh)
    return ("got @" + meshName + ", expected the name of a mesh (sharding_c2)")
        .str();
  for (AxisRefAttr axis : sharding.allAxes())
    if (auto mistake = axisMistake(axis, mesh, meshName))
      return mistake;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != sharding.getRank())
    return ("got " + Twine(sharding.getRank()) + " dimensions on " +
            typeText(type) + ", expected one per dimension (sharding_c3)")
        .str();
  return std::nullopt;
}

LogicalResult verifyShardingAttribute(Operation *op, Attribute value) {
  auto refuse = [&](const Twine &text) {
    return op->emitOpError() << shardingAttrName << ": " << text;
  };
  auto list = dyn_cast<ArrayAttr>(value);
  bool isForm = list ? list.size() == op->getNumResults()
                     : isa<ShardingAttr>(value) && op->getNumResults() == 1;
  if (!isForm)
    return refuse("expected a list with #graph.sharding or unit for each of " +
                  Twine(op->getNumResults()) + " results");
  for (OpResult result : op->getResults()) {
    Attribute entry = entryOf(value, result.getResultNumber());
    auto sharding = dyn_cast<ShardingAttr>(entry);
    if (!sharding && !isa<UnitAttr>(entry))
      return refuse("expected #graph.sharding or unit for result " +
                    Twine(result.getResultNumber()));
    if (!sharding)
      continue;
    if (auto mistake = shardingMistake(op, sharding, result.getType()))
      return refuse(*mistake);
  }
  return success();
}

} // namespace zenith::graph
