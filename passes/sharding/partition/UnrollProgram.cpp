// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole arguments cut into the blocks of devices, and results joined.

#include "ir/devices/BlockAttr.h"
#include "ir/devices/UnrollDevices.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/partition/LocalBuilder.h"
#include "passes/sharding/partition/PartitionProgram.h"
#include <map>

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

namespace {
/// Which part of a whole value a device has.
struct PartOf {
  RankedTensorType whole;
  Layout layout;
};
} // namespace

static std::optional<PartOf> blockOf(Attribute attribute,
                                     const DeviceAxes &axes) {
  auto entry = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!entry)
    return std::nullopt;
  auto sharding = entry.getAs<graph::ShardingAttr>("sharding");
  auto whole = entry.getAs<TypeAttr>("whole");
  if (!sharding || !whole)
    return std::nullopt;
  return PartOf{cast<RankedTensorType>(whole.getValue()),
                axes.layoutOf(sharding)};
}

using BlockIndex = std::vector<int64_t>;

static BlockIndex indexAt(const PartOf &block, const DeviceAxes &axes,
                          int64_t position) {
  BlockIndex index;
  for (const Atoms &dim : block.layout.dims)
    index.push_back(axes.blockAt(dim, position));
  return index;
}

// The block of this number, with zeros where the value ends before it.
static Value cut(LocalBuilder &x, Value whole, const PartOf &block,
                 const BlockIndex &index) {
  RankedTensorType type = x.axes.blockType(block.whole, block.layout);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t own = type.getDimSize(dim), all = block.whole.getDimSize(dim);
    int64_t start = std::min(own * index[dim], all);
    int64_t size = std::min(own, all - start);
    whole = x.slice(whole, dim, start, size);
    whole = x.pad(whole, dim, 0, own - size);
  }
  return whole;
}

// Blocks joined along one dimension after the other, last first.
static Value join(LocalBuilder &x, const PartOf &block,
                  std::map<BlockIndex, Value> blocks) {
  for (int64_t dim = block.whole.getRank() - 1; dim >= 0; --dim) {
    std::map<BlockIndex, SmallVector<Value>> rows;
    for (auto &[index, value] : blocks) {
      BlockIndex row(index);
      row[dim] = 0;
      rows[row].push_back(value);
    }
    blocks.clear();
    for (auto &[row, parts] : rows)
      blocks[row] =
          x.slice(x.concat(dim, parts), dim, 0, block.whole.getDimSize(dim));
  }
  return blocks.begin()->second;
}

static llvm::Error unrollFunction(func::FuncOp function) {
  SmallVector<graph::ShardingAttr> shardings;
  function->walk([&](Operation *op) {
    op->getAttrDictionary().walk(
        [&](graph::ShardingAttr sharding) { shardings.push_back(sharding); });
  });
  if (shardings.empty())
    return llvm::Error::success();
  FlatSymbolRefAttr name = shardings.front().getMesh();
  auto made = DeviceAxes::make(graph::meshOf(function, name), name, shardings);
  if (!made)
    return made.takeError();
  DeviceAxes axes = std::move(*made);
  graph::DeviceList ids = graph::devicesOf(axes.meshAttr());

  OpBuilder b(function);
  SmallVector<PartOf> arguments, results;
  SmallVector<Type> types, resultTypes;
  SmallVector<Location> locs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto block = blockOf(function.getArgAttr(i, graph::blockAttrName), axes);
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    arguments.push_back(block ? *block
                              : PartOf{type, Layout::whole(type.getRank())});
    types.push_back(arguments.back().whole);
    locs.push_back(function.getArgument(i).getLoc());
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto block = blockOf(function.getResultAttr(i, graph::blockAttrName), axes);
    auto type = cast<RankedTensorType>(function.getResultTypes()[i]);
    results.push_back(block ? *block
                            : PartOf{type, Layout::whole(type.getRank())});
    resultTypes.push_back(results.back().whole);
  }
  auto built = b.create<func::FuncOp>(function.getLoc(), function.getSymName(),
                                      b.getFunctionType(types, resultTypes));
  built.setVisibility(function.getVisibility());
  mlir::Block *body = b.createBlock(&built.getBody(), {}, types, locs);
  LocalBuilder x{b, function.getLoc(), axes};
  graph::DeviceValues values(axes.devices());
  for (auto [i, block] : llvm::enumerate(arguments)) {
    std::map<BlockIndex, Value> blocks;
    for (auto [position, device] : llvm::enumerate(ids)) {
      BlockIndex index = indexAt(block, axes, int64_t(position));
      Value &own = blocks[index];
      if (!own)
        own = cut(x, body->getArgument(i), block, index);
      values[device].push_back(own);
    }
  }
  auto unrolled = graph::unrollDevices(b, function.getBody().front(), values);
  if (!unrolled) {
    built.erase();
    return unrolled.takeError();
  }
  SmallVector<Value> returned;
  for (auto [i, block] : llvm::enumerate(results)) {
    std::map<BlockIndex, Value> blocks;
    for (auto [position, device] : llvm::enumerate(ids))
      blocks.insert(
          {indexAt(block, axes, int64_t(position)), (*unrolled)[device][i]});
    returned.push_back(join(x, block, std::move(blocks)));
  }
  b.create<func::ReturnOp>(function.getLoc(), returned);
  auto copy = [&](DictionaryAttr from) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attribute :
         from ? from.getValue() : ArrayRef<NamedAttribute>())
      if (attribute.getName() != graph::blockAttrName)
        kept.push_back(attribute);
    return b.getDictionaryAttr(kept);
  };
  for (unsigned i = 0; i < types.size(); ++i)
    built.setArgAttrs(i, copy(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < resultTypes.size(); ++i)
    built.setResultAttrs(i, copy(function.getResultAttrDict(i)));
  function.erase();
  return llvm::Error::success();
}

llvm::Error zenith::sharding::unrollProgram(ModuleOp module) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!function.isExternal())
      if (llvm::Error error = unrollFunction(function))
        return error;
  for (auto mesh : llvm::make_early_inc_range(module.getOps<graph::MeshOp>()))
    mesh.erase();
  return llvm::Error::success();
}
