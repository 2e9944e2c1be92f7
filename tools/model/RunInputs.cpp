// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, checks and generates argument values.

#include "tools/model/RunInputs.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/BindInputs.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/GivenDims.h"
#include "ir/tensor/Scalar.h"
#include "runtime/SystemResources.h"
#include "tools/model/RunOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <random>
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

static llvm::Error checkType(const ArgumentInfo &argument,
                             const Tensor &value) {
  auto mismatch = [&](const std::string &what) {
    return makeError(ErrorCode::Invalid, "input '" + argument.name + "' is " +
                                             files::typeText(argument.type) +
                                             ", the " + what);
  };
  if (value.elementType() != argument.type.getElementType() ||
      int64_t(value.shape().size()) != argument.type.getRank())
    return mismatch("value is " + files::typeText(value.type()));
  for (auto [dim, size] : llvm::enumerate(value.shape()))
    if (!argument.type.isDynamicDim(dim) &&
        argument.type.getDimSize(dim) != size)
      return mismatch("value is " + files::typeText(value.type()));
  return llvm::Error::success();
}

static graph::DimExpr dimOf(const ArgumentInfo &argument, size_t dim) {
  return argument.dims[dim];
}

static std::function<std::optional<int64_t>(const std::string &)>
valuesOf(const DimValues &dims) {
  return [&dims](const std::string &name) -> std::optional<int64_t> {
    auto known = dims.find(name);
    return known == dims.end() ? std::nullopt
                               : std::optional<int64_t>(known->second);
  };
}

static llvm::Error contradiction(const ArgumentInfo &argument, size_t dim,
                                 int64_t size, int64_t expected) {
  return makeError(ErrorCode::Invalid,
                   "dimension " + std::to_string(dim) + " (" +
                       dimOf(argument, dim).str() + ") of input '" +
                       argument.name + "' is " + std::to_string(size) +
                       ", elsewhere it is " + std::to_string(expected));
}

// Visits each dynamic dimension of each given input with its size.
template <typename Fn>
static llvm::Error forEachDim(ArrayRef<ArgumentInfo> arguments,
                              ArrayRef<Tensor> inputs, Fn &&fn) {
  for (auto [argument, input] : llvm::zip(arguments, inputs))
    for (size_t dim = 0; input && dim < input.shape().size(); ++dim)
      if (argument.type.isDynamicDim(dim))
        if (llvm::Error error = fn(argument, dim, input.shape()[dim]))
          return error;
  return llvm::Error::success();
}

llvm::Expected<DimValues>
zenith::tools::solveDims(ArrayRef<ArgumentInfo> arguments,
                         ArrayRef<Tensor> inputs, const DimValues &given) {
  DimValues dims;
  for (auto [argument, input] : llvm::zip(arguments, inputs))
    if (input)
      if (llvm::Error error = checkType(argument, input))
        return std::move(error);
  llvm::Error error =
      forEachDim(arguments, inputs,
                 [&](const ArgumentInfo &argument, size_t dim,
                     int64_t size) -> llvm::Error {
                   std::optional<std::string> symbol =
                       dimOf(argument, dim).asSymbol();
                   if (symbol) {
                     auto [known, fresh] = dims.emplace(*symbol, size);
                     if (!fresh && known->second != size)
                       return contradiction(argument, dim, size, known->second);
                   }
                   return llvm::Error::success();
                 });
  if (error)
    return std::move(error);
  for (const auto &[name, size] : given) {
    auto [known, fresh] = dims.emplace(name, size);
    if (!fresh && known->second != size)
      return makeError(ErrorCode::Invalid, "--dim " + name + "=" +
                                               std::to_string(size) +
                                               ", but an input has " +
                                               std::to_string(known->second));
  }
  error = forEachDim(arguments, inputs,
                     [&](const ArgumentInfo &argument, size_t dim,
                         int64_t size) -> llvm::Error {
                       std::optional<int64_t> expected =
                           dimOf(argument, dim).evaluate(valuesOf(dims));
                       if (expected && *expected != size)
                         return contradiction(argument, dim, size, *expected);
                       return llvm::Error::success();
                     });
  if (error)
    return std::move(error);
  return dims;
}

