// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches and calls. Loop-carried values are variables, assigned by
// parallel copies where the region yields.

#include "lowering/opencl/FunctionPrinter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::opencl {

bool FunctionPrinter::printControl(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::ForOp) { return printFor(op), true; })
      .Case([&](scf::IfOp) { return printIf(op), true; })
      .Case([&](scf::WhileOp) { return printWhile(op), true; })
      .Case([&](func::CallOp) { return printCall(op), true; })
      .Case([&](func::ReturnOp) {
        if (op->getNumOperands())
          line("return " + use(op->getOperand(0)) + ";");
        return true;
      })
      // Regions assign what they yield where they end.
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) { return true; })
      .Default(false);
}

void FunctionPrinter::printFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  llvm::SmallVector<Names> carried;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    Names variables = declare(argument);
    for (auto [chunk, name] : llvm::enumerate(variables))
      line(name + " = " + use(init, chunk) + ";");
    named[argument] = variables;
    carried.push_back(std::move(variables));
  }
  std::string i = freshName();
  named[loop.getInductionVar()] = {i};
  open("for (" + typeName(loop.getInductionVar().getType(), 1) + " " + i +
       " = " + use(loop.getLowerBound()) + "; " + i + " < " +
       use(loop.getUpperBound()) + "; " + i + " += " + use(loop.getStep()) +
       ")");
  if (failed(printBlock(*loop.getBody())))
    return;
  assign(carried, loop.getBody()->getTerminator()->getOperands());
  close();
  for (auto [result, names] : llvm::zip(loop.getResults(), carried))
    named[result] = names;
}

void FunctionPrinter::printIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  llvm::SmallVector<Names> results;
  for (Value result : branch.getResults()) {
    results.push_back(declare(result));
    named[result] = results.back();
  }
  open("if (" + use(branch.getCondition()) + ")");
  if (failed(printBlock(*branch.thenBlock())))
    return;
  assign(results, branch.thenYield().getOperands());
  if (branch.elseBlock()) {
    close("} else {");
    ++depth;
    if (failed(printBlock(*branch.elseBlock())))
      return;
    assign(results, branch.elseYield().getOperands());
  }
  close();
}

void FunctionPrinter::printWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  llvm::SmallVector<Names> carried, results;
  for (auto [argument, init] :
       llvm::zip(loop.getBeforeArguments(), loop.getInits())) {
    Names variables = declare(argument);
    for (auto [chunk, name] : llvm::enumerate(variables))
      line(name + " = " + use(init, chunk) + ";");
    named[argument] = variables;
    carried.push_back(std::move(variables));
  }
  for (auto [result, argument] :
       llvm::zip(loop.getResults(), loop.getAfterArguments())) {
    results.push_back(declare(result));
    named[result] = results.back();
    named[argument] = results.back();
  }
  open("while (1)");
  if (failed(printBlock(*loop.getBeforeBody())))
    return;
  auto condition = loop.getConditionOp();
  assign(results, condition.getArgs());
  line("if (!(" + use(condition.getCondition()) + "))");
  line("  break;");
  if (failed(printBlock(*loop.getAfterBody())))
    return;
  assign(carried, loop.getAfterBody()->getTerminator()->getOperands());
  close();
}

void FunctionPrinter::printCall(Operation *op) {
  auto call = cast<func::CallOp>(op);
  llvm::SmallVector<Space> pointerSpaces;
  std::string arguments;
  for (Value operand : call.getOperands()) {
    if (isa<MemRefType>(operand.getType()))
      pointerSpaces.push_back(spaceOf(operand));
    for (unsigned chunk = 0; chunk < named[operand].size(); ++chunk)
      arguments += (arguments.empty() ? "" : ", ") + use(operand, chunk);
  }
  std::string name = callee(call, pointerSpaces);
  if (name.empty())
    return unsupported(op, "names no function that can be printed");
  std::string text = name + "(" + arguments + ")";
  if (call.getNumResults() == 0)
    return line(text + ";");
  defineEach(call.getResult(0), [&](unsigned, unsigned) { return text; });
}

} // namespace zenith::opencl
