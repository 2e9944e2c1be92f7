// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an executable takes and gives, and how many bytes.

#include "frontends/c/Executable.h"

#include "frontends/c/StructReading.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/Suggestion.h"
#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "lowering/elements/ElementCodes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace zenith;
using namespace zenith::c;
using graph::DimExpr;

void release(zenith_executable *executable) noexcept {
  if (executable && drop(*executable))
    destroy(executable);
}

void zenith_executable_free(zenith_executable *executable) noexcept {
  release(executable);
}

const Entry *zenith_executable::find(const char *name) const {
  if (!name) {
    if (entries.size() == 1)
      return &entries.front();
    name = "main";
  }
  for (const Entry &entry : entries)
    if (entry.info->name == name)
      return &entry;
  return nullptr;
}

zenith_status *zenith_executable::unknownEntry(const char *name) const {
  std::vector<std::string> names;
  for (const Entry &entry : entries)
    names.push_back(entry.info->name);
  std::string known = names.empty() ? "none" : llvm::join(names, ", ");
  if (!name)
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "the program has several entries and none is main: " + known);
  return usage(ZENITH_REASON_UNKNOWN_NAME, "the program has no entry '" +
                                               std::string(name) +
                                               "'; it has " + known);
}

//===- descriptions
//--------------------------------------------------------===//

static Value describe(const pipeline::ValueInfo &info) {
  Value value;
  value.name = info.name;
  value.dtype = info.dtype;
  value.exprs = info.dims;
  value.isDonatable = info.donatable;
  for (const DimExpr &dim : info.dims) {
    bool onData = false;
    dim.forEachSymbol(
        [&](const std::string &name) { onData |= name.front() == '%'; });
    std::optional<int64_t> constant = dim.constant();
    value.dims.push_back(constant.value_or(-1));
    // A name stands as the model has it, an expression as text.
    std::optional<std::string> symbol = dim.asSymbol();
    value.texts.push_back(onData ? "" : symbol ? *symbol : dim.str());
    value.isKnown &= !onData;
  }
  return value;
}

/// The getters' pointers, once the texts are where they stay.
static void point(Value &value) {
  for (const std::string &text : value.texts)
    value.textPointers.push_back(text.c_str());
}

static DimRule ruleOf(const DimExpr &dim, std::vector<std::string> &symbols) {
  if (std::optional<int64_t> constant = dim.constant())
    return {DimRule::Constant, *constant};
  dim.forEachSymbol([&](const std::string &name) {
    if (!llvm::is_contained(symbols, name) && name.front() != '%')
      symbols.push_back(name);
  });
  std::optional<std::string> symbol = dim.asSymbol();
  if (!symbol || symbol->front() == '%')
    return {DimRule::Expression, 0};
  return {DimRule::Symbol,
          int64_t(llvm::find(symbols, *symbol) - symbols.begin())};
}

static Entry describe(const pipeline::EntryInfo &info) {
  Entry entry;
  entry.info = &info;
  auto add = [&](const std::vector<pipeline::ValueInfo> &from,
                 std::vector<Value> &to,
                 std::vector<std::vector<DimRule>> &rules) {
    for (const pipeline::ValueInfo &value : from) {
      to.push_back(describe(value));
      rules.emplace_back();
      for (const DimExpr &dim : value.dims)
        rules.back().push_back(ruleOf(dim, entry.symbols));
    }
  };
  add(info.arguments, entry.inputs, entry.inputRules);
  add(info.results, entry.outputs, entry.outputRules);
  return entry;
}

void zenith::c::describeValues(zenith_executable &executable) {
  const pipeline::Executable &program = *executable.program;
  for (const pipeline::EntryInfo &info : program.entries)
    executable.entries.push_back(describe(info));
  for (auto [spec, hasValue] :
       llvm::zip(program.parameters, program.parameterHasValue)) {
    Value value;
    value.name = spec.name;
    value.dtype = spec.dtype;
    value.dims = spec.dims;
    for (int64_t dim : spec.dims)
      value.texts.push_back(std::to_string(dim));
    value.hasDefault = hasValue;
    executable.parameters.push_back(std::move(value));
  }
  for (Entry &entry : executable.entries) {
    llvm::for_each(entry.inputs, point);
    llvm::for_each(entry.outputs, point);
  }
  llvm::for_each(executable.parameters, point);
}

