// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs from files: generators as GAP permutations or as JSON.

#include "frontends/cayley/StateGraphFiles.h"

#include "frontends/cayley/PermutationFamilies.h"
#include "frontends/files/JSONText.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <numeric>

using namespace llvm;

namespace zenith::cayley {

/// Files of generators are small; more is something else.
static constexpr uint64_t maxFileBytes = uint64_t(64) << 20;

static Expected<std::unique_ptr<MemoryBuffer>> readText(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return makeError(ErrorCode::Invalid,
                     "cannot be read: " + file.getError().message(), path);
  if ((*file)->getBufferSize() > maxFileBytes)
    return makeError(ErrorCode::Invalid, "is larger than 64 MiB", path);
  return std::move(*file);
}

namespace {

/// A permutation of a GAP file as a product of cycles, from 0 on.
struct GapMove {
  std::string name;
  std::vector<std::vector<int64_t>> cycles;
};

/// Reads permutations that are assigned to names, and those that are listed in
/// brackets or as generators of a group. Other statements say nothing about
/// generators.
class GapReader {
public:
  GapReader(StringRef path, StringRef text)
      : path(path), text(withoutComments(text)) {}

  Expected<std::vector<GapMove>> read() {
    for (StringRef statement : split(text, ';')) {
      auto [name, value] = statement.split(":=");
      if (name.size() == statement.size())
        std::swap(name, value);
      name = name.trim();
      value = value.trim();
      bool isMove = !name.empty() && value.starts_with("(");
      if (llvm::Error error =
              isMove ? readMove(name, value) : readList(name, value))
        return std::move(error);
    }
    if (moves.empty())
      return fail("has no permutation in cycle notation");
    return std::move(moves);
  }

private:
  /// Blanks comments, which go to the end of a line, and text in quotes.
  static std::string withoutComments(StringRef text) {
    std::string clean;
    char inside = 0; // what ends the comment or text
    for (char c : text) {
      if (inside)
        inside = c == inside || (inside == '"' && c == '\n') ? 0 : inside;
      else if (c == '#' || c == '"')
        inside = c == '#' ? '\n' : '"';
      else if (c != '\r')
        clean += c;
    }
    return clean;
  }
  llvm::Error fail(const Twine &reason) {
    return makeError(ErrorCode::Invalid, reason.str(), path);
  }
  llvm::Error readMove(StringRef name, StringRef value) {
    GapMove &move = moves.emplace_back();
    move.name = name.str();
    return readCycles(value, move);
  }

