// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search dialect: registration, verifiers and dimensions of its ops.

#include "ir/OpRegistration.h"
#include "ir/SearchOps.h"
#include "ir/ops/OpInference.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

#define GET_OP_CLASSES
#include "ir/Search.cpp.inc"
#include "ir/SearchDialect.cpp.inc"

using namespace mlir;

namespace zenith::search {

using graph::DimAnalysis;
using graph::DimVector;
using graph::ShapeChecks;
using graph::tensorType;
using graph::typeText;

void SearchDialect::initialize() {
  graph::insertOps<
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
      >(*this);
}

/// The lists have rank 1 and one size.
static LogicalResult checkWordLists(const ShapeChecks &checks, ValueRange lists,
                                    const Twine &place, unsigned constraint) {
  for (Value list : lists) {
    RankedTensorType type = tensorType(list);
    if (failed(
            checks.count("rank of " + place, type.getRank(), 1, constraint)) ||
        failed(checks.sameSize("size of " + place, type.getDimSize(0),
                               tensorType(lists.front()).getDimSize(0),
                               constraint)))
      return failure();
  }
  return success();
}

unsigned DedupOp::partBits() {
  return llvm::Log2_64(uint64_t(tensorType(getImageBits()).getDimSize(3)));
}

/// Constraint 5.
static LogicalResult checkImages(const ShapeChecks &checks, DedupOp op) {
  bool hasParts = bool(op.getImageParts());
  if (hasParts != bool(op.getImageBits()) || hasParts != bool(op.getTies()))
    return checks.fail("images", "some of image parts, image bits and ties",
                       "all or none", 5);
  if (!hasParts)
    return success();
  RankedTensorType parts = tensorType(op.getImageParts()),
                   bits = tensorType(op.getImageBits());
  if (failed(checks.count("rank of the image parts", parts.getRank(), 3, 5)) ||
      failed(checks.count("rank of the image bits", bits.getRank(), 4, 5)))
    return failure();
  if (!parts.hasStaticShape() || parts.getDimSize(0) == 0)
    return checks.fail("image parts", typeText(parts),
                       "a static shape with at least 1 image", 5);
  if (failed(checks.count("words of an image", parts.getDimSize(1), op.words(),
                          5)))
    return failure();
  for (int64_t dim = 0; dim < parts.getRank(); ++dim)
    if (failed(checks.sameSize("dimension " + Twine(dim) + " of the image bits",
                               bits.getDimSize(dim), parts.getDimSize(dim), 5)))
      return failure();
  int64_t values = bits.getDimSize(3);
  if (!bits.hasStaticShape() || values < 2 || values > 256 ||
      !llvm::isPowerOf2_64(uint64_t(values)))
    return checks.fail("values of a part", Twine(values),
                       "a power of two from 2 to 256", 5);
  if (*op.getTies() < 0 || *op.getTies() > 63)
    return checks.fail("ties", Twine(*op.getTies()), "a bit from 0 to 63", 5);
  return success();
}

LogicalResult DedupOp::verify() {
  ShapeChecks checks(*this);
  // dedup_c1
  if (getKey().empty())
    return checks.fail("key", "no words", "at least 1", 1);
  // dedup_c2
  if (getCandidates().empty())
    return checks.fail("number of candidates", "0", "at least 1", 2);
  if (failed(checks.count("candidates beyond whole keys",
                          getCandidates().size() % words(), 0, 2)) ||
      failed(checks.count("known beyond whole keys",
                          getKnown().size() % words(), 0, 2)))
    return failure();
  // dedup_c3
  if (failed(checkWordLists(checks, getCandidates(), "a candidate", 3)))
    return failure();
  for (unsigned list = 0; list < knownLists(); ++list)
    if (failed(checkWordLists(checks, getKnown().slice(list * words(), words()),
                              "a known list", 3)))
      return failure();
  // dedup_c4
  if (failed(checks.count("number of results", getNumResults(), words(), 4)))
    return failure();
  for (Value result : getResults()) {
    RankedTensorType type = tensorType(result);
    if (type.getRank() != 1 || !type.isDynamicDim(0))
      return checks.fail("result", typeText(type), "tensor<?xui64>", 4);
  }
  // dedup_c5
  return checkImages(checks, *this);
}

DimVector DedupOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return {result == 0 ? analysis.freshSymbol()
                      : analysis.dimsOf(getResult(0))[0]};
}

