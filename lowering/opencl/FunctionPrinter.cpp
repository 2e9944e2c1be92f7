// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, names and lanes; dispatch to the families of ops.

#include "lowering/opencl/FunctionPrinter.h"
#include "lowering/opencl/PrintOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace zenith::opencl {

// ---- Text ----

void FunctionPrinter::line(const llvm::Twine &statement) {
  text.append(2 * depth, ' ');
  text += statement.str();
  text += '\n';
}

void FunctionPrinter::open(const llvm::Twine &head) {
  line(head + " {");
  ++depth;
}

void FunctionPrinter::close(const llvm::Twine &tail) {
  --depth;
  line(tail);
}

std::string FunctionPrinter::freshName() {
  return "v" + std::to_string(names++);
}

void FunctionPrinter::unsupported(Operation *op, const llvm::Twine &why) {
  if (message.empty())
    message = ("'" + op->getName().getStringRef() + "' " + why).str();
}

// ---- Values ----

const std::string &FunctionPrinter::use(Value value, unsigned chunk) {
  return named[value][chunk];
}

Names &FunctionPrinter::define(Value value) { return named[value]; }

static std::string chunkName(const std::string &base, unsigned chunk,
                             size_t chunks) {
  return chunks == 1 ? base : base + "_" + std::to_string(chunk);
}

void FunctionPrinter::defineEach(Value value, const Expression &expression) {
  Type element = getElementTypeOrSelf(value.getType());
  std::string base = freshName();
  auto widths = chunkLanes(value.getType());
  Names parts;
  for (auto [chunk, lanes] : llvm::enumerate(widths)) {
    parts.push_back(chunkName(base, chunk, widths.size()));
    line("const " + typeName(element, lanes) + " " + parts.back() + " = " +
         expression(chunk, lanes) + ";");
  }
  named[value] = std::move(parts);
}

Names FunctionPrinter::declare(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  std::string base = freshName();
  auto widths = chunkLanes(value.getType());
  Names parts;
  for (auto [chunk, lanes] : llvm::enumerate(widths)) {
    parts.push_back(chunkName(base, chunk, widths.size()));
    line(typeName(element, lanes) + " " + parts.back() + ";");
  }
  return parts;
}

void FunctionPrinter::assign(llvm::ArrayRef<Names> to, ValueRange from) {
  llvm::SmallSet<std::string, 8> overwritten;
  bool crossing = false;
  for (auto [target, value] : llvm::zip(to, from))
    for (auto [chunk, name] : llvm::enumerate(target)) {
      crossing |= overwritten.contains(use(value, chunk));
      overwritten.insert(name);
    }
  llvm::SmallVector<Names> sources;
  for (Value value : from) {
    sources.push_back(named[value]);
    if (!crossing)
      continue;
    Type element = getElementTypeOrSelf(value.getType());
    std::string base = freshName();
    auto widths = chunkLanes(value.getType());
    for (auto [chunk, lanes] : llvm::enumerate(widths)) {
      std::string copy = chunkName(base, chunk, widths.size());
      line("const " + typeName(element, lanes) + " " + copy + " = " +
           sources.back()[chunk] + ";");
      sources.back()[chunk] = copy;
    }
  }
  for (auto [target, source] : llvm::zip(to, sources))
    for (auto [name, value] : llvm::zip(target, source))
      if (name != value)
        line(name + " = " + value + ";");
}

/// Chunk of a lane, and the lane in it.
static std::pair<unsigned, unsigned> findLane(llvm::ArrayRef<unsigned> widths,
                                              unsigned lane) {
  unsigned chunk = 0;
  while (lane >= widths[chunk])
    lane -= widths[chunk++];
  return {chunk, lane};
}

static char laneDigit(unsigned lane) { return "0123456789abcdef"[lane]; }

std::string FunctionPrinter::lane(Value value, unsigned index) {
  auto widths = chunkLanes(value.getType());
  auto [chunk, inside] = findLane(widths, index);
  const std::string &name = use(value, chunk);
  if (widths[chunk] == 1)
    return name;
  std::string element = name + ".s" + laneDigit(inside);
  // A lane of a mask is 0 or -1, a scalar condition 0 or 1.
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    return "(" + element + " & 1)";
  return element;
}

