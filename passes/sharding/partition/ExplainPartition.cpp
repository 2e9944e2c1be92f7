// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks on what travels, whose shardings ask for it, and what pads.

#include "passes/sharding/partition/Partitioner.h"

#include "ir/LocationText.h"
#include "ir/remarks/Remark.h"
#include "passes/sharding/PropagateShardings.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

std::string zenith::sharding::nameOf(Value value) {
  if (auto named = dyn_cast<NameLoc>(value.getLoc()))
    return named.getName().str();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return "argument " + std::to_string(argument.getArgNumber());
  return value.getDefiningOp()->getName().getStringRef().str();
}

std::string zenith::sharding::originsOf(Value value) {
  Attribute attribute;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      attribute = function.getArgAttr(argument.getArgNumber(), originsAttrName);
  } else {
    attribute = value.getDefiningOp()->getAttr(originsAttrName);
    if (auto list = dyn_cast_or_null<ArrayAttr>(attribute))
      attribute = list[cast<OpResult>(value).getResultNumber()];
  }
  llvm::SetVector<StringRef> origins;
  if (auto entries = dyn_cast_or_null<DictionaryAttr>(attribute))
    for (NamedAttribute entry : entries)
      if (auto text = dyn_cast<StringAttr>(entry.getValue()))
        origins.insert(text.getValue());
  return origins.empty() ? "the program"
                         : llvm::join(origins.begin(), origins.end(), ", ");
}

static std::string layoutText(const DeviceAxes &axes, const Layout &layout) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(layout.dims)) {
    text += i ? ", {" : "{";
    for (auto [k, axis] : llvm::enumerate(axes.refsOf(dim)))
      text += (k ? ", " : "") + axis.text();
    text += "}";
  }
  text += "]";
  for (auto [k, axis] : llvm::enumerate(axes.refsOf(layout.partial)))
    text += (k ? ", " : " with terms over ") + axis.text();
  return text;
}

static StringRef kindOf(ReshardStep::Kind kind) {
  switch (kind) {
  case ReshardStep::Slice:
    return "slice";
  case ReshardStep::AllGather:
    return "all_gather";
  case ReshardStep::AllToAll:
    return "all_to_all";
  case ReshardStep::Permute:
    return "collective_permute";
  case ReshardStep::AllReduce:
    return "all_reduce";
  case ReshardStep::ReduceScatter:
    return "reduce_scatter";
  }
  return "";
}

void Partitioner::explainReshard(Value value, const Form &from,
                                 const Layout &to,
                                 ArrayRef<ReshardStep> steps) {
  double bytes = sentBytes(steps);
  if (bytes == 0)
    return;
  SmallVector<StringRef> kinds;
  for (const ReshardStep &step : steps)
    if (step.sent > 0)
      kinds.push_back(kindOf(step.kind));
  Operation *reader = consumer ? consumer : value.getDefiningOp();
  std::string other = "the program";
  if (reader && reader->getNumResults() > 0)
    other = originsOf(reader->getResult(0));
  remarks::emit(value.getLoc(), remarks::Code::SHD101,
                {nameOf(value), layoutText(axes, from.layout), originsOf(value),
                 layoutText(axes, to),
                 reader ? reader->getName().getStringRef() : "func.return",
                 other, llvm::join(kinds, ", "), int64_t(bytes)});
}

void Partitioner::sayReason(Value value, Value from, Value to) const {
  StringRef reader =
      consumer ? consumer->getName().getStringRef() : "func.return";
  auto reason = StringAttr::get(to.getContext(),
                                "'" + nameOf(value) + "' for '" + reader + "'");
  for (Operation *op = to.getDefiningOp();
       op && op != from.getDefiningOp() && op->getNumOperands() > 0;
       op = op->getOperand(0).getDefiningOp())
    if (graph::familyOf(op) == graph::Family::Collective)
      op->setAttr(reasonAttrName, reason);
}

void Partitioner::explainPadding(Operation *function, StringRef role,
                                 unsigned index, Type type,
                                 const Layout &layout) {
  auto whole = cast<RankedTensorType>(type);
  int64_t devices = 1;
  for (const Atoms &dim : layout.dims)
    devices *= axes.size(dim);
  RankedTensorType block = axes.blockType(whole, layout);
  int64_t padding = block.getNumElements() * devices - whole.getNumElements();
  if (padding == 0)
    return;
  Type element = whole.getElementType();
  int64_t bits = element.isIntOrFloat()
                     ? std::max(8u, element.getIntOrFloatBitWidth())
                     : 64;
  remarks::emit(
      function, remarks::Code::SHD103,
      {role, int64_t(index), layoutText(axes, layout), padding * bits / 8});
}
