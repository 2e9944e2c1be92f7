// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on one list per position, so that rows are packed and ranked without
// being written in between.

#include "passes/search/states/RowWords.h"

#include "ir/matchers/RowBuilder.h"
#include "ir/matchers/TypeOf.h"
#include <numeric>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

/// Ops on rows [N, positions], by position.
class Columns : public RowBuilder {
public:
  Columns(OpBuilder &builder, Location location, Value given)
      : RowBuilder(builder, location), n(typeOf(given).getDimSize(0)) {
    // Transposed in memory, so that vectors run along the rows.
    Value transposed = transpose(given);
    byPosition =
        builder.create<BarrierOp>(location, transposed.getType(), transposed)
            .getResult(0);
    if (ShapedType::isDynamic(n))
      sizes.push_back(count(given));
  }

  RankedTensorType list(Type element) const { return type({n}, element); }
  RankedTensorType matrix(int64_t rows, Type element) const {
    return type({rows, n}, element);
  }
  /// The elements at these positions as a matrix.
  Value at(ArrayRef<int64_t> positions, Type element) {
    Value taken = byPosition;
    if (int64_t(positions.size()) != typeOf(taken).getDimSize(0))
      taken =
          pick(taken, constant(positions, {int64_t(positions.size())}, i64()));
    return convert(taken, element);
  }
  /// One row of a matrix.
  Value row(Value matrix, int64_t number) {
    Type element = typeOf(matrix).getElementType();
    Value taken =
        make<SliceOp>(type({1, n}, element), matrix, ValueRange(),
                      ValueRange(sizes), ArrayRef<int64_t>{number, 0},
                      ArrayRef<int64_t>{1, n}, ArrayRef<int64_t>{1, 1});
    return reshape(taken, list(element), sizes);
  }
  Value splat(int64_t value, RankedTensorType result) {
    return broadcast(constant(value, {}, result.getElementType()), result, {},
                     sizes);
  }
  /// A number per row of a matrix.
  Value perRow(ArrayRef<int64_t> numbers, Type element) {
    int64_t rows = int64_t(numbers.size());
    return broadcast(constant(numbers, {rows}, element), matrix(rows, element),
                     {0}, sizes);
  }
  /// Entries of a table by a list or matrix of indices.
  Value lookUp(ArrayRef<int64_t> table, Type element, Value indices) {
    Value entries = constant(table, {int64_t(table.size())}, element);
    RankedTensorType from = typeOf(indices);
    if (from.getRank() == 1)
      return pick(entries, indices);
    Value total = mul(number(from.getDimSize(0)),
                      sizes.empty() ? number(n) : sizes.front());
    Value flat = reshape(indices, type({anySize}, from.getElementType()),
                         ValueRange(total));
    return reshape(pick(entries, flat), type(from.getShape(), element), sizes);
  }
  Value holds(CompareDirection direction, Value x, int64_t value) {
    return compare(direction, x, splat(value, typeOf(x)));
  }
  /// Whether the elements at positions that keys leave out are the start's.
  Value areFixed(const BfsLoop &bfs, ArrayRef<int64_t> kept, Type element) {
    SmallVector<int64_t> positions, values;
    for (int64_t position = 0; position < bfs.positions; ++position)
      if (!llvm::is_contained(kept, position)) {
        positions.push_back(position);
        values.push_back(int64_t(bfs.starts.front()[size_t(position)]));
      }
    if (positions.empty())
      return {};
    return fold(ReduceKind::all,
                compare(CompareDirection::eq, at(positions, element),
                        perRow(values, element)),
                {0});
  }
  Type wordType() { return builder.getIntegerType(64, /*isSigned=*/false); }
  Value bothOf(Value x, Value y) { return !x ? y : !y ? x : both(x, y); }

  static constexpr int64_t anySize = ShapedType::kDynamic;
  int64_t n;
  SmallVector<Value> sizes; ///< of lists, where that is dynamic

private:
  Value byPosition; ///< [positions, N]
};

} // namespace

namespace {

/// Codes of the fields of rows, field by field.
class FieldCodes {
public:
  FieldCodes(Columns &columns, const BfsLoop &bfs, const StateKeys &keys)
      : columns(columns), bfs(bfs), keys(keys), word(columns.wordType()) {}

  /// Adds the codes of some fields of `size` positions to the words.
  void add(ArrayRef<int64_t> fields, size_t size, RowWords &result);

private:
  Value numbered(Value values, const std::map<uint64_t, uint64_t> &numbers,
                 int64_t none);
  Value codesOfPositions(ArrayRef<int64_t> fields, int64_t &most);
  Value codesOfContents(ArrayRef<int64_t> fields, size_t size, int64_t &most);

