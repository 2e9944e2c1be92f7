// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites shardings in place; no op changes.

#include "passes/sharding/StatedShardings.h"

#include "ir/GraphOps.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/PropagationGraph.h"
#include <map>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

using Change = llvm::function_ref<ShardingAttr(Operation *, ShardingAttr)>;

static ArrayAttr mapList(Operation *op, ArrayAttr list, Change change) {
  SmallVector<Attribute> entries;
  for (Attribute entry : list) {
    auto sharding = dyn_cast<ShardingAttr>(entry);
    entries.push_back(sharding ? Attribute(change(op, sharding)) : entry);
  }
  return ArrayAttr::get(op->getContext(), entries);
}

void mapShardings(ModuleOp module, Change change) {
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto sharding =
                function.getArgAttrOfType<ShardingAttr>(i, shardingAttrName))
          function.setArgAttr(i, shardingAttrName, change(op, sharding));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (ShardingAttr sharding = resultSharding(function, i))
          setResultSharding(function, i, change(op, sharding));
    } else if (auto manual = dyn_cast<ManualOp>(op)) {
      manual.setInShardingsAttr(mapList(op, manual.getInShardings(), change));
      manual.setOutShardingsAttr(mapList(op, manual.getOutShardings(), change));
    } else if (auto shard = dyn_cast<ShardOp>(op)) {
      shard.setShardingAttr(change(op, shard.getSharding()));
    } else if (auto reshard = dyn_cast<ReshardOp>(op)) {
      reshard.setShardingAttr(change(op, reshard.getSharding()));
    } else {
      for (Value result : op->getResults())
        if (ShardingAttr sharding = shardingOf(result))
          setSharding(result, change(op, sharding));
    }
  });
}

void dropSingleAxes(ModuleOp module) {
  mapShardings(module, [](Operation *op, ShardingAttr sharding) {
    MeshAttr mesh = meshOf(op, sharding);
    auto without = [&](ArrayRef<AxisRefAttr> axes) {
      SmallVector<AxisRefAttr> kept;
      for (AxisRefAttr axis : axes)
        if (axisSize(axis, mesh) > 1)
          kept.push_back(axis);
      return kept;
    };
    SmallVector<DimShardingAttr> dims;
    for (DimShardingAttr dim : sharding.getDims()) {
      SmallVector<AxisRefAttr> axes = without(dim.getAxes());
      int64_t priority = axes.empty() && !dim.getOpen() ? 0 : dim.getPriority();
      dims.push_back(DimShardingAttr::get(op->getContext(), axes, dim.getOpen(),
                                          priority));
    }
    return ShardingAttr::get(op->getContext(), sharding.getMesh(), dims,
                             without(sharding.getReplicated()),
                             without(sharding.getUnreduced()));
  });
}

void completeManualAxes(ModuleOp module) {
  module.walk([](ManualOp manual) {
    auto complete = [&](Operation *op, ShardingAttr sharding) {
      MeshAttr mesh = meshOf(op, sharding);
      SmallVector<AxisRefAttr> used = sharding.allAxes(),
                               replicated(sharding.getReplicated());
      // In the order of the mesh, so that equal shardings are one attribute.
      for (MeshAxisAttr axis : mesh.getAxes()) {
        bool isMissing = llvm::none_of(used, [&](AxisRefAttr other) {
          return other.getName() == axis.getName();
        });
        if (isMissing && axis.getSize() > 1 && manual.isManual(axis.getName()))
          replicated.push_back(
              AxisRefAttr::get(op->getContext(), axis.getName(), 1, 0));
      }
      return ShardingAttr::get(op->getContext(), sharding.getMesh(),
                               sharding.getDims(), replicated,
                               sharding.getUnreduced());
    };
    manual.setInShardingsAttr(
        mapList(manual, manual.getInShardings(), complete));
    manual.setOutShardingsAttr(
        mapList(manual, manual.getOutShardings(), complete));
  });
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

// Says of each axis of `sharding` that it came from `origin`.
static void setOrigins(Value value, ShardingAttr sharding, StringRef origin) {
  MLIRContext *context = value.getContext();
  NamedAttrList entries;
  for (AxisRefAttr axis : sharding.allAxes())
    entries.set(axis.text(), StringAttr::get(context, origin));
  DictionaryAttr origins = entries.getDictionary(context);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    cast<func::FuncOp>(argument.getOwner()->getParentOp())
        .setArgAttr(argument.getArgNumber(), originsAttrName, origins);
    return;
  }
  Operation *op = value.getDefiningOp();
  SmallVector<Attribute> list(op->getNumResults(),
                              DictionaryAttr::get(context, {}));
  if (auto present = op->getAttrOfType<ArrayAttr>(originsAttrName))
    llvm::copy(present, list.begin());
  list[cast<OpResult>(value).getResultNumber()] = origins;
  op->setAttr(originsAttrName, ArrayAttr::get(context, list));
}

// What the readers of `input` state of it, where that is one closed sharding.
static bool isStatedAlike(Value input, ShardingAttr sharding) {
  bool isClosed = llvm::none_of(
      sharding.getDims(), [](DimShardingAttr dim) { return dim.getOpen(); });
  return isClosed && llvm::all_of(input.getUses(), [&](OpOperand &use) {
           if (auto shard = dyn_cast<ShardOp>(use.getOwner()))
             return shard.getSharding() == sharding;
           auto manual = dyn_cast<ManualOp>(use.getOwner());
           return !manual ||
                  manual.inSharding(use.getOperandNumber()) == sharding;
         });
}