std::shared_ptr<pipeline::Executable>
zenith::c::describeInterpreted(mlir::ModuleOp module) {
  auto program = std::make_shared<pipeline::Executable>();
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic())
      continue;
    pipeline::EntryInfo entry;
    entry.name = function.getSymName().str();
    for (const models::ArgumentInfo &argument : models::argumentsOf(function))
      entry.arguments.push_back(
          {argument.name, kernels::elementCode(argument.type.getElementType()),
           argument.dims});
    graph::DimAnalysis analysis;
    mlir::Operation *end = function.getBody().front().getTerminator();
    for (auto [result, value] :
         llvm::zip(models::resultsOf(function), end->getOperands())) {
      const graph::DimVector &dims = analysis.dimsOf(value);
      entry.results.push_back(
          {result.name,
           kernels::elementCode(result.type.getElementType()),
           {dims.begin(), dims.end()}});
    }
    entry.memory.entry = entry.name;
    entry.memory.usesPool = true; // nothing is planned
    program->entries.push_back(std::move(entry));
  }
  for (auto param : module.getOps<graph::ParamOp>()) {
    auto type = mlir::cast<mlir::RankedTensorType>(param.getType());
    runtime::ParameterSpec spec;
    spec.name = param.getSymName().str();
    spec.dtype = kernels::elementCode(type.getElementType());
    spec.dims = type.getShape().vec();
    spec.source = pipeline::sourceOf(param);
    program->parameters.push_back(std::move(spec));
    program->parameterHasValue.push_back(bool(param.getSourceAttr()));
  }
  program->checksums = pipeline::checksumsOf(module);
  return program;
}

//===- bytes
//---------------------------------------------------------------===//

/// Sizes of an entry's symbols by name.
static memory::DimValues valuesOf(const Entry &entry,
                                  llvm::ArrayRef<int64_t> sizes) {
  return [&entry, sizes](const std::string &name) -> std::optional<int64_t> {
    size_t number = llvm::find(entry.symbols, name) - entry.symbols.begin();
    if (number >= sizes.size() || sizes[number] < 0)
      return std::nullopt;
    return sizes[number];
  };
}

int64_t zenith::c::evaluate(const DimExpr &expr, const Entry &entry,
                            llvm::ArrayRef<int64_t> sizes) {
  if (std::optional<int64_t> constant = expr.constant())
    return *constant;
  return expr.evaluate(valuesOf(entry, sizes)).value_or(-1);
}

const pipeline::EntryPlan &
zenith::c::planFor(const zenith_executable &executable, const Entry &entry,
                   llvm::ArrayRef<int64_t> sizes) {
  return entry.info->planFor(valuesOf(entry, sizes), executable.maxMemory);
}

int64_t zenith::c::peakBytes(const pipeline::EntryPlan &plan,
                             const Entry &entry,
                             llvm::ArrayRef<int64_t> sizes) {
  const memory::MemoryReport &memory = plan.memory;
  int64_t arena = evaluate(memory.arena(), entry, sizes),
          results = evaluate(memory.results, entry, sizes), sum;
  if (memory.usesPool || arena < 0 || results < 0 ||
      __builtin_add_overflow(arena, results, &sum))
    return -1;
  return sum;
}

//===- getters
//-------------------------------------------------------------===//

const char *zenith_executable_entry(const zenith_executable *executable,
                                    size_t index) noexcept {
  return executable && index < executable->entries.size()
             ? executable->entries[index].info->name.c_str()
             : nullptr;
}

/// The values of a role; null where there is no such entry or role.
static const std::vector<Value> *valuesOf(const zenith_executable &executable,
                                          const char *name, zenith_role role) {
  if (role == ZENITH_ROLE_PARAMETER)
    return &executable.parameters;
  const Entry *entry = executable.find(name);
  if (!entry || (role != ZENITH_ROLE_INPUT && role != ZENITH_ROLE_OUTPUT))
    return nullptr;
  return role == ZENITH_ROLE_INPUT ? &entry->inputs : &entry->outputs;
}

