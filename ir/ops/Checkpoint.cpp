// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints, names and places of values: text, verifiers, policies.

#include "ir/OpSyntax.h"
#include "ir/ops/CheckpointPolicies.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace zenith::graph {

using PolicyName = std::pair<StringRef, CheckpointPolicy>;

static constexpr PolicyName policyNames[] = {
    {"nothing_saveable", CheckpointPolicy::Nothing},
    {"everything_saveable", CheckpointPolicy::Everything},
    {"dots_saveable", CheckpointPolicy::Dots},
    {"checkpoint_dots", CheckpointPolicy::Dots},
    {"dots_with_no_batch_dims_saveable", CheckpointPolicy::UnbatchedDots},
    {"checkpoint_dots_with_no_batch_dims", CheckpointPolicy::UnbatchedDots},
    {"offload_dot_with_no_batch_dims", CheckpointPolicy::UnbatchedDots},
    {"save_only_these_names", CheckpointPolicy::OnlyNames},
    {"save_and_offload_only_these_names", CheckpointPolicy::OnlyNames},
    {"save_any_names_but_these", CheckpointPolicy::NamesBut},
    {"save_anything_except_these_names", CheckpointPolicy::AnythingBut}};

std::optional<CheckpointPolicy> checkpointPolicyOf(StringRef name) {
  for (const PolicyName &row : policyNames)
    if (row.first == name)
      return row.second;
  return std::nullopt;
}

StringRef nearestCheckpointPolicy(StringRef name) {
  return std::min_element(std::begin(policyNames), std::end(policyNames),
                          [&](const PolicyName &a, const PolicyName &b) {
                            return name.edit_distance(a.first) <
                                   name.edit_distance(b.first);
                          })
      ->first;
}

bool isSaveable(CheckpointOp checkpoint, Operation *op) {
  auto named = dyn_cast<NamedOp>(op);
  bool isListed = named && llvm::is_contained(
                               checkpoint.getNames().getAsRange<StringAttr>(),
                               named.getNameAttr());
  auto dot = dyn_cast<DotGeneralOp>(op);
  switch (*checkpointPolicyOf(checkpoint.getPolicy())) {
  case CheckpointPolicy::Nothing:
    return false;
  case CheckpointPolicy::Everything:
    return true;
  case CheckpointPolicy::Dots:
    return dot;
  case CheckpointPolicy::UnbatchedDots:
    return dot && dot.getDims().getLhsBatching().empty();
  case CheckpointPolicy::OnlyNames:
    return isListed;
  case CheckpointPolicy::NamesBut:
    return named && !isListed;
  case CheckpointPolicy::AnythingBut:
    return !isListed;
  }
  llvm_unreachable("all policies are named");
}

/// `segments = N`, or `segments = auto`, which is 0.
static ParseResult parseSegments(OpAsmParser &parser, IntegerAttr &segments) {
  if (failed(parser.parseOptionalKeyword("segments")))
    return success();
  int64_t count = 0;
  if (failed(parser.parseEqual()) ||
      (failed(parser.parseOptionalKeyword("auto")) &&
       failed(parser.parseInteger(count))))
    return failure();
  segments = parser.getBuilder().getI64IntegerAttr(count);
  return success();
}

ParseResult CheckpointOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &own = state.getOrAddProperties<Properties>();
  Builder &b = parser.getBuilder();
  own.policy = b.getStringAttr("nothing_saveable");
  own.names = b.getArrayAttr({});
  own.prevent_cse = b.getBoolAttr(true);
  own.segments = b.getI64IntegerAttr(1);
  auto parseClause = [&](StringRef word, auto &attribute) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(word)))
      return success();
    return failure(failed(parser.parseEqual()) ||
                   failed(parser.parseAttribute(attribute)));
  };
  SmallVector<OpAsmParser::Argument> arguments;
  if (failed(parseClause("policy", own.policy)) ||
      failed(parseClause("names", own.names)) ||
      failed(parseClause("prevent_cse", own.prevent_cse)) ||
      failed(parseSegments(parser, own.segments)) ||
      failed(parseBoundInputs(parser, arguments, state.operands)) ||
      failed(parser.parseOptionalArrowTypeList(state.types)) ||
      failed(parser.parseOptionalAttrDictWithKeyword(state.attributes)))
    return failure();
  return parser.parseRegion(*state.addRegion(), arguments);
}

void CheckpointOp::print(OpAsmPrinter &printer) {
  printer << " policy = " << getPolicyAttr() << " names = " << getNamesAttr()
          << " prevent_cse = " << (getPreventCse() ? "true" : "false") << ' ';
  if (getSegments() == 0)
    printer << "segments = auto ";
  else if (getSegments() != 1)
    printer << "segments = " << getSegments() << ' ';
  printBoundInputs(printer, getBody().getArguments(), getInputs());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getPolicyAttrName(), getNamesAttrName(),
                            getPreventCseAttrName(), getSegmentsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult CheckpointOp::verify() {
  ShapeChecks checks(*this);
  RegionChecks body{checks, getBody(), "region", 1};
  // checkpoint_c1
  if (failed(body.arguments(getInputs().getTypes())))
    return failure();
  // checkpoint_c2
  body.constraint = 2;
  if (failed(body.yields(getResultTypes())))
    return failure();
  // checkpoint_c3
  if (!checkpointPolicyOf(getPolicy()))
    return checks.fail("policy", "'" + getPolicy() + "'",
                       "a checkpoint policy such as '" +
                           nearestCheckpointPolicy(getPolicy()) + "'",
                       3);
  // checkpoint_c4
  for (auto [i, name] : llvm::enumerate(getNames()))
    if (!isa<StringAttr>(name))
      return checks.fail("name " + Twine(i), "another attribute", "a string",
                         4);
  // checkpoint_c5
  if (int64_t count = getSegmentsAttr().getInt(); count < 0)
    return checks.fail("segments", Twine(count), "at least 0", 5);
  return success();
}

DimVector CheckpointOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getBody().front().getTerminator()->getOperand(result));
}

LogicalResult NamedOp::verify() {
  // named_c1
  return getName().empty()
             ? ShapeChecks(*this).fail("name", "\"\"", "a name", 1)
             : success();
}

DimVector NamedOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

DimVector PlaceOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

} // namespace zenith::graph
