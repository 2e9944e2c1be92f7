// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of collectives, with StableHLO's four ways of forming groups, and of
// run_parallel, which runs one program per device.

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "frontends/stablehlo/import/ReduceReading.h"
#include "ir/CollectiveOps.h"
#include "ir/LLVMError.h"
#include "ir/devices/DeviceGroups.h"
#include "ir/devices/UnrollDevices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;
using graph::DeviceList;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static std::optional<int64_t> moduleCount(Operation *op, StringRef name) {
  auto module = op->getParentOfType<ModuleOp>();
  auto value = module ? module->getAttrOfType<IntegerAttr>(name) : nullptr;
  return value ? std::optional(value.getInt()) : std::nullopt;
}

/// Devices are numbered replica by replica: r * partitions + p. Nothing where
/// the module does not say how many there are: groups then name devices.
static std::optional<DeviceGrid> statedGrid(OpReading &x) {
  if (x.program.grid)
    return *x.program.grid;
  auto replicas = moduleCount(x.op, "mhlo.num_replicas"),
       partitions = moduleCount(x.op, "mhlo.num_partitions");
  if (!replicas && !partitions)
    return std::nullopt;
  return DeviceGrid{replicas.value_or(1), partitions.value_or(1)};
}

static bool hasChannel(OpReading &x) {
  auto channel = x.op->getAttrOfType<ChannelHandleAttr>("channel_handle");
  return channel && channel.getHandle() > 0;
}

/// What the rows of replica_groups count.
enum class GroupIds { Replicas, Partitions, ReplicasOfAll, Devices };

static std::vector<DeviceList> deviceGroups(const std::vector<DeviceList> &rows,
                                            GroupIds ids, DeviceGrid grid) {
  std::vector<DeviceList> groups;
  for (const DeviceList &row : rows)
    switch (ids) {
    case GroupIds::Devices:
      groups.push_back(row);
      break;
    case GroupIds::ReplicasOfAll:
      groups.emplace_back();
      for (int64_t partition = 0; partition < grid.partitions; ++partition)
        for (int64_t replica : row)
          groups.back().push_back(replica * grid.partitions + partition);
      break;
    case GroupIds::Replicas:
      for (int64_t partition = 0; partition < grid.partitions; ++partition) {
        groups.emplace_back();
        for (int64_t replica : row)
          groups.back().push_back(replica * grid.partitions + partition);
      }
      break;
    case GroupIds::Partitions:
      for (int64_t replica = 0; replica < grid.replicas; ++replica) {
        groups.emplace_back();
        for (int64_t partition : row)
          groups.back().push_back(replica * grid.partitions + partition);
      }
      break;
    }
  return groups;
}

// The axes of #stablehlo.replica_group_mesh_axes as groups of devices.
static std::optional<std::vector<DeviceList>> meshGroups(OpReading &x) {
  auto text = dyn_cast_or_null<TextAttr>(x.op->getAttr("replica_groups"));
  if (!text) {
    x.invalid("has no table of replica_groups");
    return std::nullopt;
  }
  auto refuse =
      [&](const Twine &why) -> std::optional<std::vector<DeviceList>> {
    x.invalid("has groups " + text.getText() + ", " + why);
    return std::nullopt;
  };
  StringRef rest = text.getText().split('@').second;
  StringRef name = rest.take_until([](char c) { return c == ',' || c == '>'; });
  auto mesh = SymbolTable::lookupNearestSymbolFrom<graph::MeshOp>(
      x.b.getInsertionBlock()->getParentOp(),
      x.b.getStringAttr(name.trim(" \"")));
  if (!mesh)
    return refuse("whose mesh the program lacks");
  SmallVector<graph::AxisRefAttr> axes;
  rest = rest.split("axes").second;
  if (!rest.contains("axis_ref") && rest.trim("= []>").size() > 0) {
    x.unsupported("with axes of a mesh by number is not supported");
    return std::nullopt;
  }
  while (rest.contains("axis_ref")) {
    auto [axis, after] = rest.split("axis_ref").second.split('>');
    StringRef part = axis.split("sub_axis_info").second;
    std::string written = axis.split('"').second.split('"').first.str();
    if (!part.empty())
      written += ":" + part.ltrim("= ").str();
    axes.push_back(graph::parseAxis(mesh.getMesh(), written));
    if (!axes.back())
      return refuse("of which the mesh has no axis " + written);
    rest = after;
  }
  int64_t devices = mesh.getMesh().numDevices();
  if (auto grid = statedGrid(x);
      grid && grid->replicas * grid->partitions != devices)
    return refuse("a mesh of " + Twine(devices) +
                  " devices, and the program runs on " +
                  Twine(grid->replicas * grid->partitions));
  return graph::axisGroups(mesh.getMesh(), axes);
}