  Columns &columns;
  const BfsLoop &bfs;
  const StateKeys &keys;
  Type word;
};

} // namespace

/// The number of each value; `none` for others.
Value FieldCodes::numbered(Value values,
                           const std::map<uint64_t, uint64_t> &numbers,
                           int64_t none) {
  RankedTensorType type = typeOf(values);
  auto most = int64_t(numbers.rbegin()->first);
  SmallVector<int64_t> table(size_t(most) + 1, none);
  for (const auto &[value, number] : numbers)
    table[size_t(value)] = int64_t(number);
  Value inside = columns.min(values, columns.splat(most, type));
  Value found =
      columns.lookUp(table, word, columns.convert(inside, columns.i64()));
  // The same where the value is larger than all.
  return columns.select(columns.holds(CompareDirection::gt, values, most),
                        columns.splat(none, type), found);
}

Value FieldCodes::codesOfPositions(ArrayRef<int64_t> fields, int64_t &most) {
  Value values = columns.at(fields, word);
  most = int64_t(keys.values()) - 1;
  const auto &known = keys.codesOfValues();
  return known.empty() ? values : numbered(values, known, most + 1);
}

/// By a table of all contents of `size` positions.
Value FieldCodes::codesOfContents(ArrayRef<int64_t> fields, size_t size,
                                  int64_t &most) {
  std::map<uint64_t, uint64_t> numbers = numbersOfValues(bfs);
  auto others = int64_t(numbers.size()), base = others + 1;
  uint64_t codes = uint64_t(1) << keys.bits();
  most = int64_t(codes) - 1;
  size_t entries = 1;
  Value place;
  for (size_t part = 0; part < size; ++part, entries *= size_t(base)) {
    SmallVector<int64_t> positions;
    for (int64_t field : fields)
      positions.push_back(keys.positionsOf(field)[part]);
    Value own = numbered(columns.at(positions, word), numbers, others);
    Value factor = columns.splat(int64_t(entries), typeOf(own));
    Value term = columns.mul(own, factor);
    place = place ? columns.add(place, term) : term;
  }
  SmallVector<int64_t> table(entries, int64_t(codes));
  BfsLoop::Row row(bfs.starts.front());
  for (uint64_t code = 0; code < codes; ++code) {
    if (!keys.store(row, fields.front(), code))
      continue;
    size_t entry = 0;
    for (int64_t position : llvm::reverse(keys.positionsOf(fields.front())))
      entry = entry * size_t(base) + size_t(numbers.at(row[size_t(position)]));
    table[entry] = int64_t(code);
  }
  return columns.lookUp(table, word, columns.convert(place, columns.i64()));
}

void FieldCodes::add(ArrayRef<int64_t> fields, size_t size, RowWords &result) {
  int64_t most = 0;
  Value codes = keys.haveJoinedPositions() ? codesOfContents(fields, size, most)
                                           : codesOfPositions(fields, most);
  result.mayBeStates = columns.bothOf(
      result.mayBeStates,
      columns.fold(ReduceKind::all,
                   columns.holds(CompareDirection::le, codes, most), {0}));
  for (unsigned number = 0; number < keys.words(); ++number) {
    SmallVector<int64_t> factors;
    for (int64_t field : fields) {
      StateKeys::BitField place = keys.bitFieldOf(field);
      factors.push_back(
          place.word == number ? int64_t(uint64_t(1) << place.shift) : 0);
    }
    Value part =
        columns.fold(ReduceKind::sum,
                     columns.mul(codes, columns.perRow(factors, word)), {0});
    Value &sum = result.words[number];
    sum = sum ? columns.add(sum, part) : part;
  }
}

std::map<uint64_t, uint64_t> numbersOfValues(const BfsLoop &bfs) {
  std::map<uint64_t, uint64_t> numbers;
  for (const BfsLoop::Row &row : bfs.starts)
    for (uint64_t value : row)
      numbers.try_emplace(value, 0);
  for (auto [number, entry] : llvm::enumerate(numbers))
    entry.second = number;
  return numbers;
}

RowWords keysOf(OpBuilder &builder, Location location, const BfsLoop &bfs,
                const StateKeys &keys, Value rows) {
  Columns columns(builder, location, rows);
  std::map<size_t, SmallVector<int64_t>> fieldsBySize;
  for (int64_t field : keys.fields())
    fieldsBySize[keys.positionsOf(field).size()].push_back(field);
  RowWords result;
  result.words.resize(keys.words());
  result.mayBeStates =
      columns.areFixed(bfs, keys.positions(), columns.wordType());
  FieldCodes codes(columns, bfs, keys);
  for (const auto &[size, fields] : fieldsBySize)
    codes.add(fields, size, result);
  return result;
}

