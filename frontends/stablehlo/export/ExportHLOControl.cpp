// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, loops and calls of GraphIR as StableHLO and func ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/AssertionCode.h"
#include "ir/GraphOps.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool exportRegions(HLOExport &out, Operation *op, Operation *made) {
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
    if (!out.region(from, to))
      return false;
  out.set(op, made->getResults());
  return true;
}

/// The value with a type that says less of its sizes, or more.
static Value withType(HLOExport &out, Value value, Type type) {
  return value.getType() == type ? value
                                 : out.make("stablehlo.dynamic_reshape", type,
                                            {value, out.shapeOf(value)});
}

/// Regions of GraphIR may say more of their sizes than the op does; those of
/// StableHLO have its types.
static void giveTypes(HLOExport &out, Region &region, TypeRange types) {
  OpBuilder::InsertionGuard guard(out.builder);
  Operation *end = region.front().getTerminator();
  out.builder.setInsertionPoint(end);
  for (auto [result, type] : llvm::zip(end->getOpOperands(), types))
    result.set(withType(out, result.get(), type));
}

static bool exportBranches(HLOExport &out, Operation *op, Operation *made) {
  if (!exportRegions(out, op, made))
    return false;
  for (Region &branch : made->getRegions())
    giveTypes(out, branch, made->getResultTypes());
  return true;
}

static bool exportIf(HLOExport &out, Operation *op) {
  return exportBranches(
      out, op,
      out.makeOp("stablehlo.if", op->getResultTypes(), out.operand(op), {}, 2));
}

// A wide index that would not survive the conversion selects the last branch.
static bool exportCase(HLOExport &out, Operation *op) {
  Value index = out.operand(op);
  RankedTensorType type = tensorType(index);
  if (!type.getElementType().isSignlessInteger(32)) {
    unsigned count = op->getNumRegions();
    Value last = out.splat(type, count - 1), zero = out.splat(type, 0);
    Value inside = out.binary(
        "stablehlo.and", out.compare(ComparisonDirection::GE, index, zero),
        out.compare(ComparisonDirection::LE, index, last));
    index =
        out.convert(out.make("stablehlo.select", type, {inside, index, last}),
                    out.builder.getI32Type());
  }
  return exportBranches(out, op,
                        out.makeOp("stablehlo.case", op->getResultTypes(),
                                   index, {}, op->getNumRegions()));
}

static bool exportWhile(HLOExport &out, Operation *op) {
  SmallVector<Value> inits;
  for (auto [init, type] :
       llvm::zip(out.list(op->getOperands()), op->getResultTypes()))
    inits.push_back(withType(out, init, type));
  Operation *made =
      out.makeOp("stablehlo.while", op->getResultTypes(), inits, {}, 2);
  if (!exportRegions(out, op, made))
    return false;
  giveTypes(out, made->getRegion(1), made->getResultTypes());
  return true;
}

static bool exportBarrier(HLOExport &out, Operation *op) {
  out.set(op, out.makeOp("stablehlo.optimization_barrier", op->getResultTypes(),
                         out.list(op->getOperands()))
                  ->getResults());
  return true;
}

// StableHLO does not say where a scalar is used, nor what has no derivative.
static bool exportOperands(HLOExport &out, Operation *op) {
  out.set(op, out.list(op->getOperands()));
  return true;
}

static bool exportPlace(HLOExport &out, Operation *op) {
  Builder b(op->getContext());
  bool isHost = cast<graph::PlaceOp>(op).getPlace() == graph::MemoryPlace::host;
  auto placement = b.getDictionaryAttr(
      b.getNamedAttr("_xla_buffer_placement",
                     b.getStringAttr(isHost ? "pinned_host" : "device")));
  out.set(op,
          out.makeOp("stablehlo.custom_call", op->getResultTypes(),
                     out.list(op->getOperands()),
                     {out.named("call_target_name",
                                b.getStringAttr("annotate_device_placement")),
                      out.named("has_side_effect", b.getBoolAttr(true)),
                      out.named("mhlo.frontend_attributes", placement)})
              ->getResults());
  return true;
}

