// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op of the round-trip tests, batched over each of its operands alone and
// over all of them, equals itself on each row.

#include "RowByRow.h"
#include "ir/GraphOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/batching/BatchRule.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::batching;

namespace {

/// A function that takes the op's operands and what its regions capture, with
/// the meshes that shardings name.
OwningOpRef<ModuleOp> alone(Operation *op) {
  OpBuilder builder(op->getContext());
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  for (auto mesh : op->getParentOfType<ModuleOp>().getOps<graph::MeshOp>())
    builder.clone(*mesh);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  captured.insert(op->operand_begin(), op->operand_end());
  SmallVector<Value> arguments = captured.takeVector();
  auto function = builder.create<func::FuncOp>(
      loc, "main",
      builder.getFunctionType(TypeRange(ValueRange(arguments)),
                              op->getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  mapping.map(arguments, block->getArguments());
  builder.create<func::ReturnOp>(loc,
                                 builder.clone(*op, mapping)->getResults());
  return module;
}

class Tally {
public:
  void check(Operation *op) {
    OwningOpRef<ModuleOp> module = alone(op);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    unsigned count = function.getNumArguments();
    for (unsigned mapped = 0; mapped <= count && count > 0; ++mapped)
      for (bool atEnd : {false, true})
        for (int64_t rows : {ShapedType::kDynamic, int64_t(3)}) {
          RowCheck row;
          row.options.rows = rows;
          row.ascending = isa<graph::SearchSortedOp>(op);
          auto place = [&](Type type) {
            return atEnd ? cast<RankedTensorType>(type).getRank() : 0;
          };
          for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
            row.options.in.push_back(mapped == count || mapped == i
                                         ? std::optional<int64_t>(place(type))
                                         : std::nullopt);
          row.options.out.clear();
          for (Type type : function.getResultTypes())
            row.options.out.push_back(place(type));
          if (row.options.out.empty())
            row.options.out.push_back(0);
          add(op, compareRows(*module, "main", row));
        }
  }

  std::map<std::string, unsigned> equal, refused;

private:
  void add(Operation *op, const Comparison &comparison) {
    std::string name = op->getName().getStringRef().str();
    if (comparison.outcome == Outcome::Equal)
      ++equal[name];
    if (comparison.outcome == Outcome::Refused)
      ++refused[name];
    EXPECT_NE(comparison.outcome, Outcome::Wrong)
        << name << ": " << comparison.why;
  }
};

/// Ops of the text tests of the dialects.
template <typename Fn> void forEachOp(MLIRContext *context, Fn &&fn) {
  std::error_code error;
  std::set<std::string> files;
  for (llvm::sys::fs::directory_iterator it(ZENITH_IR_TESTS, error), end;
       it != end && !error; it.increment(error)) {
    StringRef path = it->path();
    if (path.ends_with(".mlir") && !path.ends_with("-invalid.mlir") &&
        !path.ends_with("-fold.mlir"))
      files.insert(path.str());
  }
  for (const std::string &path : files) {
    auto module = parseSourceFile<ModuleOp>(path, context);
    ASSERT_TRUE(module) << path;
    SmallVector<Operation *> ops;
    module->walk([&](Operation *op) {
      if (graph::familyOf(op) && op->getParentOfType<func::FuncOp>() &&
          !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
    for (Operation *op : ops)
      fn(op);
  }
}

} // namespace

TEST(VmapOps, EqualTheOpOnEachRow) {
  auto context = batchingContext();
  Tally tally;
  forEachOp(context.get(), [&](Operation *op) { tally.check(op); });
  // Ops that are refused, or whose text tests have no operands that run.
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    if (name.getDialectNamespace() != "graph")
      continue;
    std::string op = name.getStringRef().str();
    // Collectives run in programs of several devices only.
    bool isTold =
        tally.equal.count(op) || tally.refused.count(op) ||
        graph::familyOf(OperationName(name)) == graph::Family::Collective;
    static const std::set<std::string> without{
        "graph.constant",  "graph.param", "graph.derived_param",
        "graph.get_param", "graph.yield", "graph.mesh",
        "graph.manual"};
    EXPECT_TRUE(isTold || without.count(op)) << op << " was never batched";
  }
  EXPECT_GT(tally.equal.size(), 90u);
}

TEST(VmapOps, EveryOpHasARuleOrSaysWhyNot) {
  auto context = batchingContext();
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect == "graph" || dialect == "search")
      EXPECT_TRUE(name.hasInterface<BatchRule>()) << name.getStringRef().str();
  }
}