namespace {

/// Neighbouring levels of a chain whose digits are found together: by a table
/// with an entry for all images that their points may have.
struct LevelGroup {
  SmallVector<size_t> points; ///< base points of the levels, in order
  int64_t elements = 1;       ///< products of their representatives
  /// By the images of the points, the first as the last digit: the number of
  /// the product with these images, -1 where there is none.
  SmallVector<int64_t> numbers;
  /// By number and point: what the product's inverse takes the point to.
  SmallVector<int64_t> inverses;
};

/// Ranks elements of a group, given as the images of all points.
class RankOps {
public:
  RankOps(Columns &columns, size_t points)
      : columns(columns), points(points), index(columns.i64()) {}

  /// The number of the product of representatives of these levels that takes
  /// their points where `images` have them. The images of other points are
  /// divided by it. `isElement`, if any, is false where there is none; the
  /// number is 0 there.
  Value divide(ArrayRef<const StabiliserChain::Level *> levels,
               MutableArrayRef<Value> images, Value *isElement);
  /// All images after division by the representative of each row.
  SmallVector<Value> divideByRow(const CosetRows &table, ArrayRef<Value> images,
                                 Value row);
  Value withDigit(Value number, Value digit, int64_t base) {
    if (!number)
      return digit;
    return columns.add(scaled(number, base), digit);
  }

private:
  std::vector<LevelGroup>
  groupsOf(ArrayRef<const StabiliserChain::Level *> levels) const;
  LevelGroup groupOf(ArrayRef<const StabiliserChain::Level *> levels) const;
  Value scaled(Value list, int64_t factor) {
    return columns.mul(list, columns.splat(factor, columns.list(index)));
  }
  Value imageIn(ArrayRef<int64_t> maps, Value map, Value image) {
    return columns.lookUp(maps, index,
                          columns.add(scaled(map, int64_t(points)), image));
  }
  static void appendMap(SmallVectorImpl<int64_t> &maps, const PointMap &map) {
    maps.append(map.begin(), map.end());
  }

  Columns &columns;
  size_t points;
  Type index;
};

} // namespace

LevelGroup
RankOps::groupOf(ArrayRef<const StabiliserChain::Level *> levels) const {
  LevelGroup group;
  PointMap identity(points);
  std::iota(identity.begin(), identity.end(), uint16_t(0));
  std::vector<PointMap> products{identity};
  size_t entries = 1;
  for (const StabiliserChain::Level *level : levels) {
    std::vector<PointMap> longer;
    for (const PointMap &product : products)
      for (const PointMap &representative : level->transversal)
        longer.push_back(compose(product, representative));
    products = std::move(longer);
    group.points.push_back(level->point);
    entries *= points;
  }
  group.elements = int64_t(products.size());
  group.numbers.assign(entries, -1);
  for (auto [number, product] : llvm::enumerate(products)) {
    size_t place = 0;
    for (size_t point : llvm::reverse(group.points))
      place = place * points + product[point];
    group.numbers[place] = int64_t(number);
    appendMap(group.inverses, inverse(product));
  }
  return group;
}

std::vector<LevelGroup>
RankOps::groupsOf(ArrayRef<const StabiliserChain::Level *> levels) const {
  constexpr size_t mostEntries = 1 << 12;
  std::vector<LevelGroup> groups;
  for (size_t first = 0, end; first < levels.size(); first = end) {
    end = first + 1;
    for (size_t entries = points * points;
         end < levels.size() && entries <= mostEntries; entries *= points)
      ++end;
    groups.push_back(groupOf(levels.slice(first, end - first)));
  }
  return groups;
}

Value RankOps::divide(ArrayRef<const StabiliserChain::Level *> levels,
                      MutableArrayRef<Value> images, Value *isElement) {
  Value number;
  for (const LevelGroup &group : groupsOf(levels)) {
    Value place;
    for (size_t point : llvm::reverse(group.points))
      place = withDigit(place, images[point], int64_t(points));
    Value digit = columns.lookUp(group.numbers, index, place);
    if (isElement)
      *isElement = columns.bothOf(
          *isElement, columns.holds(CompareDirection::ge, digit, 0));
    digit = columns.max(digit, columns.splat(0, typeOf(digit)));
    for (auto [point, image] : llvm::enumerate(images))
      if (image && !llvm::is_contained(group.points, point))
        image = imageIn(group.inverses, digit, image);
    for (size_t point : group.points)
      images[point] = {};
    number = withDigit(number, digit, group.elements);
  }
  return number;
}