// Rows of a table of ids; all of them are one group where it is empty.
static std::optional<std::vector<DeviceList>>
rowsOf(OpReading &x, DenseIntElementsAttr table, std::optional<int64_t> count) {
  std::vector<DeviceList> rows;
  if (table.empty()) {
    rows.emplace_back();
    for (int64_t id = 0; id < count.value_or(1); ++id)
      rows.back().push_back(id);
    return rows;
  }
  int64_t width = table.getType().getShape().back();
  for (auto [i, id] : llvm::enumerate(table.getValues<APInt>())) {
    if (int64_t(i) % width == 0)
      rows.emplace_back();
    if (count && id.getSExtValue() >= *count) {
      x.invalid("names device " + Twine(id.getSExtValue()) + " of " +
                Twine(*count));
      return std::nullopt;
    }
    if (id.getSExtValue() >= 0)
      rows.back().push_back(id.getSExtValue());
  }
  return rows;
}

static int64_t countOf(GroupIds ids, DeviceGrid grid) {
  return ids == GroupIds::Partitions ? grid.partitions
         : ids == GroupIds::Devices  ? grid.replicas * grid.partitions
                                     : grid.replicas;
}

static std::optional<std::vector<DeviceList>> readGroups(OpReading &x,
                                                         GroupIds ids) {
  auto table = x.op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!table)
    return meshGroups(x);
  std::optional<DeviceGrid> grid = statedGrid(x);
  auto rows = rowsOf(x, table,
                     grid ? std::optional(countOf(ids, *grid)) : std::nullopt);
  return rows && grid ? deviceGroups(*rows, ids, *grid) : rows;
}

// Reductions and all_gather count replicas unless there is a channel.
static GroupIds reductionIds(OpReading &x) {
  if (!hasChannel(x))
    return GroupIds::Replicas;
  return x.flag("use_global_device_ids") ? GroupIds::Devices
                                         : GroupIds::ReplicasOfAll;
}

// The others count partitions where there is a channel.
static GroupIds exchangeIds(OpReading &x) {
  return hasChannel(x) ? GroupIds::Partitions : GroupIds::Replicas;
}

static DenseIntElementsAttr tableOf(OpReading &x,
                                    const std::vector<DeviceList> &groups) {
  size_t width = 0;
  for (const DeviceList &group : groups)
    width = std::max<size_t>(width, group.size());
  SmallVector<int64_t> ids;
  for (const DeviceList &group : groups) {
    llvm::append_range(ids, group);
    ids.append(width - group.size(), -1);
  }
  auto type = RankedTensorType::get({int64_t(groups.size()), int64_t(width)},
                                    x.b.getI64Type());
  return DenseIntElementsAttr::get(type, ids);
}

