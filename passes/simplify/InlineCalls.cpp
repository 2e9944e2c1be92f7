// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines calls, callees first.

#include "ir/GraphOps.h"
#include "ir/program/OperatorFunctions.h"
#include "ir/program/ProgramChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/GraphPasses.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {
namespace {

/// Depth first with an explicit stack, because chains of calls may be long.
class CallInliner {
public:
  CallInliner(ModuleOp module, bool keepOperators)
      : symbols(module), keepOperators(keepOperators) {}

  LogicalResult run(func::FuncOp root) {
    SmallVector<func::FuncOp> path{root};
    while (!path.empty()) {
      func::FuncOp function = path.back();
      State &state = states[function];
      // A function that several call is on the path several times.
      if (state == State::Done) {
        path.pop_back();
        continue;
      }
      state = State::Open;
      FailureOr<SmallVector<func::FuncOp>> callees = openCallees(function);
      if (failed(callees))
        return failure();
      if (callees->empty()) {
        if (failed(inlineInto(function)))
          return failure();
        states[function] = State::Done;
        path.pop_back();
      }
      path.append(callees->begin(), callees->end());
    }
    return success();
  }

private:
  enum class State { New, Open, Done };

  func::FuncOp calleeOf(func::CallOp call) {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }

  bool keeps(func::FuncOp callee) const {
    return graph::keepsCalls(callee) ||
           (keepOperators && callee->hasAttr(graph::operatorAttrName));
  }

  static LogicalResult refuse(func::CallOp call, const Twine &why) {
    return call.emitError()
           << "'func.call' op @" << call.getCallee() << " " << why;
  }

  /// Called functions that still contain calls.
  FailureOr<SmallVector<func::FuncOp>> openCallees(func::FuncOp function) {
    SmallVector<func::FuncOp> open;
    WalkResult result = function.walk([&](func::CallOp call) {
      func::FuncOp callee = calleeOf(call);
      bool isDerived = callee && callee->hasAttr(graph::deriveAttrName);
      if (isDerived)
        return WalkResult::advance();
      if (!callee || callee.isExternal())
        return WalkResult(refuse(call, "has no body"));
      State state = states.lookup(callee);
      if (state == State::Open)
        return WalkResult(
            refuse(call, "calls itself, which no compiled program can"));
      if (state == State::New)
        open.push_back(callee);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return open;
  }

  LogicalResult inlineInto(func::FuncOp function) {
    SmallVector<func::CallOp> calls;
    int64_t &size = sizes[function];
    function.walk([&](Operation *op) {
      ++size;
      auto call = dyn_cast<func::CallOp>(op);
      if (call && !keeps(calleeOf(call)))
        calls.push_back(call);
    });
    for (func::CallOp call : calls) {
      func::FuncOp callee = calleeOf(call);
      size += sizes.lookup(callee);
      if (size > graph::mostInlinedOps)
        return refuse(call, "makes its caller larger than " +
                                Twine(graph::mostInlinedOps) + " ops");
      OpBuilder builder(call);
      IRMapping mapping;
      Block &body = callee.getBody().front();
      mapping.map(body.getArguments(), call.getOperands());
      for (Operation &op : body.without_terminator())
        builder.clone(op, mapping);
      for (auto [result, value] :
           llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      call.erase();
    }
    return success();
  }

  SymbolTable symbols;
  bool keepOperators;
  llvm::DenseMap<func::FuncOp, State> states;
  llvm::DenseMap<func::FuncOp, int64_t> sizes;
};

struct InlineCallsPass : impl::InlineCallsPassBase<InlineCallsPass> {
  using InlineCallsPassBase::InlineCallsPassBase;

  void runOnOperation() override {
    CallInliner inliner(getOperation(), keepOperators);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(inliner.run(function)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace zenith::simplify
