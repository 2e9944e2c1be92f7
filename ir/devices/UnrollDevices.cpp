// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops for each device, with what devices have in common built once; branches
// and loops for the devices that agree.

#include "ir/devices/UnrollDevices.h"

#include "ir/AssertionCode.h"
#include "ir/CollectiveOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/devices/DeviceGroups.h"
#include "ir/devices/UnrollCollectives.h"
#include "ir/devices/UnrollConstants.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace zenith;
using namespace zenith::graph;

namespace {
/// Devices that run the same region, ascending.
using Active = SmallVector<int64_t>;

class Unroller {
public:
  Unroller(OpBuilder &builder, int64_t devices)
      : builder(builder), devices(devices) {}

  llvm::Error block(Block &body, const Active &active);
  Value valueOn(Value value, int64_t device) {
    auto found = values.find(value);
    return found == values.end() ? value : found->second[device];
  }
  void set(Value value, int64_t device, Value mapped) {
    auto &list = values[value];
    list.resize(devices);
    list[device] = mapped;
  }

private:
  llvm::Error unroll(Operation &op, const Active &active);
  llvm::Error plain(Operation &op, const Active &active);
  llvm::Error collective(Operation &op, const Active &active);
  llvm::Error branch(Operation &op, const Active &active);
  llvm::Error branchOf(Operation &op, const Active &active);
  llvm::Error loop(WhileOp op, const Active &active);
  llvm::Expected<std::vector<Active>>
  separate(Operation &op, const Active &active, ArrayRef<Value> deciding);
  llvm::Error region(Region &from, Region &to, const Active &active);
  /// Distinct values that `operand` has on `active`; `index` gives each
  /// device's.
  SmallVector<Value> distinct(Value operand, const Active &active,
                              llvm::DenseMap<int64_t, unsigned> &index);

  OpBuilder &builder;
  int64_t devices;
  llvm::DenseMap<Value, SmallVector<Value>> values;
};
} // namespace

static bool isCollective(Operation *op) {
  return familyOf(op) == Family::Collective;
}

static bool hasCollective(Operation &op) {
  return op
      .walk([](Operation *inner) {
        return isCollective(inner) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

// Values from outside that the regions of an op read.
static void addCaptured(Operation &op, SmallVectorImpl<Value> &captured) {
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!region.isAncestor(operand.getParentRegion()))
          captured.push_back(operand);
    });
}

llvm::Error Unroller::block(Block &body, const Active &active) {
  for (Operation &op : body.without_terminator())
    if (llvm::Error error = unroll(op, active))
      return error;
  return llvm::Error::success();
}

llvm::Error Unroller::unroll(Operation &op, const Active &active) {
  if (isCollective(&op))
    return collective(op, active);
  if (isa<IfOp, CaseOp>(op))
    return branch(op, active);
  if (auto nested = dyn_cast<WhileOp>(op))
    return loop(nested, active);
  if (hasCollective(op))
    return makeError(ErrorCode::Unsupported,
                     "a collective inside '" + op.getName().getStringRef() +
                         "' is not supported",
                     placeOf(op.getLoc()));
  return plain(op, active);
}

// The op once for each different list of operands.
llvm::Error Unroller::plain(Operation &op, const Active &active) {
  SmallVector<Value> read(op.getOperands());
  addCaptured(op, read);
  std::map<std::vector<void *>, Operation *> built;
  for (int64_t device : active) {
    std::vector<void *> key;
    for (Value value : read)
      key.push_back(valueOn(value, device).getAsOpaquePointer());
    Operation *&clone = built[key];
    if (!clone) {
      IRMapping mapping;
      for (Value value : read)
        mapping.map(value, valueOn(value, device));
      clone = cloneFolded(builder, op, mapping);
    }
    for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults()))
      set(from, device, to);
  }
  return llvm::Error::success();
}

llvm::Error Unroller::collective(Operation &op, const Active &active) {
  auto groups = groupsOf(&op, devices);
  if (!groups)
    return groups.takeError();
  if (!isa<AxisIndexOp, CollectivePermuteOp>(op))
    for (const DeviceList &group : *groups) {
      bool none = llvm::none_of(group, [&](int64_t device) {
        return llvm::is_contained(active, device);
      });
      bool all = llvm::all_of(group, [&](int64_t device) {
        return llvm::is_contained(active, device);
      });
      if (!none && !all)
        return makeError(ErrorCode::Invalid,
                         "'" + op.getName().getStringRef() +
                             "' is reached by a part of its devices only",
                         placeOf(op.getLoc()));
    }
  CollectiveUnrolling unrolling{
      builder,
      &op,
      *groups,
      active,
      [&](Value value, int64_t device) { return valueOn(value, device); },
      [&](Value value, int64_t device, Value result) {
        set(value, device, result);
      }};
  return unrollCollective(unrolling);
}

