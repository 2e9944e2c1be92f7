// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes are written with expressions, and read with the sizes of one run.

#include "lowering/memory/BufferNotes.h"

#include "ir/LocationText.h"
#include "lowering/memory/FunctionGraph.h"
#include "lowering/memory/PlanBuffers.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;
using namespace mlir;

namespace zenith::memory {

static std::string kindOf(Operation &op) {
  if (auto fusion = dyn_cast<graph::FusionOp>(op))
    return stringifyEnum(fusion.getKind()).str();
  return op.getName().stripDialect().str();
}

static std::string typeText(Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value.getType();
  return text;
}

std::string notesOf(func::FuncOp function, const BufferPlan &plan) {
  json::Array steps, buffers;
  for (Operation &op : function.getBody().front()) {
    auto again = op.getAttrOfType<FlatSymbolRefAttr>(recomputesAttrName);
    steps.push_back(json::Array{kindOf(op), graph::placeOf(op.getLoc()),
                                again ? again.getValue() : ""});
  }
  for (const PlannedBuffer &buffer : plan.buffers) {
    std::string name =
        buffer.value ? "%" + std::to_string(buffers.size()) : "scratch";
    const char *kind = buffer.value      ? "activations"
                       : buffer.isNested ? "temporaries"
                                         : "scratch";
    buffers.push_back(json::Array{
        name, buffer.value ? typeText(buffer.value) : "", kind,
        wholeLines(buffer.bytes).str(), buffer.offset.str(),
        int64_t(buffer.live.begin) - 1, int64_t(buffer.live.end) - 1});
  }
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(json::Object{
      {"steps", std::move(steps)}, {"buffers", std::move(buffers)}});
  return text;
}

static std::optional<int64_t> numberOf(const json::Value &text,
                                       const DimValues &values) {
  auto expression =
      graph::DimExpr::parse(text.getAsString().value_or("").str());
  return expression ? expression->evaluate(values) : std::nullopt;
}

std::optional<json::Object> timelineOf(const std::string &text,
                                       const graph::DimExpr &bytes,
                                       const DimValues &values) {
  llvm::Expected<json::Value> notes = json::parse(text);
  if (!notes) {
    llvm::consumeError(notes.takeError());
    return std::nullopt;
  }
  const json::Object *object = notes->getAsObject();
  const json::Array *steps = object ? object->getArray("steps") : nullptr,
                    *buffers = object ? object->getArray("buffers") : nullptr;
  std::optional<int64_t> arena = bytes.evaluate(values);
  if (!steps || !buffers || !arena)
    return std::nullopt;
  std::vector<int64_t> live(steps->size() + 1);
  json::Array allBuffers, allSteps;
  auto stepText = [&](int64_t step, size_t part) {
    return (*(*steps)[size_t(step)].getAsArray())[part]
        .getAsString()
        .value_or("")
        .str();
  };
  for (const json::Value &row : *buffers) {
    const json::Array &parts = *row.getAsArray();
    std::optional<int64_t> bytes = numberOf(parts[3], values),
                           offset = numberOf(parts[4], values);
    if (!bytes || !offset)
      return std::nullopt;
    int64_t begin = *parts[5].getAsInteger(), end = *parts[6].getAsInteger();
    live[size_t(begin)] += *bytes;
    live[size_t(end) + 1] -= *bytes;
    allBuffers.push_back(json::Object{{"value", parts[0]},
                                      {"type", parts[1]},
                                      {"class", parts[2]},
                                      {"bytes", *bytes},
                                      {"offset", *offset},
                                      {"begin", begin},
                                      {"end", end},
                                      {"location", stepText(begin, 1)}});
  }
  int64_t now = 0;
  for (size_t step = 0; step < steps->size(); ++step) {
    now += live[step];
    json::Object row{{"name", "step" + std::to_string(step)},
                     {"kind", stepText(int64_t(step), 0)},
                     {"location", stepText(int64_t(step), 1)},
                     {"live", now}};
    std::string again = stepText(int64_t(step), 2);
    row["recomputes"] =
        again.empty() ? json::Value(nullptr) : json::Value(again);
    allSteps.push_back(std::move(row));
  }
  return json::Object{{"arena", *arena},
                      {"steps", std::move(allSteps)},
                      {"buffers", std::move(allBuffers)}};
}

json::Array largestOf(const json::Object &timeline, size_t count) {
  std::vector<const json::Object *> buffers;
  for (const json::Value &buffer : *timeline.getArray("buffers"))
    buffers.push_back(buffer.getAsObject());
  llvm::stable_sort(buffers, [](const json::Object *x, const json::Object *y) {
    return *x->getInteger("bytes") > *y->getInteger("bytes");
  });
  json::Array largest;
  for (const json::Object *buffer : llvm::ArrayRef(buffers).take_front(count)) {
    json::Object row;
    for (const char *key :
         {"bytes", "type", "class", "location", "begin", "end"})
      row[key] = *buffer->get(key);
    row["step"] = "step" + std::to_string(*buffer->getInteger("begin"));
    largest.push_back(std::move(row));
  }
  return largest;
}

std::string drawTimeline(const json::Object &timeline) {
  constexpr int64_t width = 1200, height = 600;
  const json::Array &steps = *timeline.getArray("steps");
  int64_t arena = std::max<int64_t>(1, *timeline.getInteger("arena")),
          count = std::max<int64_t>(1, int64_t(steps.size()));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width
     << " " << height << "\">\n<defs><pattern id=\"again\" width=\"6\" "
     << "height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
     << "height=\"6\" fill=\"#dfe8f5\"/><path d=\"M0 6L6 0\" "
     << "stroke=\"#35609c\"/></pattern></defs>\n";
  auto across = [&](int64_t step) {
    return double(width) * double(step) / double(count);
  };
  auto up = [&](int64_t bytes) {
    return double(height) * double(bytes) / double(arena);
  };
  for (const json::Value &value : *timeline.getArray("buffers")) {
    const json::Object &buffer = *value.getAsObject();
    int64_t begin = *buffer.getInteger("begin"),
            end = *buffer.getInteger("end"),
            bytes = *buffer.getInteger("bytes"),
            offset = *buffer.getInteger("offset");
    bool isAgain =
        steps[size_t(begin)].getAsObject()->getString("recomputes").has_value();
    bool isValue = buffer.getString("class") == "activations";
    os << "<rect x=\"" << across(begin) << "\" y=\""
       << double(height) - up(offset + bytes) << "\" width=\""
       << across(end + 1 - begin) << "\" height=\"" << up(bytes) << "\" fill=\""
       << (isAgain   ? "url(#again)"
           : isValue ? "#9dbbe3"
                     : "#e3c39d")
       << "\" stroke=\"#35609c\" stroke-width=\"0.3\"><title>"
       << *buffer.getString("value") << ": " << bytes << " bytes, steps "
       << begin << " to " << end << "</title></rect>\n";
  }
  os << "</svg>\n";
  return text;
}

} // namespace zenith::memory
