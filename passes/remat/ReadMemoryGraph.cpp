// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks graphs and reads them from JSON; each mistake with its key.

#include "passes/remat/ReadMemoryGraph.h"

#include "passes/remat/StepOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace zenith::remat {

static std::string indexed(const std::string &key, size_t index) {
  return key + "[" + std::to_string(index) + "]";
}

/// Indices of a list that lie below `count` and occur once.
static Status checkIndices(ArrayRef<unsigned> list, size_t count,
                           const char *what, const std::string &key,
                           std::vector<bool> &seen) {
  seen.assign(count, false);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] >= count)
      return invalid("got " + std::to_string(list[i]) + ", there are " +
                         std::to_string(count) + " " + what,
                     indexed(key, i));
    if (seen[list[i]])
      return invalid("names " + std::to_string(list[i]) + " twice",
                     indexed(key, i));
    seen[list[i]] = true;
  }
  return noError();
}

static Status checkShares(const MemoryStep &step, const std::string &key) {
  for (size_t i = 0; i < step.shares.size(); ++i) {
    const SharedPair &pair = step.shares[i];
    if (!is_contained(step.reads, pair.read))
      return invalid("value " + std::to_string(pair.read) +
                         " is not read by the step",
                     indexed(key, i));
    if (!is_contained(step.writes, pair.written))
      return invalid("value " + std::to_string(pair.written) +
                         " is not written by the step",
                     indexed(key, i));
  }
  return noError();
}

/// Adds bytes that may all be needed at one time.
static Status addBytes(int64_t bytes, int64_t &sum, const std::string &key) {
  if (bytes < 0)
    return invalid("got " + std::to_string(bytes) +
                       " bytes, expected a number from 0 on",
                   key);
  if (bytes > mostBytes - sum)
    return invalid("the sizes up to here exceed " + std::to_string(mostBytes) +
                       " bytes together",
                   key);
  sum += bytes;
  return noError();
}

static Status checkStep(const MemoryGraph &graph, size_t index,
                        std::vector<int> &writer, int64_t &sum,
                        std::vector<bool> &seen) {
  const MemoryStep &step = graph.steps[index];
  std::string key = indexed("steps", index);
  size_t values = graph.values.size();
  if (!std::isfinite(step.cost) || step.cost < 0)
    return invalid("cost is no finite number from 0 on", key + ".cost");
  if (Status ok =
          checkIndices(step.reads, values, "values", key + ".reads", seen);
      !ok)
    return ok;
  if (Status ok =
          checkIndices(step.writes, values, "values", key + ".writes", seen);
      !ok)
    return ok;
  if (Status ok = checkIndices(step.after, graph.steps.size(), "steps",
                               key + ".after", seen);
      !ok)
    return ok;
  for (size_t i = 0; i < step.writes.size(); ++i) {
    int &first = writer[step.writes[i]];
    if (first >= 0)
      return invalid("value " + std::to_string(step.writes[i]) +
                         " is made twice, by steps " + std::to_string(first) +
                         " and " + std::to_string(index),
                     indexed(key + ".writes", i));
    first = int(index);
  }
  if (Status ok = addBytes(step.scratch, sum, key + ".scratch"); !ok)
    return ok;
  return checkShares(step, key + ".shares");
}

Status checkGraph(const MemoryGraph &graph) {
  int64_t sum = 0;
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (Status ok = addBytes(graph.values[i], sum, indexed("values", i)); !ok)
      return ok;
  std::vector<bool> seen;
  std::vector<int> writer(graph.values.size(), -1);
  double cost = 0;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (Status ok = checkStep(graph, i, writer, sum, seen); !ok)
      return ok;
    cost += graph.steps[i].cost;
  }
  if (!std::isfinite(cost))
    return invalid("the costs of all steps have no finite sum", "steps");
  if (Status ok =
          checkIndices(graph.keep, graph.values.size(), "values", "keep", seen);
      !ok)
    return ok;
  for (size_t i = 0; i < graph.keep.size(); ++i)
    if (writer[graph.keep[i]] < 0)
      return invalid("value " + std::to_string(graph.keep[i]) +
                         " is kept and never made",
                     indexed("keep", i));
  if (int step = stepOnCycle(graph); step >= 0)
    return invalid("the step is part of a cycle: it needs what it makes",
                   indexed("steps", size_t(step)));
  return noError();
}

