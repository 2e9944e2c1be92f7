// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings and factors as JSON.

#include "ir/program/Shardings.h"
#include "passes/sharding/PropagateShardings.h"
#include "passes/sharding/ShardingRule.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace zenith::graph;
namespace json = llvm::json;

namespace zenith::sharding {

// The names that the source gave: the door joins those of values that are one.
static void collectNames(Location loc, SmallVectorImpl<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(loc))
    names.push_back(name.getName().getValue());
  else if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      collectNames(part, names);
}

static json::Array axesText(ArrayRef<AxisRefAttr> axes) {
  json::Array list;
  for (AxisRefAttr axis : axes)
    list.push_back(axis.text());
  return list;
}

// `self`: the name that the value itself has as an origin.
static json::Value shardingJSON(ShardingAttr sharding, DictionaryAttr origins,
                                StringRef self) {
  if (!sharding)
    return nullptr;
  json::Array dims, open;
  for (DimShardingAttr dim : sharding.getDims()) {
    dims.push_back(axesText(dim.getAxes()));
    open.push_back(dim.getOpen());
  }
  json::Object from;
  for (NamedAttribute entry :
       origins ? origins.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef origin = cast<StringAttr>(entry.getValue()).getValue();
    from[entry.getName().getValue()] = origin == self ? "self" : origin;
  }
  return json::Object{{"mesh", sharding.getMesh().getValue()},
                      {"dims", std::move(dims)},
                      {"open", std::move(open)},
                      {"replicated", axesText(sharding.getReplicated())},
                      {"unreduced", axesText(sharding.getUnreduced())},
                      {"origins", std::move(from)}};
}

static DictionaryAttr originsOf(Operation *op, unsigned result) {
  auto list = op->getAttrOfType<ArrayAttr>(originsAttrName);
  return list && result < list.size() ? dyn_cast<DictionaryAttr>(list[result])
                                      : DictionaryAttr();
}

static ShardingAttr statedOf(OpResult result) {
  Operation *op = result.getOwner();
  if (auto shard = dyn_cast<ShardOp>(op))
    return shard.getSharding();
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return reshard.getSharding();
  if (auto manual = dyn_cast<ManualOp>(op))
    return manual.outSharding(result.getResultNumber());
  return shardingOf(result);
}

static json::Object valuesOf(func::FuncOp function) {
  json::Object values;
  unsigned constraints = 0, regions = 0;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string self;
    if (isa<ShardOp>(op))
      self = "constraint_" + std::to_string(constraints++);
    if (isa<ManualOp>(op))
      self = "mc_" + std::to_string(regions++) + "_output: ";
    SmallVector<StringRef> names;
    collectNames(op->getLoc(), names);
    for (OpResult result : op->getResults())
      for (StringRef name : names) {
        unsigned index = result.getResultNumber();
        std::string key = op->getNumResults() == 1
                              ? name.str()
                              : (name + "#" + Twine(index)).str();
        // Of several ops that the door built for one the last is the value.
        values[key] = shardingJSON(
            statedOf(result), originsOf(op, index),
            isa<ManualOp>(op) ? self + std::to_string(index) : self);
      }
  });
  return values;
}

static json::Object functionJSON(func::FuncOp function) {
  json::Array arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(shardingJSON(
        function.getArgAttrOfType<ShardingAttr>(i, shardingAttrName),
        function.getArgAttrOfType<DictionaryAttr>(i, originsAttrName),
        "input: " + std::to_string(i)));
  auto name = StringAttr::get(function.getContext(), originsAttrName);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.push_back(
        shardingJSON(resultSharding(function, i),
                     function.getResultAttrOfType<DictionaryAttr>(i, name),
                     "output: " + std::to_string(i)));
  return json::Object{{"arguments", std::move(arguments)},
                      {"results", std::move(results)},
                      {"values", valuesOf(function)}};
}

static std::string printed(json::Object root) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}\n", json::Value(std::move(root)));
  return text;
}

std::string shardingReport(ModuleOp module) {
  json::Object meshes, functions;
  for (auto mesh : module.getOps<MeshOp>()) {
    json::Array axes;
    for (MeshAxisAttr axis : mesh.getMesh().getAxes())
      axes.push_back(json::Array{axis.getName(), axis.getSize()});
    json::Object entry{{"axes", std::move(axes)}};
    if (!mesh.getMesh().getDeviceIds().empty())
      entry["device_ids"] = json::Array(mesh.getMesh().getDeviceIds());
    meshes[mesh.getSymName()] = std::move(entry);
  }
  for (auto function : module.getOps<func::FuncOp>())
    functions[function.getSymName()] = functionJSON(function);
  return printed(json::Object{{"meshes", std::move(meshes)},
                              {"functions", std::move(functions)}});
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

// i to z, then z_1, z_2 and so on.
static std::string factorName(unsigned factor) {
  constexpr unsigned letters = 'z' - 'i' + 1;
  return factor < letters ? std::string(1, char('i' + factor))
                          : "z_" + std::to_string(factor - letters + 1);
}

static json::Array tensorsJSON(ArrayRef<TensorFactors> tensors) {
  json::Array list;
  for (const TensorFactors &tensor : tensors) {
    json::Array dims;
    for (const DimFactors &dim : tensor) {
      json::Array factors;
      for (unsigned factor : dim)
        factors.push_back(factorName(factor));
      dims.push_back(std::move(factors));
    }
    list.push_back(std::move(dims));
  }
  return list;
}

static json::Object ruleJSON(const FactorMapping &mapping) {
  json::Object sizes;
  for (auto [i, factor] : llvm::enumerate(mapping.factors))
    sizes[factorName(i)] = factor.size;
  auto where = [&](llvm::function_ref<bool(const Factor &)> is) {
    json::Array list;
    for (auto [i, factor] : llvm::enumerate(mapping.factors))
      if (is(factor))
        list.push_back(factorName(i));
    return list;
  };
  auto ofKind = [&](FactorKind kind) {
    return where([&](const Factor &factor) { return factor.kind == kind; });
  };
  return json::Object{{"sizes", std::move(sizes)},
                      {"operands", tensorsJSON(mapping.operands)},
                      {"results", tensorsJSON(mapping.results)},
                      {"reduction", ofKind(FactorKind::Reduction)},
                      {"need_replication", ofKind(FactorKind::NeedReplication)},
                      {"permutation", ofKind(FactorKind::Permutation)},
                      {"blocked_propagation", where([](const Factor &factor) {
                         return factor.blocked;
                       })}};
}

std::string ruleReport(ModuleOp module, bool conservative) {
  json::Object functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    json::Object rules;
    function.getBody().walk([&](Operation *op) {
      FactorMapping mapping = factorMappingOf(op, conservative);
      SmallVector<StringRef> names;
      collectNames(op->getLoc(), names);
      for (StringRef name : names)
        if (!mapping.empty())
          rules[name] = ruleJSON(mapping);
    });
    functions[function.getSymName()] =
        json::Object{{"rules", std::move(rules)}};
  }
  return printed(json::Object{{"functions", std::move(functions)}});
}

} // namespace zenith::sharding
