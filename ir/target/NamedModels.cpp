// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads models from JSON, and the table of those with names once.

#include "ir/target/NamedModels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cassert>
#include <tuple>

using namespace llvm;

namespace zenith::target {

static constexpr StringLiteral namedModels =
#include "ir/target/NamedModels.def"
    ;

static constexpr StringLiteral processorsKey = "processors",
                               tripleKey = "triple";

static StringRef nearestOf(ArrayRef<StringRef> names, StringRef text) {
  return *min_element(names, [&](StringRef a, StringRef b) {
    return text.edit_distance(a) < text.edit_distance(b);
  });
}

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

std::string differencesOf(const TargetModel &model) {
  const json::Object generic = toJSON(TargetModel());
  std::string text;
  raw_string_ostream stream(text);
  forEachField(model, [&](StringRef name, auto field) {
    json::Value value = valueOf(field);
    if (value != *generic.get(name))
      stream << (text.empty() ? "" : " ") << name << "=" << value;
  });
  return text;
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
  if (!list)
    return "a list of names";
  field.clear();
  for (const json::Value &element : *list)
    if (!read(element, field.emplace_back()).empty())
      return "a list of names";
  return "";
}

namespace {
/// One object of fields, over a model.
class ModelReader {
public:
  ModelReader(StringRef text, const TargetModel &base, ModelFault &fault)
      : text(text), fault(fault) {
    given.model = base;
  }

  std::optional<GivenModel> read(const json::Object &object) {
    // Devices lack much at once, whatever else the object says.
    if (object.getBoolean("device").value_or(false) && !given.model.device)
      given.model = onDevice(given.model);
    // The first fault in the text is the one to report; lines are looked up
    // for faults only.
    bool good = true;
    for (const auto &[key, value] : object)
      good &= readKey(key, value);
    if (!good)
      return std::nullopt;
    auto broken = faultOf(given.model);
    if (!broken)
      return given;
    refuse(broken->field, "got " + broken->got + ", expected " +
                              broken->expected + " (" + broken->constraint +
                              ")");
    return std::nullopt;
  }

private:
  bool readKey(StringRef key, const json::Value &value) {
    std::optional<StringRef> expected;
    auto tryKey = [&](StringRef name, auto &field) {
      if (key == name)
        expected = target::read(value, field);
    };
    forEachField(given.model, tryKey);
    tryKey(processorsKey, given.processors);
    tryKey(tripleKey, given.triple);
    if (!expected)
      return refuse(key, "is no key of a target model; did you mean '" +
                             nearest(key) + "'?");
    return expected->empty() ||
           refuse(key,
                  formatv("got {0}, expected {1}", value, *expected).str());
  }

  StringRef nearest(StringRef key) const {
    std::vector<StringRef> names = {processorsKey, tripleKey};
    forEachField(given.model,
                 [&](StringRef name, auto) { names.push_back(name); });
    return nearestOf(names, key);
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

  /// Keeps the first fault in the text; of one line, the first key.
  bool refuse(StringRef key, const Twine &why) {
    size_t line = lineOf(key);
    if (!faultKey || std::tie(line, key) < std::tie(fault.line, *faultKey)) {
      fault = {("'" + key + "': " + why).str(), line};
      faultKey = key;
    }
    return false;
  }

  StringRef text;
  ModelFault &fault;
  std::optional<StringRef> faultKey;
  GivenModel given;
};
} // namespace

std::optional<GivenModel> parseModel(StringRef text, const TargetModel &base,
                                     ModelFault &fault) {
  Expected<json::Value> value = json::parse(text);
  if (!value) {
    handleAllErrors(value.takeError(), [&](const ErrorInfoBase &error) {
      fault = {error.message(), 1};
    });
    return std::nullopt;
  }
  if (const json::Object *object = value->getAsObject())
    return ModelReader(text, base, fault).read(*object);
  fault = {"expected an object of a model's fields", 1};
  return std::nullopt;
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
  ModelFault fault;
  for (const auto &[name, row] : *table.getAsObject())
    if (auto given = ModelReader(namedModels, TargetModel(), fault)
                         .read(*row.getAsObject()))
      models.push_back({name.str(), std::move(*given)});
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

StringRef nearestModelName(StringRef text) {
  return nearestOf(modelNames(), text);
}

} // namespace zenith::target
