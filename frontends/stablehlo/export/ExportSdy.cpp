// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes meshes and shardings in Shardy's text, which is that of GraphIR's
// attributes without their dialect.

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// `#graph.sharding<...>` as `sharding<...>`.
static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return StringRef(text).drop_front(StringRef("#graph.").size()).str();
}

static Attribute sdyText(MLIRContext *context, const Twine &text) {
  return sdy::TextAttr::get(context, text.str());
}
static Attribute sdyText(Attribute attribute) {
  return sdyText(attribute.getContext(), textOf(attribute));
}

static Attribute perValue(MLIRContext *context, ArrayRef<Attribute> entries) {
  std::string text;
  for (Attribute entry : entries)
    text += (text.empty() ? "" : ", ") +
            StringRef(textOf(entry)).drop_front(strlen("sharding")).str();
  return sdyText(context, "sharding_per_value<[" + text + "]>");
}

void HLOExport::annotate(Operation *op) {
  SmallVector<Attribute> entries;
  FlatSymbolRefAttr mesh;
  for (mlir::Value result : op->getResults())
    if (graph::ShardingAttr sharding = graph::shardingOf(result))
      mesh = sharding.getMesh();
  if (!mesh)
    return;
  for (mlir::Value result : op->getResults()) {
    graph::ShardingAttr sharding = graph::shardingOf(result);
    auto type = cast<RankedTensorType>(result.getType());
    entries.push_back(
        sharding ? sharding : graph::ShardingAttr::open(mesh, type.getRank()));
  }
  // Of an op that became several the last gives the value.
  Operation *made = get(op->getResult(0)).getDefiningOp();
  if (made && made->getNumResults() == op->getNumResults())
    made->setAttr("sdy.sharding", perValue(op->getContext(), entries));
}

void zenith::stablehlo::exportShardings(func::FuncOp from, func::FuncOp to) {
  for (unsigned i = 0; i < from.getNumArguments(); ++i)
    if (auto sharding = from.getArgAttrOfType<graph::ShardingAttr>(
            i, graph::shardingAttrName))
      to.setArgAttr(i, "sdy.sharding", sdyText(sharding));
  for (unsigned i = 0; i < from.getNumResults(); ++i)
    if (graph::ShardingAttr sharding = graph::resultSharding(from, i))
      to.setResultAttr(i, StringAttr::get(from.getContext(), "sdy.sharding"),
                       sdyText(sharding));
}

bool zenith::stablehlo::exportMesh(HLOExport &out, Operation *op) {
  auto mesh = cast<graph::MeshOp>(op);
  out.makeOp("sdy.mesh", {}, {},
             {out.named("sym_name", mesh.getSymNameAttr()),
              out.named("mesh", sdyText(mesh.getMesh()))});
  return true;
}

template <typename Op>
static bool exportConstraint(HLOExport &out, Operation *op) {
  bool isConstraint = std::is_same_v<Op, graph::ShardOp>;
  out.set(op,
          out.make(isConstraint ? "sdy.sharding_constraint" : "sdy.reshard",
                   op->getResult(0).getType(), out.operand(op),
                   out.named("sharding", sdyText(cast<Op>(op).getSharding()))));
  return true;
}

static bool exportGroup(HLOExport &out, Operation *op) {
  auto group = cast<graph::ShardGroupOp>(op);
  out.makeOp("sdy.sharding_group", {}, out.operand(op),
             out.named("group_id", group.getIdAttr()));
  return true;
}

static bool exportShardBarrier(HLOExport &out, Operation *op) {
  StringRef word =
      graph::stringifyEnum(cast<graph::ShardBarrierOp>(op).getAllowed());
  out.set(op, out.make("sdy.propagation_barrier", op->getResult(0).getType(),
                       out.operand(op),
                       out.named("allowed_direction",
                                 out.builder.getStringAttr(word.upper()))));
  return true;
}

static bool exportManual(HLOExport &out, Operation *op) {
  auto manual = cast<graph::ManualOp>(op);
  MLIRContext *context = op->getContext();
  std::string axes;
  for (StringRef axis : manual.getManualAxes().getAsValueRange<StringAttr>())
    axes += (axes.empty() ? "\"" : ", \"") + axis.str() + "\"";
  Operation *made = out.makeOp(
      "sdy.manual_computation", op->getResultTypes(),
      out.list(op->getOperands()),
      {out.named("in_shardings",
                 perValue(context, manual.getInShardings().getValue())),
       out.named("out_shardings",
                 perValue(context, manual.getOutShardings().getValue())),
       out.named("manual_axes", sdyText(context, "manual_axes{" + axes + "}"))},
      /*regions=*/1);
  Region &body = made->getRegion(0);
  body.push_back(new Block());
  if (!out.block(manual.getBody().front(), body.front(), "sdy.return"))
    return false;
  out.set(op, made->getResults());
  return true;
}

void zenith::stablehlo::addShardingExports(ExportRules &rules) {
  rules["graph.shard"] = exportConstraint<graph::ShardOp>;
  rules["graph.reshard"] = exportConstraint<graph::ReshardOp>;
  rules["graph.shard_group"] = exportGroup;
  rules["graph.shard_barrier"] = exportShardBarrier;
  rules["graph.manual"] = exportManual;
}