SmallVector<Value>
Unroller::distinct(Value operand, const Active &active,
                   llvm::DenseMap<int64_t, unsigned> &index) {
  SmallVector<Value> list;
  for (int64_t device : active) {
    Value value = valueOn(operand, device);
    auto *at = llvm::find(list, value);
    index[device] = unsigned(at - list.begin());
    if (at == list.end())
      list.push_back(value);
  }
  return list;
}

// Devices by the value that decides for each; all together where a collective
// inside joins devices of several values, which then must be equal.
llvm::Expected<std::vector<Active>>
Unroller::separate(Operation &op, const Active &active,
                   ArrayRef<Value> deciding) {
  llvm::MapVector<Value, Active> classes;
  for (auto [device, value] : llvm::zip_equal(active, deciding))
    classes[value].push_back(device);
  if (classes.size() == 1)
    return std::vector<Active>{active};
  std::optional<llvm::Error> failure;
  SmallVector<Operation *> joined;
  op.walk([&](Operation *inner) {
    if (failure || !isCollective(inner) || isa<AxisIndexOp>(inner))
      return;
    auto groups = groupsOf(inner, devices);
    if (!groups) {
      failure = groups.takeError();
      return;
    }
    for (const DeviceList &group : *groups)
      for (const auto &members : classes) {
        auto count = llvm::count_if(group, [&](int64_t device) {
          return llvm::is_contained(members.second, device);
        });
        if (count != 0 && count != int64_t(group.size()) &&
            !llvm::is_contained(joined, inner))
          joined.push_back(inner);
      }
  });
  if (failure)
    return std::move(*failure);
  std::vector<Active> separated;
  if (joined.empty()) {
    for (auto &[value, members] : classes)
      separated.push_back(members);
    return separated;
  }
  Location loc = op.getLoc();
  auto flag = RankedTensorType::get({}, builder.getI1Type());
  std::string text = ("devices disagree on '" + op.getName().getStringRef() +
                      "', in which they would meet in ")
                         .str();
  for (auto [i, inner] : llvm::enumerate(joined))
    text += ((i ? " and in '" : "'") + inner->getName().getStringRef() +
             "' at " + placeOf(inner->getLoc()))
                .str();
  for (auto &[value, members] : llvm::drop_begin(classes)) {
    Value equal = builder.create<CompareOp>(loc, flag, CompareDirection::eq,
                                            classes.front().first, value);
    markRunError(builder.create<AssertOp>(loc, equal, text, ValueRange()));
  }
  return std::vector<Active>{active};
}

// A new block with the ops of `from`, which takes no arguments.
llvm::Error Unroller::region(Region &from, Region &to, const Active &active) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&to);
  return block(from.front(), active);
}

llvm::Error Unroller::branch(Operation &op, const Active &active) {
  if (!hasCollective(op))
    return plain(op, active);
  SmallVector<Value> deciding;
  for (int64_t device : active)
    deciding.push_back(valueOn(op.getOperand(0), device));
  auto classes = separate(op, active, deciding);
  if (!classes)
    return classes.takeError();
  for (const Active &members : *classes)
    if (llvm::Error error = branchOf(op, members))
      return error;
  return llvm::Error::success();
}

llvm::Error Unroller::branchOf(Operation &op, const Active &active) {
  SmallVector<Type> types;
  for (size_t i = 0; i < active.size(); ++i)
    llvm::append_range(types, op.getResultTypes());
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(valueOn(op.getOperand(0), active.front()));
  state.addTypes(types);
  for (unsigned i = 0; i < op.getNumRegions(); ++i)
    state.addRegion();
  Operation *built = builder.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op.getRegions(), built->getRegions())) {
    if (llvm::Error error = region(from, to, active))
      return error;
    SmallVector<Value> yielded;
    for (int64_t device : active)
      for (Value value : from.front().back().getOperands())
        yielded.push_back(valueOn(value, device));
    OpBuilder::atBlockEnd(&to.front()).create<YieldOp>(op.getLoc(), yielded);
  }
  unsigned next = 0;
  for (int64_t device : active)
    for (Value result : op.getResults())
      set(result, device, built->getResult(next++));
  // Results that every region gives as one value are one.
  std::map<std::vector<void *>, Value> merged;
  next = 0;
  for (int64_t device : active)
    for (Value result : op.getResults()) {
      std::vector<void *> key;
      for (Region &to : built->getRegions())
        key.push_back(to.front().back().getOperand(next).getAsOpaquePointer());
      auto [at, isNew] = merged.insert({key, built->getResult(next)});
      if (!isNew)
        set(result, device, at->second);
      ++next;
    }
  return llvm::Error::success();
}

