// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads states from texts and files, and checks them.

#include "frontends/models/SearchStates.h"

#include "frontends/tensors/TensorIO.h"
#include "ir/LLVMError.h"
#include "ir/tensor/Scalar.h"

using namespace mlir;
using namespace zenith;

/// One state, or one per row.
static llvm::Expected<std::vector<cayley::State>>
statesOfFile(const std::string &path, MLIRContext *context) {
  llvm::Expected<Tensor> tensor =
      tensors::readTensor(path, std::nullopt, context);
  if (!tensor)
    return tensor.takeError();
  if (!tensor->elementType().isInteger() || tensor->shape().empty() ||
      tensor->shape().size() > 2 || tensor->size() == 0)
    return makeError(ErrorCode::Invalid,
                     "a state is a list of integers, several are rows", path);
  std::vector<cayley::State> states;
  int64_t positions = tensor->shape().back();
  for (int64_t i = 0; i < tensor->size(); ++i) {
    if (i % positions == 0)
      states.emplace_back();
    std::string text = interpreter::elementAt(*tensor, i).str();
    int64_t number;
    if (llvm::StringRef(text).getAsInteger(10, number) || number < 0 ||
        number > INT32_MAX)
      return makeError(
          ErrorCode::Invalid,
          "numbers of a state are from 0 to 2147483647, got " + text, path);
    states.back().push_back(number);
  }
  return states;
}

llvm::Expected<std::vector<cayley::State>>
zenith::models::readStates(llvm::ArrayRef<std::string> texts,
                           const cayley::StateGraph &graph,
                           MLIRContext *context) {
  std::vector<cayley::State> all;
  for (const std::string &text : texts) {
    std::vector<cayley::State> some;
    if (llvm::StringRef(text).starts_with("@")) {
      llvm::Expected<std::vector<cayley::State>> read =
          statesOfFile(text.substr(1), context);
      if (!read)
        return read.takeError();
      some = std::move(*read);
    } else {
      llvm::Expected<cayley::State> state = cayley::parseState(text);
      if (!state)
        return state.takeError();
      some.push_back(std::move(*state));
    }
    for (cayley::State &state : some) {
      if (state.size() != graph.central.size())
        return makeError(ErrorCode::Invalid,
                         "a state of this graph has " +
                             std::to_string(graph.central.size()) +
                             " numbers, got " + std::to_string(state.size()),
                         text.substr(0, 80));
      for (int64_t number : state)
        if (graph.modulus && number >= graph.modulus)
          return makeError(ErrorCode::Invalid,
                           "numbers of a state are below the modulus " +
                               std::to_string(graph.modulus),
                           text.substr(0, 80));
      all.push_back(std::move(state));
    }
  }
  return all;
}