/// Whether there is one device, so that nothing travels.
static bool isAlone(OpReading &x, ArrayRef<DeviceList> groups) {
  if (std::optional<DeviceGrid> grid = statedGrid(x))
    return grid->replicas * grid->partitions == 1;
  return llvm::all_of(groups, [](const DeviceList &group) {
    return llvm::all_of(group, [](int64_t id) { return id == 0; });
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static void identityRule(OpReading &x) { x.outFlat(x.flatInputs()); }

static SmallVector<Type> resultTypes(OpReading &x) {
  return x.program.typesOf(x.op->getResultTypes(), x.loc);
}

// Sets the kind or the region of a reduction.
template <typename Op> static void setFold(OpReading &x, Op op) {
  Region &body = x.op->getRegion(0);
  Type element = elementOf(op->getOperand(0));
  if (auto kind = reduceKind(body, element)) {
    op.setKind(*kind);
    return;
  }
  SmallVector<Type> scalars(2, RankedTensorType::get({}, element));
  x.program.importRegion(body, op.getBody().front(), scalars);
}

static unsigned foldRegions(OpReading &x) {
  Type element = elementOf(x.in());
  return reduceKind(x.op->getRegion(0), element) ? 0 : 1;
}

static void allReduceRule(OpReading &x) {
  Values inputs = x.flatInputs();
  auto groups = readGroups(x, reductionIds(x));
  SmallVector<Type> types = resultTypes(x);
  if (x.failed() || !groups)
    return;
  if (isAlone(x, *groups) && TypeRange(types) == ValueRange(inputs).getTypes())
    return identityRule(x);
  if (TypeRange(types) != ValueRange(inputs).getTypes())
    return x.unsupported("into wider elements is not supported");
  auto op = x.create<graph::AllReduceOp>(types, inputs, graph::ReduceKindAttr(),
                                         FlatSymbolRefAttr(), ArrayAttr(),
                                         tableOf(x, *groups), foldRegions(x));
  setFold(x, op);
  if (!x.failed())
    x.outFlat(op.getResults());
}

static void reduceScatterRule(OpReading &x) {
  Value input = x.in();
  auto groups = readGroups(x, reductionIds(x));
  RankedTensorType type = x.type();
  if (x.failed() || !groups)
    return;
  if (isAlone(x, *groups))
    return identityRule(x);
  if (type.getElementType() != elementOf(input))
    return x.unsupported("into wider elements is not supported");
  auto op = x.create<graph::ReduceScatterOp>(
      type, input, uint64_t(x.intAttribute("scatter_dimension")),
      graph::ReduceKindAttr(), FlatSymbolRefAttr(), ArrayAttr(),
      tableOf(x, *groups), foldRegions(x));
  setFold(x, op);
  if (!x.failed())
    x.outFlat(op.getResult());
}

static void allGatherRule(OpReading &x) {
  Values inputs = x.flatInputs();
  auto groups = readGroups(x, reductionIds(x));
  SmallVector<Type> types = resultTypes(x);
  if (x.failed() || !groups)
    return;
  if (isAlone(x, *groups))
    return identityRule(x);
  x.outFlat(x.create<graph::AllGatherOp>(
                 types, inputs, uint64_t(x.intAttribute("all_gather_dim")),
                 FlatSymbolRefAttr(), ArrayAttr(), tableOf(x, *groups))
                .getResults());
}

static void allToAllRule(OpReading &x) {
  Values inputs = x.flatInputs();
  auto groups = readGroups(x, exchangeIds(x));
  SmallVector<Type> types = resultTypes(x);
  if (x.failed() || !groups)
    return;
  if (isAlone(x, *groups))
    return identityRule(x);
  x.outFlat(x.create<graph::AllToAllOp>(
                 types, inputs, uint64_t(x.intAttribute("split_dimension")),
                 uint64_t(x.intAttribute("concat_dimension")),
                 uint64_t(x.intAttribute("split_count")), FlatSymbolRefAttr(),
                 ArrayAttr(), tableOf(x, *groups))
                .getResults());
}

// The last operand says, for each other one, who sends it: all values of the
// group are there, and one is taken.
static void dynamicBroadcast(OpReading &x) {
  Values inputs = x.flatInputs();
  auto groups = readGroups(x, exchangeIds(x));
  SmallVector<Type> types = resultTypes(x);
  if (x.failed() || !groups || groups->empty())
    return;
  if (isAlone(x, *groups))
    return x.outFlat(ValueRange(inputs).drop_back());
  Value senders = inputs.pop_back_val();
  Values results;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    SmallVector<int64_t> front{1}, all{int64_t(groups->front().size())};
    llvm::append_range(front, tensorTypeOf(input).getShape());
    llvm::append_range(all, tensorTypeOf(input).getShape());
    Value gathered =
        x.create<graph::AllGatherOp>(
             TypeRange(RankedTensorType::get(all, elementOf(input))),
             ValueRange(x.reshape(input, front)), uint64_t(0),
             FlatSymbolRefAttr(), ArrayAttr(), tableOf(x, *groups))
            .getResult(0);
    Value sender = x.reshape(x.slice(senders, {int64_t(i)}, {1}), {});
    SmallVector<Value> at(all.size(), x.scalar(elementOf(sender), 0));
    at[0] = sender;
    Value one = x.make<graph::DynamicSliceOp>(
        RankedTensorType::get(front, elementOf(input)), gathered, at);
    results.push_back(x.reshape(one, tensorTypeOf(input).getShape()));
  }
  x.outFlat(results);
}

static void broadcastRule(OpReading &x) {
  if (x.flag("has_dynamic_root"))
    return dynamicBroadcast(x);
  Values inputs = x.flatInputs();
  auto groups = readGroups(x, exchangeIds(x));
  SmallVector<Type> types = resultTypes(x);
  if (x.failed() || !groups)
    return;
  bool alone = isAlone(x, *groups);
  if (alone && groups->size() == 1 && !groups->front().empty())
    return identityRule(x);
  if (alone)
    return x.outFlat(x.filled(inputs.front(), 0));
  x.outFlat(x.create<graph::CollectiveBroadcastOp>(
                 types, inputs, uint64_t(0), FlatSymbolRefAttr(), ArrayAttr(),
                 tableOf(x, *groups))
                .getResults());
}

static void permuteRule(OpReading &x) {
  Value input = x.in();
  SmallVector<int64_t> list = x.list("source_target_pairs");
  std::optional<DeviceGrid> grid = statedGrid(x);
  std::vector<DeviceList> pairs;
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    int64_t last = std::max(list[i], list[i + 1]);
    if (grid && last >= countOf(exchangeIds(x), *grid))
      return x.invalid("names device " + Twine(last) + " of " +
                       Twine(countOf(exchangeIds(x), *grid)));
    pairs.push_back({list[i], list[i + 1]});
  }
  if (x.failed())
    return;
  if (isAlone(x, pairs))
    return x.out(pairs.empty() ? x.filled(input, 0) : input);
  if (grid)
    pairs = deviceGroups(pairs, exchangeIds(x), *grid);
  if (pairs.empty())
    return x.out(x.filled(input, 0));
  x.out(x.create<graph::CollectivePermuteOp>(input.getType(), input,
                                             tableOf(x, pairs),
                                             FlatSymbolRefAttr(), ArrayAttr()));
}

// A device's position among the replicas of its partition, or the other way.
static void idRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  if (isAlone(x, {}))
    return x.out(x.scalar(type.getElementType(), 0));
  DeviceGrid grid = *statedGrid(x);
  bool ofReplica = x.op->getName().stripDialect() == "replica_id";
  std::vector<DeviceList> rows(1);
  for (int64_t id = 0; id < (ofReplica ? grid.replicas : grid.partitions); ++id)
    rows[0].push_back(id);
  auto groups = deviceGroups(
      rows, ofReplica ? GroupIds::Replicas : GroupIds::Partitions, grid);
  x.out(x.create<graph::AxisIndexOp>(type, FlatSymbolRefAttr(), ArrayAttr(),
                                     tableOf(x, groups)));
}