SmallVector<Value> RankOps::divideByRow(const CosetRows &table,
                                        ArrayRef<Value> images, Value row) {
  if (!row)
    return SmallVector<Value>(images);
  SmallVector<int64_t> maps;
  for (const PointMap &map : table.rowRepresentatives())
    appendMap(maps, inverse(map));
  SmallVector<Value> result;
  for (Value image : images)
    result.push_back(imageIn(maps, row, image));
  return result;
}

/// The images of points under the map that takes the position of each of the
/// start's values to its position in a row, and whether a row has all values.
static std::pair<SmallVector<Value>, Value>
imagesOf(Columns &columns, const BfsLoop &bfs, ArrayRef<int64_t> positions,
         Type element) {
  int64_t points = int64_t(positions.size());
  Type index = columns.i64();
  SmallVector<int64_t> wanted, numbers;
  for (int64_t position : positions) {
    wanted.push_back(int64_t(bfs.starts.front()[size_t(position)]));
    numbers.push_back(int64_t(numbers.size()) + 1);
  }
  Value values = columns.at(positions, element);
  // By position in the row, value of the start, and row.
  RankedTensorType all = columns.type({points, points, columns.n}, element);
  Value isThere = columns.compare(
      CompareDirection::eq,
      columns.broadcast(values, all, {0, 2}, columns.sizes),
      columns.broadcast(columns.constant(wanted, {points}, element), all, {1},
                        columns.sizes));
  Value number = columns.broadcast(columns.constant(numbers, {points}, element),
                                   all, {0}, columns.sizes);
  Value found =
      columns.fold(ReduceKind::max,
                   columns.select(isThere, number, columns.splat(0, all)), {0});
  Value haveAll = columns.fold(
      ReduceKind::all, columns.holds(CompareDirection::gt, found, 0), {0});
  SmallVector<Value> images;
  for (int64_t point = 0; point < points; ++point) {
    Value image = columns.convert(columns.row(found, point), index);
    images.push_back(columns.sub(image, columns.splat(1, typeOf(image))));
  }
  // A value that is missing has any image, not one outside of the tables.
  for (Value &image : images)
    image = columns.max(image, columns.splat(0, typeOf(image)));
  return {std::move(images), haveAll};
}

RowWords bitsOf(OpBuilder &builder, Location location, const BfsLoop &bfs,
                const StateKeys &keys, const CosetRows &table, Value rows) {
  Columns columns(builder, location, rows);
  // Wide enough for the elements and for numbers of positions, from 1 on.
  unsigned width = typeOf(rows).getElementTypeBitWidth();
  bool areBytes = width == 8 && keys.positions().size() < 256;
  Type element = areBytes ? typeOf(rows).getElementType()
                          : builder.getIntegerType(width < 64 ? 32 : 64);
  auto [images, haveAll] = imagesOf(columns, bfs, keys.positions(), element);
  Value valid =
      columns.bothOf(haveAll, columns.areFixed(bfs, keys.positions(), element));
  RankOps ranks(columns, images.size());
  // The images of row points tell the row.
  SmallVector<Value> ofRows(images.size());
  for (const StabiliserChain::Level *level : table.levelsOfRows())
    ofRows[level->point] = images[level->point];
  Value row = ranks.divide(table.levelsOfRows(), ofRows, nullptr);
  // What is left is an element of the stabiliser, or the row is no state.
  SmallVector<Value> rest = ranks.divideByRow(table, images, row);
  auto expectFixed = [&](size_t point) {
    valid = columns.both(valid, columns.holds(CompareDirection::eq, rest[point],
                                              int64_t(point)));
    rest[point] = {};
  };
  for (const StabiliserChain::Level *level : table.levelsOfRows())
    expectFixed(level->point);
  Value column = ranks.divide(table.levelsOfColumns(), rest, &valid);
  for (size_t point = 0; point < rest.size(); ++point)
    if (rest[point])
      expectFixed(point);
  constexpr int64_t bitsOfWord = 64;
  Value bit = column;
  if (row) {
    Value first = columns.mul(
        row, columns.splat(table.words() * bitsOfWord, typeOf(row)));
    bit = bit ? columns.add(first, bit) : first;
  }
  Type word = builder.getIntegerType(64, /*isSigned=*/false);
  return {{columns.convert(bit, word)}, valid};
}

int64_t costOfBits(const CosetRows &table) {
  constexpr int64_t opsOfImage = 4;
  int64_t points = int64_t(table.group().levels().size());
  // Levels are divided by in groups, of two at least where points are few.
  int64_t groups = int64_t(table.levelsOfColumns().size() + 1) / 2;
  return points * (2 + groups) * opsOfImage;
}

} // namespace zenith::search
