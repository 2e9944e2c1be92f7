// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks functions and the graph of their calls.

#include "ir/program/ProgramChecks.h"

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "ir/ShapeChecks.h"
#include "ir/matchers/LapackCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace zenith::graph {

bool isElementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (auto integer = dyn_cast<IntegerType>(type)) {
    constexpr unsigned widths[] = {4, 8, 16, 32, 64};
    if (integer.isSigned())
      return false;
    return llvm::is_contained(widths, integer.getWidth()) ||
           (integer.isSignless() && integer.getWidth() == 1);
  }
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3Type, Float8E4M3FNType, Float8E5M2Type,
             Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(
      type);
}

std::string nameOfArgument(func::FuncOp function, unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, nameAttrName))
    return name.str();
  if (!function.isExternal())
    if (auto name = dyn_cast<NameLoc>(function.getArgument(index).getLoc()))
      return name.getName().str();
  return "";
}

namespace {
/// The checks of one function's signature.
class SignatureChecks {
public:
  explicit SignatureChecks(func::FuncOp function) : function(function) {}

  std::optional<Error> run() {
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (auto error = checkType("argument", i, type))
        return error;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (auto error = checkType("result", i, type))
        return error;
    if (auto error = checkNames())
      return error;
    return checkResultDims();
  }

private:
  Error fail(const Twine &role, const Twine &text, unsigned constraint) {
    return invalid(("'func.func' op @" + function.getSymName() + ": " + role +
                    ": " + text + " (signature_c" + Twine(constraint) + ")")
                       .str(),
                   placeOf(function.getLoc()));
  }

  std::optional<Error> checkType(StringRef role, size_t index, Type type) {
    auto tensor = dyn_cast<ShapedType>(type);
    if (!tensor || isElementType(tensor.getElementType()))
      return std::nullopt;
    return fail(role + " " + Twine(index),
                "got " + typeText(type) + ", expected elements of GraphIR", 5);
  }

  /// Whether the argument has no public name, and none by its location either:
  /// nobody gives arguments of private functions by name, and some builders
  /// give all arguments the function's location.
  bool isUnnamed(unsigned index) {
    if (function.getArgAttr(index, nameAttrName))
      return false;
    return function.isPrivate() || function.isExternal() ||
           function.getArgument(index).getLoc() == function.getLoc();
  }

  std::optional<Error> checkNames() {
    llvm::StringSet<> names;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      if (isUnnamed(i))
        continue;
      std::string name = nameOfArgument(function, i);
      if (!name.empty() && !names.insert(name).second)
        return fail("argument " + Twine(i),
                    "got \"" + name + "\", the name of another argument", 6);
    }
    return std::nullopt;
  }

  /// Names that arguments give to their dimensions.
  llvm::StringSet<> argumentSymbols(DimAnalysis &analysis) {
    llvm::StringSet<> symbols;
    for (BlockArgument argument : function.getArguments())
      if (isa<RankedTensorType>(argument.getType()))
        for (const DimExpr &dim : analysis.dimsOf(argument))
          dim.forEachSymbol(
              [&](const std::string &name) { symbols.insert(name); });
    return symbols;
  }

  static bool differ(const DimExpr &a, const DimExpr &b) {
    return (a + DimExpr(1)).provablyAtMost(b, /*atLeastOne=*/true) ||
           (b + DimExpr(1)).provablyAtMost(a, /*atLeastOne=*/true);
  }

  std::optional<Error> checkResultDims() {
    if (!function.getAllResultAttrs() || function.isExternal() ||
        !function.getBody().hasOneBlock())
      return std::nullopt;
    DimAnalysis analysis;
    llvm::StringSet<> symbols = argumentSymbols(analysis);
    Operation *end = function.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(end->getOperands())) {
      auto dims = function.getResultAttrOfType<ArrayAttr>(index, dimsAttrName);
      if (!dims || !isa<RankedTensorType>(value.getType()))
        continue;
      for (auto [claim, known] :
           llvm::zip(dims.getAsRange<StringAttr>(), analysis.dimsOf(value))) {
        std::optional<DimExpr> claimed = DimExpr::parse(claim.str());
        bool isKnown = claimed.has_value();
        if (claimed)
          claimed->forEachSymbol([&](const std::string &name) {
            isKnown &= symbols.contains(name);
          });
        if (isKnown && differ(*claimed, known))
          return fail("result " + Twine(index),
                      "graph.dims: got \"" + claim.getValue() +
                          "\", expected \"" + known.str() +
                          "\", the size of the value",
                      7);
      }
    }
    return std::nullopt;
  }

  func::FuncOp function;
};

