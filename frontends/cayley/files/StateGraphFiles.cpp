// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs from files: generators as GAP permutations or as JSON.

#include "frontends/cayley/files/StateGraphFiles.h"

#include "frontends/cayley/PermutationFamilies.h"
#include "frontends/cayley/files/GapFile.h"
#include "frontends/files/JSONText.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <numeric>
#include <set>

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

Expected<StateGraph> readGapFile(StringRef path) {
  auto file = readText(path);
  if (!file)
    return file.takeError();
  return parseGap(path, (*file)->getBuffer());
}

namespace {

class GeneratorFile {
public:
  GeneratorFile(StringRef path, StringRef text) : path(path), text(text) {
    graph.name = path.str();
  }

  Expected<StateGraph> read() {
    Expected<json::Value> parsed = files::parseJSON(text);
    if (!parsed) {
      auto [where, why] = files::splitPlace(toString(parsed.takeError()));
      return makeError(ErrorCode::Invalid, "is not JSON: " + why,
                       where.empty() ? path.str() : (path + ":" + where).str());
    }
    if (llvm::Error error = readKeys())
      return std::move(error);
    return readValues(*parsed);
  }

private:
  /// Keys that mean nothing, and those that are given twice.
  llvm::Error readKeys() {
    std::set<std::vector<std::string>> seen;
    for (const files::JSONMember &member : files::membersOf(text)) {
      const std::string &key = member.path.back();
      place = (path + ":" + files::lineAndColumn(text, member.offset)).str();
      bool isGenerator =
          member.path.size() == 2 && member.path.front() == "generators";
      if (member.path.size() > 1 && !isGenerator)
        continue;
      if (!isGenerator && !is_contained(knownKeys, key))
        return fail("unknown key \"" + Twine(key) + "\"" + nearestKey(key));
      if (!seen.insert(member.path).second)
        return fail(
            (isGenerator ? "generator '" + key + "'" : "key \"" + key + "\"") +
            " is given twice");
      if (isGenerator)
        generatorPlaces.push_back({key, place});
      else
        keyPlaces[key] = place;
    }
    place = path.str();
    return llvm::Error::success();
  }

  /// Errors that follow are about a key of the file, if it has that.
  void goTo(StringRef key) {
    auto found = keyPlaces.find(key.str());
    place = found == keyPlaces.end() ? path.str() : found->second;
  }

  /// The known key that `key` is a misspelling of, else all of them.
  static std::string nearestKey(StringRef key) {
    const StringLiteral *nearest =
        std::min_element(std::begin(knownKeys), std::end(knownKeys),
                         [&](StringRef a, StringRef b) {
                           return key.edit_distance(a) < key.edit_distance(b);
                         });
    if (key.edit_distance(*nearest) <= 2)
      return (", did you mean \"" + *nearest + "\"?").str();
    std::string all;
    for (StringRef known : knownKeys)
      all += (all.empty() ? "\"" : ", \"") + known.str() + "\"";
    return "; known are " + all;
  }

  Expected<StateGraph> readValues(const json::Value &value) {
    const json::Object *object = value.getAsObject();
    const json::Object *generators =
        object ? object->getObject("generators") : nullptr;
    goTo("generators");
    if (!generators || generators->empty())
      return fail("has no object \"generators\" with a generator in it");
    goTo("modulus");
    if (const json::Value *value = object->get("modulus")) {
      auto modulus = value->getAsInteger();
      if (!modulus || *modulus < 2 || *modulus > int64_t(1) << 31)
        return fail("\"modulus\" is no integer from 2 to 2147483648");
      graph.modulus = *modulus;
    }
    for (auto &[name, where] : generatorPlaces) {
      place = where;
      graph.generatorNames.push_back(name);
      const json::Value &generator = *generators->get(name);
      if (llvm::Error error = graph.modulus ? readMatrix(name, generator)
                                            : readPermutation(name, generator))
        return std::move(error);
    }
    goTo("central");
    if (llvm::Error error = readCentral(object->get("central")))
      return std::move(error);
    return std::move(graph);
  }

  llvm::Error fail(const Twine &reason) const {
    return makeError(ErrorCode::Invalid, reason.str(), place);
  }

  llvm::Error readPermutation(const std::string &name,
                              const json::Value &value) {
    const json::Array *array = value.getAsArray();
    if (array && !array->empty() && array->front().getAsArray())
      return fail("generator '" + name +
                  "' has rows as a matrix has, which needs a \"modulus\"");
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

  static constexpr StringLiteral knownKeys[] = {"generators", "central",
                                                "modulus", "info"};
  StringRef path, text;
  std::string place = path.str(); ///< what errors are about
  /// Names in the order of the file, with where they stand.
  std::vector<std::pair<std::string, std::string>> generatorPlaces;
  std::map<std::string, std::string> keyPlaces; ///< of the other keys
  StateGraph graph;
};

} // namespace

Expected<StateGraph> readGeneratorFile(StringRef path) {
  auto file = readText(path);
  if (!file)
    return file.takeError();
  return GeneratorFile(path, (*file)->getBuffer()).read();
}

} // namespace zenith::cayley