LogicalResult BitPositionsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType result = tensorType(getResult());
  // bit_positions_c1
  if (failed(checks.count("rank of the operand",
                          tensorType(getOperand()).getRank(), 1, 1)))
    return failure();
  // bit_positions_c2
  if (result.getRank() != 1 || !result.isDynamicDim(0))
    return checks.fail("result", typeText(result), "tensor<?xui64>", 2);
  return success();
}

DimVector BitPositionsOp::resultDims(unsigned, DimAnalysis &analysis) {
  return {analysis.freshSymbol()};
}

/// Constraints 1 and 2 of the ops that look numbers up in known bits.
static LogicalResult checkCandidates(const ShapeChecks &checks, Value known,
                                     ValueRange candidates) {
  if (failed(checks.count("rank of the known bits", tensorType(known).getRank(),
                          1, 1)))
    return failure();
  if (candidates.empty())
    return checks.fail("number of candidates", "0", "at least 1", 2);
  return checkWordLists(checks, candidates, "a candidate", 2);
}

LogicalResult BitsetDifferenceOp::verify() {
  ShapeChecks checks(*this);
  // bitset_difference_c1, bitset_difference_c2
  if (failed(checkCandidates(checks, getKnown(), getCandidates())))
    return failure();
  // bitset_difference_c3
  return checks.compatible("bits", getBits().getType(), getKnown().getType(),
                           3);
}

DimVector BitsetDifferenceOp::resultDims(unsigned result,
                                         DimAnalysis &analysis) {
  return result == 0 ? analysis.dimsOf(getKnown()) : DimVector();
}

LogicalResult CosetBitRowsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType layer = tensorType(getLayer()),
                   sources = tensorType(getSources()),
                   moves = tensorType(getMoves()),
                   columns = tensorType(getColumns());
  // coset_bit_rows_c1
  if (failed(checks.count("rank of the layer", layer.getRank(), 2, 1)))
    return failure();
  for (Value rows : {getKnown(), getBits(), getAll()})
    if (failed(checks.compatible("bits", rows.getType(), layer, 1)))
      return failure();
  // coset_bit_rows_c2
  if (failed(checks.count("rank of the sources", sources.getRank(), 2, 2)) ||
      failed(checks.count("rank of the moves", moves.getRank(), 2, 2)))
    return failure();
  for (int64_t dim = 0; dim < 2; ++dim)
    if (failed(checks.sameSize("dimension of the moves", moves.getDimSize(dim),
                               sources.getDimSize(dim), 2)))
      return failure();
  if (failed(checks.sameSize("rows of the sources", sources.getDimSize(0),
                             layer.getDimSize(0), 2)))
    return failure();
  // coset_bit_rows_c3
  if (failed(checks.count("rank of the columns", columns.getRank(), 2, 3)))
    return failure();
  int64_t words = layer.getDimSize(1), count = columns.getDimSize(1);
  if (!ShapedType::isDynamic(words) && !ShapedType::isDynamic(count) &&
      count > words * 64)
    return checks.fail("number of columns", Twine(count).str(),
                       ("at most " + Twine(words * 64)).str(), 3);
  return success();
}

DimVector CosetBitRowsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return result < 2 ? analysis.dimsOf(getKnown()) : DimVector();
}

