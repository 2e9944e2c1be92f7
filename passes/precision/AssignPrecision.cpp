// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that writes a policy's types into a module, and says so op by op.

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/precision/KeptOps.h"
#include "passes/precision/PrecisionAssignment.h"
#include "passes/precision/PrecisionPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_ASSIGNPRECISIONPASS
#include "passes/precision/PrecisionPasses.h.inc"
} // namespace zenith

namespace zenith::precision {

static void emit(const PrecisionRecord &record) {
  std::vector<remarks::Value> values{record.name,
                                     record.op->getName().stripDialect().str()};
  llvm::append_range(values, record.reason);
  for (const char *text : {record.rule.c_str(), record.types.c_str(), "f32",
                           record.result.c_str()})
    values.push_back(text);
  remarks::emit(record.op, record.code, values);
}

/// In program order; of the ops that one node of the source became, the product
/// is the last.
static void emitAll(ArrayRef<PrecisionRecord> records) {
  std::map<std::string, size_t> last;
  for (auto [index, record] : llvm::enumerate(records))
    last[record.name] = index;
  std::map<std::string, std::vector<const PrecisionRecord *>> held;
  for (auto [index, record] : llvm::enumerate(records)) {
    if (listOf(record.op) == List::Allow)
      held[record.name].push_back(&record);
    else
      emit(record);
    if (last[record.name] == index)
      for (const PrecisionRecord *product : held[record.name])
        emit(*product);
  }
}

static void mark(const PrecisionRecord &record, int64_t index) {
  Builder builder(record.op->getContext());
  record.op->setAttr(
      decisionAttrName,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("index", builder.getI64IntegerAttr(index)),
           builder.getNamedAttr("rule", builder.getStringAttr(record.rule)),
           builder.getNamedAttr("operands",
                                builder.getStringAttr(record.types)),
           builder.getNamedAttr("result",
                                builder.getStringAttr(record.result))}));
}

namespace {

struct AssignPrecisionPass
    : impl::AssignPrecisionPassBase<AssignPrecisionPass> {
  using AssignPrecisionPassBase::AssignPrecisionPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string text = policy;
    if (auto own = module->getAttrOfType<StringAttr>(precisionAttrName);
        own && text.empty())
      text = own.str();
    if (text.empty())
      return;
    if (std::optional<Error> error = assign(module, text)) {
      module.emitError() << error->message();
      return signalPassFailure();
    }
    module->setAttr(precisionAttrName, StringAttr::get(&getContext(), text));
  }

private:
  std::optional<Error> assign(ModuleOp module, StringRef text);
};

} // namespace

std::optional<Error> AssignPrecisionPass::assign(ModuleOp module,
                                                 StringRef text) {
  PrecisionRequest request;
  Result<Policy> read = parsePolicy(text, &getContext());
  if (!read)
    return read.error();
  request.policy = *read;
  request.keepF32 = {keepF32.begin(), keepF32.end()};
  if (auto error = checkKeepPatterns(module, request.keepF32))
    return error;
  if (!choices.empty()) {
    Result<PrecisionChoices> chosen = parseChoices(choices);
    if (!chosen)
      return chosen.error();
    request.choices = std::move(*chosen);
  }
  for (auto &[name, op] : namedProducts(module, request.policy))
    request.products[op] = name;
  int64_t index = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    std::vector<PrecisionRecord> records = assignPrecision(function, request);
    if (explain)
      emitAll(records);
    if (marks)
      for (const PrecisionRecord &record : records)
        mark(record, index++);
  }
  return std::nullopt;
}

} // namespace zenith::precision
