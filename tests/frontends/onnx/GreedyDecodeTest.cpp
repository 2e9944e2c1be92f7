// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoders from ONNX write 64 tokens from a growing cache, with one
// compilation; record_decode.py made the lists with ONNX Runtime.

#include "frontends/onnx/ImportONNX.h"
#include "tests/lowering/pipeline/CompiledProgram.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <cstdlib>

namespace zenith::test {
namespace {

using Tokens = std::vector<int64_t>;

const Tokens prompt = {11, 42, 7, 1003};

const Tokens ofGPT2 = {
    37008, 6311, 11454, 6311, 13020, 37008, 6311,  6311, 13020, 37008, 13414,
    37008, 6311, 37008, 6311, 6311,  13414, 6311,  6311, 6311,  8739,  6311,
    6311,  6311, 6311,  8739, 8739,  6311,  33889, 6311, 6311,  13020, 6311,
    8739,  6311, 6311,  8739, 6311,  8739,  6311,  6311, 6311,  6311,  6311,
    6311,  6311, 6311,  8739, 8739,  8739,  8739,  6311, 6311,  6311,  6311,
    6311,  8739, 50029, 6311, 8739,  6311,  6311,  8739, 6311};

const Tokens ofLlama = {
    1844, 3186, 111,  1844, 666,  3794, 3459, 3459, 3459, 3459, 1478,
    3459, 3459, 1478, 1108, 3459, 3459, 3459, 3459, 3459, 1081, 1108,
    1108, 1108, 1108, 1297, 1108, 1297, 1108, 1297, 1108, 1297, 1108,
    1297, 1108, 1297, 1882, 100,  1297, 1882, 100,  1297, 1882, 100,
    1297, 3459, 1297, 3459, 1297, 3459, 1297, 3459, 2952, 3459, 2952,
    3459, 2952, 3459, 2952, 3459, 2952, 3459, 2952, 3459};

class GreedyDecode : public CompiledProgram {
protected:
  /// Compiles FOLDER/name/name.onnx into `session`, once; skips the test where
  /// it is not there.
  void load(const std::string &name);

  /// The tokens that follow the prompt.
  Tokens decode(size_t count);

private:
  /// One run on `tokens` after those that the cache holds.
  std::vector<Tensor> step(const Tokens &tokens);
  Tensor argument(const pipeline::ValueInfo &value, const Tokens &tokens);
  Tensor integers(const Tokens &values);
  int64_t likeliest(const Tensor &logits);

  std::unique_ptr<pipeline::Session> session;
  const pipeline::EntryInfo *entry = nullptr;
  std::map<std::string, Tensor> cache; ///< by name of the argument
  int64_t past = 0;                    ///< tokens in the cache
};

void GreedyDecode::load(const std::string &name) {
  const char *folder = std::getenv("ZENITH_MODELS_DIR");
  if (!folder)
    GTEST_SKIP() << "ZENITH_MODELS_DIR names no folder of models with weights";
  std::string place = std::string(folder) + "/" + name;
  std::string path = place + "/" + name + ".onnx";
  if (!llvm::sys::fs::exists(path))
    GTEST_SKIP() << "ZENITH_MODELS_DIR has no " << name;
  auto model = onnx::loadModel(path);
  ASSERT_TRUE(bool(model)) << model.error().message();
  onnx::ImportOptions import;
  import.folder = place;
  auto module = onnx::importONNX(*model, &context, import);
  ASSERT_TRUE(bool(module)) << module.error().message();
  auto executable = pipeline::compile(std::move(*module), {});
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  pipeline::SessionOptions options;
  options.baseDir = place;
  auto created = pipeline::Session::create(*executable, options);
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  session = std::move(*created);
  entry = session->executable().defaultEntry();
  ASSERT_NE(entry, nullptr);
}

Tensor GreedyDecode::integers(const Tokens &values) {
  auto type = mlir::RankedTensorType::get({1, int64_t(values.size())},
                                          mlir::IntegerType::get(&context, 64));
  return Tensor(type,
                llvm::ArrayRef(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(int64_t)));
}

Tensor GreedyDecode::argument(const pipeline::ValueInfo &value,
                              const Tokens &tokens) {
  int64_t count = int64_t(tokens.size());
  if (value.name == "input_ids")
    return integers(tokens);
  if (value.name == "attention_mask")
    return integers(Tokens(size_t(past + count), 1));
  if (value.name == "position_ids") {
    Tokens positions;
    for (int64_t i = 0; i < count; ++i)
      positions.push_back(past + i);
    return integers(positions);
  }
  if (auto known = cache.find(value.name); known != cache.end())
    return known->second;
  // One sequence, nothing before it: [batch, heads, past, size].
  std::vector<int64_t> dims = {1, value.dims[1].constant().value_or(1), 0,
                               value.dims[3].constant().value_or(1)};
  return Tensor(
      mlir::RankedTensorType::get(dims, mlir::Float32Type::get(&context)));
}

std::vector<Tensor> GreedyDecode::step(const Tokens &tokens) {
  std::vector<Tensor> arguments;
  for (const pipeline::ValueInfo &value : entry->arguments)
    arguments.push_back(argument(value, tokens));
  std::vector<Tensor> results = run(*session, arguments);
  past += int64_t(tokens.size());
  const std::string before = "present", after = "past_key_values";
  for (size_t i = 0; i < results.size(); ++i)
    if (const std::string &name = entry->results[i].name;
        name.compare(0, before.size(), before) == 0)
      cache[after + name.substr(before.size())] = results[i];
  return results;
}

int64_t GreedyDecode::likeliest(const Tensor &logits) {
  int64_t words = logits.shape().back();
  const float *end =
      reinterpret_cast<const float *>(logits.bytes()) + logits.size();
  return std::max_element(end - words, end) - (end - words);
}

Tokens GreedyDecode::decode(size_t count) {
  Tokens found, next = prompt;
  while (found.size() < count) {
    std::vector<Tensor> results = step(next);
    if (results.size() != entry->results.size())
      return found;
    next = {likeliest(results.front())};
    found.push_back(next.front());
  }
  for (const auto &[name, tensor] : cache)
    EXPECT_EQ(tensor.shape()[2], past) << name;
  return found;
}

TEST_F(GreedyDecode, GPT2Small) {
  load("gpt2-small-decode");
  if (!IsSkipped() && !HasFatalFailure())
    EXPECT_EQ(decode(ofGPT2.size()), ofGPT2);
}

TEST_F(GreedyDecode, LlamaTiny) {
  load("llama-tiny-cache");
  if (!IsSkipped() && !HasFatalFailure())
    EXPECT_EQ(decode(ofLlama.size()), ofLlama);
}

} // namespace
} // namespace zenith::test
