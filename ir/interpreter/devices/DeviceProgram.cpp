// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of arguments in, blocks of results out, for programs and for manual
// regions.

#include "ir/interpreter/devices/DeviceProgram.h"

#include "ir/devices/BlockAttr.h"
#include "ir/interpreter/devices/DeviceBlocks.h"
#include "ir/program/Shardings.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

static int64_t positionOf(graph::MeshAttr mesh, int64_t device) {
  graph::DeviceList devices = graph::devicesOf(mesh);
  return llvm::find(devices, device) - devices.begin();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// What graph.block says of an argument or a result.
struct BlockFact {
  Dealing dealing;
  RankedTensorType whole;
};
} // namespace

static std::optional<BlockFact> factOf(Operation *function, Attribute block) {
  auto entry = dyn_cast_or_null<DictionaryAttr>(block);
  if (!entry)
    return std::nullopt;
  auto sharding = entry.getAs<graph::ShardingAttr>("sharding");
  auto type = entry.getAs<TypeAttr>("whole");
  graph::MeshAttr mesh =
      sharding ? graph::meshOf(function, sharding) : graph::MeshAttr();
  auto whole =
      dyn_cast_or_null<RankedTensorType>(type ? type.getValue() : Type());
  if (!mesh || !whole || sharding.getRank() != whole.getRank())
    return std::nullopt;
  return BlockFact{{sharding, mesh}, whole};
}

static std::optional<BlockFact> argumentFact(func::FuncOp function,
                                             unsigned index) {
  return factOf(function, function.getArgAttr(index, graph::blockAttrName));
}

static std::optional<BlockFact> resultFact(func::FuncOp function,
                                           unsigned index) {
  return factOf(function, function.getResultAttr(index, graph::blockAttrName));
}

graph::MeshAttr zenith::interpreter::meshOfBlocks(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto fact = argumentFact(function, i))
      return fact->dealing.mesh;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto fact = resultFact(function, i))
      return fact->dealing.mesh;
  return {};
}

Expected<Results> zenith::interpreter::runOnBlocks(
    func::FuncOp function, graph::MeshAttr mesh, ArrayRef<Tensor> arguments,
    llvm::function_ref<Expected<Results>(DeviceMeeting &, int64_t, Results)>
        call) {
  DeviceMeeting all(mesh.numDevices());
  auto results = all.run([&](int64_t device) {
    Results blocks(arguments.begin(), arguments.end());
    int64_t position = positionOf(mesh, device);
    // What does not fit is refused as any wrong argument.
    size_t count = std::min<size_t>(blocks.size(), function.getNumArguments());
    for (size_t i = 0; i < count; ++i)
      if (auto fact = argumentFact(function, unsigned(i));
          fact && blocks[i].type() == fact->whole)
        blocks[i] = blockOf(blocks[i], fact->dealing, position);
    return call(all, device, std::move(blocks));
  });
  if (!results)
    return results.takeError();
  graph::DeviceList devices = graph::devicesOf(mesh);
  Results whole;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto fact = resultFact(function, i);
    if (!fact) {
      whole.push_back(results->front()[i]);
      continue;
    }
    SmallVector<Tensor> parts;
    SmallVector<int64_t> positions;
    for (auto [position, device] : llvm::enumerate(devices)) {
      positions.push_back(int64_t(position));
      parts.push_back((*results)[size_t(device)][i]);
    }
    whole.push_back(joinBlocks(fact->whole, fact->dealing, positions, parts));
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Manual regions
//===----------------------------------------------------------------------===//

// The mesh of a region's shardings; null where it has no values.
static graph::MeshAttr meshOf(graph::ManualOp op) {
  for (ArrayAttr list : {op.getInShardings(), op.getOutShardings()})
    for (auto sharding : list.getAsRange<graph::ShardingAttr>())
      return graph::meshOf(op, sharding);
  return {};
}

Expected<Results> zenith::interpreter::startDevices(
    graph::ManualOp op,
    llvm::function_ref<Expected<Results>(DeviceMeeting &, int64_t)> work) {
  graph::MeshAttr mesh = meshOf(op);
  if (!mesh)
    return Results();
  DeviceMeeting all(mesh.numDevices());
  auto results = all.run([&](int64_t device) { return work(all, device); });
  if (!results)
    return results.takeError();
  return std::move(results->front());
}

Expected<Results> zenith::interpreter::runManual(
    const OpEvaluation &e, DeviceMeeting &meeting, int64_t device,
    llvm::function_ref<Expected<Results>(Results)> body) {
  auto op = cast<graph::ManualOp>(e.op);
  graph::MeshAttr mesh = meshOf(op);
  if (!mesh)
    return Results();
  if (mesh.numDevices() != meeting.devices())
    return e.fail("is for " + Twine(mesh.numDevices()) +
                      " devices, and the program runs on " +
                      Twine(meeting.devices()),
                  ErrorCode::Invalid);
  SmallVector<StringRef> axes(op.getManualAxes().getAsValueRange<StringAttr>());
  if (axes.empty())
    return body(Results(e.operands.begin(), e.operands.end()));
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (!op.outSharding(i).getUnreduced().empty())
      return e.fail("with terms of sums as results is not supported",
                    ErrorCode::Unsupported);
  Results blocks;
  for (auto [i, operand] : llvm::enumerate(e.operands)) {
    if (std::optional<unsigned> dim = unevenDim(
            operand.shape(), {op.inSharding(unsigned(i)), mesh, axes}))
      return e.fail("has operand " + Twine(i) + " whose dimension " +
                        Twine(*dim) + " of " + Twine(operand.shape()[*dim]) +
                        " is no multiple of its shards (manual_c4)",
                    ErrorCode::Invalid);
    blocks.push_back(blockOf(operand, {op.inSharding(unsigned(i)), mesh, axes},
                             positionOf(mesh, device)));
  }
  Expected<Results> results = body(std::move(blocks));
  if (!results)
    return results;
  SmallVector<graph::AxisRefAttr> bound;
  for (StringRef axis : axes)
    bound.push_back(graph::AxisRefAttr::get(op.getContext(), axis, 1, 0));
  graph::DeviceList members;
  SmallVector<int64_t> positions;
  for (const graph::DeviceList &group : graph::axisGroups(mesh, bound))
    if (llvm::is_contained(group, device))
      members = group;
  for (int64_t member : members)
    positions.push_back(positionOf(mesh, member));
  return meeting.meet(
      device, op, std::move(*results), members,
      [&](ArrayRef<Results> given) -> Expected<std::vector<Results>> {
        Results whole;
        for (unsigned i = 0; i < op.getNumResults(); ++i) {
          SmallVector<Tensor> parts;
          for (const Results &own : given)
            parts.push_back(own[i]);
          whole.push_back(joinBlocks(e.resultType(i),
                                     {op.outSharding(i), mesh, axes}, positions,
                                     parts));
        }
        return std::vector<Results>(members.size(), whole);
      });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

Expected<Results> zenith::interpreter::runCollective(const OpEvaluation &e,
                                                     DeviceMeeting &meeting,
                                                     int64_t device,
                                                     Evaluate evaluate) {
  auto groups = graph::groupsOf(e.op, meeting.devices());
  if (!groups)
    return groups.takeError();
  graph::DeviceList members = metBy(e.op, *groups, device);
  return meeting.meet(device, e.op,
                      Results(e.operands.begin(), e.operands.end()), members,
                      [&](ArrayRef<Results> given) {
                        return evaluateCollective(e.op, *groups, members, given,
                                                  *e.regions, evaluate);
                      });
}