  /// "[(1,2), (3,4)]" and "Group((1,2), (3,4))", which may hold names as well:
  /// those were read before.
  llvm::Error readList(StringRef name, StringRef value) {
    value.consume_front("Group");
    value = value.ltrim();
    bool isBracketed = value.starts_with("[") && value.ends_with("]");
    if (!isBracketed && !(value.starts_with("(") && value.ends_with(")")))
      return llvm::Error::success();
    value = value.drop_front().drop_back().trim();
    for (int64_t number = 1; !value.empty(); ++number) {
      int64_t depth = 0;
      size_t end = 0;
      for (; end < value.size() && (depth > 0 || value[end] != ','); ++end)
        depth += (value[end] == '(') - (value[end] == ')');
      StringRef entry = value.take_front(end).trim();
      value = value.drop_front(std::min(end + 1, value.size())).ltrim();
      if (!entry.starts_with("("))
        continue;
      std::string prefix = name.empty() ? "" : (name + ".").str();
      if (llvm::Error error = readMove(prefix + std::to_string(number), entry))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error readCycles(StringRef value, GapMove &move) {
    while (!value.empty()) {
      if (!value.consume_front("("))
        return fail("'" + Twine(move.name) + "' is not a product of cycles");
      StringRef cycle = value.take_until([](char c) { return c == ')'; });
      if (cycle.size() == value.size())
        return fail("'" + Twine(move.name) + "' has a cycle without end");
      value = value.drop_front(cycle.size() + 1).ltrim();
      if (value.consume_front("*"))
        value = value.ltrim();
      std::vector<int64_t> &points = move.cycles.emplace_back();
      for (StringRef part : split(cycle, ',')) {
        int64_t point;
        if (part.trim().empty() && !cycle.contains(','))
          continue;
        if (!to_integer(part.trim(), point, 10) || point < 1 ||
            point > maxPositions)
          return fail("'" + Twine(move.name) + "' moves '" +
                      part.trim().take_front(20) +
                      "', which is no point from 1 to " + Twine(maxPositions));
        points.push_back(point - 1);
      }
    }
    return llvm::Error::success();
  }

  StringRef path;
  std::string text;
  std::vector<GapMove> moves;
};

/// The product of a move's cycles, the first one first, as GAP multiplies; or
/// the point that a cycle has twice.
Expected<Permutation> productOfCycles(const GapMove &move, int64_t points,
                                      StringRef path) {
  Permutation images(points), sources(points);
  std::iota(images.begin(), images.end(), 0);
  std::iota(sources.begin(), sources.end(), 0);
  for (const std::vector<int64_t> &cycle : move.cycles) {
    std::vector<uint32_t> before; // what the cycle's points are images of
    for (int64_t point : cycle)
      before.push_back(sources[point]);
    std::vector<int64_t> sorted(cycle);
    llvm::sort(sorted);
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      return makeError(ErrorCode::Invalid,
                       "'" + move.name + "' has a cycle with point " +
                           std::to_string(*twice + 1) + " twice",
                       path);
    for (size_t i = 0; i < cycle.size(); ++i) {
      int64_t next = cycle[(i + 1) % cycle.size()];
      images[before[i]] = uint32_t(next);
      sources[next] = before[i];
    }
  }
  return images;
}

} // namespace

/// The letters that all names begin with are an artefact of their exporter
/// where they are "M_".
static std::string moveName(const GapMove &move, ArrayRef<GapMove> moves) {
  StringRef name = move.name;
  while (name.starts_with("M_") && all_of(moves, [&](const GapMove &other) {
           size_t cut = move.name.size() - name.size();
           return StringRef(other.name)
               .drop_front(std::min(cut, other.name.size()))
               .starts_with("M_");
         }))
    name = name.drop_front(2);
  return name.str();
}

Expected<StateGraph> readGapFile(StringRef path) {
  auto file = readText(path);
  if (!file)
    return file.takeError();
  auto moves = GapReader(path, (*file)->getBuffer()).read();
  if (!moves)
    return moves.takeError();
  int64_t n = 0;
  for (const GapMove &move : *moves)
    for (const auto &cycle : move.cycles)
      for (int64_t point : cycle)
        n = std::max(n, point + 1);
  if (n == 0)
    return makeError(ErrorCode::Invalid,
                     "has no permutation that moves a point", path);
  StateGraph graph;
  graph.name = path.str();
  graph.central.resize(n);
  std::iota(graph.central.begin(), graph.central.end(), 0);
  for (const GapMove &move : *moves) {
    Expected<Permutation> product = productOfCycles(move, n, path);
    if (!product)
      return product.takeError();
    Permutation permutation = std::move(*product), inverse(n);
    for (int64_t i = 0; i < n; ++i)
      inverse[permutation[i]] = i;
    std::string name = moveName(move, *moves);
    graph.generatorNames.push_back(name);
    graph.permutations.push_back(permutation);
    if (inverse == permutation)
      continue;
    graph.generatorNames.push_back(name + "'");
    graph.permutations.push_back(std::move(inverse));
  }
  return graph;
}

namespace {

class GeneratorFile {
public:
  GeneratorFile(StringRef path) : path(path) { graph.name = path.str(); }

  Expected<StateGraph> read(const json::Value &value) {
    const json::Object *object = value.getAsObject();
    const json::Object *generators =
        object ? object->getObject("generators") : nullptr;
    if (!generators || generators->empty())
      return fail("has no object \"generators\" with a generator in it");
    if (const json::Value *value = object->get("modulus")) {
      auto modulus = value->getAsInteger();
      if (!modulus || *modulus < 2 || *modulus > int64_t(1) << 31)
        return fail("\"modulus\" is no integer from 2 to 2147483648");
      graph.modulus = *modulus;
    }
    // llvm::json keeps members in no order that the user chose.
    std::vector<std::pair<std::string, const json::Value *>> sorted;
    for (const auto &[name, generator] : *generators)
      sorted.push_back({name.str(), &generator});
    llvm::sort(sorted, less_first());
    for (auto &[name, generator] : sorted) {
      graph.generatorNames.push_back(name);
      if (llvm::Error error = graph.modulus ? readMatrix(name, *generator)
                                            : readPermutation(name, *generator))
        return std::move(error);
    }
    if (llvm::Error error = readCentral(object->get("central")))
      return std::move(error);
    return std::move(graph);
  }

private:
  llvm::Error fail(const Twine &reason) const {
    return makeError(ErrorCode::Invalid, reason.str(), path);
  }

