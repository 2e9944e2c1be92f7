// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on one list per position, so that rows are packed and ranked without
// being written in between.

#include "passes/search/states/RowWords.h"

#include "ir/matchers/RowBuilder.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

/// Ops on rows [N, positions], by position.
class Columns : public RowBuilder {
public:
  Columns(OpBuilder &builder, Location location, Value given)
      : RowBuilder(builder, location), n(typeOf(given).getDimSize(0)),
        byPosition(transpose(given)) {
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
  Value bothOf(Value x, Value y) { return !x ? y : !y ? x : both(x, y); }

  static constexpr int64_t anySize = ShapedType::kDynamic;
  int64_t n;
  SmallVector<Value> sizes; ///< of lists, where that is dynamic

private:
  Value byPosition; ///< [positions, N]
};

} // namespace

RowWords keysOf(OpBuilder &builder, Location location, const BfsLoop &bfs,
                const StateKeys &keys, Value rows) {
  Columns columns(builder, location, rows);
  Type word = builder.getIntegerType(64, /*isSigned=*/false);
  ArrayRef<int64_t> fields = keys.fields();
  Value values = columns.at(fields, word), codes = values;
  RankedTensorType type = typeOf(values);
  int64_t most = int64_t(keys.values()) - 1;
  if (const auto &known = keys.codesOfValues(); !known.empty()) {
    // Other values get a code that no value has.
    int64_t none = most + 1;
    most = int64_t(known.rbegin()->first);
    SmallVector<int64_t> table(size_t(most) + 1, none);
    for (const auto &[value, code] : known)
      table[size_t(value)] = int64_t(code);
    Value inside = columns.min(values, columns.splat(most, type));
    codes = columns.lookUp(table, word, columns.convert(inside, columns.i64()));
    // A code of its own where the value is larger than all, too.
    codes = columns.select(columns.holds(CompareDirection::gt, values, most),
                           columns.splat(none, type), codes);
    most = none - 1;
  }
  RowWords result;
  result.mayBeStates = columns.bothOf(
      columns.areFixed(bfs, keys.positions(), word),
      columns.fold(ReduceKind::all,
                   columns.holds(CompareDirection::le, codes, most), {0}));
  for (unsigned number = 0; number < keys.words(); ++number) {
    SmallVector<int64_t> factors;
    for (int64_t field : fields) {
      StateKeys::BitField place = keys.bitFieldOf(field);
      factors.push_back(
          place.word == number ? int64_t(uint64_t(1) << place.shift) : 0);
    }
    result.words.push_back(
        columns.fold(ReduceKind::sum,
                     columns.mul(codes, columns.perRow(factors, word)), {0}));
  }
  return result;
}

namespace {

/// Ranks elements of a group, given as the images of all points.
class RankOps {
public:
  RankOps(Columns &columns, const CosetRows &table)
      : columns(columns), table(table), points(table.group().levels().size()),
        index(columns.i64()) {}

  /// Divides by the representative of a level: its index, which is 0 where the
  /// image is none of the orbit, and the images of later points by `isNeeded`.
  Value divide(const StabiliserChain::Level &level,
               MutableArrayRef<Value> images, Value *isOfOrbit,
               llvm::function_ref<bool(size_t)> isNeeded);
  /// All images after division by the representative of each row.
  SmallVector<Value> divideByRow(ArrayRef<Value> images, Value row);
  Value withDigit(Value number, Value digit, size_t base) {
    if (!number)
      return digit;
    Value scaled =
        columns.mul(number, columns.splat(int64_t(base), columns.list(index)));
    return columns.add(scaled, digit);
  }

private:
  Value imageIn(ArrayRef<int64_t> maps, Value map, Value image) {
    Value first =
        columns.mul(map, columns.splat(int64_t(points), columns.list(index)));
    return columns.lookUp(maps, index, columns.add(first, image));
  }
  static void appendMap(SmallVector<int64_t> &maps, const PointMap &map) {
    maps.append(map.begin(), map.end());
  }

  Columns &columns;
  const CosetRows &table;
  size_t points;
  Type index;
};

} // namespace

Value RankOps::divide(const StabiliserChain::Level &level,
                      MutableArrayRef<Value> images, Value *isOfOrbit,
                      llvm::function_ref<bool(size_t)> isNeeded) {
  SmallVector<int64_t> indices(level.orbitIndices.begin(),
                               level.orbitIndices.end());
  Value digit = columns.lookUp(indices, index, images[level.point]);
  if (isOfOrbit)
    *isOfOrbit = columns.holds(CompareDirection::ge, digit, 0);
  digit = columns.max(digit, columns.splat(0, typeOf(digit)));
  SmallVector<int64_t> maps;
  for (const PointMap &map : level.inverseTransversal)
    appendMap(maps, map);
  for (size_t point = level.point + 1; point < points; ++point)
    if (isNeeded(point))
      images[point] = imageIn(maps, digit, images[point]);
  return digit;
}

SmallVector<Value> RankOps::divideByRow(ArrayRef<Value> images, Value row) {
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
  RankOps ranks(columns, table);
  // Numbers of positions fit, whatever the element.
  unsigned width = typeOf(rows).getElementTypeBitWidth();
  Type element = builder.getIntegerType(width < 64 ? 32 : 64);
  auto [images, valid] = imagesOf(columns, bfs, keys.positions(), element);
  valid =
      columns.bothOf(valid, columns.areFixed(bfs, keys.positions(), element));
  std::set<size_t> rowPoints, columnPoints;
  for (const StabiliserChain::Level *level : table.levelsOfRows())
    rowPoints.insert(level->point);
  for (const StabiliserChain::Level *level : table.levelsOfColumns())
    columnPoints.insert(level->point);
  Value row, column;
  SmallVector<Value> rest(images);
  for (const StabiliserChain::Level *level : table.levelsOfRows()) {
    Value digit = ranks.divide(*level, rest, nullptr, [&](size_t point) {
      return rowPoints.count(point) > 0;
    });
    row = ranks.withDigit(row, digit, level->orbit.size());
  }
  // What is left is an element of the stabiliser, or the row is no state.
  rest = ranks.divideByRow(images, row);
  for (const StabiliserChain::Level &level : table.group().levels()) {
    if (!columnPoints.count(level.point)) {
      valid = columns.both(valid, columns.holds(CompareDirection::eq,
                                                rest[level.point],
                                                int64_t(level.point)));
      continue;
    }
    Value isOfOrbit;
    Value digit =
        ranks.divide(level, rest, &isOfOrbit, [](size_t) { return true; });
    valid = columns.both(valid, isOfOrbit);
    column = ranks.withDigit(column, digit, level.orbit.size());
  }
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
  int64_t points = int64_t(table.group().levels().size()), images = 2 * points;
  for (const StabiliserChain::Level *level : table.levelsOfColumns())
    images += points - int64_t(level->point);
  return images * opsOfImage;
}

} // namespace zenith::search
