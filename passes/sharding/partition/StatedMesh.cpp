// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads --mesh and --shard.

#include "passes/sharding/partition/StatedMesh.h"

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/devices/DeviceGroups.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

static llvm::Error usage(const Twine &text) {
  return makeError(ErrorCode::Usage, text);
}

using AxisSizes = SmallVector<std::pair<std::string, int64_t>>;

static llvm::Expected<AxisSizes> parseMesh(StringRef text) {
  AxisSizes axes;
  SmallVector<StringRef> entries;
  text.split(entries, ',');
  for (StringRef entry : entries) {
    auto [name, number] = entry.split('=');
    int64_t size = 0;
    if (name.empty() || number.getAsInteger(10, size) || size < 1 ||
        size > (int64_t(1) << 20))
      return usage("--mesh: got '" + entry + "', expected AXIS=SIZE");
    if (llvm::is_contained(llvm::make_first_range(axes), name))
      return usage("--mesh: axis " + name + " twice");
    axes.push_back({name.str(), size});
  }
  return axes;
}

// Ops that were written for the old number of devices.
static llvm::Error checkFree(ModuleOp module) {
  Operation *bound = nullptr;
  module.walk([&](Operation *op) {
    if (!bound && (isa<graph::ManualOp>(op) ||
                   (graph::familyOf(op) == graph::Family::Collective)))
      bound = op;
  });
  if (!bound)
    return llvm::Error::success();
  return makeError(ErrorCode::Invalid,
                   "--mesh: '" + bound->getName().getStringRef() +
                       "' depends on the size of the program's mesh",
                   graph::placeOf(bound->getLoc()));
}

llvm::Error zenith::sharding::applyMesh(ModuleOp module, StringRef text) {
  auto axes = parseMesh(text);
  if (!axes)
    return axes.takeError();
  MLIRContext *context = module.getContext();
  llvm::StringSet<> known;
  bool changes = false, hasMesh = false;
  for (auto op : module.getOps<graph::MeshOp>()) {
    graph::MeshAttr mesh = op.getMesh();
    if (mesh.getAxes().empty())
      continue;
    hasMesh = true;
    SmallVector<graph::MeshAxisAttr> sized;
    for (graph::MeshAxisAttr axis : mesh.getAxes()) {
      int64_t size = axis.getSize();
      for (auto &[name, given] : *axes)
        if (name == axis.getName()) {
          known.insert(name);
          size = given;
        }
      changes |= size != axis.getSize();
      sized.push_back(graph::MeshAxisAttr::get(context, axis.getName(), size));
    }
    if (ArrayRef(sized) != mesh.getAxes())
      op.setMeshAttr(graph::MeshAttr::get(context, sized, {}));
  }
  if (!hasMesh) {
    SmallVector<graph::MeshAxisAttr> sized;
    for (auto &[name, size] : *axes)
      sized.push_back(graph::MeshAxisAttr::get(context, name, size));
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    b.create<graph::MeshOp>(module.getLoc(), "mesh",
                            graph::MeshAttr::get(context, sized, {}));
    return llvm::Error::success();
  }
  for (auto &[name, size] : *axes)
    if (!known.contains(name))
      return usage("--mesh: the program's mesh has no axis " + name);
  return changes ? checkFree(module) : llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// --shard
//===----------------------------------------------------------------------===//

static llvm::Expected<graph::ShardingAttr>
parseSpec(StringRef spec, graph::MeshOp mesh, int64_t rank, StringRef text) {
  MLIRContext *context = mesh.getContext();
  SmallVector<StringRef> entries;
  if (!spec.empty())
    spec.split(entries, ',');
  if (int64_t(entries.size()) != rank)
    return usage("--shard=" + text + ": got " + Twine(entries.size()) +
                 " dimensions, the value has " + Twine(rank));
  SmallVector<graph::DimShardingAttr> dims;
  llvm::StringSet<> used;
  for (StringRef entry : entries) {
    SmallVector<graph::AxisRefAttr> axes;
    SmallVector<StringRef> names;
    if (entry != "-" && entry != "?")
      entry.split(names, '+');
    for (StringRef name : names) {
      graph::AxisRefAttr axis = graph::parseAxis(mesh.getMesh(), name);
      if (!axis)
        return usage("--shard=" + text + ": the mesh has no axis " + name);
      if (!used.insert(name).second)
        return usage("--shard=" + text + ": axis " + name + " twice");
      axes.push_back(axis);
    }
    dims.push_back(graph::DimShardingAttr::get(context, axes, entry == "?",
                                               /*priority=*/0));
  }
  return graph::ShardingAttr::get(
      context, FlatSymbolRefAttr::get(mesh.getSymNameAttr()), dims, {}, {});
}

static std::optional<unsigned> position(StringRef key,
                                        ArrayRef<std::string> names) {
  unsigned index = 0;
  if (!key.getAsInteger(10, index))
    return index < names.size() ? std::optional(index) : std::nullopt;
  for (auto [i, name] : llvm::enumerate(names))
    if (!name.empty() && name == key)
      return unsigned(i);
  return std::nullopt;
}

llvm::Error zenith::sharding::applyShard(Operation *op, StringRef text) {
  auto function = cast<func::FuncOp>(op);
  graph::MeshOp mesh;
  for (auto other :
       function->getParentOfType<ModuleOp>().getOps<graph::MeshOp>())
    if (!mesh && !other.getMesh().getAxes().empty())
      mesh = other;
  if (!mesh)
    return usage("--shard=" + text + ": the program has no mesh; give --mesh");
  auto [key, spec] = text.split('=');
  bool ofResult = key.consume_front("result:");
  std::vector<std::string> names;
  unsigned count =
      ofResult ? function.getNumResults() : function.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    auto name =
        ofResult
            ? function.getResultAttrOfType<StringAttr>(i, graph::nameAttrName)
            : function.getArgAttrOfType<StringAttr>(i, graph::nameAttrName);
    names.push_back(name ? name.str() : "");
  }
  std::optional<unsigned> at = position(key, names);
  if (!at) {
    std::string list;
    for (auto [i, name] : llvm::enumerate(names))
      list += (list.empty() ? "" : ", ") +
              (name.empty() ? std::to_string(i) : name);
    return usage("--shard=" + text + ": there is no " +
                 (ofResult ? "result " : "argument ") + key + "; there are " +
                 list);
  }
  Type type = ofResult ? function.getResultTypes()[*at]
                       : function.getArgumentTypes()[*at];
  auto sharding =
      parseSpec(spec, mesh, cast<RankedTensorType>(type).getRank(), text);
  if (!sharding)
    return sharding.takeError();
  if (ofResult)
    function.setResultAttr(*at, graph::shardingAttrName, *sharding);
  else
    function.setArgAttr(*at, graph::shardingAttrName, *sharding);
  return llvm::Error::success();
}
