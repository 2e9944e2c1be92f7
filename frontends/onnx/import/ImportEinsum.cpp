// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of Einsum: labels that one operand repeats become diagonals,
// labels without a further use are summed, and operands are contracted pairwise
// from left to right.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// Letters are their codes; dimensions of an ellipsis count from -1 down, the
/// last one first.
using Labels = SmallVector<int>;

struct Term {
  Value value;
  Labels labels; // one per dimension
};

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
  bool hasOutput = false;
};
} // namespace

static bool isLabel(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool isTerm(llvm::StringRef text) {
  size_t dots = text.find("...");
  std::string letters = text.str();
  if (dots != llvm::StringRef::npos)
    letters.erase(dots, 3);
  return llvm::all_of(letters, isLabel);
}

static std::optional<Equation> parseEquation(NodeReading &n) {
  std::string text = n.stringAttribute("equation", "");
  llvm::erase_if(text, [](char c) { return c == ' '; });
  Equation equation;
  llvm::StringRef left = text, right;
  if (size_t arrow = left.find("->"); arrow != llvm::StringRef::npos) {
    right = left.substr(arrow + 2);
    left = left.take_front(arrow);
    equation.hasOutput = true;
  }
  SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  for (llvm::StringRef part : parts)
    equation.inputs.push_back(part.str());
  equation.output = right.str();
  bool good = isTerm(right) && equation.inputs.size() == n.inputCount();
  for (llvm::StringRef part : parts)
    good &= isTerm(part);
  if (!good)
    n.fail(invalid(fmt::format("attribute 'equation' is '{}' for {} inputs",
                               text, n.inputCount())));
  return n.failed() ? std::nullopt : std::optional(equation);
}

/// Labels of a term of `rank` dimensions; without a rank an ellipsis stands for
/// `ellipsis` dimensions.
static std::optional<Labels> labelsOf(llvm::StringRef text, int64_t ellipsis) {
  if (ellipsis < 0)
    return std::nullopt;
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') {
      labels.push_back(text[i]);
      continue;
    }
    i += 2;
    for (int64_t dim = ellipsis; dim > 0; --dim)
      labels.push_back(-dim);
  }
  return labels;
}

static std::optional<size_t> positionOf(const Labels &labels, int label) {
  auto at = llvm::find(labels, label);
  return at == labels.end() ? std::nullopt
                            : std::optional<size_t>(at - labels.begin());
}

/// The elements whose coordinates in two dimensions of one size are equal; the
/// second dimension disappears.
static void takeDiagonal(ImportBuilder &b, Term &term, size_t first,
                         size_t second) {
  term.labels.erase(term.labels.begin() + second);
  DimVector dims = b.dims(term.value);
  // A step along both dimensions is one step of known length along both of them
  // merged.
  if (auto size = dims[first].constant(); size && *size > 0) {
    SmallVector<int64_t> order;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d != second)
        order.push_back(int64_t(d));
      if (d == first)
        order.push_back(int64_t(second));
    }
    dims.erase(dims.begin() + second);
    dims[first] = *size * *size;
    Value pairs = b.reshape(b.transpose(term.value, order), dims);
    term.value = b.sliceDim(pairs, int64_t(first), 0, *size, *size + 1);
    return;
  }
  Type i64 = b.builder.getI64Type();
  Value onDiagonal = b.compare(CompareDirection::eq, b.iota(first, dims, i64),
                               b.iota(second, dims, i64));
  Type element = getElementTypeOrSelf(term.value.getType());
  Value kept = b.select(onDiagonal, term.value, b.scalarConstant(element, 0));
  term.value = b.reduce(ReduceKind::sum, kept, {int64_t(second)}, false);
}

static void dropDim(ImportBuilder &b, Term &term, size_t index, bool isOne) {
  if (isOne) {
    DimVector dims = b.dims(term.value);
    dims.erase(dims.begin() + index);
    term.value = b.reshape(term.value, dims);
  } else {
    term.value = b.reduce(ReduceKind::sum, term.value, {int64_t(index)}, false);
  }
  term.labels.erase(term.labels.begin() + index);
}

