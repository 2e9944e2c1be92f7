// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight bytes of length, JSON with all that an executable says, then the bytes
// of objects and inline parameters in order.

#include "lowering/pipeline/ExecutableImage.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;

//===- writing
//-------------------------------------------------------------===//

static json::Array texts(ArrayRef<DimExpr> exprs) {
  json::Array array;
  for (const DimExpr &expr : exprs)
    array.push_back(expr.str());
  return array;
}

static json::Array values(ArrayRef<ValueInfo> infos) {
  json::Array array;
  for (const ValueInfo &info : infos)
    array.push_back(json::Object{{"name", json::fixUTF8(info.name)},
                                 {"dtype", info.dtype},
                                 {"dims", texts(info.dims)},
                                 {"donatable", info.donatable}});
  return array;
}

static json::Object memoryObject(const memory::MemoryReport &report) {
  return json::Object{{"parameters", report.parameters.str()},
                      {"derived", report.derived.str()},
                      {"inputs", report.inputs.str()},
                      {"results", report.results.str()},
                      {"activations", report.activations.str()},
                      {"temporaries", report.temporaries.str()},
                      {"result_buffers", report.resultBuffers.str()},
                      {"donated_buffers", report.donatedBuffers.str()},
                      {"facts", json::fixUTF8(report.facts)},
                      {"buffers", json::fixUTF8(report.buffers)},
                      {"pool", report.usesPool}};
}

static json::Object planObject(const EntryPlan &plan) {
  return json::Object{{"program", plan.program},
                      {"memory", memoryObject(plan.memory)}};
}

static json::Object entryObject(const EntryInfo &entry) {
  json::Array plans{planObject(entry)};
  for (const EntryPlan &plan : entry.thriftier)
    plans.push_back(planObject(plan));
  return json::Object{{"name", entry.name},
                      {"arguments", values(entry.arguments)},
                      {"results", values(entry.results)},
                      {"plans", std::move(plans)}};
}

static json::Object parameterObject(const runtime::ParameterSpec &spec,
                                    bool hasValue) {
  return json::Object{{"name", json::fixUTF8(spec.name)},
                      {"dtype", spec.dtype},
                      {"dims", json::Array(spec.dims)},
                      {"value", hasValue},
                      {"file", json::fixUTF8(spec.source.file)},
                      {"offset", spec.source.offset},
                      {"inline", int64_t(spec.source.inlineBytes.size())}};
}

std::string writeImage(const Executable &executable,
                       ArrayRef<cpu::EmittedFile> objects) {
  json::Array entries, parameters, unread, code, sources;
  std::string blobs;
  for (const EntryInfo &entry : executable.entries)
    entries.push_back(entryObject(entry));
  for (const cpu::EmittedFile &object : objects) {
    code.push_back(json::Object{{"name", object.name},
                                {"bytes", int64_t(object.bytes.size())}});
    blobs += object.bytes;
  }
  for (size_t i = 0; i < executable.parameters.size(); ++i) {
    parameters.push_back(parameterObject(executable.parameters[i],
                                         executable.parameterHasValue[i]));
    blobs += executable.parameters[i].source.inlineBytes;
  }
  for (size_t index : executable.onlyForPrepare)
    unread.push_back(int64_t(index));
  for (const std::vector<std::string> &names : executable.kernelSources) {
    json::Array list;
    for (const std::string &name : names)
      list.push_back(json::fixUTF8(name));
    sources.push_back(std::move(list));
  }
  std::string text;
  raw_string_ostream(text) << json::Value(
      json::Object{{"entries", std::move(entries)},
                   {"parameters", std::move(parameters)},
                   {"only_for_prepare", std::move(unread)},
                   {"kernels", json::Array(executable.kernels)},
                   {"kernel_sources", std::move(sources)},
                   {"derived_bytes", executable.derivedBytes},
                   {"prepare", executable.hasPrepare},
                   {"objects", std::move(code)}});
  std::string bytes(8, '\0');
  support::endian::write64le(bytes.data(), text.size());
  return bytes + text + blobs;
}

//===- reading
//-------------------------------------------------------------===//

namespace {

/// Fields of an object; remembers whether all were there.
class Fields {
public:
  Fields(const json::Value *value, bool &ok)
      : object(value ? value->getAsObject() : nullptr), ok(ok) {
    ok &= object != nullptr;
  }
  Fields(const json::Value &value, bool &ok) : Fields(&value, ok) {}
  std::string text(StringRef key) const {
    auto found = object ? object->getString(key) : std::nullopt;
    ok &= found.has_value();
    return found ? found->str() : "";
  }
  int64_t number(StringRef key) const {
    auto found = object ? object->getInteger(key) : std::nullopt;
    ok &= found.has_value();
    return found.value_or(0);
  }
  bool flag(StringRef key) const {
    auto found = object ? object->getBoolean(key) : std::nullopt;
    ok &= found.has_value();
    return found.value_or(false);
  }
  DimExpr size(StringRef key) const { return sizeOf(text(key)); }
  DimExpr sizeOf(const std::string &text) const {
    auto parsed = DimExpr::parse(text);
    ok &= parsed.has_value();
    return parsed.value_or(DimExpr(0));
  }
  void each(StringRef key,
            function_ref<void(const json::Value &)> visit) const {
    const json::Array *array = object ? object->getArray(key) : nullptr;
    ok &= array != nullptr;
    if (array)
      for (const json::Value &element : *array)
        visit(element);
  }
  std::string element(const json::Value &value) const {
    auto found = value.getAsString();
    ok &= found.has_value();
    return found ? found->str() : "";
  }
  int64_t integer(const json::Value &value) const {
    auto found = value.getAsInteger();
    ok &= found.has_value();
    return found.value_or(0);
  }
  Fields member(StringRef key) const {
    return Fields(object ? object->get(key) : nullptr, ok);
  }

private:
  const json::Object *object;
  bool &ok;
};

} // namespace