/// coset_bits_c3
static LogicalResult checkGroups(const ShapeChecks &checks, CosetBitsOp op,
                                 int64_t columns) {
  ArrayRef<int64_t> counts = op.getGroupPoints();
  auto groups = int64_t(counts.size());
  if (failed(checks.distinctInRange("points", op.getPoints(), columns, 3)) ||
      failed(checks.atLeast("points of a group", counts, 1, 3)) ||
      failed(checks.count(
          "points of all groups",
          std::accumulate(counts.begin(), counts.end(), int64_t(0)),
          int64_t(op.getPoints().size()), 3)) ||
      failed(checks.count("number of sizes", int64_t(op.getSizes().size()),
                          groups, 3)) ||
      failed(checks.inRange("groups of rows", int64_t(op.getRowGroups()), 0,
                            groups + 1, 3)) ||
      failed(checks.atLeast("words", int64_t(op.getWords()), 1, 3)))
    return failure();
  constexpr int64_t mostIndices = 1 << 16;
  for (int64_t size : op.getSizes())
    if (failed(checks.inRange("size of a group", size, 1, mostIndices + 1, 3)))
      return failure();
  return success();
}

/// coset_bits_c4
static LogicalResult checkTables(const ShapeChecks &checks, CosetBitsOp op,
                                 int64_t columns) {
  ArrayRef<int64_t> sizes = op.getSizes();
  int64_t places = 0, rows = 1,
          inverses = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  bool isTooLarge = false;
  for (int64_t size : sizes.take_front(op.getRowGroups()))
    isTooLarge |= bool(llvm::MulOverflow(rows, size, rows));
  for (int64_t count : op.getGroupPoints()) {
    int64_t own = 1;
    for (int64_t point = 0; point < count && !isTooLarge; ++point)
      isTooLarge |= bool(llvm::MulOverflow(own, columns, own));
    isTooLarge |= bool(llvm::AddOverflow(places, own, places));
  }
  if (isTooLarge)
    return checks.fail("tables", "more than 2^63 entries", "fewer", 4);
  auto check = [&](StringRef place, Value table, ArrayRef<int64_t> shape) {
    Type element = tensorType(table).getElementType();
    return checks.sameType(place, table.getType(),
                           RankedTensorType::get(shape, element), 4);
  };
  if (failed(check("indices", op.getIndices(), places)) ||
      failed(check("inverses", op.getInverses(), {inverses, columns})))
    return failure();
  return check("representatives", op.getRepresentatives(), {rows, columns});
}

LogicalResult CosetBitsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType states = tensorType(getStates());
  // coset_bits_c1
  constexpr int64_t mostColumns = 1024;
  if (failed(checks.count("rank of the states", states.getRank(), 2, 1)))
    return failure();
  int64_t columns = states.getDimSize(1);
  if (columns < 1 || columns > mostColumns ||
      states.getElementTypeBitWidth() < 8)
    return checks.fail("states", typeText(states),
                       "1 to 1024 columns of integers of 8 bits or more", 1);
  // coset_bits_c2
  if (failed(checks.sameType(
          "start", getStart().getType(),
          RankedTensorType::get({columns}, states.getElementType()), 2)))
    return failure();
  // coset_bits_c3, coset_bits_c4
  if (failed(checkGroups(checks, *this, columns)) ||
      failed(checkTables(checks, *this, columns)))
    return failure();
  // coset_bits_c5
  RankedTensorType bits = tensorType(getBits());
  if (failed(checks.count("rank of the bits", bits.getRank(), 1, 5)))
    return failure();
  return checks.sameSize("size of the bits", bits.getDimSize(0),
                         states.getDimSize(0), 5);
}

DimVector CosetBitsOp::resultDims(unsigned, DimAnalysis &analysis) {
  return {analysis.dimOf(getStates(), 0)};
}

LogicalResult TestBitsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType positions = tensorType(getPositions()),
                   result = tensorType(getResult());
  // test_bits_c1
  if (failed(checks.count("rank of the bits", tensorType(getBits()).getRank(),
                          1, 1)) ||
      failed(checks.count("rank of the positions", positions.getRank(), 1, 1)))
    return failure();
  // test_bits_c2
  if (failed(checks.count("rank of the result", result.getRank(), 1, 2)))
    return failure();
  return checks.sameSize("size of the result", result.getDimSize(0),
                         positions.getDimSize(0), 2);
}

DimVector TestBitsOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getPositions());
}