/// Diagonals of repeated labels; dimensions of size 1 are dropped, since they
/// broadcast along the label's size if it is larger.
static void simplify(NodeReading &n, Term &term) {
  ImportBuilder &b = n.b;
  for (size_t i = 0; i < term.labels.size();) {
    if (b.dims(term.value)[i].isConstant(1))
      dropDim(b, term, i, true);
    else
      ++i;
  }
  for (size_t i = 0; i < term.labels.size(); ++i)
    for (size_t j = i + 1; j < term.labels.size();) {
      if (term.labels[j] != term.labels[i]) {
        ++j;
        continue;
      }
      DimVector dims = b.dims(term.value);
      if (dims[i] != dims[j])
        return n.fail(invalid(fmt::format("a label stands for sizes {} and {}",
                                          dims[i].str(), dims[j].str())));
      takeDiagonal(b, term, i, j);
    }
}

/// Sums over the labels that are not in `needed`.
static void sumOver(ImportBuilder &b, Term &term, const Labels &needed) {
  for (size_t i = term.labels.size(); i-- > 0;)
    if (!positionOf(needed, term.labels[i]))
      dropDim(b, term, i, false);
}

/// An elementwise multiplication: both operands broadcast to the union of their
/// dimensions.
static Term multiply(ImportBuilder &b, const Term &lhs, const Term &rhs) {
  Term result{{}, lhs.labels};
  DimVector dims = b.dims(lhs.value), right = b.dims(rhs.value);
  for (auto [index, label] : llvm::enumerate(rhs.labels))
    if (!positionOf(result.labels, label)) {
      result.labels.push_back(label);
      dims.push_back(right[index]);
    }
  auto aligned = [&](const Term &term) {
    SmallVector<int64_t> mapping;
    for (int label : term.labels)
      mapping.push_back(*positionOf(result.labels, label));
    return b.broadcast(term.value, mapping, dims);
  };
  Value left = aligned(lhs);
  result.value = b.binary<graph::MulOp>(left, aligned(rhs));
  return result;
}

/// The contraction of two terms over labels that are not in `needed`.
static Term join(NodeReading &n, Term lhs, Term rhs, const Labels &needed) {
  ImportBuilder &b = n.b;
  Labels lhsNeeded = needed, rhsNeeded = needed;
  lhsNeeded.append(rhs.labels);
  rhsNeeded.append(lhs.labels);
  sumOver(b, lhs, lhsNeeded);
  sumOver(b, rhs, rhsNeeded);
  DimVector left = b.dims(lhs.value), right = b.dims(rhs.value);
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsSum, rhsSum;
  Term result;
  DimVector dims;
  for (auto [index, label] : llvm::enumerate(lhs.labels)) {
    auto other = positionOf(rhs.labels, label);
    if (!other)
      continue;
    if (left[index].constant() && right[*other].constant() &&
        left[index] != right[*other])
      n.fail(invalid(fmt::format("a label stands for sizes {} and {}",
                                 left[index].str(), right[*other].str())));
    bool isKept = positionOf(needed, label).has_value();
    (isKept ? lhsBatch : lhsSum).push_back(index);
    (isKept ? rhsBatch : rhsSum).push_back(*other);
    if (isKept) {
      result.labels.push_back(label);
      dims.push_back(left[index]);
    }
  }
  if (n.failed() || lhsSum.empty())
    return multiply(b, lhs, rhs);
  auto addFree = [&](const Term &term, const Term &other,
                     const DimVector &from) {
    for (auto [index, label] : llvm::enumerate(term.labels))
      if (!positionOf(other.labels, label)) {
        result.labels.push_back(label);
        dims.push_back(from[index]);
      }
  };
  addFree(lhs, rhs, left);
  addFree(rhs, lhs, right);
  auto dimsAttr = graph::DotDimsAttr::get(b.builder.getContext(), lhsBatch,
                                          rhsBatch, lhsSum, rhsSum);
  result.value = b.emit<graph::DotGeneralOp>(b.typeOf(dims, n.elementType(0)),
                                             lhs.value, rhs.value, dimsAttr);
  return result;
}

