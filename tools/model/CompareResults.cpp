// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares elements as doubles, and by units in the last place.

#include "tools/model/CompareResults.h"

#include "frontends/files/ElementNames.h"
#include "ir/tensor/Scalar.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;
using interpreter::ElementAccess;
using interpreter::Scalar;

Tolerance zenith::tools::defaultTolerance(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!isa<FloatType>(element))
    return {};
  if (element.isF64())
    return {1e-9, 1e-12, std::nullopt};
  if (element.isF32())
    return {1e-4, 1e-5, std::nullopt};
  return {element.getIntOrFloatBitWidth() == 8 ? 0.2 : 2e-2, 1e-3,
          std::nullopt};
}

// Distance of two floats of one type in steps from one to the next; their bits
// as sign and magnitude are in order. Exact: 64 bits don't fit a double.
static double ulpDistance(const char *a, const char *b, unsigned bytes) {
  uint64_t sign = uint64_t(1) << (8 * bytes - 1), first = 0, second = 0;
  std::memcpy(&first, a, bytes);
  std::memcpy(&second, b, bytes);
  uint64_t x = first & (sign - 1), y = second & (sign - 1);
  if ((first & sign) != (second & sign))
    return double(x) + double(y);
  return double(x > y ? x - y : y - x);
}

// The distance of two elements of any type, of complex numbers the larger one
// of their parts; infinity where steps mean nothing.
static double ulpDistance(const char *a, const char *b, Type element) {
  ElementAccess access(element);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Type part = complex.getElementType();
    unsigned half = access.bytes() / 2;
    return std::max(ulpDistance(a, b, part),
                    ulpDistance(a + half, b + half, part));
  }
  Scalar x = access.load(a), y = access.load(b);
  if (x.sameValue(y))
    return 0;
  if (!isa<FloatType>(element) || !std::isfinite(x.asDouble()) ||
      !std::isfinite(y.asDouble()))
    return std::numeric_limits<double>::infinity();
  return ulpDistance(a, b, access.bytes());
}

namespace {
struct Worst {
  int64_t count = 0, index = 0;
  double error = -1;
};
} // namespace

// How far an element is off; 0 where it is taken as equal, infinity where no
// tolerance applies.
static double excess(const Scalar &got, const Scalar &expected,
                     const Tolerance &tolerance, double ulps) {
  if (got.sameValue(expected) ||
      (tolerance.ulps && ulps <= double(*tolerance.ulps)))
    return 0;
  double difference = std::hypot(got.asDouble() - expected.asDouble(),
                                 got.imag - expected.imag);
  double size = std::hypot(expected.asDouble(), expected.imag);
  if (std::isnan(difference) || std::isinf(difference) || std::isinf(size))
    return std::numeric_limits<double>::infinity();
  double limit =
      tolerance.absolute.value_or(0) + tolerance.relative.value_or(0) * size;
  return difference <= limit ? 0 : difference;
}

static std::string positionText(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> position(shape.size());
  for (size_t i = shape.size(); i-- > 0; index /= shape[i])
    position[i] = index % shape[i];
  std::string text;
  for (int64_t at : position)
    text += (text.empty() ? "" : ", ") + std::to_string(at);
  return "[" + text + "]";
}

std::optional<std::string>
zenith::tools::compareTensors(const Tensor &got, const Tensor &expected,
                              const Tolerance &given) {
  if (got.type() != expected.type())
    return "type " + files::typeText(got.type()) + ", expected " +
           files::typeText(expected.type());
  Type element = got.elementType();
  Tolerance tolerance = given.given() ? given : defaultTolerance(element);
  ElementAccess access(element);
  Worst worst;
  for (int64_t i = 0, count = got.size(); i < count; ++i) {
    const char *a = got.bytes() + i * int64_t(access.bytes()),
               *b = expected.bytes() + i * int64_t(access.bytes());
    double ulps = tolerance.ulps ? ulpDistance(a, b, element)
                                 : std::numeric_limits<double>::infinity();
    double error = excess(access.load(a), access.load(b), tolerance, ulps);
    if (error > 0)
      ++worst.count;
    if (error > 0 && error > worst.error)
      worst = {worst.count, i, error};
  }
  if (worst.count == 0)
    return std::nullopt;
  return std::to_string(worst.count) + " of " + std::to_string(got.size()) +
         " elements differ, worst at " +
         positionText(worst.index, got.shape()) + ": " +
         interpreter::elementAt(got, worst.index).str() + ", expected " +
         interpreter::elementAt(expected, worst.index).str();
}

void zenith::tools::ComparedTensors::add(const std::string &name,
                                         const Tensor &got,
                                         const Tensor &expected) {
  ++tensors;
  if (got.type() != expected.type())
    return;
  elements += got.size();
  ElementAccess access(got.elementType());
  for (int64_t i = 0, count = got.size(); i < count; ++i) {
    Scalar a = access.load(got.bytes() + i * int64_t(access.bytes())),
           b = access.load(expected.bytes() + i * int64_t(access.bytes()));
    if (a.sameValue(b))
      continue;
    double difference =
        std::hypot(a.asDouble() - b.asDouble(), a.imag - b.imag);
    if (std::isnan(difference))
      difference = std::numeric_limits<double>::infinity();
    if (difference <= largest)
      continue;
    largest = difference;
    place = positionText(i, got.shape()) + " of " + name;
  }
}

std::string zenith::tools::ComparedTensors::summary() const {
  std::string text =
      std::to_string(tensors) + (tensors == 1 ? " result, " : " results, ") +
      std::to_string(elements) + (elements == 1 ? " element: " : " elements: ");
  if (place.empty())
    return text + "equal";
  llvm::raw_string_ostream(text)
      << "the largest difference is " << llvm::format("%.3g", largest)
      << ", at " << place;
  return text;
}