static std::vector<ValueInfo> readValues(const Fields &fields, StringRef key,
                                         bool &ok) {
  std::vector<ValueInfo> infos;
  fields.each(key, [&](const json::Value &value) {
    Fields own(value, ok);
    ValueInfo info{own.text("name"), int32_t(own.number("dtype")), {}};
    own.each("dims", [&](const json::Value &dim) {
      info.dims.push_back(own.sizeOf(own.element(dim)));
    });
    info.donatable = own.flag("donatable");
    infos.push_back(std::move(info));
  });
  return infos;
}

static EntryPlan readPlan(const json::Value &value, StringRef entry, bool &ok) {
  Fields fields(value, ok);
  EntryPlan plan;
  plan.program = fields.text("program");
  Fields memory = fields.member("memory");
  plan.memory.entry = entry.str();
  plan.memory.parameters = memory.size("parameters");
  plan.memory.derived = memory.size("derived");
  plan.memory.inputs = memory.size("inputs");
  plan.memory.results = memory.size("results");
  plan.memory.activations = memory.size("activations");
  plan.memory.temporaries = memory.size("temporaries");
  plan.memory.resultBuffers = memory.size("result_buffers");
  plan.memory.donatedBuffers = memory.size("donated_buffers");
  plan.memory.facts = memory.text("facts");
  plan.memory.buffers = memory.text("buffers");
  plan.memory.usesPool = memory.flag("pool");
  return plan;
}

static EntryInfo readEntry(const json::Value &value, bool &ok) {
  Fields fields(value, ok);
  EntryInfo entry;
  entry.name = fields.text("name");
  entry.arguments = readValues(fields, "arguments", ok);
  entry.results = readValues(fields, "results", ok);
  std::vector<EntryPlan> plans;
  fields.each("plans", [&](const json::Value &plan) {
    plans.push_back(readPlan(plan, entry.name, ok));
  });
  ok &= !plans.empty();
  if (plans.empty())
    return entry;
  static_cast<EntryPlan &>(entry) = std::move(plans.front());
  plans.erase(plans.begin());
  entry.thriftier = std::move(plans);
  return entry;
}

/// The next `count` bytes of `rest`; clears `ok` where there are fewer.
static std::string take(StringRef &rest, int64_t count, bool &ok) {
  ok &= count >= 0 && uint64_t(count) <= rest.size();
  std::string bytes = ok ? rest.take_front(size_t(count)).str() : "";
  rest = rest.drop_front(bytes.size());
  return bytes;
}

static void readParameter(const json::Value &value, StringRef &blobs,
                          Executable &executable, bool &ok) {
  Fields fields(value, ok);
  runtime::ParameterSpec spec;
  spec.name = fields.text("name");
  spec.dtype = int32_t(fields.number("dtype"));
  fields.each("dims", [&](const json::Value &dim) {
    spec.dims.push_back(fields.integer(dim));
  });
  spec.source.file = fields.text("file");
  spec.source.offset = fields.number("offset");
  spec.source.inlineBytes = take(blobs, fields.number("inline"), ok);
  executable.parameters.push_back(std::move(spec));
  executable.parameterHasValue.push_back(fields.flag("value"));
}

Expected<ExecutableImage> readImage(StringRef bytes) {
  auto damaged = [] {
    return createStringError(inconvertibleErrorCode(),
                             "the bytes are no image of an executable");
  };
  if (bytes.size() < 8)
    return damaged();
  uint64_t length = support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(8);
  if (length > bytes.size())
    return damaged();
  Expected<json::Value> value = json::parse(bytes.take_front(length));
  if (!value) {
    consumeError(value.takeError());
    return damaged();
  }
  StringRef blobs = bytes.drop_front(length);
  bool ok = true;
  Fields fields(*value, ok);
  ExecutableImage image{std::make_shared<Executable>(), {}};
  Executable &executable = *image.executable;
  fields.each("entries", [&](const json::Value &entry) {
    executable.entries.push_back(readEntry(entry, ok));
  });
  fields.each("objects", [&](const json::Value &object) {
    Fields own(object, ok);
    image.objects.push_back(
        {own.text("name"), take(blobs, own.number("bytes"), ok)});
  });
  fields.each("parameters", [&](const json::Value &parameter) {
    readParameter(parameter, blobs, executable, ok);
  });
  fields.each("only_for_prepare", [&](const json::Value &index) {
    executable.onlyForPrepare.push_back(size_t(fields.integer(index)));
    ok &= executable.onlyForPrepare.back() < executable.parameters.size();
  });
  fields.each("kernels", [&](const json::Value &name) {
    executable.kernels.push_back(fields.element(name));
  });
  fields.each("kernel_sources", [&](const json::Value &names) {
    std::vector<std::string> &sources = executable.kernelSources.emplace_back();
    const json::Array *list = names.getAsArray();
    ok &= list != nullptr;
    for (size_t i = 0; list && i < list->size(); ++i)
      sources.push_back(fields.element((*list)[i]));
  });
  ok &= executable.kernelSources.size() == executable.kernels.size();
  executable.derivedBytes = fields.number("derived_bytes");
  executable.hasPrepare = fields.flag("prepare");
  if (!ok || !blobs.empty())
    return damaged();
  return image;
}

} // namespace zenith::pipeline