  llvm::Error readPermutation(const std::string &name,
                              const json::Value &value) {
    const json::Array *array = value.getAsArray();
    size_t n =
        graph.permutations.empty() && array
            ? array->size()
            : (graph.permutations.empty() ? 0
                                          : graph.permutations.front().size());
    if (n > size_t(maxPositions))
      return fail("generator '" + name + "' has " + Twine(n) +
                  " positions, more than " + Twine(maxPositions));
    if (!array || array->size() != n || n == 0)
      return fail("generator '" + name +
                  "' is not a list of numbers as long as the others");
    Permutation permutation;
    std::vector<bool> seen(n);
    for (const json::Value &entry : *array) {
      std::optional<int64_t> number = entry.getAsInteger();
      if (!number || *number < 0 || *number >= int64_t(n) || seen[*number])
        return fail("generator '" + name + "' is not a permutation of 0 to " +
                    Twine(n - 1));
      seen[*number] = true;
      permutation.push_back(uint32_t(*number));
    }
    graph.permutations.push_back(std::move(permutation));
    return llvm::Error::success();
  }

  llvm::Error readMatrix(const std::string &name, const json::Value &value) {
    const json::Array *rows = value.getAsArray();
    size_t n = rows ? rows->size() : 0;
    if (n == 0 || n > 64 ||
        (!graph.matrices.empty() && graph.matrices.front().rows != n))
      return fail("generator '" + name +
                  "' is not a list of rows, as many as the others have");
    Matrix matrix{uint32_t(n), {}};
    for (const json::Value &row : *rows) {
      const json::Array *entries = row.getAsArray();
      if (!entries || entries->size() != n)
        return fail("generator '" + name + "' is not a square matrix");
      for (const json::Value &entry : *entries) {
        std::optional<int64_t> number = entry.getAsInteger();
        if (!number)
          return fail("generator '" + name +
                      "' has an entry that is no integer");
        int64_t rest = *number % graph.modulus;
        matrix.entries.push_back(rest < 0 ? rest + graph.modulus : rest);
      }
    }
    graph.matrices.push_back(std::move(matrix));
    return llvm::Error::success();
  }

  llvm::Error readCentral(const json::Value *value) {
    if (!value) {
      if (graph.modulus) {
        size_t n = graph.matrices.front().rows;
        graph.central.assign(n * n, 0);
        for (size_t i = 0; i < n; ++i)
          graph.central[i * n + i] = 1;
      } else {
        graph.central.resize(graph.permutations.front().size());
        std::iota(graph.central.begin(), graph.central.end(), 0);
      }
      return llvm::Error::success();
    }
    const json::Array *array = value->getAsArray();
    if (!array)
      return fail("\"central\" is not a list of numbers");
    for (const json::Value &entry : *array) {
      std::optional<int64_t> number = entry.getAsInteger();
      if (!number || *number < 0 || *number > INT32_MAX ||
          (graph.modulus && *number >= graph.modulus))
        return fail("\"central\" has an entry that is no number in range");
      graph.central.push_back(*number);
    }
    bool fits =
        graph.modulus
            ? !graph.central.empty() &&
                  graph.central.size() % graph.matrices.front().rows == 0
            : graph.central.size() == graph.permutations.front().size();
    if (!fits)
      return fail("\"central\" is not as long as the generators are");
    return llvm::Error::success();
  }

  StringRef path;
  StateGraph graph;
};

} // namespace

Expected<StateGraph> readGeneratorFile(StringRef path) {
  auto file = readText(path);
  if (!file)
    return file.takeError();
  Expected<json::Value> value = files::parseJSON((*file)->getBuffer());
  if (!value)
    return makeError(ErrorCode::Invalid,
                     "is not JSON: " + toString(value.takeError()), path);
  return GeneratorFile(path).read(*value);
}

} // namespace zenith::cayley