/// Without an arrow: the ellipsis, then the labels that appear once, sorted.
static Labels implicitOutput(ArrayRef<Labels> terms, int64_t ellipsis) {
  std::map<int, int> uses;
  for (const Labels &labels : terms)
    for (int label : labels)
      ++uses[label];
  Labels output;
  for (int64_t dim = ellipsis; dim > 0; --dim)
    output.push_back(-dim);
  for (auto [label, count] : uses)
    if (label > 0 && count == 1)
      output.push_back(label);
  return output;
}

/// Dimensions whose label has another size elsewhere, and which may be 1,
/// repeat; those that are 1 by their type are dropped later.
static Value withCommonSizes(ImportBuilder &b, Value value,
                             const Labels &labels,
                             const std::map<int, DimExpr> &sizes) {
  DimVector dims = b.dims(value);
  for (auto [label, dim] : llvm::zip(labels, dims))
    if (!dim.isConstant(1))
      dim = sizes.at(label);
  return b.expand(value, dims);
}

static bool readTerms(NodeReading &n, const Equation &equation,
                      SmallVector<Term> &terms, Labels &output,
                      std::map<int, DimExpr> &sizes) {
  int64_t ellipsis = 0;
  SmallVector<Labels> labels;
  for (auto [index, text] : llvm::enumerate(equation.inputs)) {
    bool hasDots = text.find('.') != std::string::npos;
    int64_t rest = n.rank(index) - int64_t(text.size()) + (hasDots ? 3 : 0);
    auto read = labelsOf(text, rest);
    if (!read || (!hasDots && rest != 0)) {
      n.fail(invalid(fmt::format("input {} of rank {} does not fit '{}'", index,
                                 n.rank(index), text)));
      return false;
    }
    ellipsis = std::max(ellipsis, rest);
    for (auto [label, dim] : llvm::zip(*read, n.dims(index)))
      if (auto [known, isNew] = sizes.try_emplace(label, dim); !isNew)
        known->second = n.b.broadcastDims({known->second}, {dim}).front();
    labels.push_back(*read);
  }
  output = equation.hasOutput ? *labelsOf(equation.output, ellipsis)
                              : implicitOutput(labels, ellipsis);
  for (auto [index, label] : llvm::enumerate(output))
    if (!sizes.count(label) ||
        positionOf(Labels(output.begin(), output.begin() + index), label)) {
      n.fail(invalid("a label of the output is in no input, or twice in the "
                     "output"));
      return false;
    }
  for (size_t i = 0; i < labels.size(); ++i)
    terms.push_back(
        {withCommonSizes(n.b, n.input(i), labels[i], sizes), labels[i]});
  return true;
}

static void importEinsum(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto equation = parseEquation(n);
  SmallVector<Term> terms;
  Labels output;
  std::map<int, DimExpr> sizes;
  if (!equation || !n.allInputs().size() ||
      !readTerms(n, *equation, terms, output, sizes))
    return;
  for (Term &term : terms)
    if (!n.failed())
      simplify(n, term);
  Term result = terms.front();
  for (size_t i = 1; i < terms.size() && !n.failed(); ++i) {
    Labels needed = output;
    for (size_t later = i + 1; later < terms.size(); ++later)
      needed.append(terms[later].labels);
    result = join(n, result, terms[i], needed);
  }
  if (n.failed())
    return;
  sumOver(b, result, output);
  DimVector dims;
  SmallVector<int64_t> order, mapping;
  for (auto [index, label] : llvm::enumerate(output)) {
    dims.push_back(sizes.at(label));
    if (auto at = positionOf(result.labels, label)) {
      order.push_back(*at);
      mapping.push_back(index);
    }
  }
  n.result(b.broadcast(b.transpose(result.value, order), mapping, dims));
}

llvm::ArrayRef<OpRow> zenith::onnx::einsumRows() {
  static constexpr OpRow rows[] = {
      {"Einsum", 12, newest, 1, anyNumber, importEinsum},
  };
  return rows;
}
