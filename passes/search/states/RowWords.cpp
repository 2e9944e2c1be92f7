// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs rows as one list per position, without writing them in between, and
// makes the tables by which they are ranked.

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

/// The tables of a coset_bits op.
class RankTables {
public:
  explicit RankTables(const CosetRows &table)
      : columns(table.group().levels().size()) {
    addGroups(table.levelsOfRows());
    rowGroups = sizes.size();
    addGroups(table.levelsOfColumns());
    for (const PointMap &map : table.rowRepresentatives())
      append(representatives, inverse(map));
  }

  SmallVector<int64_t> points, groupPoints, sizes;
  size_t rowGroups = 0;
  std::vector<int64_t> indices, inverses, representatives;

private:
  using Levels = ArrayRef<const StabiliserChain::Level *>;
  void addGroups(Levels levels);
  void addGroup(Levels levels);
  static void append(std::vector<int64_t> &to, const PointMap &map) {
    to.insert(to.end(), map.begin(), map.end());
  }

  size_t columns;
};

} // namespace

/// Neighbouring levels together, as long as a table of all images that their
/// points may have stays in the first-level cache.
void RankTables::addGroups(Levels levels) {
  constexpr size_t mostPlaces = 1 << 12;
  for (size_t first = 0, end; first < levels.size(); first = end) {
    end = first + 1;
    for (size_t places = columns * columns;
         end < levels.size() && places <= mostPlaces; places *= columns)
      ++end;
    addGroup(levels.slice(first, end - first));
  }
}

void RankTables::addGroup(Levels levels) {
  constexpr int64_t none = 0xffff;
  PointMap identity(columns);
  std::iota(identity.begin(), identity.end(), uint16_t(0));
  std::vector<PointMap> products{identity};
  size_t places = 1;
  for (const StabiliserChain::Level *level : levels) {
    std::vector<PointMap> longer;
    for (const PointMap &product : products)
      for (const PointMap &representative : level->transversal)
        longer.push_back(compose(product, representative));
    products = std::move(longer);
    points.push_back(level->point);
    places *= columns;
  }
  groupPoints.push_back(int64_t(levels.size()));
  sizes.push_back(int64_t(products.size()));
  size_t first = indices.size();
  indices.resize(first + places, none);
  for (auto [number, product] : llvm::enumerate(products)) {
    size_t place = 0;
    for (const StabiliserChain::Level *level : llvm::reverse(levels))
      place = place * columns + product[level->point];
    indices[first + place] = int64_t(number);
    append(inverses, inverse(product));
  }
}

Value bitsOf(OpBuilder &builder, Location location, const BfsLoop &bfs,
             const StateKeys &keys, const CosetRows &table, Value rows) {
  RowBuilder ops(builder, location);
  Type element = typeOf(rows).getElementType(),
       entry = builder.getIntegerType(16, /*isSigned=*/false),
       word = builder.getIntegerType(64, /*isSigned=*/false);
  auto columns = int64_t(keys.positions().size());
  SmallVector<int64_t> start;
  for (int64_t position : keys.positions())
    start.push_back(int64_t(bfs.starts.front()[size_t(position)]));
  std::optional<Columns> byPosition;
  Value kept = rows;
  if (columns != bfs.positions) {
    byPosition.emplace(builder, location, rows);
    kept = ops.transpose(byPosition->at(keys.positions(), element));
  }
  RankTables tables(table);
  auto maps = [&](ArrayRef<int64_t> entries) {
    return ops.constant(entries, {int64_t(entries.size()) / columns, columns},
                        entry);
  };
  Value bits = builder.create<CosetBitsOp>(
      location, ops.type({typeOf(rows).getDimSize(0)}, word), kept,
      ops.constant(start, {columns}, element),
      ops.constant(tables.indices, {int64_t(tables.indices.size())}, entry),
      maps(tables.inverses), maps(tables.representatives), tables.points,
      tables.groupPoints, tables.sizes, uint64_t(tables.rowGroups),
      uint64_t(table.words()));
  if (!byPosition)
    return bits;
  return ops.select(byPosition->areFixed(bfs, keys.positions(), element), bits,
                    byPosition->splat(-1, typeOf(bits)));
}

} // namespace zenith::search
