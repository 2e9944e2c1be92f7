// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads models from JSON, and the table of those with names once.

#include "ir/target/NamedModels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace zenith::target {

static constexpr StringLiteral namedModels =
#include "ir/target/NamedModels.inc"
    ;

static Error failureIn(const Twine &place, const Twine &why) {
  return createStringError(inconvertibleErrorCode(), place + ": " + why);
}

static constexpr StringLiteral processorKey = "processor",
                               processorsKey = "processors",
                               tripleKey = "triple";

static json::Value valueOf(Kind field) { return wordOf(field); }
static json::Value valueOf(bool field) { return field; }
static json::Value valueOf(unsigned field) { return int64_t(field); }
static json::Value valueOf(int64_t field) { return field; }
static json::Value valueOf(double field) { return field; }

json::Object toJSON(const TargetModel &model) {
  json::Object object;
  forEachField(model, [&](StringRef name, auto field) {
    object[name] = valueOf(field);
  });
  return object;
}

// What `value` should have been; empty where it has been read.
static StringRef read(const json::Value &value, bool &field) {
  std::optional<bool> got = value.getAsBoolean();
  field = got.value_or(field);
  return got ? "" : "true or false";
}

static StringRef read(const json::Value &value, double &field) {
  std::optional<double> got = value.getAsNumber();
  field = got.value_or(field);
  return got ? "" : "a number";
}

template <typename Integer>
static StringRef read(const json::Value &value, Integer &field) {
  std::optional<int64_t> got = value.getAsInteger();
  if (!got || *got < 0 || int64_t(Integer(*got)) != *got)
    return "a count";
  field = Integer(*got);
  return "";
}

static StringRef read(const json::Value &value, Kind &field) {
  std::optional<StringRef> word = value.getAsString();
  std::optional<Kind> got = word ? kindOf(*word) : std::nullopt;
  field = got.value_or(field);
  return got ? "" : "\"cpu\" or \"gpu\"";
}

static StringRef read(const json::Value &value, std::string &field) {
  std::optional<StringRef> got = value.getAsString();
  field = got.value_or(field).str();
  return got ? "" : "a string";
}

static StringRef read(const json::Value &value,
                      std::vector<std::string> &field) {
  const json::Array *list = value.getAsArray();
  field.clear();
  for (const json::Value &element : list ? *list : json::Array())
    if (!read(element, field.emplace_back()).empty())
      return "a list of strings";
  return list ? "" : "a list of strings";
}

namespace {
/// One object of fields, over a model.
class ModelReader {
public:
  ModelReader(StringRef text, StringRef file, const TargetModel &base)
      : text(text), file(file) {
    given.model = base;
  }

  Expected<GivenModel> read(const json::Object &object) {
    // A device comes first: it changes what the others are left at.
    if (object.getBoolean("device").value_or(false) && !given.model.device)
      given.model = onDevice(given.model);
    std::vector<StringRef> keys;
    for (const auto &[key, value] : object)
      keys.push_back(key);
    sort(keys, [&](StringRef a, StringRef b) {
      return std::make_pair(lineOf(a), a) < std::make_pair(lineOf(b), b);
    });
    for (StringRef key : keys)
      if (Error error = readKey(key, *object.get(key)))
        return std::move(error);
    if (auto fault = faultOf(given.model))
      return failure(fault->field,
                     formatv("got {0}, expected {1} ({2})", fault->got,
                             fault->expected, fault->constraint)
                         .str());
    return given;
  }

private:
  Error readKey(StringRef key, const json::Value &value) {
    StringRef expected = "?";
    auto tryKey = [&](StringRef name, auto &field) {
      if (key == name)
        expected = target::read(value, field);
    };
    forEachField(given.model, tryKey);
    tryKey(processorsKey, given.processors);
    tryKey(tripleKey, given.triple);
    if (key == processorKey)
      expected = target::read(value, given.processors.emplace_back());
    if (expected.empty())
      return Error::success();
    if (expected == "?")
      return failure(key, ("is no key of a target model; did you mean '" +
                           nearest(key) + "'?")
                              .str());
    return failure(key,
                   formatv("got {0}, expected {1}", value, expected).str());
  }

  StringRef nearest(StringRef key) const {
    std::vector<StringRef> names = {processorKey, processorsKey, tripleKey};
    forEachField(given.model,
                 [&](StringRef name, auto) { names.push_back(name); });
    return *min_element(names, [&](StringRef a, StringRef b) {
      return key.edit_distance(a) < key.edit_distance(b);
    });
  }

  /// The line on which `key` stands before a colon; 1 where it is left out.
  size_t lineOf(StringRef key) const {
    std::string quoted = ("\"" + key + "\"").str();
    for (size_t at = text.find(quoted); at != StringRef::npos;
         at = text.find(quoted, at + 1))
      if (text.drop_front(at + quoted.size()).ltrim().starts_with(":"))
        return text.take_front(at).count('\n') + 1;
    return 1;
  }

  Error failure(StringRef key, StringRef why) const {
    return failureIn(file + ":" + Twine(lineOf(key)), "'" + key + "': " + why);
  }

  StringRef text, file;
  GivenModel given;
};
} // namespace

Expected<GivenModel> parseModel(StringRef text, StringRef file,
                                const TargetModel &base) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return failureIn(file, toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return failureIn(file + ":1", "expected an object of a model's fields");
  return ModelReader(text, file, base).read(*object);
}

namespace {
struct NamedModel {
  std::string name;
  GivenModel given;
};
} // namespace

static std::vector<NamedModel> readTable() {
  std::vector<NamedModel> models;
  json::Value table = cantFail(json::parse(namedModels));
  for (const auto &[name, row] : *table.getAsObject())
    models.push_back(
        {name.str(),
         cantFail(ModelReader(namedModels, "the table of models", TargetModel())
                      .read(*row.getAsObject()))});
  // Objects of JSON have no order.
  sort(models, [](const NamedModel &a, const NamedModel &b) {
    return namedModels.find("\"" + a.name + "\": {") <
           namedModels.find("\"" + b.name + "\": {");
  });
  return models;
}

static const std::vector<NamedModel> &table() {
  static const std::vector<NamedModel> models = readTable();
  return models;
}

const GivenModel *namedModel(StringRef name) {
  for (const NamedModel &model : table())
    if (model.name == name)
      return &model.given;
  return nullptr;
}

const GivenModel *modelOfProcessor(StringRef cpu) {
  for (const NamedModel &model : table())
    if (is_contained(model.given.processors, cpu))
      return &model.given;
  return nullptr;
}

std::vector<StringRef> modelNames() {
  std::vector<StringRef> names;
  for (const NamedModel &model : table())
    names.push_back(model.name);
  return names;
}

} // namespace zenith::target