LogicalResult IndexBitsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType positions = tensorType(getPositions());
  // index_bits_c1
  if (failed(
          checks.count("rank of the positions", positions.getRank(), 1, 1)) ||
      failed(checks.atLeast("words", int64_t(getWords()), 1, 1)))
    return failure();
  // index_bits_c2
  auto places = RankedTensorType::get(positions.getShape(),
                                      tensorType(getPlaces()).getElementType());
  if (failed(checks.sameType("places", getPlaces().getType(), places, 2)))
    return failure();
  // index_bits_c3
  for (Value list : getResults().drop_front())
    if (RankedTensorType type = tensorType(list);
        type.getRank() != 1 || !type.isDynamicDim(0))
      return checks.fail("list", typeText(type), "tensor<?xui64>", 3);
  return success();
}

DimVector IndexBitsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  graph::DimExpr count = analysis.dimOf(getPositions(), 0);
  if (result < 2)
    return {count + graph::DimExpr(int64_t(result))};
  return {graph::DimExpr::min(count, int64_t(getWords()))};
}

LogicalResult NoteBitsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType noted = tensorType(getNoted()),
                   counts = tensorType(getCounts()),
                   words = tensorType(getEntryWords());
  // note_bits_c1
  if (failed(checks.count("rank of the bits", tensorType(getBits()).getRank(),
                          1, 1)) ||
      failed(checks.count("rank of the noted", noted.getRank(), 1, 1)) ||
      failed(checks.count("rank of the counts", counts.getRank(), 1, 1)) ||
      failed(checks.sameSize("size of the counts", counts.getDimSize(0),
                             noted.getDimSize(0), 1)))
    return failure();
  // note_bits_c2
  for (Value list :
       {Value(getEntryWords()), Value(getMasks()), Value(getFirsts())}) {
    RankedTensorType type = tensorType(list);
    if (failed(checks.count("rank of the entries", type.getRank(), 1, 2)) ||
        failed(checks.sameSize("size of the entries", type.getDimSize(0),
                               words.getDimSize(0), 2)))
      return failure();
  }
  // note_bits_c3
  return checks.sameType("result", getAll().getType(), noted, 3);
}

DimVector NoteBitsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return result == 0 ? analysis.dimsOf(getNoted()) : DimVector();
}

LogicalResult TestAndSetOp::verify() {
  ShapeChecks checks(*this);
  // test_and_set_c1, test_and_set_c2
  if (failed(checkCandidates(checks, getKnown(), getCandidates())))
    return failure();
  // test_and_set_c3
  RankedTensorType positions = tensorType(getPositions());
  if (positions.getRank() != 1 || !positions.isDynamicDim(0))
    return checks.fail("positions", typeText(positions), "tensor<?xui64>", 3);
  // test_and_set_c4
  if (failed(checks.compatible("bits", getBits().getType(),
                               getKnown().getType(), 4)))
    return failure();
  // test_and_set_c5
  if (std::optional<uint64_t> tags = getTagBits(); tags && *tags - 1 >= 16)
    return checks.fail("tag bits", std::to_string(*tags), "1 to 16", 5);
  return success();
}

DimVector TestAndSetOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return result == 0 ? DimVector{analysis.freshSymbol()}
                     : analysis.dimsOf(getKnown());
}

/// append_new_c2: parts of one list.
static LogicalResult checkParts(const ShapeChecks &checks, const Twine &place,
                                ValueRange parts) {
  for (Value part : parts) {
    RankedTensorType type = tensorType(part);
    if (type.getRank() < 1)
      return checks.fail("rank of " + place, "0", "at least 1", 2);
    if (ShapedType::isDynamicShape(type.getShape().drop_front()) ||
        type.getElementTypeBitWidth() < 8)
      return checks.fail(place, typeText(type),
                         "rows of a static shape, of integers of 8 bits or "
                         "more",
                         2);
    if (failed(checks.sameSize("size of " + place, type.getDimSize(0),
                               tensorType(parts.front()).getDimSize(0), 2)))
      return failure();
  }
  return success();
}