namespace {

/// Reads members; remembers the first mistake.
class GraphReader {
public:
  Result<MemoryGraph> read(const json::Value &text);

private:
  bool fail(std::string text, std::string key) {
    error = invalid(std::move(text), std::move(key));
    return false;
  }
  bool readStep(const json::Value &value, const std::string &key,
                MemoryStep &step);
  bool readPairs(const json::Object &object, const std::string &key,
                 MemoryStep &step);
  bool readBytes(const json::Value &value, const std::string &key,
                 int64_t &bytes);
  bool readIndex(const json::Value &value, const std::string &key,
                 unsigned &index);
  bool readIndices(const json::Object &object, StringRef name, bool isOptional,
                   const std::string &key, std::vector<unsigned> &list);

  Error error;
};

} // namespace

bool GraphReader::readBytes(const json::Value &value, const std::string &key,
                            int64_t &bytes) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number)
    return fail("expected a whole number of bytes", key);
  bytes = *number;
  return true;
}

bool GraphReader::readIndex(const json::Value &value, const std::string &key,
                            unsigned &index) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number)
    return fail("expected an index", key);
  if (*number < 0 || *number >= int64_t(1) << 31)
    return fail("got " + std::to_string(*number) + ", expected an index", key);
  index = unsigned(*number);
  return true;
}

bool GraphReader::readIndices(const json::Object &object, StringRef name,
                              bool isOptional, const std::string &key,
                              std::vector<unsigned> &list) {
  const json::Value *value = object.get(name);
  if (!value && isOptional)
    return true;
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return fail("expected a list of indices", key);
  for (const json::Value &element : *array)
    if (!readIndex(element, indexed(key, list.size()), list.emplace_back()))
      return false;
  return true;
}

bool GraphReader::readPairs(const json::Object &object, const std::string &key,
                            MemoryStep &step) {
  const json::Value *value = object.get("shares");
  if (!value)
    return true;
  const json::Array *array = value->getAsArray();
  if (!array)
    return fail("expected a list of pairs [read, written]", key);
  for (const json::Value &element : *array) {
    std::string place = indexed(key, step.shares.size());
    const json::Array *pair = element.getAsArray();
    if (!pair || pair->size() != 2)
      return fail("expected a pair [read, written]", place);
    SharedPair &shared = step.shares.emplace_back();
    if (!readIndex((*pair)[0], place, shared.read) ||
        !readIndex((*pair)[1], place, shared.written))
      return false;
  }
  return true;
}

bool GraphReader::readStep(const json::Value &value, const std::string &key,
                           MemoryStep &step) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("expected an object", key);
  std::optional<double> cost = object->getNumber("cost");
  if (!cost)
    return fail("cost is no number", key + ".cost");
  step.cost = *cost;
  if (!readIndices(*object, "reads", false, key + ".reads", step.reads) ||
      !readIndices(*object, "writes", false, key + ".writes", step.writes) ||
      !readIndices(*object, "after", true, key + ".after", step.after) ||
      !readPairs(*object, key + ".shares", step))
    return false;
  if (const json::Value *scratch = object->get("scratch"))
    if (!readBytes(*scratch, key + ".scratch", step.scratch))
      return false;
  if (const json::Value *repeatable = object->get("repeatable")) {
    std::optional<bool> answer = repeatable->getAsBoolean();
    if (!answer)
      return fail("expected true or false", key + ".repeatable");
    step.repeatable = *answer;
  }
  if (std::optional<StringRef> kind = object->getString("kind"))
    step.kind = kind->str();
  return true;
}

Result<MemoryGraph> GraphReader::read(const json::Value &text) {
  const json::Object *object = text.getAsObject();
  if (!object)
    return invalid("expected an object");
  if (object->getString("format") != StringRef("memory-graph"))
    return invalid("expected \"memory-graph\"", "format");
  const json::Value *version = object->get("version");
  if (!version || version->getAsInteger() != 1)
    return invalid("unknown version, expected 1", "version");
  MemoryGraph graph;
  graph.name = object->getString("name").value_or("").str();
  const json::Array *values = object->getArray("values");
  if (!values)
    return invalid("expected a list of bytes", "values");
  for (const json::Value &value : *values)
    if (!readBytes(value, indexed("values", graph.values.size()),
                   graph.values.emplace_back()))
      return error;
  const json::Array *steps = object->getArray("steps");
  if (!steps)
    return invalid("expected a list of steps", "steps");
  for (const json::Value &step : *steps)
    if (!readStep(step, indexed("steps", graph.steps.size()),
                  graph.steps.emplace_back()))
      return error;
  if (!readIndices(*object, "keep", false, "keep", graph.keep))
    return error;
  if (Status ok = checkGraph(graph); !ok)
    return ok.error();
  return graph;
}

Result<MemoryGraph> parseMemoryGraph(const json::Value &text) {
  return GraphReader().read(text);
}

} // namespace zenith::remat
