// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions the functions of a module over its mesh.

#include "passes/sharding/partition/PartitionProgram.h"

#include "ir/LocationText.h"
#include "ir/devices/BlockAttr.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/partition/MergeReductions.h"
#include "passes/sharding/partition/Partitioner.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

llvm::Expected<int64_t> zenith::sharding::meshDevices(ModuleOp module) {
  int64_t devices = 1;
  for (auto mesh : module.getOps<graph::MeshOp>()) {
    int64_t own = mesh.getMesh().numDevices();
    if (own == 1)
      continue;
    if (devices != 1 && own != devices)
      return makeError(ErrorCode::Invalid,
                       "meshes of " + Twine(devices) + " and of " + Twine(own) +
                           " devices in one program",
                       graph::placeOf(mesh.getLoc()));
    devices = own;
  }
  return devices;
}

// All shardings of a function, from attributes wherever they stand.
static SmallVector<graph::ShardingAttr> shardingsOf(func::FuncOp function) {
  SmallVector<graph::ShardingAttr> list;
  auto collect = [&](Attribute attribute) {
    if (attribute)
      attribute.walk(
          [&](graph::ShardingAttr sharding) { list.push_back(sharding); });
  };
  function->walk([&](Operation *op) { collect(op->getAttrDictionary()); });
  return list;
}

bool zenith::sharding::takesBlocks(Operation *op) {
  // Entries of later phases are host programs of one device.
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, graph::blockAttrName))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, graph::blockAttrName))
      return true;
  return false;
}

static llvm::Error partitionFunction(func::FuncOp function, bool explain) {
  SmallVector<graph::ShardingAttr> shardings = shardingsOf(function);
  FlatSymbolRefAttr name;
  for (graph::ShardingAttr sharding : shardings) {
    graph::MeshAttr mesh = graph::meshOf(function, sharding);
    if (!mesh || mesh.numDevices() == 1)
      continue;
    if (name && mesh != graph::meshOf(function, name))
      return makeError(ErrorCode::Unsupported,
                       "shardings over several meshes in one function are not "
                       "supported",
                       graph::placeOf(function.getLoc()));
    name = sharding.getMesh();
  }
  if (!name)
    for (auto mesh :
         function->getParentOfType<ModuleOp>().getOps<graph::MeshOp>())
      if (mesh.getMesh().numDevices() > 1)
        name = FlatSymbolRefAttr::get(mesh.getSymNameAttr());
  if (!name)
    return llvm::Error::success();
  auto axes = DeviceAxes::make(graph::meshOf(function, name), name, shardings);
  if (!axes)
    return axes.takeError();
  auto built = Partitioner(std::move(*axes), function.getContext(), explain)
                   .run(function);
  if (!built)
    return built.takeError();
  mergeReductions(*built);
  return llvm::Error::success();
}

llvm::Error zenith::sharding::partitionProgram(ModuleOp module, bool explain) {
  auto devices = meshDevices(module);
  if (!devices)
    return devices.takeError();
  if (*devices == 1)
    return llvm::Error::success();
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.isExternal() || takesBlocks(function))
      continue;
    if (llvm::Error error = partitionFunction(function, explain))
      return error;
  }
  return llvm::Error::success();
}
