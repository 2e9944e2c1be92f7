// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for sizes: numbers of the run, with the names that the signature gives
// them.

#include "ir/program/SizeChecks.h"

using namespace mlir;

namespace zenith::graph {

using Relation = SizeCondition::Relation;

/// The expression as its author would know it; empty where it has symbols that
/// the analysis made up, or what the message's own syntax uses.
static std::string knownName(const DimExpr &expr) {
  bool isKnown = true;
  expr.forEachSymbol([&](const std::string &name) {
    StringRef word = name;
    unsigned number = 0;
    bool isPosition = word.consume_front("arg") &&
                      !word.consumeInteger(10, number) &&
                      word.starts_with("_d");
    isKnown &= !isPosition && !StringRef(name).starts_with("%");
  });
  std::string text = expr.str();
  isKnown &= text.find("broadcast(") == std::string::npos;
  return isKnown && text.find_first_of("{}") == std::string::npos ? text : "";
}

namespace {
/// Writes a message and collects the numbers that it leaves open.
class MessageWriter {
public:
  std::string number(const DimExpr &expr) {
    if (std::optional<int64_t> value = expr.constant())
      return std::to_string(*value);
    auto found = llvm::find(details, expr);
    size_t position = found - details.begin();
    if (found == details.end())
      details.push_back(expr);
    return "{" + std::to_string(position) + "}";
  }
  std::string named(const DimExpr &expr) {
    std::string name = expr.constant() ? "" : knownName(expr);
    return number(expr) + (name.empty() ? "" : " ('" + name + "')");
  }
  std::string shape(const DimVector &dims) {
    std::string text = "[";
    for (auto [d, size] : llvm::enumerate(dims)) {
      std::string name = size.asSymbol() ? knownName(size) : "";
      text += (d ? ", " : "") + (name.empty() ? "" : name + "=") + number(size);
    }
    return text + "]";
  }

  SmallVector<DimExpr> details;
};
} // namespace

static std::string sentence(const SizeCondition &condition,
                            MessageWriter &writer) {
  std::string lhs = writer.named(condition.lhs),
              rhs = writer.named(condition.rhs);
  if (condition.relation == Relation::AtMost)
    return condition.lhs.isConstant(0)
               ? condition.what + " is negative: " + rhs
               : condition.what + ", " + lhs + ", exceeds " + rhs;
  return condition.what + " " + lhs + " and " + rhs + " differ";
}

SizeCheckMessage messageOf(const SizeCondition &condition,
                           const SizeCheckSubject &subject) {
  MessageWriter writer;
  SizeCheckMessage message;
  message.text = subject.name.empty() ? "" : subject.name + ": ";
  message.text += sentence(condition, writer);
  for (auto [i, dims] : llvm::enumerate(subject.operands))
    message.text += (i ? ", operand " : ": operand ") + std::to_string(i) +
                    " is " + writer.shape(dims);
  message.details = std::move(writer.details);
  return message;
}

/// An i1 scalar that is true where the condition holds.
static Value holds(OpBuilder &builder, Location loc,
                   const SizeCondition &condition, Value lhs, Value rhs) {
  auto compare = [&](CompareDirection direction, Value a, Value b) -> Value {
    return builder.create<CompareOp>(loc, direction, a, b);
  };
  if (condition.relation == Relation::AtMost)
    return compare(CompareDirection::le, lhs, rhs);
  Value same = compare(CompareDirection::eq, lhs, rhs);
  if (condition.relation == Relation::Equal)
    return same;
  Value one = builder.create<ConstantOp>(
      loc, DenseElementsAttr::get(cast<RankedTensorType>(lhs.getType()),
                                  int64_t(1)));
  Value isOne = compare(CompareDirection::eq, lhs, one);
  return builder.create<OrOp>(loc, isOne.getType(), isOne, same);
}

std::optional<SizeCondition> statedBy(AssertOp check, DimAnalysis &dims) {
  if (!check->hasAttr(sizeCheckAttrName))
    return std::nullopt;
  auto compared = [&](Value value,
                      Relation relation) -> std::optional<SizeCondition> {
    auto compare = value.getDefiningOp<CompareOp>();
    if (!compare)
      return std::nullopt;
    return SizeCondition{relation, dims.scalar(compare.getLhs()),
                         dims.scalar(compare.getRhs()), ""};
  };
  Value holds = check.getCondition();
  if (auto either = holds.getDefiningOp<OrOp>())
    return compared(either.getRhs(), Relation::OneOrEqual);
  auto compare = holds.getDefiningOp<CompareOp>();
  bool isEqual = compare && compare.getDirection() == CompareDirection::eq;
  return compared(holds, isEqual ? Relation::Equal : Relation::AtMost);
}

AssertOp createSizeCheck(OpBuilder &builder, Location loc,
                         const SizeCondition &condition,
                         const SizeCheckSubject &subject,
                         llvm::function_ref<Value(const DimExpr &)> scalarOf) {
  SizeCheckMessage message = messageOf(condition, subject);
  Value lhs = scalarOf(condition.lhs), rhs = scalarOf(condition.rhs);
  SmallVector<Value> details;
  for (const DimExpr &detail : message.details)
    details.push_back(scalarOf(detail));
  if (!lhs || !rhs || llvm::is_contained(details, Value()))
    return {};
  auto check = builder.create<AssertOp>(
      loc, holds(builder, loc, condition, lhs, rhs), message.text, details);
  check->setAttr(sizeCheckAttrName, builder.getUnitAttr());
  return check;
}

} // namespace zenith::graph
