// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads states of searches as tensors with names.

#include "frontends/models/SearchCheckpoint.h"

#include "frontends/tensors/Safetensors.h"
#include "ir/LLVMError.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

std::string zenith::models::digestOf(const cayley::StateGraph &graph,
                                     llvm::ArrayRef<cayley::State> states) {
  llvm::SHA256 hash;
  auto add = [&](llvm::ArrayRef<int64_t> numbers) {
    auto size = uint64_t(numbers.size());
    hash.update(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof(size)));
    hash.update(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(numbers.data()),
                       numbers.size() * sizeof(int64_t)));
  };
  add(graph.central);
  add({graph.modulus});
  for (const cayley::Permutation &permutation : graph.permutations)
    add(std::vector<int64_t>(permutation.begin(), permutation.end()));
  for (const cayley::Matrix &matrix : graph.matrices)
    add(matrix.entries);
  for (const cayley::State &state : states)
    add(state);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

template <typename Number>
static Tensor listOf(llvm::ArrayRef<Number> numbers, Type element) {
  return Tensor(RankedTensorType::get({int64_t(numbers.size())}, element),
                llvm::ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                               numbers.size() * sizeof(Number)));
}

llvm::Error zenith::models::saveCheckpoint(const std::string &path,
                                           const std::string &key,
                                           const SearchCheckpoint &checkpoint,
                                           MLIRContext *context) {
  std::map<std::string, Tensor> tensors;
  for (auto [number, tensor] : llvm::enumerate(checkpoint.state))
    tensors["carried" + std::to_string(number)] = tensor;
  tensors["layers"] =
      listOf<int64_t>(checkpoint.layers, IntegerType::get(context, 64));
  tensors["key"] =
      listOf<char>(llvm::ArrayRef(key.data(), key.size()),
                   IntegerType::get(context, 8, IntegerType::Unsigned));
  return tensors::writeSafetensors(path, tensors);
}

/// An error that says of which search a checkpoint is.
static llvm::Error otherSearch(llvm::StringRef has, const std::string &path) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(has);
  const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  auto graph = object ? object->getString("graph") : std::nullopt;
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  return makeError(ErrorCode::Invalid,
                   graph ? "is a checkpoint of another search, of " +
                               graph->str() + " with " + has.str()
                         : std::string("is no checkpoint of a search"),
                   path);
}

llvm::Expected<SearchCheckpoint>
zenith::models::loadCheckpoint(const std::string &path, const std::string &key,
                               MLIRContext *context) {
  auto file = tensors::Safetensors::open(path, context);
  if (!file)
    return file.takeError();
  const Tensor *has = file->find("key"), *layers = file->find("layers");
  if (!has || !layers || !layers->elementType().isInteger(64))
    return otherSearch("", path);
  llvm::StringRef made(has->bytes(), size_t(has->byteSize()));
  if (made != key)
    return otherSearch(made, path);
  SearchCheckpoint checkpoint;
  const auto *sizes = reinterpret_cast<const int64_t *>(layers->bytes());
  checkpoint.layers.assign(sizes, sizes + layers->size());
  // The file may be replaced while the search runs.
  while (const Tensor *tensor =
             file->find("carried" + std::to_string(checkpoint.state.size())))
    checkpoint.state.emplace_back(
        tensor->type(),
        llvm::ArrayRef(tensor->bytes(), size_t(tensor->byteSize())));
  return checkpoint;
}