// Carried values that start as one value on several devices are carried once,
// as long as the body gives them one value too.
llvm::Error Unroller::loop(WhileOp op, const Active &active) {
  unsigned carried = op.getNumResults();
  // Class of each carried value on each device.
  std::vector<llvm::DenseMap<int64_t, unsigned>> classOf(carried);
  std::vector<SmallVector<Value>> inits(carried);
  for (unsigned i = 0; i < carried; ++i)
    inits[i] = distinct(op.getInits()[i], active, classOf[i]);
  while (true) {
    SmallVector<Value> starts;
    SmallVector<Type> types;
    SmallVector<unsigned> first;
    for (unsigned i = 0; i < carried; ++i) {
      first.push_back(starts.size());
      llvm::append_range(starts, inits[i]);
      types.resize(starts.size(), op.getResult(i).getType());
    }
    auto built = builder.create<WhileOp>(op.getLoc(), types, starts);
    SmallVector<Location> locs(types.size(), op.getLoc());
    auto fill = [&](Region &from, Region &to) {
      OpBuilder::InsertionGuard guard(builder);
      Block *body = builder.createBlock(&to, {}, types, locs);
      for (unsigned i = 0; i < carried; ++i)
        for (int64_t device : active)
          set(from.getArgument(i), device,
              body->getArgument(first[i] + classOf[i][device]));
      return block(from.front(), active);
    };
    if (llvm::Error error = fill(op.getCondition(), built.getCondition()))
      return error;
    Operation &condition = op.getCondition().front().back();
    SmallVector<Value> deciding;
    for (int64_t device : active)
      deciding.push_back(valueOn(condition.getOperand(0), device));
    OpBuilder::InsertPoint after = builder.saveInsertionPoint();
    builder.setInsertionPointToEnd(&built.getCondition().front());
    auto classes = separate(*op, active, deciding);
    if (!classes)
      return classes.takeError();
    if (classes->size() == 1)
      builder.create<YieldOp>(op.getLoc(), deciding.front());
    builder.restoreInsertionPoint(after);
    if (classes->size() > 1) {
      // Devices that may take different numbers of steps loop apart.
      built.erase();
      for (const Active &members : *classes)
        if (llvm::Error error = loop(op, members))
          return error;
      return llvm::Error::success();
    }
    if (llvm::Error error = fill(op.getBody(), built.getBody()))
      return error;
    Operation &yield = op.getBody().front().back();
    // Split classes whose devices go on with different values.
    bool split = false;
    for (unsigned i = 0; i < carried; ++i) {
      llvm::MapVector<std::pair<unsigned, Value>, unsigned> refined;
      llvm::DenseMap<int64_t, unsigned> next;
      for (int64_t device : active)
        next[device] = refined
                           .insert({{classOf[i][device],
                                     valueOn(yield.getOperand(i), device)},
                                    unsigned(refined.size())})
                           .first->second;
      if (refined.size() == inits[i].size())
        continue;
      split = true;
      SmallVector<Value> starting;
      for (auto &[key, index] : refined)
        starting.push_back(inits[i][key.first]);
      classOf[i] = std::move(next);
      inits[i] = std::move(starting);
    }
    if (split) {
      built.erase();
      continue;
    }
    SmallVector<Value> yielded(types.size());
    for (unsigned i = 0; i < carried; ++i)
      for (int64_t device : active) {
        yielded[first[i] + classOf[i][device]] =
            valueOn(yield.getOperand(i), device);
        set(op.getResult(i), device,
            built.getResult(first[i] + classOf[i][device]));
      }
    OpBuilder::atBlockEnd(&built.getBody().front())
        .create<YieldOp>(op.getLoc(), yielded);
    return llvm::Error::success();
  }
}

llvm::Expected<DeviceValues>
graph::unrollDevices(OpBuilder &builder, Block &body,
                     const DeviceValues &arguments) {
  Unroller unroller(builder, int64_t(arguments.size()));
  Active active;
  for (auto [device, list] : llvm::enumerate(arguments)) {
    active.push_back(int64_t(device));
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), list))
      unroller.set(argument, int64_t(device), value);
  }
  if (llvm::Error error = unroller.block(body, active))
    return std::move(error);
  DeviceValues results(arguments.size());
  for (int64_t device : active)
    for (Value value : body.back().getOperands())
      results[device].push_back(unroller.valueOn(value, device));
  return results;
}