// Every group has one member, so each device keeps its own data.
static void loneCollectiveRule(OpReading &x) {
  auto groups = x.op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!groups || groups.getNumElements() > 1 || !isAlone(x, {}) ||
      !llvm::equal(x.op->getOperandTypes(), x.op->getResultTypes()))
    return x.unsupported("over several devices is not supported");
  identityRule(x);
}

//===----------------------------------------------------------------------===//
// One program per device
//===----------------------------------------------------------------------===//

/// Names of the functions, replica by replica; nothing where they are no grid
/// of one function.
static std::optional<StringRef> readPrograms(OpReading &x, DeviceGrid &grid) {
  auto rows = x.attr<ArrayAttr>("programs");
  std::optional<StringRef> name;
  if (!rows)
    return std::nullopt;
  grid = {int64_t(rows.size()), 0};
  for (Attribute row : rows) {
    auto columns = dyn_cast<ArrayAttr>(row);
    if (!columns || columns.empty() ||
        (grid.partitions != 0 && grid.partitions != int64_t(columns.size()))) {
      x.invalid("has programs that are no grid of functions");
      return std::nullopt;
    }
    grid.partitions = int64_t(columns.size());
    for (Attribute column : columns) {
      auto function = dyn_cast<FlatSymbolRefAttr>(column);
      if (!function || (name && *name != function.getValue())) {
        x.unsupported("of different functions is not supported");
        return std::nullopt;
      }
      name = function.getValue();
    }
  }
  if (!name)
    x.invalid("has no programs");
  return name;
}

