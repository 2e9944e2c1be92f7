// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of meshes, constraints of shardings and manual
// regions.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"
#include "ir/program/Shardings.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Sharding.cpp.inc"

namespace zenith::graph {

void insertShardingOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Sharding.cpp.inc"
      >(dialect);
}

DimVector MeshOp::resultDims(unsigned, DimAnalysis &) { return {}; }

// shard_c1, reshard_c1
static LogicalResult verifySharding(Operation *op, ShardingAttr sharding) {
  if (auto mistake = shardingMistake(op, sharding, op->getResult(0).getType()))
    return op->emitOpError() << "sharding: " << *mistake;
  return success();
}

LogicalResult ShardOp::verifySymbolUses(SymbolTableCollection &) {
  return verifySharding(*this, getSharding());
}
DimVector ShardOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getInput());
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &) {
  return verifySharding(*this, getSharding());
}
DimVector ReshardOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getInput());
}

LogicalResult ShardGroupOp::verify() {
  // shard_group_c1
  return ShapeChecks(*this).atLeast("id", static_cast<int64_t>(getId()), 0, 1);
}
DimVector ShardGroupOp::resultDims(unsigned, DimAnalysis &) { return {}; }

DimVector ShardBarrierOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getInput());
}

//===----------------------------------------------------------------------===//
// Manual regions
//===----------------------------------------------------------------------===//

ShardingAttr ManualOp::inSharding(unsigned operand) {
  return cast<ShardingAttr>(getInShardings()[operand]);
}
ShardingAttr ManualOp::outSharding(unsigned result) {
  return cast<ShardingAttr>(getOutShardings()[result]);
}
bool ManualOp::isManual(StringRef axis) {
  return llvm::any_of(getManualAxes().getAsValueRange<StringAttr>(),
                      [&](StringRef name) { return name == axis; });
}

DimVector ManualOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult(result));
}

// manual_c1
static LogicalResult verifyCounts(const ShapeChecks &checks, ArrayAttr list,
                                  const Twine &place, size_t values) {
  if (failed(checks.count("number of " + place, list.size(), values, 1)))
    return failure();
  if (!llvm::all_of(list, llvm::IsaPred<ShardingAttr>))
    return checks.fail(place, "another attribute", "#graph.sharding", 1);
  return success();
}

LogicalResult ManualOp::verify() {
  ShapeChecks checks(*this);
  if (failed(verifyCounts(checks, getInShardings(), "in_shardings",
                          getInputs().size())) ||
      failed(verifyCounts(checks, getOutShardings(), "out_shardings",
                          getNumResults())) ||
      failed(checks.count("number of block arguments",
                          getBody().getNumArguments(), getInputs().size(), 1)))
    return failure();
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return checks.fail("last op",
                       getBody().front().back().getName().getStringRef(),
                       "graph.yield", 1);
  return checks.count("yielded values", yield.getValues().size(),
                      getNumResults(), 1);
}

namespace {
/// manual_c2 to manual_c5, which need the mesh.
struct ManualChecks {
  ManualOp op;
  ShapeChecks checks;
  SmallVector<StringRef> manualAxes;
  FlatSymbolRefAttr meshName;
  MeshAttr mesh;

  explicit ManualChecks(ManualOp op)
      : op(op), checks(op),
        manualAxes(op.getManualAxes().getAsValueRange<StringAttr>()) {}

  LogicalResult value(const Twine &place, ShardingAttr sharding, Type global,
                      Type local) {
    if (auto mistake = shardingMistake(op, sharding, global))
      return op.emitOpError() << place << ": " << *mistake;
    // manual_c2
    if (meshName && meshName != sharding.getMesh())
      return checks.fail(place, "@" + sharding.getMesh().getValue(),
                         "@" + meshName.getValue(), 2);
    meshName = sharding.getMesh();
    mesh = meshOf(op, sharding);
    auto type = cast<RankedTensorType>(global);
    for (auto [i, dim] : llvm::enumerate(sharding.getDims())) {
      if (failed(dimension(place + ", dimension " + Twine(i), dim,
                           type.getDimSize(i))))
        return failure();
    }
    // manual_c4
    return checks.compatible("block of " + place, local,
                             blockTypeOver(type, sharding, mesh, manualAxes),
                             4);
  }

  LogicalResult dimension(const Twine &place, DimShardingAttr dim,
                          int64_t size) {
    bool hasFree = false;
    int64_t shards = 1;
    for (AxisRefAttr axis : dim.getAxes()) {
      bool manual = op.isManual(axis.getName());
      // manual_c3
      if (manual && hasFree)
        return checks.fail(place, axis.text() + " behind a free axis",
                           "manual axes first", 3);
      hasFree |= !manual;
      if (manual)
        shards *= axisSize(axis, mesh);
    }
    // manual_c4
    if (!ShapedType::isDynamic(size) && size % shards != 0)
      return checks.fail(place, "size " + Twine(size),
                         "a multiple of its " + Twine(shards) + " shards", 4);
    return success();
  }

  LogicalResult axes() {
    for (auto [i, axis] : llvm::enumerate(manualAxes)) {
      // manual_c3
      if (llvm::is_contained(ArrayRef(manualAxes).take_front(i), axis))
        return checks.fail("manual_axes", "\"" + axis + "\" twice",
                           "distinct axes", 3);
      if (mesh && !mesh.sizeOf(axis))
        return checks.fail("manual_axes", "\"" + axis + "\"",
                           "an axis of @" + meshName.getValue(), 3);
      for (auto outer = op->getParentOfType<ManualOp>(); outer;
           outer = outer->getParentOfType<ManualOp>())
        if (outer.isManual(axis))
          return checks.fail("manual_axes",
                             "\"" + axis + "\", bound by a region around",
                             "another axis", 3);
    }
    return success();
  }

  // manual_c5
  LogicalResult inside(Operation *inner) {
    auto check = [&](Attribute sharding) -> LogicalResult {
      if (auto one = dyn_cast_or_null<ShardingAttr>(sharding))
        for (AxisRefAttr axis : one.allAxes())
          if (op.isManual(axis.getName()))
            return inner->emitOpError()
                   << "sharding: got manual axis \"" << axis.getName()
                   << "\", expected free axes (manual_c5)";
      return success();
    };
    for (NamedAttribute attribute : inner->getAttrs()) {
      if (failed(check(attribute.getValue())))
        return failure();
      if (auto list = dyn_cast<ArrayAttr>(attribute.getValue()))
        for (Attribute entry : list)
          if (failed(check(entry)))
            return failure();
    }
    return success();
  }
};
} // namespace

LogicalResult ManualOp::verifySymbolUses(SymbolTableCollection &) {
  ManualChecks all(*this);
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (failed(all.value("operand " + Twine(i), inSharding(i), input.getType(),
                         getBody().getArgument(i).getType())))
      return failure();
  Operation *yield = getBody().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(getResults()))
    if (failed(all.value("result " + Twine(i), outSharding(i), result.getType(),
                         yield->getOperand(i).getType())))
      return failure();
  if (failed(all.axes()))
    return failure();
  WalkResult walked = getBody().walk([&](Operation *inner) {
    return failed(all.inside(inner)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

} // namespace zenith::graph