namespace {
/// Standard normal values by Box and Muller: the standard library's
/// distribution differs between implementations.
class Normals {
public:
  explicit Normals(uint64_t seed) : generator(seed) {}
  double operator()() {
    double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * M_PI * uniform());
  }
  /// An integer in the range; the first bits of a number are its best, and
  /// ranges of two values take one.
  int64_t integer(RandomRange range) {
    uint64_t count = uint64_t(range.most - range.least) + 1;
    return range.least + int64_t((unsigned __int128)(generator())*count >> 64);
  }

private:
  double uniform() { return double(generator() >> 11) * 0x1p-53; }
  std::mt19937_64 generator;
};
} // namespace

Tensor zenith::tools::randomTensor(RankedTensorType type, uint64_t seed,
                                   RandomRange range) {
  using interpreter::Scalar;
  Tensor tensor(type);
  if (!tensor)
    return tensor;
  Normals normals(seed);
  Type element = type.getElementType();
  bool isComplex = isa<ComplexType>(element), isFloat = isa<FloatType>(element);
  interpreter::ElementAccess access(element);
  char *to = tensor.writable();
  for (int64_t i = 0, count = tensor.size(); i < count;
       ++i, to += access.bytes()) {
    if (isComplex) {
      double real = normals(), imag = normals();
      access.store(to, Scalar::ofComplex(real, imag));
    } else {
      access.store(
          to, isFloat ? Scalar::ofFloat(normals())
                      : Scalar::ofUnsigned(uint64_t(normals.integer(range))));
    }
  }
  return tensor;
}

/// Values that the program can take and the type has: below the dimensions that
/// they index; 0 or 1 where nothing is known.
static RandomRange rangeFor(const ArgumentInfo &argument,
                            const DimValues &dims) {
  auto type = dyn_cast<IntegerType>(argument.type.getElementType());
  if (!type || type.getWidth() == 1)
    return {};
  RandomRange range;
  std::optional<int64_t> most;
  for (const graph::DimExpr &limit : argument.uses.limits)
    if (std::optional<int64_t> size = limit.evaluate(valuesOf(dims)))
      most = std::min(most.value_or(INT64_MAX), *size - 1);
  if (most)
    range.most = std::max<int64_t>(0, *most);
  unsigned bits = type.getWidth() - (type.isUnsigned() ? 0 : 1);
  if (bits < 63)
    range.most = std::min(range.most, (int64_t(1) << bits) - 1);
  if (argument.uses.isDivisor) {
    range.least = 1;
    range.most = std::max<int64_t>(1, range.most);
  }
  return range;
}

static llvm::Expected<Tensor> randomInput(const ArgumentInfo &argument,
                                          const DimValues &dims,
                                          uint64_t seed) {
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < argument.dims.size(); ++dim) {
    std::optional<int64_t> size = dimOf(argument, dim).evaluate(valuesOf(dims));
    if (!size)
      return makeError(ErrorCode::Usage,
                       "the size of dimension '" + dimOf(argument, dim).str() +
                           "' of input '" + argument.name +
                           "' is not known: give it by --dim NAME=N");
    if (*size < 0)
      return makeError(ErrorCode::Invalid,
                       "dimension '" + dimOf(argument, dim).str() +
                           "' of input '" + argument.name + "' would be " +
                           std::to_string(*size));
    shape.push_back(*size);
  }
  auto type = RankedTensorType::get(shape, argument.type.getElementType());
  std::optional<int64_t> bytes = tensorBytes(type);
  if (int64_t has = runtime::availableMemory(); bytes && *bytes > has)
    return makeError(ErrorCode::Memory,
                     "input '" + argument.name + "' of " +
                         std::to_string(*bytes) +
                         " bytes does not fit: " + std::to_string(has) +
                         " bytes of memory are available");
  Tensor tensor = randomTensor(type, seed, rangeFor(argument, dims));
  if (!tensor)
    return makeError(ErrorCode::Memory, "no memory for input '" +
                                            argument.name + "' of type " +
                                            files::typeText(type));
  return tensor;
}