static void runParallelRule(OpReading &x) {
  DeviceGrid grid;
  std::optional<StringRef> name = readPrograms(x, grid);
  if (!name)
    return;
  if (x.op->getAttr("infeed"))
    return x.unsupported("with an infeed is not supported");
  func::FuncOp callee = x.program.function(*name);
  if (!callee)
    return x.invalid("names @" + *name + ", which is no function");
  int64_t devices = grid.replicas * grid.partitions;
  Values inputs = x.flatInputs();
  SmallVector<Type> types = x.program.typesOf(callee.getArgumentTypes(), x.loc);
  if (x.failed())
    return;
  if (inputs.size() != types.size() * size_t(devices))
    return x.invalid("has " + Twine(inputs.size()) + " operands for " +
                     Twine(devices) + " devices of " + Twine(types.size()));
  graph::DeviceValues arguments(devices);
  for (int64_t device = 0; device < devices; ++device)
    arguments[device].assign(inputs.begin() + device * types.size(),
                             inputs.begin() + (device + 1) * types.size());
  // The program of one device, in a region that goes away again.
  Region region;
  {
    OpBuilder::InsertionGuard guard(x.b);
    SmallVector<Location> locs(types.size(), x.loc);
    Block *block = x.b.createBlock(&region, {}, types, locs);
    auto outer = std::exchange(x.program.grid, grid);
    Values results =
        x.program.inlineFunction(*name, block->getArguments(), x.loc);
    x.program.grid = outer;
    x.create<graph::YieldOp>(results);
  }
  if (x.failed())
    return;
  auto results = graph::unrollDevices(x.b, region.front(), arguments);
  if (!results)
    return x.program.failWith(results.takeError(), x.loc);
  Values flat;
  for (const auto &list : *results)
    llvm::append_range(flat, list);
  x.outFlat(flat);
}

void stablehlo::addCollectiveRules(RuleTable &rules) {
  rules["stablehlo.partition_id"] = idRule;
  rules["stablehlo.replica_id"] = idRule;
  rules["stablehlo.all_gather"] = allGatherRule;
  rules["stablehlo.all_reduce"] = allReduceRule;
  rules["stablehlo.reduce_scatter"] = reduceScatterRule;
  rules["stablehlo.all_to_all"] = allToAllRule;
  rules["stablehlo.collective_permute"] = permuteRule;
  rules["stablehlo.collective_broadcast"] = broadcastRule;
  rules["stablehlo.collective_reduce"] = loneCollectiveRule;
  rules["stablehlo.cross-replica-sum"] = loneCollectiveRule;
  rules["interpreter.run_parallel"] = runParallelRule;
}
