// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes random programs op by op: each takes values that there are and gives
// one more.

#include "tests/passes/sharding/MeshPrograms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>
#include <random>
#include <vector>

using namespace zenith;
using llvm::SmallVector;

namespace {

using Sizes = SmallVector<int64_t, 4>;

struct Named {
  std::string name;
  Sizes shape;
};

struct Axis {
  std::string name;
  int64_t size;
};

class ProgramWriter {
public:
  explicit ProgramWriter(uint32_t seed) : generator(seed) {}

  MeshProgram write() {
    chooseMesh();
    isFloat = chance(50);
    element = isFloat ? "f32" : "i64";
    for (int i = 0; i < 3; ++i) {
      Sizes shape = randomShape();
      values.push_back({argument(shape, /*sharded=*/true), shape});
    }
    for (int i = 0; i < 10; ++i)
      addOp();
    return {finish(), devices};
  }

private:
  //===-- text ------------------------------------------------------------===//
  unsigned below(unsigned count) { return generator() % count; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T> const T &oneOf(const std::vector<T> &list) {
    return list[below(unsigned(list.size()))];
  }
  static std::string list(llvm::ArrayRef<int64_t> numbers) {
    std::string text = "[";
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? ", " : "") + std::to_string(numbers[i]);
    return text + "]";
  }
  static std::string typeOf(llvm::ArrayRef<int64_t> shape,
                            const std::string &element) {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
  std::string type(llvm::ArrayRef<int64_t> shape) const {
    return typeOf(shape, element);
  }
  static int64_t count(llvm::ArrayRef<int64_t> shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<>());
  }
  std::string emit(const std::string &op) {
    std::string name = "%v" + std::to_string(next++);
    body +=
        "  " + name + " = graph." + op + " loc(\"" + name.substr(1) + "\")\n";
    return name;
  }
  void define(const std::string &op, Sizes shape) {
    values.push_back({emit(op), std::move(shape)});
  }
  std::string scalar() {
    return emit("constant dense<" + std::string(isFloat ? "0.5" : "3") +
                "> : " + type({}));
  }

  //===-- mesh and shardings ----------------------------------------------===//
  void chooseMesh() {
    static const std::vector<std::vector<Axis>> meshes = {
        {{"a", 2}},           {{"a", 4}},
        {{"a", 2}, {"b", 2}}, {{"a", 2}, {"b", 4}},
        {{"a", 3}, {"b", 2}}, {{"a", 2}, {"b", 2}, {"c", 2}},
        {{"a", 3}},           {{"a", 1}, {"b", 4}}};
    mesh = oneOf(meshes);
    meshText = "graph.mesh @mesh = <[";
    for (const Axis &axis : mesh) {
      meshText += (devices > 1 || &axis != mesh.data() ? ", \"" : "\"") +
                  axis.name + "\"=" + std::to_string(axis.size);
      devices *= axis.size;
    }
    meshText += "]";
    if (chance(25)) {
      Sizes ids(devices);
      std::iota(ids.begin(), ids.end(), 0);
      std::shuffle(ids.begin(), ids.end(), generator);
      meshText += ", device_ids = " + list(ids);
    }
    meshText += ">\n";
  }
  std::string sharding(size_t rank) {
    std::vector<std::string> free;
    for (const Axis &axis : mesh) {
      if (axis.size == 4 && chance(30)) {
        free.push_back("\"" + axis.name + "\":(1)2");
        if (chance(50))
          free.push_back("\"" + axis.name + "\":(2)2");
        continue;
      }
      free.push_back("\"" + axis.name + "\"");
    }
    std::shuffle(free.begin(), free.end(), generator);
    std::string text = "<@mesh, [";
    for (size_t dim = 0; dim < rank; ++dim) {
      text += dim ? ", {" : "{";
      bool isFirst = true;
      std::string before;
      while (!free.empty() && chance(isFirst ? 55 : 20)) {
        // Neighbours that would merge are no sharding.
        if (before.substr(0, 3) == free.back().substr(0, 3))
          break;
        before = free.back();
        text += (isFirst ? "" : ", ") + before;
        free.pop_back();
        isFirst = false;
      }
      if (chance(30))
        text += isFirst ? "?" : ", ?";
      text += "}";
      if (!isFirst && chance(15))
        text += "p1";
    }
    return text + "]>";
  }
  std::string argument(llvm::ArrayRef<int64_t> shape, bool sharded,
                       const std::string &elements = "") {
    std::string name = "%arg" + std::to_string(arguments++);
    argumentText += (arguments > 1 ? ", " : "") + name + ": " +
                    typeOf(shape, elements.empty() ? element : elements);
    if (sharded && chance(70))
      argumentText +=
          " {graph.sharding = #graph.sharding" + sharding(shape.size()) + "}";
    return name;
  }