static llvm::Error readInputs(ArrayRef<ArgumentInfo> arguments,
                              ArrayRef<std::string> inputNames,
                              ArrayRef<KeyedFile> files, MLIRContext *context,
                              std::vector<Tensor> &inputs) {
  for (const KeyedFile &file : files) {
    llvm::Expected<unsigned> number = inputIndex(file.key, inputNames, "--in");
    if (!number)
      return number.takeError();
    const std::string &name = inputNames[*number];
    // Without bound inputs the index says more than the name, which several may
    // share.
    const ArgumentInfo *argument =
        inputNames.size() == arguments.size()
            ? &arguments[*number]
            : llvm::find_if(arguments, [&](const ArgumentInfo &info) {
                return info.name == name;
              });
    if (argument == arguments.end())
      return makeError(ErrorCode::Usage,
                       "--in: input '" + name + "' is bound to a constant");
    Tensor &input = inputs[size_t(argument - arguments.begin())];
    if (input)
      return makeError(ErrorCode::Usage,
                       "--in gives input '" + name + "' twice");
    llvm::Expected<Tensor> value =
        readKeyedFile(file, argument->type.getElementType(), context);
    if (!value)
      return value.takeError();
    // Models keep inputs that only told a type: their shape says nothing.
    bool isIgnored = !argument->isRead && argument->type.hasStaticShape() &&
                     value->elementType() == argument->type.getElementType();
    input = isIgnored && value->type() != argument->type
                ? Tensor(argument->type)
                : std::move(*value);
  }
  return llvm::Error::success();
}

static llvm::Error checkDims(ArrayRef<ArgumentInfo> arguments,
                             const DimValues &given) {
  std::set<std::string> names;
  for (const ArgumentInfo &argument : arguments)
    for (const graph::DimExpr &dim : argument.dims)
      dim.forEachSymbol([&](const std::string &name) { names.insert(name); });
  for (const auto &[name, size] : given)
    if (llvm::Error error = models::checkDimName(name, names))
      return error;
  return llvm::Error::success();
}

llvm::Error zenith::tools::checkBounds(const DimValues &dims,
                                       const graph::DimBoundsMap &bounds) {
  for (const auto &[name, size] : dims)
    if (auto known = bounds.find(name);
        known != bounds.end() && !graph::admits(known->second, size))
      return makeError(ErrorCode::Invalid,
                       "dimension '" + name + "' is " + std::to_string(size) +
                           ", which is not in " + graph::textOf(known->second));
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>> zenith::tools::collectInputs(
    ArrayRef<ArgumentInfo> arguments, ArrayRef<std::string> inputNames,
    const RunOptions &options, MLIRContext *context, DimValues &dims) {
  std::vector<Tensor> inputs(arguments.size());
  if (llvm::Error error =
          readInputs(arguments, inputNames, options.inputs, context, inputs))
    return std::move(error);
  if (llvm::Error error = checkDims(arguments, options.dims.sizes))
    return std::move(error);
  llvm::Expected<DimValues> solved =
      solveDims(arguments, inputs, options.dims.sizes);
  if (!solved)
    return solved.takeError();
  dims = std::move(*solved);
  std::string missing;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (inputs[i])
      continue;
    if (!options.randomSeed) {
      missing += (missing.empty() ? "'" : ", '") + argument.name + "'";
      continue;
    }
    llvm::Expected<Tensor> value =
        randomInput(argument, dims, *options.randomSeed + i);
    if (!value)
      return value.takeError();
    inputs[i] = std::move(*value);
  }
  if (!missing.empty())
    return makeError(ErrorCode::Usage,
                     "no value for " + missing +
                         ": give --in KEY=FILE or --random-inputs");
  return inputs;
}