/// Depth first over calls with an explicit stack, because chains may be long.
class CallChecks {
public:
  explicit CallChecks(ModuleOp module) : symbols(module) {}

  std::optional<Error> run(func::FuncOp root) {
    SmallVector<func::FuncOp> path{root};
    while (!path.empty()) {
      Function &function = known.try_emplace(path.back()).first->second;
      if (function.state == State::New)
        list(path.back(), function);
      if (function.next == function.calls.size()) {
        function.state = State::Done;
        path.pop_back();
        continue;
      }
      func::CallOp call = function.calls[function.next];
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (callee && callee->hasAttr(deriveAttrName)) {
        ++function.next;
        continue;
      }
      if (!callee || callee.isExternal())
        return refuse(call, "has no body");
      Function &called = known.try_emplace(callee).first->second;
      if (called.state == State::Open)
        return refuse(call, "calls itself, which no compiled program can");
      if (called.state == State::New) {
        path.push_back(callee);
        continue;
      }
      // A second look-up: try_emplace may have moved `function`.
      Function &caller = known[path.back()];
      caller.size += called.size;
      ++caller.next;
      if (caller.size > mostInlinedOps)
        return refuse(call, "makes its caller larger than " +
                                Twine(mostInlinedOps) + " ops");
    }
    return std::nullopt;
  }

private:
  enum class State { New, Open, Done };
  struct Function {
    State state = State::New;
    SmallVector<func::CallOp> calls;
    size_t next = 0;  ///< the first call that has not been followed
    int64_t size = 0; ///< ops, with those of the calls before `next`
  };

  static void list(func::FuncOp op, Function &function) {
    function.state = State::Open;
    op.walk([&](Operation *inner) {
      ++function.size;
      if (auto call = dyn_cast<func::CallOp>(inner))
        function.calls.push_back(call);
    });
  }

  static Error refuse(func::CallOp call, const Twine &why) {
    return unsupported(
        ("'func.call' op @" + call.getCallee() + " " + why).str(),
        placeOf(call.getLoc()));
  }

  SymbolTable symbols;
  llvm::DenseMap<func::FuncOp, Function> known;
};
} // namespace

bool keepsCalls(Operation *function) {
  return function->hasAttr(deriveAttrName) ||
         function->hasAttr(customJvpAttrName) ||
         function->hasAttr(customVjpAttrName);
}

std::optional<Error> checkSignatures(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (auto error = SignatureChecks(function).run())
      return error;
  return std::nullopt;
}

/// Fails where the call is of no routine, whatever sizes types leave open:
/// which of these are equal is known only when calls are inlined.
static std::optional<Error> checkRoutine(CustomCallOp op) {
  std::vector<DimVector> operands;
  for (Type type : op.getInputs().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape() && op.getTarget().starts_with("lapack_"))
      return std::nullopt;
    DimVector &dims = operands.emplace_back();
    for (int64_t size : tensor.getShape())
      dims.push_back(DimExpr(ShapedType::isDynamic(size) ? 0 : size));
  }
  llvm::Expected<LapackCall> call = lapackCall(op, operands);
  if (call)
    return std::nullopt;
  return unsupported("'graph.custom_call' op " +
                         llvm::toString(call.takeError()),
                     placeOf(op.getLoc()));
}

std::optional<Error> checkCalls(ModuleOp module) {
  CallChecks checks(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (auto error = checks.run(function))
      return error;
  std::optional<Error> found;
  module.walk([&](CustomCallOp op) {
    found = checkRoutine(op);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// True for the ops of programs up to the plan phase.
static bool isProgramOp(Operation *op) {
  return isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp>(op) ||
         familyOf(op) || op->getName().getDialectNamespace() == "host";
}

std::optional<Error> checkOps(ModuleOp module) {
  bool hasKernels = llvm::any_of(*module.getBody(), [](Operation &op) {
    return op.getName().getStringRef() == "host.program";
  });
  std::optional<Error> found;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (hasKernels || isProgramOp(op))
      return WalkResult::advance();
    found = unsupported("'" + op->getName().getStringRef().str() +
                            "' op is none of GraphIR",
                        placeOf(op->getLoc()));
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace zenith::graph
