// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines and cells of the table; a cell holds no comma.

#include "tools/plan/BufferTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace zenith::tools {

namespace {

/// No layout of such sizes overflows.
constexpr int64_t mostTogether = int64_t(1) << 60;

class TableReader {
public:
  Result<BufferTable> read(StringRef text);

private:
  Status readHeader(StringRef line);
  Status readRow(StringRef line, const std::string &place);
  Result<int64_t> number(ArrayRef<StringRef> cells, StringRef column,
                         const std::string &place) const;

  SmallVector<StringRef> columns;
  BufferTable table;
  StringSet<> ids;
  int64_t together = 0;
};

} // namespace

static SmallVector<StringRef> cellsOf(StringRef line) {
  SmallVector<StringRef> cells;
  line.split(cells, ',');
  for (StringRef &cell : cells)
    cell = cell.trim();
  return cells;
}

Status TableReader::readHeader(StringRef line) {
  columns = cellsOf(line);
  for (StringRef needed : {"id", "lower", "upper", "size"})
    if (!is_contained(columns, needed))
      return invalid("there is no column '" + needed.str() +
                         "', expected id, lower, upper and size",
                     "1");
  if (is_contained(columns, "offset"))
    return invalid("there is a column 'offset' already", "1");
  table.header = line.str();
  return noError();
}

Result<int64_t> TableReader::number(ArrayRef<StringRef> cells, StringRef column,
                                    const std::string &place) const {
  StringRef cell = cells[size_t(find(columns, column) - columns.begin())];
  int64_t value = 0;
  if (cell.getAsInteger(10, value))
    return invalid(column.str() + ": got '" + cell.str() +
                       "', expected a whole number",
                   place);
  return value;
}

Status TableReader::readRow(StringRef line, const std::string &place) {
  SmallVector<StringRef> cells = cellsOf(line);
  if (cells.size() != columns.size())
    return invalid("got " + std::to_string(cells.size()) + " cells, expected " +
                       std::to_string(columns.size()),
                   place);
  StringRef id = cells[size_t(find(columns, "id") - columns.begin())];
  if (!ids.insert(id).second)
    return invalid("there are two buffers '" + id.str() + "'", place);
  int64_t numbers[4] = {0, 0, 0, 1};
  static constexpr StringLiteral names[] = {"lower", "upper", "size",
                                            "alignment"};
  for (auto [name, value] : zip(names, numbers)) {
    if (!is_contained(columns, name))
      continue;
    Result<int64_t> cell = number(cells, name, place);
    if (!cell)
      return cell.error();
    value = *cell;
  }
  auto [lower, upper, size, alignment] = numbers;
  if (lower >= upper)
    return invalid("buffer '" + id.str() + "' lives from " +
                       std::to_string(lower) + " to before " +
                       std::to_string(upper),
                   place);
  if (size < 0 || alignment < 1 || alignment > mostTogether)
    return invalid("buffer '" + id.str() + "' has size " +
                       std::to_string(size) + " and alignment " +
                       std::to_string(alignment),
                   place);
  // Padding included, the sum bounds every offset.
  if (size > mostTogether - together ||
      alignment > mostTogether - together - size)
    return invalid("the sizes up to here exceed " +
                       std::to_string(mostTogether) + " together",
                   place);
  together += size + alignment;
  table.rows.push_back(line.str());
  table.buffers.push_back({size, lower, upper - 1, alignment});
  return noError();
}

Result<BufferTable> TableReader::read(StringRef text) {
  size_t number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    line = line.rtrim();
    if (line.empty() && number > 1)
      continue;
    Status ok =
        number == 1 ? readHeader(line) : readRow(line, std::to_string(number));
    if (!ok)
      return ok.error();
  }
  if (number == 0)
    return invalid("the table is empty", "1");
  return std::move(table);
}

Result<BufferTable> readBuffers(std::string_view text) {
  return TableReader().read(text);
}

std::string writeOffsets(const BufferTable &table) {
  std::string text = table.header + ",offset\n";
  for (auto [row, buffer] : zip(table.rows, table.buffers))
    text += row + "," + std::to_string(buffer.offset) + "\n";
  return text;
}

} // namespace zenith::tools