// A value takes the sharding of its readers where nothing else is said of it.
// Values of an edge have none of their own.
static void applyTo(Value input, ShardingAttr sharding, const Twine &origin) {
  Operation *producer = input.getDefiningOp();
  bool isStated =
      producer &&
      isa<ShardOp, ReshardOp, ManualOp, WhileOp, CaseOp, IfOp, BarrierOp>(
          producer);
  auto argument = dyn_cast<BlockArgument>(input);
  bool isFree =
      !argument || isa<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!isFree || isStated || shardingOf(input) ||
      !isStatedAlike(input, sharding))
    return;
  setSharding(input, sharding);
  setOrigins(input, sharding, origin.str());
}

void applyConstraints(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    unsigned constraints = 0, regions = 0;
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto shard = dyn_cast<ShardOp>(op))
        applyTo(shard.getInput(), shard.getSharding(),
                "constraint_" + Twine(constraints++));
      auto manual = dyn_cast<ManualOp>(op);
      if (!manual)
        return;
      unsigned region = regions++;
      for (auto [i, input] : llvm::enumerate(manual.getInputs()))
        if (!manual->getParentOfType<ManualOp>())
          applyTo(input, manual.inSharding(i),
                  "mc_" + Twine(region) + "_input: " + Twine(i));
    });
  }
}

static ShardingAttr statedSharding(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto shard = dyn_cast_or_null<ShardOp>(op))
    return shard.getSharding();
  if (auto reshard = dyn_cast_or_null<ReshardOp>(op))
    return reshard.getSharding();
  return shardingOf(value);
}

// Members that state different shardings: each constraint is followed by an
// open one, which is in the group instead of it.
static LogicalResult openMembers(ArrayRef<ShardGroupOp> members) {
  for (ShardGroupOp member : members) {
    auto shard = member.getInput().getDefiningOp<ShardOp>();
    if (!shard) {
      if (statedSharding(member.getInput()))
        return member.emitOpError()
               << "group " << static_cast<int64_t>(member.getId()) << ": got "
               << statedSharding(member.getInput())
               << " and another one, expected one sharding for all members";
      continue;
    }
    OpBuilder builder(shard->getContext());
    builder.setInsertionPointAfter(shard);
    auto open = builder.create<ShardOp>(
        shard.getLoc(), shard.getType(), shard.getResult(),
        ShardingAttr::open(shard.getSharding().getMesh(),
                           shard.getSharding().getRank()));
    shard.getResult().replaceAllUsesExcept(open.getResult(), open);
  }
  return success();
}

LogicalResult unifyGroups(ModuleOp module) {
  std::map<int64_t, SmallVector<ShardGroupOp>> groups;
  module.walk([&](ShardGroupOp op) {
    groups[static_cast<int64_t>(op.getId())].push_back(op);
  });
  for (auto &[id, members] : groups) {
    ShardingAttr common;
    bool isOne = true;
    for (ShardGroupOp member : members) {
      ShardingAttr stated = statedSharding(member.getInput());
      isOne &= !stated || !common || stated == common;
      common = stated ? stated : common;
    }
    if (!isOne) {
      if (failed(openMembers(members)))
        return failure();
      continue;
    }
    for (ShardGroupOp member : members) {
      auto argument = dyn_cast<BlockArgument>(member.getInput());
      bool hasPlace =
          !argument || isa<func::FuncOp>(argument.getOwner()->getParentOp());
      if (common && hasPlace && !statedSharding(member.getInput()))
        setSharding(member.getInput(), common);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Afterwards
//===----------------------------------------------------------------------===//

static ShardingAttr withoutUnevenAxes(Operation *op, ShardingAttr sharding,
                                      Type type) {
  MeshAttr mesh = meshOf(op, sharding);
  SmallVector<DimShardingAttr> dims;
  for (auto [dim, size] : llvm::zip_equal(
           sharding.getDims(), cast<RankedTensorType>(type).getShape())) {
    int64_t shards = 1;
    size_t kept = 0;
    for (AxisRefAttr axis : dim.getAxes()) {
      shards *= axisSize(axis, mesh);
      bool divides = ShapedType::isDynamic(size) || size % shards == 0;
      if (!axis.isWhole() || !divides)
        break;
      ++kept;
    }
    dims.push_back(DimShardingAttr::get(op->getContext(),
                                        dim.getAxes().take_front(kept),
                                        /*open=*/false, /*priority=*/0));
  }
  return ShardingAttr::get(op->getContext(), sharding.getMesh(), dims,
                           sharding.getReplicated(), sharding.getUnreduced());
}

void dropUnevenAxes(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (auto sharding =
              function.getArgAttrOfType<ShardingAttr>(i, shardingAttrName))
        function.setArgAttr(i, shardingAttrName,
                            withoutUnevenAxes(function, sharding, type));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (ShardingAttr sharding = resultSharding(function, i))
        setResultSharding(function, i,
                          withoutUnevenAxes(function, sharding, type));
  }
}

void closeShardings(ModuleOp module) {
  mapShardings(module, [](Operation *op, ShardingAttr sharding) {
    SmallVector<DimShardingAttr> dims;
    for (DimShardingAttr dim : sharding.getDims())
      dims.push_back(DimShardingAttr::get(op->getContext(), dim.getAxes(),
                                          /*open=*/false, /*priority=*/0));
    return ShardingAttr::get(op->getContext(), sharding.getMesh(), dims,
                             sharding.getReplicated(), sharding.getUnreduced());
  });
}

} // namespace zenith::sharding