LogicalResult AppendNewOp::verify() {
  ShapeChecks checks(*this);
  // append_new_c1
  if (getKnown().empty())
    return checks.fail("number of parts", "0", "at least 1", 1);
  size_t parts = getKnown().size();
  if (failed(checks.count("number of candidates", getCandidates().size(), parts,
                          1)) ||
      failed(
          checks.count("number of list parts", getList().size(), parts, 1)) ||
      // append_new_c2
      failed(checkParts(checks, "the known", getKnown())) ||
      failed(checkParts(checks, "the candidates", getCandidates())) ||
      failed(checkParts(checks, "the list", getList())))
    return failure();
  for (size_t part = 0; part < parts; ++part) {
    RankedTensorType known = tensorType(getKnown()[part]);
    SmallVector<int64_t> shape(known.getShape());
    shape[0] = ShapedType::kDynamic;
    auto rows = RankedTensorType::get(shape, known.getElementType());
    // append_new_c3
    for (Value other : {Value(getCandidates()[part]), Value(getList()[part])}) {
      shape[0] = tensorType(other).getDimSize(0);
      if (failed(checks.sameType(
              "rows", other.getType(),
              RankedTensorType::get(shape, known.getElementType()), 3)))
        return failure();
    }
    // append_new_c4
    if (failed(checks.sameType("list", getList()[part].getType(), rows, 4)))
      return failure();
  }
  RankedTensorType index = tensorType(getNewIndex());
  if (failed(checks.count("rank of the index", tensorType(getIndex()).getRank(),
                          1, 4)))
    return failure();
  if (index.getRank() != 1 || !index.isDynamicDim(0))
    return checks.fail("new index", typeText(index), "tensor<?xui64>", 4);
  // append_new_c5
  if (comparedParts() < 0 || comparedParts() > int64_t(parts))
    return checks.fail("compared parts", std::to_string(comparedParts()),
                       "0 to " + std::to_string(parts), 5);
  return success();
}

DimVector AppendNewOp::resultDims(unsigned result, DimAnalysis &analysis) {
  if (result == 0)
    return {analysis.scalar(getCells())};
  if (result > getList().size())
    return {};
  DimVector dims = analysis.dimsOf(getKnown()[result - 1]);
  dims[0] = analysis.scalar(getRows());
  return dims;
}

LogicalResult CountNeighboursOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType layer = tensorType(getLayer()),
                   sources = tensorType(getSources());
  // count_neighbours_c1
  if (failed(checks.count("rank of the layer", layer.getRank(), 2, 1)))
    return failure();
  if (layer.isDynamicDim(1) || layer.getDimSize(1) < 1 ||
      layer.getElementTypeBitWidth() < 8)
    return checks.fail("layer", typeText(layer),
                       "rows of 1 or more integers of 8 bits or more", 1);
  // count_neighbours_c2
  if (sources.getRank() != 2 || !sources.hasStaticShape() ||
      sources.getDimSize(1) != layer.getDimSize(1))
    return checks.fail("sources", typeText(sources),
                       "static rows of " + Twine(layer.getDimSize(1)), 2);
  // count_neighbours_c3
  for (Value set : getSets()) {
    RankedTensorType rows = tensorType(set);
    if (rows.getRank() != 2 || rows.getDimSize(1) != layer.getDimSize(1) ||
        rows.getElementType() != layer.getElementType())
      return checks.fail("set", typeText(rows),
                         "rows as those of " + typeText(layer), 3);
  }
  // count_neighbours_c4
  RankedTensorType firsts = tensorType(getFirsts());
  if (failed(checks.count("rank of firsts", firsts.getRank(), 1, 4)))
    return failure();
  return checks.sameSize("size of firsts", firsts.getDimSize(0),
                         layer.isDynamicDim(0)
                             ? ShapedType::kDynamic
                             : layer.getDimSize(0) * sources.getDimSize(0),
                         4);
}

DimVector CountNeighboursOp::resultDims(unsigned result,
                                        DimAnalysis &analysis) {
  constexpr unsigned firsts = 2;
  if (result != firsts)
    return {};
  return {analysis.dimOf(getLayer(), 0) * analysis.dimOf(getSources(), 0)};
}

} // namespace zenith::search