void FunctionPrinter::defineLanes(Value value, llvm::ArrayRef<LaneOf> lanes) {
  Type element = getElementTypeOrSelf(value.getType());
  bool isMask = element.isInteger(1);
  unsigned first = 0;
  defineEach(value, [&](unsigned, unsigned width) {
    std::string type = typeName(element, width);
    std::string parts;
    for (unsigned done = 0; done < width;) {
      LaneOf at = lanes[first + done];
      auto widths = chunkLanes(at.value.getType());
      auto [chunk, inside] = findLane(widths, at.lane);
      // The longest run of lanes of one chunk that a swizzle can name.
      unsigned run = 1;
      std::string digits(1, laneDigit(inside));
      while (widths[chunk] > 1 && done + run < width) {
        LaneOf next = lanes[first + done + run];
        if (next.value != at.value)
          break;
        auto [nextChunk, nextInside] = findLane(widths, next.lane);
        if (nextChunk != chunk)
          break;
        digits += laneDigit(nextInside);
        ++run;
      }
      run = llvm::bit_floor(run);
      std::string part = use(at.value, chunk);
      if (widths[chunk] > 1)
        part += ".s" + digits.substr(0, run);
      if (isMask && widths[chunk] == 1 && width > 1)
        part = "-" + part;
      if (isMask && widths[chunk] > 1 && width == 1)
        part = "(" + part + " & 1)";
      parts += (parts.empty() ? "" : ", ") + part;
      done += run;
    }
    first += width;
    return width == 1 ? parts : "(" + type + ")(" + parts + ")";
  });
}

std::string FunctionPrinter::asMask(const std::string &expression, Type element,
                                    unsigned lanes) {
  if (lanes == 1 || laneBits(element) == 32)
    return expression;
  return "convert_int" + std::to_string(lanes) + "(" + expression + ")";
}

std::string FunctionPrinter::choose(const std::string &condition,
                                    const std::string &yes,
                                    const std::string &no, Type element,
                                    unsigned lanes) {
  if (lanes == 1)
    return condition + " ? " + yes + " : " + no;
  std::string mask = condition;
  if (laneBits(element) != 32)
    mask = "convert_" + signedName(element, lanes) + "(" + mask + ")";
  return "select(" + no + ", " + yes + ", " + mask + ")";
}

// ---- Functions and ops ----

/// Another argument may point to the same bytes.
static bool mayAlias(func::FuncOp function, unsigned argument) {
  return function.getArgAttr(argument, "zenith.may_alias") != nullptr;
}

LogicalResult FunctionPrinter::print(func::FuncOp function,
                                     llvm::StringRef name,
                                     llvm::ArrayRef<Space> pointerSpaces) {
  std::string head = "static inline ";
  auto results = function.getFunctionType().getResults();
  if (results.size() > 1 ||
      (results.size() == 1 && chunkLanes(results[0]).size() > 1)) {
    unsupported(function, "with several results is not printed as OpenCL C");
    return failure();
  }
  head += results.empty() ? "void"
                          : typeName(getElementTypeOrSelf(results[0]),
                                     laneCount(results[0]));
  head += (" " + name + "(").str();
  size_t pointer = 0;
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    head += number ? ", " : "";
    Type type = argument.getType();
    Type element = getElementTypeOrSelf(type);
    std::string base = freshName();
    if (isa<MemRefType>(type)) {
      Space space = pointerSpaces[pointer++];
      spaces[argument] = space;
      head += spelled(space).str() + " " + memoryName(element) + " *" +
              (mayAlias(function, number) ? "" : "restrict ") + base;
      named[argument] = {base};
      continue;
    }
    auto widths = chunkLanes(type);
    Names parts;
    for (auto [chunk, lanes] : llvm::enumerate(widths)) {
      parts.push_back(chunkName(base, chunk, widths.size()));
      head +=
          (chunk ? ", " : "") + typeName(element, lanes) + " " + parts.back();
    }
    named[argument] = std::move(parts);
  }
  open(head + ")");
  if (!function.getBody().hasOneBlock()) {
    unsupported(function, "with branches is not printed as OpenCL C");
    return failure();
  }
  if (failed(printBlock(function.getBody().front())))
    return failure();
  close();
  return success();
}

LogicalResult FunctionPrinter::printBlock(Block &block) {
  for (Operation &op : block)
    if (failed(printOp(&op)))
      return failure();
  return success();
}

/// A type that has no form: what to say about it; empty where all is well.
static std::string typeProblem(Type type, const PrintOptions &options) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF64() && !options.fp64)
    return "needs f64, and the device has no cl_khr_fp64";
  bool hasForm = isa<MemRefType>(type) ? !memoryName(element).empty()
                                       : !typeName(element, 1).empty();
  if (hasForm)
    return {};
  std::string spelledType;
  llvm::raw_string_ostream(spelledType) << type;
  return "has the type " + spelledType + ", which OpenCL C lacks";
}

LogicalResult FunctionPrinter::printOp(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (std::string problem = typeProblem(type, options); !problem.empty()) {
        unsupported(op, problem);
        return failure();
      }
  if (!printControl(op) && !printArithmetic(op) && !printConversion(op) &&
      !printMemory(op) && !printVector(op))
    unsupported(op, "is not printed as OpenCL C");
  return success(message.empty());
}

} // namespace zenith::opencl
