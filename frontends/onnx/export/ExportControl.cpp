// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of branches and loops.
#include "frontends/onnx/export/ExportBuilder.h"
#include "ir/program/SizeChecks.h"
#include "ir/remarks/Remark.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using Names = ExportBuilder::Names;

static void bindAll(ExportBuilder &b, ValueRange values, const Names &names) {
  if (values.size() != names.size())
    return;
  for (auto [value, name] : llvm::zip_equal(values, names))
    b.bind(value, name);
}

/// A region without arguments as a graph.
static Graph branch(ExportBuilder &b, Region &region, TypeRange types) {
  return b.subgraph("branch", types,
                    [&](Graph &) { return b.block(region.front()); });
}

static Names branches(ExportBuilder &b, const std::string &condition,
                      Graph onTrue, Graph onFalse, size_t results) {
  return b.nodes("If", {condition},
                 {makeGraph("then_branch", std::move(onTrue)),
                  makeGraph("else_branch", std::move(onFalse))},
                 results);
}

static void writeIf(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto branchOp = cast<graph::IfOp>(op);
  if (op->getNumResults() == 0)
    return; // names in it cannot be seen from outside
  std::string name = b.nodeName, condition = b.name(branchOp.getCondition());
  Graph onTrue = branch(b, branchOp.getThenRegion(), op->getResultTypes());
  Graph onFalse = branch(b, branchOp.getElseRegion(), op->getResultTypes());
  b.nodeName = name;
  if (!b.failed())
    bindAll(b, op->getResults(),
            branches(b, condition, std::move(onTrue), std::move(onFalse),
                     op->getNumResults()));
}

/// Branch `from` if the index is `from`, else one of the branches after it.
static Names writeCaseFrom(graph::CaseOp op, ExportBuilder &b,
                           const std::string &index, unsigned from) {
  TypeRange types = op->getResultTypes();
  std::string caseIndex = b.scalar(
      cast<RankedTensorType>(op.getIndex().getType()).getElementType(), from);
  std::string condition = b.node("Equal", {index, caseIndex});
  Graph onTrue = branch(b, op.getBranches()[from], types);
  bool isLast = from + 2 == op.getBranches().size();
  Graph onFalse = isLast ? branch(b, op.getBranches()[from + 1], types)
                         : b.subgraph("branch", types, [&](Graph &) {
                             return writeCaseFrom(op, b, index, from + 1);
                           });
  if (b.failed())
    return Names(types.size());
  return branches(b, condition, std::move(onTrue), std::move(onFalse),
                  types.size());
}

static void writeCase(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto caseOp = cast<graph::CaseOp>(op);
  if (op->getNumResults() == 0)
    return;
  std::string index = b.name(caseOp.getIndex());
  Names results = caseOp.getBranches().size() == 1
                      ? b.block(caseOp.getBranches()[0].front())
                      : writeCaseFrom(caseOp, b, index, 0);
  bindAll(b, op->getResults(), results);
}

/// The condition is computed before the loop and at the end of each step.
static void writeWhile(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto loop = cast<graph::WhileOp>(op);
  if (op->getNumResults() == 0)
    return b.fail(unsupported("a loop that carries nothing"));
  Block &condition = loop.getCondition().front(),
        &body = loop.getBody().front();
  std::string name = b.nodeName;
  auto test = [&](const Names &values) {
    Names result;
    b.scoped([&] {
      bindAll(b, condition.getArguments(), values);
      result = b.block(condition);
    });
    return result.empty() ? std::string() : result.front();
  };
  Names inits;
  for (Value init : loop.getInits())
    inits.push_back(b.name(init));
  std::string first = test(inits);
  auto i1 = RankedTensorType::get({}, IntegerType::get(op->getContext(), 1));
  SmallVector<Type> types = {i1};
  types.append(op->result_type_begin(), op->result_type_end());
  Graph step = b.subgraph("step", types, [&](Graph &graph) -> Names {
    auto i64 =
        RankedTensorType::get({}, IntegerType::get(op->getContext(), 64));
    graph.inputs.push_back(b.declare(b.fresh("iteration"), i64));
    graph.inputs.push_back(b.declare(b.fresh("goes_on"), i1));
    for (BlockArgument argument : body.getArguments()) {
      graph.inputs.push_back(b.declare(b.fresh("carried"), argument.getType()));
      b.bind(argument, graph.inputs.back().name);
    }
    Names next = b.block(body);
    if (b.failed())
      return {};
    Names results = {test(next)};
    results.insert(results.end(), next.begin(), next.end());
    return results;
  });
  if (b.failed())
    return;
  b.nodeName = name;
  Names inputs = {"", first};
  inputs.insert(inputs.end(), inits.begin(), inits.end());
  bindAll(b, op->getResults(),
          b.nodes("Loop", inputs, {makeGraph("body", std::move(step))},
                  op->getNumResults()));
}

/// ONNX runtimes order nodes by their values alone, have no host to read for,
/// and derive nothing.
static void writeOperands(Operation *op, ExportBuilder &b, const ExportRow &) {
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults()))
    b.bind(result, b.name(operand));
}

/// ONNX has no operator that ends a run.
static void writeAssert(Operation *op, ExportBuilder &, const ExportRow &) {
  // Operators of ONNX check their own operands.
  if (op->hasAttr(graph::sizeCheckAttrName))
    return;
  remarks::emit(op, remarks::Code::EXP001,
                {cast<graph::AssertOp>(op).getMessage()});
}

/// A group binds shardings, which a program of one device has none of.
static void writeNothing(Operation *, ExportBuilder &, const ExportRow &) {}

llvm::ArrayRef<ExportRow> zenith::onnx::controlExports() {
  static const ExportRow rows[] = {
      {"graph.assert", writeAssert},
      {"graph.barrier", writeOperands},
      {"graph.case", writeCase},
      {"graph.host_read", writeOperands},
      {"graph.if", writeIf},
      {"graph.named", writeOperands},
      {"graph.place", writeOperands},
      {"graph.reshard", writeOperands},
      {"graph.shard", writeOperands},
      {"graph.shard_barrier", writeOperands},
      {"graph.shard_group", writeNothing},
      {"graph.stop_gradient", writeOperands},
      {"graph.while", writeWhile},
  };
  return rows;
}