  //===-- values ----------------------------------------------------------===//
  int64_t randomSize() {
    static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12};
    return oneOf(sizes);
  }
  Sizes randomShape() {
    Sizes shape;
    for (unsigned rank = 1 + below(3); rank > 0; --rank)
      shape.push_back(randomSize());
    return shape;
  }
  Named any() { return values[below(unsigned(values.size()))]; }
  /// With at least one dimension.
  Named anyTensor() {
    for (int tries = 0; tries < 20; ++tries)
      if (Named value = any(); !value.shape.empty())
        return value;
    return values.front();
  }
  std::string index() {
    if (indexArguments.size() < 2)
      indexArguments.push_back(argument({}, /*sharded=*/false, "i64"));
    return oneOf(indexArguments);
  }
  static std::vector<int64_t> dimsOf(const Named &value) {
    std::vector<int64_t> dims(value.shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
  }

  //===-- ops -------------------------------------------------------------===//
  void addOp() {
    switch (below(28)) {
    case 0:
    case 1:
      return unary();
    case 2:
    case 3:
      return binary();
    case 4:
    case 5:
      return dot();
    case 6:
      return reduce();
    case 7:
      return transpose();
    case 8:
    case 9:
      return reshape();
    case 10:
      return broadcast();
    case 11:
    case 12:
      return slice();
    case 13:
      return pad();
    case 14:
      return concat();
    case 15:
      return reverse();
    case 16:
      return dynamicSlice();
    case 17:
      return dynamicUpdate();
    case 18:
      return gather();
    case 19:
      return scatter();
    case 20:
      return sort();
    case 21:
      return cumulative();
    case 22:
      return window();
    case 23:
      return convolution();
    case 24:
      return select();
    case 25:
      return loop();
    case 26:
      return isFloat ? softmax() : argReduce();
    default:
      return constrain();
    }
  }

  void unary() {
    static const std::vector<std::string> floats = {"tanh", "neg", "sin", "abs",
                                                    "logistic"},
                                          integers = {"neg", "abs", "sign"};
    Named x = any();
    define(oneOf(isFloat ? floats : integers) + " " + x.name + " : " +
               type(x.shape),
           x.shape);
  }
  void binary() {
    static const std::vector<std::string> ops = {"add", "sub", "mul", "max",
                                                 "min"};
    Named x = any();
    std::vector<Named> same;
    for (const Named &value : values)
      if (value.shape == x.shape)
        same.push_back(value);
    define(oneOf(ops) + " " + x.name + ", " + oneOf(same).name + " : " +
               type(x.shape),
           x.shape);
  }
  void dot() {
    Named x = anyTensor(), y = anyTensor();
    for (int64_t left : dimsOf(x))
      for (int64_t right : dimsOf(y)) {
        if (x.shape[left] != y.shape[right])
          continue;
        bool batched = left > 0 && right > 0 && x.shape[0] == y.shape[0];
        Sizes shape;
        if (batched)
          shape.push_back(x.shape[0]);
        for (int64_t dim : dimsOf(x))
          if (dim != left && !(batched && dim == 0))
            shape.push_back(x.shape[dim]);
        for (int64_t dim : dimsOf(y))
          if (dim != right && !(batched && dim == 0))
            shape.push_back(y.shape[dim]);
        if (shape.size() > 4 || count(shape) > 4000)
          continue;
        std::string batching = batched ? "[0] x [0]" : "[] x []";
        return define("dot_general " + x.name + ", " + y.name +
                          " <batching = " + batching +
                          ", contracting = " + list(left) + " x " +
                          list(right) + "> : (" + type(x.shape) + ", " +
                          type(y.shape) + ") -> " + type(shape),
                      shape);
      }
    unary();
  }
  void reduce() {
    static const std::vector<std::string> kinds = {"sum", "max", "min", "prod"};
    Named x = anyTensor();
    Sizes dims, shape;
    for (int64_t dim : dimsOf(x))
      if (chance(50))
        dims.push_back(dim);
      else
        shape.push_back(x.shape[dim]);
    define("reduce " + oneOf(kinds) + ", " + x.name + " " + list(dims) + " : " +
               type(x.shape) + " -> " + type(shape),
           shape);
  }
  void transpose() {
    Named x = anyTensor();
    std::vector<int64_t> order = dimsOf(x);
    std::shuffle(order.begin(), order.end(), generator);
    Sizes shape;
    for (int64_t dim : order)
      shape.push_back(x.shape[dim]);
    define("transpose " + x.name + " " + list(order) + " : " + type(x.shape) +
               " -> " + type(shape),
           shape);
  }
  void reshape() {
    Named x = anyTensor();
    Sizes shape = x.shape;
    size_t dim = below(unsigned(shape.size()));
    if (shape.size() > 1 && chance(50)) {
      dim = std::min(dim, shape.size() - 2);
      shape[dim] *= shape[dim + 1];
      shape.erase(shape.begin() + dim + 1);
    } else {
      for (int64_t factor : {2, 3, 5})
        if (shape[dim] % factor == 0 && shape[dim] > factor) {
          shape[dim] /= factor;
          shape.insert(shape.begin() + dim, factor);
          break;
        }
    }
    if (shape.size() > 4)
      return unary();
    define("reshape " + x.name + " : " + type(x.shape) + " -> " + type(shape),
           shape);
  }
  void broadcast() {
    Named x = any();
    if (x.shape.size() > 3 || count(x.shape) > 1000)
      return unary();
    std::vector<int64_t> mapping = dimsOf(x);
    size_t dim = below(unsigned(x.shape.size() + 1));
    for (int64_t &to : mapping)
      to += to >= int64_t(dim);
    Sizes shape = x.shape;
    shape.insert(shape.begin() + dim, randomSize());
    define("broadcast " + x.name + " " + list(mapping) + " : " + type(x.shape) +
               " -> " + type(shape),
           shape);
  }
  void slice() {
    Named x = anyTensor();
    Sizes starts, shape, strides;
    for (int64_t size : x.shape) {
      bool cut = size > 1 && chance(60);
      int64_t stride = cut ? 1 + below(3) / 2 : 1;
      int64_t start = cut ? below(unsigned(size)) : 0;
      int64_t most = (size - start + stride - 1) / stride;
      starts.push_back(start);
      strides.push_back(stride);
      shape.push_back(cut ? 1 + below(unsigned(most)) : size);
    }
    define("slice " + x.name + " " + list(starts) + " " + list(shape) + " " +
               list(strides) + " : " + type(x.shape) + " -> " + type(shape),
           shape);
  }
  void pad() {
    Named x = anyTensor();
    Sizes low, high, interior, shape;
    for (int64_t size : x.shape) {
      bool wide = chance(50);
      interior.push_back(wide && chance(20) ? 1 : 0);
      int64_t spread = size + (size - 1) * interior.back();
      low.push_back(wide ? int64_t(below(5)) - 1 : 0);
      high.push_back(wide ? int64_t(below(5)) - 1 : 0);
      if (spread + low.back() + high.back() < 1)
        low.back() = high.back() = 0;
      shape.push_back(spread + low.back() + high.back());
    }
    std::string value = scalar();
    define("pad " + x.name + ", " + value + " " + list(low) + " " + list(high) +
               " " + list(interior) + " : " + type(x.shape) + ", " + type({}) +
               " -> " + type(shape),
           shape);
  }
  void concat() {
    Named x = anyTensor();
    int64_t dim = below(unsigned(x.shape.size()));
    std::string names = x.name, types = type(x.shape);
    Sizes shape = x.shape;
    for (const Named &value : values) {
      Sizes like = value.shape;
      if (like.size() != x.shape.size() || chance(40))
        continue;
      like[dim] = x.shape[dim];
      if (like != x.shape || shape[dim] > 20)
        continue;
      names += ", " + value.name;
      types += ", " + type(value.shape);
      shape[dim] += value.shape[dim];
    }
    define("concat " + std::to_string(dim) + ", " + names + " : (" + types +
               ") -> " + type(shape),
           shape);
  }
  void reverse() {
    Named x = anyTensor();
    Sizes dims;
    for (int64_t dim : dimsOf(x))
      if (chance(60))
        dims.push_back(dim);
    define("reverse " + x.name + " " + list(dims) + " : " + type(x.shape),
           x.shape);
  }
  Sizes partOf(llvm::ArrayRef<int64_t> whole) {
    Sizes part;
    for (int64_t size : whole)
      part.push_back(chance(60) ? 1 + below(unsigned(size)) : size);
    return part;
  }
  std::string starts(size_t rank, std::string &types) {
    std::string names;
    for (size_t dim = 0; dim < rank; ++dim) {
      names += ", " + index();
      types += ", tensor<i64>";
    }
    return names;
  }
  void dynamicSlice() {
    Named x = anyTensor();
    Sizes shape = partOf(x.shape);
    std::string types, at = starts(shape.size(), types);
    define("dynamic_slice " + x.name + at + " : (" + type(x.shape) + types +
               ") -> " + type(shape),
           shape);
  }
  void dynamicUpdate() {
    Named x = anyTensor();
    Sizes shape = partOf(x.shape);
    std::string update = argument(shape, /*sharded=*/true);
    std::string types, at = starts(shape.size(), types);
    define("dynamic_update_slice " + x.name + ", " + update + at + " : (" +
               type(x.shape) + ", " + type(shape) + types + ") -> " +
               type(x.shape),
           x.shape);
  }
  std::string rowsOf(const Named &table, int64_t dim,
                     const std::string &indices, Sizes &shape) {
    Sizes sizes = table.shape, offset;
    sizes[dim] = 1;
    shape = {5};
    for (int64_t other : dimsOf(table))
      if (other != dim) {
        offset.push_back(int64_t(shape.size()));
        shape.push_back(table.shape[other]);
      }
    return emit("gather " + table.name + ", " + indices +
                " <offset = " + list(offset) + ", collapsed = " + list(dim) +
                ", batching = [] x [], index_map = " + list(dim) +
                ", index_vector_dim = 1> sizes " + list(sizes) + " : (" +
                type(table.shape) + ", tensor<5xi64>) -> " + type(shape));
  }
  void gather() {
    Named x = anyTensor();
    Sizes shape;
    std::string name = rowsOf(x, below(unsigned(x.shape.size())),
                              argument({5}, /*sharded=*/true, "i64"), shape);
    values.push_back({name, shape});
  }
  void scatter() {
    static const std::vector<std::string> kinds = {"sum", "max", "set"};
    Named x = anyTensor();
    int64_t dim = below(unsigned(x.shape.size()));
    std::string indices = argument({5}, /*sharded=*/true, "i64");
    Sizes shape, window;
    std::string rows = rowsOf(x, dim, indices, shape);
    for (size_t i = 1; i < shape.size(); ++i)
      window.push_back(int64_t(i));
    define("scatter " + oneOf(kinds) + ", " + x.name + ", " + indices + ", " +
               rows + " <window = " + list(window) + ", inserted = " +
               list(dim) + ", batching = [] x [], index_map = " + list(dim) +
               ", index_vector_dim = 1> : (" + type(x.shape) +
               ", tensor<5xi64>, " + type(shape) + ") -> " + type(x.shape),
           x.shape);
  }
  void sort() {
    Named x = anyTensor();
    define("sort " + x.name + " " +
               std::to_string(below(unsigned(x.shape.size()))) + " keys 1 : (" +
               type(x.shape) + ") -> " + type(x.shape),
           x.shape);
  }
  void cumulative() {
    static const std::vector<std::string> kinds = {"sum", "max", "min"};
    Named x = anyTensor();
    define("cumulative " + oneOf(kinds) + ", " + x.name + " " +
               std::to_string(below(unsigned(x.shape.size()))) +
               (chance(30) ? " exclusive" : "") +
               (chance(30) ? " reverse" : "") + " : " + type(x.shape),
           x.shape);
  }
  void window() {
    static const std::vector<std::string> kinds = {"sum", "max", "min"};
    Named x = anyTensor();
    Sizes window, strides, low, high, base, ones, shape;
    for (int64_t size : x.shape) {
      bool wide = size > 2 && chance(60);
      window.push_back(wide ? 1 + below(3) : 1);
      strides.push_back(wide ? 1 + below(2) : 1);
      low.push_back(wide ? below(2) : 0);
      high.push_back(wide ? below(2) : 0);
      base.push_back(wide && chance(25) ? 2 : 1);
      ones.push_back(1);
      int64_t covered = (size - 1) * base.back() + 1 + low.back() +
                        high.back() - window.back();
      shape.push_back(covered / strides.back() + 1);
    }
    define("reduce_window " + oneOf(kinds) + ", " + x.name + " window " +
               list(window) + " strides " + list(strides) + " low " +
               list(low) + " high " + list(high) + " base_dilation " +
               list(base) + " dilation " + list(ones) + " : " + type(x.shape) +
               " -> " + type(shape),
           shape);
  }
  void convolution() {
    Named x = anyTensor();
    if (x.shape.size() != 3 || !isFloat)
      return unary();
    // Long windows are those of a kernel's gradient.
    int64_t size = x.shape[2];
    int64_t reach = chance(30) ? std::max<int64_t>(size - below(3), 1)
                               : 1 + below(3),
            low = below(2), high = below(2), stride = 1 + below(2),
            dilation = 1 + below(2), spread = chance(30) ? 2 + below(2) : 1;
    int64_t covered =
        (size - 1) * spread + 1 + low + high - ((reach - 1) * dilation + 1);
    if (covered < 0)
      return unary();
    Sizes filters = {1 + int64_t(below(6)), x.shape[1], reach},
          shape = {x.shape[0], filters[0], covered / stride + 1};
    std::string kernel = argument(filters, /*sharded=*/true);
    define("convolution " + x.name + ", " + kernel +
               " <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, "
               "[2])> strides " +
               list(stride) + " low " + list(low) + " high " + list(high) +
               " input_dilation " + list(spread) + " kernel_dilation " +
               list(dilation) + " groups 1 : (" + type(x.shape) + ", " +
               type(filters) + ") -> " + type(shape),
           shape);
  }
  void select() {
    Named x = any();
    std::string numbers =
        x.shape.empty()
            ? x.name
            : emit("iota " + std::to_string(below(unsigned(x.shape.size()))) +
                   " : " + type(x.shape));
    std::string limit = scalar();
    if (!x.shape.empty())
      limit = emit("broadcast " + limit + " [] : " + type({}) + " -> " +
                   type(x.shape));
    std::string flags = typeOf(x.shape, "i1");
    std::string less = emit("compare lt, " + numbers + ", " + limit + " : " +
                            type(x.shape) + " -> " + flags);
    define("select " + less + ", " + x.name + ", " + numbers + " : " + flags +
               ", " + type(x.shape),
           x.shape);
  }
  void loop() {
    Named x = any();
    std::string zero = emit("constant dense<0> : tensor<i64>"),
                one = emit("constant dense<1> : tensor<i64>"),
                three = emit("constant dense<3> : tensor<i64>");
    std::string name = "%v" + std::to_string(next++);
    std::string own = type(x.shape);
    body += "  " + name + ":2 = graph.while " + zero + ", " + x.name +
            " cond {\n  ^bb0(%i: tensor<i64>, %w: " + own +
            "):\n    %c = graph.compare lt, %i, " + three +
            " : tensor<i64> -> tensor<i1>\n    graph.yield %c : tensor<i1>\n"
            "  } do {\n  ^bb0(%i: tensor<i64>, %w: " +
            own + "):\n    %n = graph.add %i, " + one +
            " : tensor<i64>\n    %m = graph.neg %w : " + own +
            "\n    %s = graph.add %m, " + x.name + " : " + own +
            "\n    graph.yield %n, %s : tensor<i64>, " + own +
            "\n  } : (tensor<i64>, " + own + ") -> (tensor<i64>, " + own +
            ")\n";
    values.push_back({name + "#1", x.shape});
  }
  void softmax() {
    Named x = anyTensor();
    define("softmax " + x.name + " " +
               list(int64_t(below(unsigned(x.shape.size())))) + " : " +
               type(x.shape),
           x.shape);
  }
  void argReduce() {
    Named x = anyTensor();
    int64_t dim = below(unsigned(x.shape.size()));
    Sizes shape = x.shape;
    shape.erase(shape.begin() + dim);
    define("arg_reduce max, " + x.name + " " + std::to_string(dim) + " : " +
               type(x.shape) + " -> " + type(shape),
           shape);
  }
  void constrain() {
    Named x = anyTensor();
    define("shard " + x.name + " " + sharding(x.shape.size()) + " : " +
               type(x.shape),
           x.shape);
  }

  std::string finish() {
    std::string names, types, results;
    for (unsigned i = 0; i < 3; ++i) {
      const Named &value = values[values.size() - 1 - i];
      names += (i ? ", " : "") + value.name;
      types += (i ? ", " : "") + type(value.shape);
      results += (i ? ", " : "") + type(value.shape);
      if (chance(50))
        results += " {graph.sharding = #graph.sharding" +
                   sharding(value.shape.size()) + "}";
    }
    return meshText + "func.func @main(" + argumentText + ") -> (" + results +
           ") {\n" + body + "  return " + names + " : " + types + "\n}\n";
  }

  std::mt19937 generator;
  std::vector<Axis> mesh;
  std::string meshText, argumentText, body, element;
  std::vector<std::string> indexArguments;
  std::vector<Named> values;
  int64_t devices = 1;
  unsigned next = 0, arguments = 0;
  bool isFloat = true;
};

} // namespace

MeshProgram zenith::randomMeshProgram(uint32_t seed) {
  return ProgramWriter(seed).write();
}