size_t zenith_executable_count(const zenith_executable *executable,
                               const char *entry, zenith_role role) noexcept {
  const std::vector<Value> *values =
      executable ? valuesOf(*executable, entry, role) : nullptr;
  return values ? values->size() : 0;
}

zenith_status *zenith_executable_value(const zenith_executable *executable,
                                       const char *entry, zenith_role role,
                                       size_t index,
                                       zenith_value_info *info) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!executable || !info)
      return nullPointer(executable ? "info" : "executable");
    const std::vector<Value> *values = valuesOf(*executable, entry, role);
    if (!values)
      return role < ZENITH_ROLE_INPUT || role > ZENITH_ROLE_PARAMETER
                 ? usage(ZENITH_REASON_UNKNOWN_NAME,
                         "no role has the number " + std::to_string(role))
                 : executable->unknownEntry(entry);
    if (index >= values->size())
      return usage(ZENITH_REASON_WRONG_COUNT,
                   "value " + std::to_string(index) + " of " +
                       std::to_string(values->size()) + " was asked for");
    const Value &value = (*values)[index];
    zenith_value_info filled = {};
    filled.name = value.name.c_str();
    filled.dtype = value.dtype;
    filled.rank = int32_t(value.dims.size());
    filled.dims = value.dims.data();
    filled.dim_texts = value.textPointers.data();
    filled.has_default = value.hasDefault;
    filled.donatable = value.isDonatable;
    return writeStruct(info, filled)
               ? nullptr
               : usage(ZENITH_REASON_VERSION, "info has no struct_size");
  });
}

/// Sizes of the entry's symbols by name.
static zenith_status *readSizes(const Entry &entry,
                                const zenith_named_size *const *dims,
                                size_t count, std::vector<int64_t> &sizes) {
  sizes.assign(entry.symbols.size(), -1);
  std::string known =
      entry.symbols.empty() ? "none" : llvm::join(entry.symbols, ", ");
  for (size_t i = 0; i < count; ++i) {
    zenith_named_size size;
    if (!dims || !dims[i])
      return nullPointer("dims");
    if (zenith_status *status = readStruct(dims[i], size))
      return status;
    if (!size.name)
      return nullPointer("name of a dimension");
    auto found = llvm::find(entry.symbols, size.name);
    if (found == entry.symbols.end())
      return usage(ZENITH_REASON_UNKNOWN_NAME, "the entry has no dimension '" +
                                                   std::string(size.name) +
                                                   "'; it has " + known);
    if (size.size < 0)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                     "got " + std::to_string(size.size) +
                         ", expected a size of at least 0",
                     size.name);
    sizes[found - entry.symbols.begin()] = size.size;
  }
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0)
      return usage(ZENITH_REASON_UNKNOWN_NAME, "no size for dimension '" +
                                                   entry.symbols[i] +
                                                   "'; the entry has " + known);
  return nullptr;
}

zenith_status *zenith_executable_memory(const zenith_executable *executable,
                                        const char *name,
                                        const zenith_named_size *const *dims,
                                        size_t count,
                                        zenith_memory_info *info) noexcept {
  return guarded([&]() -> zenith_status * {
    if (!executable || !info)
      return nullPointer(executable ? "info" : "executable");
    const Entry *entry = executable->find(name);
    if (!entry)
      return executable->unknownEntry(name);
    std::vector<int64_t> sizes;
    if (zenith_status *status = readSizes(*entry, dims, count, sizes))
      return status;
    const pipeline::EntryPlan &plan = planFor(*executable, *entry, sizes);
    zenith_memory_info filled = {};
    filled.arena_bytes =
        std::max<int64_t>(evaluate(plan.memory.arena(), *entry, sizes), 0);
    filled.peak_bytes = peakBytes(plan, *entry, sizes);
    for (size_t i = 0; i < executable->parameters.size(); ++i)
      if (!llvm::is_contained(executable->program->onlyForPrepare, i))
        filled.parameter_bytes += executable->program->parameters[i].bytes();
    filled.derived_bytes = executable->program->derivedBytes;
    return writeStruct(info, filled)
               ? nullptr
               : usage(ZENITH_REASON_VERSION, "info has no struct_size");
  });
}
