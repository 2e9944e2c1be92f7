// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds for all ops of the dialect: families, and attributes that every
// reader relies on.

#include "ir/GraphDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

#include "ir/GraphDialect.cpp.inc"
#include "ir/GraphEnums.cpp.inc"

namespace zenith::graph {

StringRef familyName(Family family) {
  switch (family) {
  case Family::Elementwise:
    return "Elementwise";
  case Family::Contraction:
    return "Contraction";
  case Family::LinearAlgebra:
    return "LinearAlgebra";
  case Family::Reduction:
    return "Reduction";
  case Family::Movement:
    return "Movement";
  case Family::Indexing:
    return "Indexing";
  case Family::Ordering:
    return "Ordering";
  case Family::Search:
    return "Search";
  case Family::Random:
    return "Random";
  case Family::Composite:
    return "Composite";
  case Family::Control:
    return "Control";
  case Family::Collective:
    return "Collective";
  }
  return "";
}

template <Family... Families>
static std::optional<Family> firstFamily(OperationName name) {
  std::optional<Family> result;
  (void)((name.hasTrait<InFamily<Families>::template Impl>() &&
          (result = Families, true)) ||
         ...);
  return result;
}

std::optional<Family> familyOf(OperationName name) {
  return firstFamily<Family::Elementwise, Family::Contraction,
                     Family::LinearAlgebra, Family::Reduction, Family::Movement,
                     Family::Indexing, Family::Ordering, Family::Search,
                     Family::Random, Family::Composite, Family::Control,
                     Family::Collective>(name);
}

} // namespace zenith::graph
