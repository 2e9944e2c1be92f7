// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells expressions from names, and quotes names that the grammar of
// expressions would misread.

#include "frontends/onnx/DimNames.h"

using namespace zenith;
using zenith::graph::DimExpr;

static bool spend(const DimExpr &expr, int depth, int &budget, int deepest) {
  for (const auto &[monomial, coefficient] : expr.terms())
    for (const auto &[atom, power] : monomial) {
      constexpr unsigned largestPower = 16;
      budget -= 1 + int(std::min(power, largestPower));
      if (budget < 0 || depth > deepest || power > largestPower)
        return false;
      if (atom.kind != graph::DimAtom::Kind::Symbol &&
          !(spend(*atom.lhs, depth + 1, budget, deepest) &&
            spend(*atom.rhs, depth + 1, budget, deepest)))
        return false;
    }
  return true;
}

bool onnx::simpleEnough(const DimExpr &expr) {
  int budget = 200;
  return spend(expr, 0, budget, 8);
}

bool onnx::speaksForItself(const DimExpr &expr) {
  int budget = 120;
  return spend(expr, 0, budget, 6);
}

void onnx::DimNames::add(const std::string &dimParam) {
  auto expr = DimExpr::parse(dimParam);
  if (auto name = expr ? expr->asSymbol() : std::nullopt)
    names.insert(*name);
}

std::string onnx::DimNames::textOf(const std::string &dimParam) const {
  if (dimParam.empty())
    return "";
  auto expr = DimExpr::parse(dimParam);
  bool isExpression = expr && simpleEnough(*expr);
  if (isExpression)
    expr->forEachSymbol([&](const std::string &name) {
      isExpression &= names.count(name) != 0;
    });
  if (isExpression)
    return dimParam;
  std::string quoted = DimExpr::symbol(dimParam).str();
  return DimExpr::parse(quoted) ? quoted : "";
}

std::string onnx::dimParamOf(const std::string &text) {
  auto expr = DimExpr::parse(text);
  auto name = expr ? expr->asSymbol() : std::nullopt;
  return name.value_or(text);
}
