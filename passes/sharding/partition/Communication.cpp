// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes by collective and by device.

#include "passes/sharding/partition/Communication.h"

#include "ir/CollectiveOps.h"
#include "ir/LocationText.h"
#include "ir/devices/DeviceGroups.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/sharding/partition/Layout.h"
#include "passes/sharding/partition/PartitionProgram.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

static std::optional<int64_t> integer(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat() ||
      !isa<IntegerType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<APInt>().getSExtValue();
}

// Steps of a loop that counts from one constant up to another.
static std::optional<int64_t> stepsOf(graph::WhileOp loop) {
  mlir::Block &condition = loop.getCondition().front(),
              &body = loop.getBody().front();
  auto compare =
      condition.back().getOperand(0).getDefiningOp<graph::CompareOp>();
  if (!compare || (compare.getDirection() != graph::CompareDirection::lt &&
                   compare.getDirection() != graph::CompareDirection::le))
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  std::optional<int64_t> bound = integer(compare.getRhs());
  if (!counter || counter.getOwner() != &condition || !bound)
    return std::nullopt;
  unsigned at = counter.getArgNumber();
  std::optional<int64_t> first = integer(loop.getInits()[at]);
  auto next = body.back().getOperand(at).getDefiningOp<graph::AddOp>();
  if (!first || !next)
    return std::nullopt;
  std::optional<int64_t> step;
  if (next.getLhs() == body.getArgument(at))
    step = integer(next.getRhs());
  else if (next.getRhs() == body.getArgument(at))
    step = integer(next.getLhs());
  if (!step || *step <= 0)
    return std::nullopt;
  int64_t distance = *bound - *first;
  if (compare.getDirection() == graph::CompareDirection::le)
    ++distance;
  return distance <= 0 ? 0 : llvm::divideCeil(distance, *step);
}

static double executionsOf(Operation *op) {
  double times = 1;
  for (Operation *around = op->getParentOp(); around;
       around = around->getParentOp())
    if (auto loop = dyn_cast<graph::WhileOp>(around))
      times *= double(stepsOf(loop).value_or(1));
  return times;
}

namespace {
/// One collective as a row of the report.
struct Sending {
  std::string kind;
  int64_t payload = 0, groupSize = 1;
  std::vector<double> byDevice;
};
} // namespace

static Sending sendingOf(Operation *op, ArrayRef<graph::DeviceList> groups,
                         int64_t devices) {
  Sending sending;
  sending.kind = op->getName().stripDialect().str();
  sending.byDevice.assign(devices, 0);
  for (Value operand : op->getOperands())
    sending.payload += bytesOf(operand.getType());
  double payload = double(sending.payload);
  for (const graph::DeviceList &group : groups) {
    double count = double(group.size());
    if (isa<graph::CollectivePermuteOp>(op)) {
      if (group[0] != group[1])
        sending.byDevice[group[0]] += payload;
      sending.groupSize = int64_t(groups.size());
      continue;
    }
    sending.groupSize = std::max<int64_t>(sending.groupSize, group.size());
    if (group.size() < 2)
      continue;
    if (auto broadcast = dyn_cast<graph::CollectiveBroadcastOp>(op)) {
      sending.byDevice[group[broadcast.getSource()]] += payload;
      continue;
    }
    double each = payload * (count - 1) / count;
    if (isa<graph::AllReduceOp>(op))
      each *= 2;
    if (isa<graph::AllGatherOp>(op))
      each = payload * (count - 1);
    for (int64_t device : group)
      sending.byDevice[device] += each;
  }
  return sending;
}

static llvm::json::Array axesJSON(Operation *op) {
  llvm::json::Array axes;
  if (auto list = op->getAttrOfType<ArrayAttr>("axes"))
    for (auto axis : list.getAsRange<StringAttr>())
      axes.push_back(axis.getValue());
  return axes;
}

// Largest sum of the values that are alive between two ops of the entry block.
static int64_t peakBytes(mlir::Block &block) {
  llvm::DenseMap<Operation *, SmallVector<Value>> dying;
  int64_t alive = 0;
  auto note = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers())
      if (Operation *at = block.findAncestorOpInBlock(*user))
        if (!last || last->isBeforeInBlock(at))
          last = at;
    if (last)
      dying[last].push_back(value);
    alive += bytesOf(value.getType());
  };
  for (BlockArgument argument : block.getArguments())
    note(argument);
  int64_t peak = alive;
  for (Operation &op : block) {
    for (Value result : op.getResults())
      note(result);
    peak = std::max(peak, alive);
    for (Value value : dying.lookup(&op))
      alive -= bytesOf(value.getType());
  }
  return peak;
}

static llvm::json::Value wholeNumber(double value) {
  return int64_t(std::llround(value));
}

llvm::Expected<llvm::json::Object>
zenith::sharding::communicationReport(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  auto devices = meshDevices(module);
  if (!devices)
    return devices.takeError();
  llvm::json::Object mesh;
  for (auto op : module.getOps<graph::MeshOp>())
    if (op.getMesh().numDevices() == *devices)
      for (graph::MeshAxisAttr axis : op.getMesh().getAxes())
        mesh[axis.getName()] = axis.getSize();
  std::map<std::string, std::vector<double>> byKind;
  std::vector<double> all(*devices, 0);
  llvm::json::Array rows;
  std::optional<llvm::Error> failure;
  function.walk([&](Operation *op) {
    if (failure || graph::familyOf(op) != graph::Family::Collective ||
        isa<graph::AxisIndexOp>(op))
      return;
    auto groups = graph::groupsOf(op, *devices);
    if (!groups) {
      failure = groups.takeError();
      return;
    }
    Sending sending = sendingOf(op, *groups, *devices);
    double times = executionsOf(op);
    std::vector<double> &kind = byKind[sending.kind];
    kind.resize(*devices);
    double most = 0;
    for (int64_t device = 0; device < *devices; ++device) {
      kind[device] += times * sending.byDevice[device];
      all[device] += times * sending.byDevice[device];
      most = std::max(most, sending.byDevice[device]);
    }
    rows.push_back(llvm::json::Object{
        {"kind", sending.kind},
        {"axes", axesJSON(op)},
        {"group_size", sending.groupSize},
        {"payload_bytes", sending.payload},
        {"sent_bytes", wholeNumber(most * times)},
        {"executions", wholeNumber(times)},
        {"location", graph::placeOf(op->getLoc())},
        {"reason", op->getAttrOfType<StringAttr>(reasonAttrName)
                       ? op->getAttrOfType<StringAttr>(reasonAttrName).str()
                       : "written in the program"}});
  });
  if (failure)
    return std::move(*failure);
  size_t device =
      size_t(std::max_element(all.begin(), all.end()) - all.begin());
  llvm::json::Object sent;
  int64_t total = 0;
  for (auto &[kind, bytes] : byKind) {
    int64_t own = std::llround(bytes[device]);
    total += own;
    sent[kind] = own;
  }
  sent["all"] = total;
  int64_t argumentBytes = 0;
  for (Type type : function.getArgumentTypes())
    argumentBytes += bytesOf(type);
  return llvm::json::Object{
      {"devices", *devices},
      {"mesh", std::move(mesh)},
      {"sent_bytes", std::move(sent)},
      {"argument_bytes", argumentBytes},
      {"peak_bytes", peakBytes(function.getBody().front())},
      {"collectives", std::move(rows)}};
}