// LAPACK's matrices are column-major; leading dimensions are batches.
static Attribute lapackLayouts(HLOExport &out, TypeRange types,
                               int64_t batches) {
  SmallVector<Attribute> layouts;
  for (Type type : types) {
    int64_t rank = cast<RankedTensorType>(type).getRank();
    SmallVector<int64_t> order;
    for (int64_t i = rank; i-- > 0;)
      order.push_back(i);
    if (rank == batches + 2)
      std::swap(order[0], order[1]);
    layouts.push_back(DenseIntElementsAttr::get(
        RankedTensorType::get({rank}, out.builder.getIndexType()), order));
  }
  return out.builder.getArrayAttr(layouts);
}

static llvm::StringRef lapackLetter(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() ? "z" : "c";
  return element.isF64() ? "d" : element.isF32() ? "s" : "";
}

// lapack_getrf on f32 is JAX's lapack_sgetrf_ffi.
static bool exportCustomCall(HLOExport &out, Operation *op) {
  auto call = cast<graph::CustomCallOp>(op);
  llvm::StringRef routine = call.getTarget();
  if (!routine.consume_front("lapack_") || op->getNumOperands() == 0)
    return out.unsupported(op, "@" + call.getTarget());
  RankedTensorType matrix = tensorType(op->getOperand(0));
  llvm::StringRef letter = lapackLetter(matrix.getElementType());
  int64_t batches = matrix.getRank() - 2;
  if (letter.empty() || batches < 0)
    return out.unsupported(op, "@" + call.getTarget());
  Builder &b = out.builder;
  Attribute config = call.getConfigAttr();
  NamedAttribute counts =
      out.named("num_batch_dims", b.getStringAttr(std::to_string(batches)));
  Operation *made = out.makeOp(
      "stablehlo.custom_call", op->getResultTypes(),
      out.list(op->getOperands()),
      {out.named("call_target_name",
                 b.getStringAttr("lapack_" + letter + routine + "_ffi")),
       out.named("backend_config", b.getStringAttr("")),
       out.named("mhlo.backend_config",
                 config ? config : b.getDictionaryAttr({})),
       out.named("mhlo.frontend_attributes", b.getDictionaryAttr(counts)),
       out.named("operand_layouts",
                 lapackLayouts(out, op->getOperandTypes(), batches)),
       out.named("result_layouts",
                 lapackLayouts(out, op->getResultTypes(), batches))});
  out.set(op, made->getResults());
  return true;
}

/// Indices out of range are no error in StableHLO, and compilers know an
/// assertion about sizes only.
static bool exportAssert(HLOExport &out, Operation *op) {
  auto claim = cast<graph::AssertOp>(op);
  Builder &b = out.builder;
  if (op->hasAttr(graph::runErrorAttrName)) {
    remarks::emit(op, remarks::Code::EXP001, {claim.getMessage()});
    return true;
  }
  out.makeOp("stablehlo.custom_call", {}, out.list(op->getOperands()),
             {out.named("call_target_name", b.getStringAttr("shape_assertion")),
              out.named("has_side_effect", b.getBoolAttr(true)),
              out.named("error_message", claim.getMessageAttr())});
  return true;
}

static bool exportCall(HLOExport &out, Operation *op) {
  auto call = cast<func::CallOp>(op);
  out.set(op, out.makeOp("func.call", op->getResultTypes(),
                         out.list(op->getOperands()),
                         out.named("callee", call.getCalleeAttr()))
                  ->getResults());
  return true;
}

void zenith::stablehlo::addControlExports(ExportRules &rules) {
  rules["graph.if"] = exportIf;
  rules["graph.case"] = exportCase;
  rules["graph.while"] = exportWhile;
  rules["graph.barrier"] = exportBarrier;
  rules["graph.host_read"] = exportOperands;
  rules["graph.named"] = exportOperands;
  rules["graph.place"] = exportPlace;
  rules["graph.stop_gradient"] = exportOperands;
  rules["graph.assert"] = exportAssert;
  rules["graph.custom_call"] = exportCustomCall;
  rules["func.call"] = exportCall;
}
