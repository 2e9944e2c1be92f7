// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith/zenith.hpp: C++17 over zenith/zenith.h, header-only: no symbol of libzenith that zenith.h does not declare, so that programs are
// free of the library's C++ ABI.
//
// Objects own their handle and move; Array also copies (one more owner). Every call that can fail throws Error. get() lends the handle. A moved-from
// object holds null. Names without an own text mean what zenith.h says.
#ifndef ZENITH_ZENITH_HPP
#define ZENITH_ZENITH_HPP

#include <zenith/zenith.h>

#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace zenith {

class Error : public std::exception {
public:
  explicit Error(zenith_status *status) noexcept { // takes the status; copies share what it says
    try {
      state = std::make_shared<State>(State{zenith_status_code(status), zenith_status_reason(status), {}, zenith_status_place(status), zenith_status_json(status)});
      state->text = state->place.empty() ? zenith_status_message(status) : state->place + ": " + zenith_status_message(status);
    } catch (...) {
      state = nullptr;
    }
    zenith_status_free(status);
  }
  // An error of the header's own.
  Error(zenith_code code, zenith_reason reason, const std::string &message)
      : state(std::make_shared<State>(State{code, reason, message, {}, "{\"code\":" + std::to_string(code) + ",\"reason\":" + std::to_string(reason) +
                                                                          ",\"message\":\"" + message + "\",\"place\":\"\",\"notes\":[]}"})) {}
  zenith_code code() const noexcept { return state ? state->code : ZENITH_OUT_OF_MEMORY; }
  zenith_reason reason() const noexcept { return state ? state->reason : ZENITH_REASON_ALLOCATION; }
  const char *what() const noexcept override { return state ? state->text.c_str() : "an allocation failed"; } // "place: message"
  const char *place() const noexcept { return state ? state->place.c_str() : ""; }
  const char *json() const noexcept { return state ? state->json.c_str() : "{}"; }

private:
  struct State {
    zenith_code code;
    zenith_reason reason;
    std::string text, place, json;
  };
  std::shared_ptr<State> state; // null where there was no memory for it
};
inline void check(zenith_status *status) { // throws where it is not null
  if (status) throw Error(status);
}

// bool = i1, std::int8_t .. std::uint64_t, float, double, std::complex<float> and <double>.
template <typename T> zenith_dtype dtype_of() noexcept {
  if constexpr (std::is_same_v<T, bool>) return ZENITH_I1;
  else if constexpr (std::is_same_v<T, float>) return ZENITH_F32;
  else if constexpr (std::is_same_v<T, double>) return ZENITH_F64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return ZENITH_C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return ZENITH_C128;
  else {
    static_assert(std::is_integral_v<T>, "no element type of Zenith");
    constexpr int power = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return (std::is_signed_v<T> ? ZENITH_I8 : ZENITH_UI8) + power;
  }
}

namespace detail {

// A handle with one owner.
template <typename Handle, void (*release)(Handle *) noexcept> class Owner {
public:
  Owner() noexcept = default;
  explicit Owner(Handle *handle) noexcept : handle(handle) {}
  Owner(Owner &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Owner &operator=(Owner &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owner() { release(handle); }
  Handle *get() const noexcept { return handle; }
  Handle **out() noexcept { return &handle; }

private:
  Handle *handle = nullptr;
};

inline std::string text_of(zenith_blob *blob) {
  Owner<zenith_blob, zenith_blob_free> owner(blob);
  return std::string(static_cast<const char *>(zenith_blob_data(blob)), zenith_blob_size(blob));
}
inline const char *or_null(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }
inline std::vector<const char *> pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> all;
  for (const std::string &text : texts) all.push_back(text.c_str());
  return all;
}
} // namespace detail

class Cancel {
public:
  Cancel(Cancel &&other) noexcept = default;
  Cancel &operator=(Cancel &&other) noexcept = default;
  ~Cancel() = default;
  Cancel() : owner(zenith_cancel_create()) {
    if (!owner.get()) throw Error(ZENITH_OUT_OF_MEMORY, ZENITH_REASON_ALLOCATION, "an allocation failed");
  }
  void request() noexcept { zenith_cancel_request(owner.get()); }
  void reset() noexcept { zenith_cancel_reset(owner.get()); }
  zenith_cancel *get() const noexcept { return owner.get(); }

private:
  detail::Owner<zenith_cancel, zenith_cancel_free> owner;
};

class Context {
public:
  Context(Context &&other) noexcept = default;
  Context &operator=(Context &&other) noexcept = default;
  ~Context() = default;
  Context() { check(zenith_context_create(ZENITH_API_VERSION, nullptr, owner.out())); } // defaults
  explicit Context(const zenith_context_options &options) { check(zenith_context_create(ZENITH_API_VERSION, &options, owner.out())); }
  std::string report(const std::string &topic) const {
    zenith_blob *json = nullptr;
    check(zenith_context_report(owner.get(), topic.c_str(), &json));
    return detail::text_of(json);
  }
  void register_kernel(const zenith_kernel &kernel) { check(zenith_context_register_kernel(owner.get(), &kernel)); }
  void load_plugin(const std::string &path) { check(zenith_context_load_plugin(owner.get(), path.c_str())); }
  zenith_context *get() const noexcept { return owner.get(); }

private:
  detail::Owner<zenith_context, zenith_context_free> owner;
};

class Array {
public:
  Array() noexcept = default; // holds null
  Array(const Array &other) noexcept : handle(zenith_array_retain(other.handle)) {}
  Array(Array &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Array &operator=(const Array &other) noexcept { return *this = Array(other); }
  Array &operator=(Array &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Array() { zenith_array_free(handle); }
  explicit Array(zenith_array *taken) noexcept : handle(taken) {}
  static Array empty(const Context &context, zenith_dtype dtype, const std::vector<std::int64_t> &dims) {
    zenith_array *made = nullptr;
    check(zenith_array_create(context.get(), dtype, static_cast<std::int32_t>(dims.size()), dims.data(), &made));
    return Array(made);
  }
  // Copies the elements; their number must be that of dims.
  template <typename T> static Array of(const Context &context, const std::vector<T> &elements, const std::vector<std::int64_t> &dims) {
    check_count(elements.size(), dims);
    if constexpr (std::is_same_v<T, bool>) { // std::vector<bool> has no elements of its own
      Array made = empty(context, ZENITH_I1, dims);
      auto *bytes = static_cast<unsigned char *>(zenith_array_data(made.handle));
      for (std::size_t i = 0; i < elements.size(); ++i) bytes[i] = elements[i];
      return made;
    } else return wrap(context, const_cast<T *>(elements.data()), dims, ZENITH_HOLD_COPY);
  }
  // Row-major memory of the caller, in place (ZENITH_HOLD_BORROW for const T, else ZENITH_HOLD_MUTABLE).
  template <typename T> static Array view(const Context &context, T *data, const std::vector<std::int64_t> &dims) {
    return wrap(context, const_cast<std::remove_const_t<T> *>(data), dims, std::is_const_v<T> ? ZENITH_HOLD_BORROW : ZENITH_HOLD_MUTABLE);
  }
  // Takes the vector; no copy.
  template <typename T> static Array take(const Context &context, std::vector<T> &&elements, const std::vector<std::int64_t> &dims) {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements of its own");
    check_count(elements.size(), dims);
    auto held = std::make_unique<std::vector<T>>(std::move(elements));
    Array made = wrap(context, held->data(), dims, ZENITH_HOLD_TAKE, [](void *user, void *) { delete static_cast<std::vector<T> *>(user); }, held.get());
    held.release();
    return made;
  }
  zenith_dtype dtype() const noexcept { return view().dtype; }
  std::vector<std::int64_t> dims() const {
    const zenith_view all = view();
    return std::vector<std::int64_t>(all.dims, all.dims + all.rank);
  }
  std::int64_t size() const noexcept { // elements
    const zenith_view all = view();
    std::int64_t count = handle ? 1 : 0;
    for (std::int32_t axis = 0; axis < all.rank; ++axis) count *= all.dims[axis];
    return count;
  }
  template <typename T> const T *data() const { // Error (ZENITH_REASON_DTYPE) where T is another type
    check_type<T>();
    return static_cast<const T *>(view().data);
  }
  template <typename T> T *mutable_data() {
    check_type<T>();
    return static_cast<T *>(zenith_array_data(handle));
  }
  template <typename T> std::vector<T> to_vector() const { // row-major
    using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
    check_type<T>();
    const zenith_view all = view();
    const auto *elements = static_cast<const Stored *>(all.data);
    const std::int64_t count = size();
    std::vector<T> out;
    out.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t at = i;
      if (all.strides) {
        std::int64_t rest = i;
        at = 0;
        for (std::int32_t axis = all.rank; axis-- > 0; rest /= all.dims[axis]) at += rest % all.dims[axis] * all.strides[axis];
      }
      out.push_back(static_cast<T>(elements[at]));
    }
    return out;
  }
  explicit operator bool() const noexcept { return handle != nullptr; }
  zenith_array *get() const noexcept { return handle; }
  zenith_array *release() noexcept { return std::exchange(handle, nullptr); } // gives the handle away

private:
  zenith_view view() const noexcept {
    zenith_view all;
    ZENITH_INIT(&all);
    zenith_array_view(handle, &all);
    return all;
  }
  static void check_count(std::size_t count, const std::vector<std::int64_t> &dims) {
    std::int64_t expected = 1;
    for (std::int64_t dim : dims) expected *= dim;
    if (expected != static_cast<std::int64_t>(count)) throw Error(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM, "the number of elements is not that of the dims");
  }
  template <typename T> void check_type() const {
    if (dtype() != dtype_of<T>())
      throw Error(ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE,
                  std::string("the array has elements of ") + zenith_dtype_name(dtype()) + ", asked for " + zenith_dtype_name(dtype_of<T>()));
  }
  template <typename T>
  static Array wrap(const Context &context, T *data, const std::vector<std::int64_t> &dims, zenith_hold hold, zenith_release_fn release = nullptr,
                    void *user = nullptr) {
    zenith_view all;
    ZENITH_INIT(&all);
    all.dtype = dtype_of<T>();
    all.rank = static_cast<std::int32_t>(dims.size());
    all.dims = dims.data();
    all.data = data;
    zenith_array *made = nullptr;
    check(zenith_array_wrap(context.get(), &all, hold, release, user, &made));
    return Array(made);
  }
  zenith_array *handle = nullptr;
};

struct ValueInfo {
  std::string name;
  zenith_dtype dtype;
  std::vector<std::int64_t> dims; // -1 = dynamic
  std::vector<std::string> dim_texts;
};

class Executable;
class Module {
public:
  Module(Module &&other) noexcept = default;
  Module &operator=(Module &&other) noexcept = default;
  ~Module() = default;
  explicit Module(zenith_module *taken) noexcept : owner(taken) {}
  static Module load(const Context &context, const std::string &path) {
    zenith_module *made = nullptr;
    check(zenith_module_load_file(context.get(), path.c_str(), nullptr, &made));
    return Module(made);
  }
  static Module load(const Context &context, const std::string &path, const zenith_load_options &options) {
    zenith_module *made = nullptr;
    check(zenith_module_load_file(context.get(), path.c_str(), &options, &made));
    return Module(made);
  }
  static Module parse(const Context &context, const std::string &bytes, const std::string &format = {}) {
    zenith_load_options options;
    ZENITH_INIT(&options);
    options.format = detail::or_null(format);
    zenith_module *made = nullptr;
    check(zenith_module_load_memory(context.get(), bytes.data(), bytes.size(), &options, &made));
    return Module(made);
  }
  static Module search(const Context &context, const std::string &kind, const std::string &graph, const std::vector<std::string> &settings = {}) {
    const std::vector<const char *> texts = detail::pointers(settings);
    zenith_module *made = nullptr;
    check(zenith_module_load_search(context.get(), kind.c_str(), graph.c_str(), texts.data(), texts.size(), &made));
    return Module(made);
  }
  Module transform(const std::string &pipeline) const {
    zenith_module *made = nullptr;
    check(zenith_module_transform(owner.get(), pipeline.c_str(), &made));
    return Module(made);
  }
  std::string write(const std::string &format) const { // the bytes
    zenith_blob *bytes = nullptr;
    check(zenith_module_write(owner.get(), format.c_str(), nullptr, nullptr, &bytes));
    return detail::text_of(bytes);
  }
  void write(const std::string &format, const std::string &path) const {
    check(zenith_module_write(owner.get(), format.c_str(), nullptr, path.c_str(), nullptr));
  }
  Executable compile() const;
  Executable compile(const zenith_compile_options &options) const;
  void emit(const std::string &form, const std::string &path, const std::vector<std::string> &settings = {}) const {
    const std::vector<const char *> texts = detail::pointers(settings);
    zenith_compile_options options;
    ZENITH_INIT(&options);
    options.settings = texts.data();
    options.setting_count = texts.size();
    check(zenith_emit(owner.get(), &options, form.c_str(), path.c_str()));
  }
  zenith_module *get() const noexcept { return owner.get(); }

private:
  detail::Owner<zenith_module, zenith_module_free> owner;
};

/// A search that is taken step by step: zenith::Search search(context, "bfs", "lrx:9"); search.initialize(); while (search.step()) ...
class Search {
public:
  Search(const Context &context, const std::string &kind, const std::string &graph, const std::vector<std::string> &settings = {})
      : context(&context), kind(kind), graph(graph), settings(settings) {}
  Search(Search &&other) noexcept = default;
  Search &operator=(Search &&other) noexcept = default;
  ~Search() = default;
  void initialize() { // compiles, and stands before the first step
    const std::vector<const char *> texts = detail::pointers(settings);
    zenith_search *made = nullptr;
    check(zenith_search_create(context->get(), kind.c_str(), graph.c_str(), texts.data(), texts.size(), &made));
    owner = detail::Owner<zenith_search, zenith_search_free>(made);
  }
  bool step(zenith_cancel *cancel = nullptr) { // one layer or step; whether there is another one
    int32_t more = 0;
    check(zenith_search_step(owner.get(), cancel, &more));
    return more != 0;
  }
  bool run_full(int64_t max_diameter = 1000000, zenith_cancel *cancel = nullptr, int64_t deadline = 0) { // whether steps are left
    int32_t more = 0;
    check(zenith_search_run(owner.get(), max_diameter, cancel, deadline, &more));
    return more != 0;
  }
  std::string metrics() const { // JSON, as zenith_search_report has it
    zenith_blob *bytes = nullptr;
    check(zenith_search_report(owner.get(), &bytes));
    return detail::text_of(bytes);
  }
  std::string path() const {
    zenith_blob *bytes = nullptr;
    check(zenith_search_path(owner.get(), &bytes));
    return detail::text_of(bytes);
  }
  Array layer() const { // states of the present layer or beam, one per row
    zenith_array *made = nullptr;
    check(zenith_search_layer(owner.get(), &made));
    return Array(made);
  }
  void save(const std::string &path) const { check(zenith_search_save(owner.get(), path.c_str())); }
  void load(const std::string &path) { check(zenith_search_load(owner.get(), path.c_str())); }
  zenith_search *get() const noexcept { return owner.get(); }

private:
  detail::Owner<zenith_search, zenith_search_free> owner;
  const Context *context;
  std::string kind, graph;
  std::vector<std::string> settings;
};

class Session;
class Executable {
public:
  Executable(Executable &&other) noexcept = default;
  Executable &operator=(Executable &&other) noexcept = default;
  ~Executable() = default;
  explicit Executable(zenith_executable *taken) noexcept : owner(taken) {}
  static Executable load(const Context &context, const std::string &path) {
    zenith_executable *made = nullptr;
    check(zenith_executable_load_file(context.get(), path.c_str(), &made));
    return Executable(made);
  }
  static Executable parse(const Context &context, const std::string &bytes) {
    zenith_executable *made = nullptr;
    check(zenith_executable_load_memory(context.get(), bytes.data(), bytes.size(), &made));
    return Executable(made);
  }
  std::string save() const {
    zenith_blob *bytes = nullptr;
    check(zenith_executable_save(owner.get(), nullptr, &bytes));
    return detail::text_of(bytes);
  }
  void save(const std::string &path) const { check(zenith_executable_save(owner.get(), path.c_str(), nullptr)); }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    while (const char *name = zenith_executable_entry(owner.get(), names.size())) names.emplace_back(name);
    return names;
  }
  std::vector<ValueInfo> inputs(const std::string &entry = {}) const { return values(entry, ZENITH_ROLE_INPUT); }
  std::vector<ValueInfo> outputs(const std::string &entry = {}) const { return values(entry, ZENITH_ROLE_OUTPUT); }
  std::vector<ValueInfo> parameters() const { return values({}, ZENITH_ROLE_PARAMETER); }
  zenith_memory_info memory(const std::vector<std::pair<std::string, std::int64_t>> &dims, const std::string &entry = {}) const {
    std::vector<zenith_named_size> sizes(dims.size());
    std::vector<const zenith_named_size *> table;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      ZENITH_INIT(&sizes[i]);
      sizes[i].name = dims[i].first.c_str();
      sizes[i].size = dims[i].second;
      table.push_back(&sizes[i]);
    }
    zenith_memory_info info;
    ZENITH_INIT(&info);
    check(zenith_executable_memory(owner.get(), detail::or_null(entry), table.data(), table.size(), &info));
    return info;
  }
  std::string report(const std::string &topic) const {
    zenith_blob *json = nullptr;
    check(zenith_executable_report(owner.get(), topic.c_str(), &json));
    return detail::text_of(json);
  }
  Session session() const;
  Session session(const zenith_session_options &options) const;
  zenith_executable *get() const noexcept { return owner.get(); }

private:
  std::vector<ValueInfo> values(const std::string &entry, zenith_role role) const {
    std::vector<ValueInfo> all;
    const std::size_t count = zenith_executable_count(owner.get(), detail::or_null(entry), role);
    for (std::size_t i = 0; i < count; ++i) {
      zenith_value_info info;
      ZENITH_INIT(&info);
      check(zenith_executable_value(owner.get(), detail::or_null(entry), role, i, &info));
      ValueInfo value{info.name, info.dtype, std::vector<std::int64_t>(info.dims, info.dims + info.rank), {}};
      for (std::int32_t axis = 0; axis < info.rank; ++axis) value.dim_texts.emplace_back(info.dim_texts[axis]);
      all.push_back(std::move(value));
    }
    return all;
  }
  detail::Owner<zenith_executable, zenith_executable_free> owner;
};

inline Executable Module::compile() const {
  zenith_executable *made = nullptr;
  check(zenith_compile(owner.get(), nullptr, &made));
  return Executable(made);
}
inline Executable Module::compile(const zenith_compile_options &options) const {
  zenith_executable *made = nullptr;
  check(zenith_compile(owner.get(), &options, &made));
  return Executable(made);
}

class Event {
public:
  Event(Event &&other) noexcept = default;
  Event &operator=(Event &&other) noexcept = default;
  ~Event() = default;
  explicit Event(zenith_event *taken) noexcept : owner(taken) {}
  bool done() const noexcept { return zenith_event_done(owner.get()) != 0; }
  bool wait_for(std::chrono::nanoseconds timeout) { return zenith_event_wait(owner.get(), timeout.count()) != 0; }
  void then(std::function<void()> callback) {
    auto held = std::make_unique<std::function<void()>>(std::move(callback));
    check(zenith_event_then(
        owner.get(),
        [](void *user) {
          std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()> *>(user));
          (*owned)();
        },
        held.get()));
    held.release();
  }
  std::vector<Array> take() { // waits
    std::vector<zenith_array *> handles(count, nullptr);
    check(zenith_event_take(owner.get(), handles.data(), handles.size()));
    std::vector<Array> outputs;
    for (zenith_array *handle : handles) outputs.emplace_back(handle);
    return outputs;
  }
  zenith_event *get() const noexcept { return owner.get(); }

private:
  friend class Session;
  detail::Owner<zenith_event, zenith_event_free> owner;
  std::size_t count = 1; // outputs
};

class Session {
public:
  Session(Session &&other) noexcept = default;
  Session &operator=(Session &&other) noexcept = default;
  ~Session() = default;
  explicit Session(zenith_session *taken) noexcept : owner(taken) {}
  std::vector<Array> run(const std::vector<Array> &inputs) const { return run_with(inputs, nullptr); }
  std::vector<Array> run(const std::vector<Array> &inputs, const zenith_run_options &options) const { return run_with(inputs, &options); }
  // Writes into arrays of the caller; those that hold null are made.
  void run_into(const std::vector<Array> &inputs, std::vector<Array> &outputs, const zenith_run_options *options = nullptr) const {
    const std::vector<zenith_array *> in = handles(inputs);
    std::vector<zenith_array *> out = handles(outputs);
    check(zenith_run(owner.get(), options, in.data(), in.size(), out.data(), out.size()));
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!outputs[i]) outputs[i] = Array(out[i]);
  }
  Event run_async(const std::vector<Array> &inputs, const zenith_run_options *options = nullptr) const {
    const std::vector<zenith_array *> in = handles(inputs);
    zenith_event *made = nullptr;
    Event event(nullptr);
    event.count = outputs_of(options);
    check(zenith_run_async(owner.get(), options, in.data(), in.size(), nullptr, event.count, &made));
    *event.owner.out() = made;
    return event;
  }
  void rebind(const std::string &safetensors_path) { check(zenith_session_rebind(owner.get(), safetensors_path.c_str(), nullptr, 0)); }
  void rebind(const std::vector<std::pair<std::string, Array>> &parameters) {
    std::vector<zenith_named_array> named(parameters.size());
    std::vector<const zenith_named_array *> table;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      ZENITH_INIT(&named[i]);
      named[i].name = parameters[i].first.c_str();
      named[i].array = parameters[i].second.get();
      table.push_back(&named[i]);
    }
    check(zenith_session_rebind(owner.get(), nullptr, table.data(), table.size()));
  }
  void save_parameters(const std::string &path) const { check(zenith_session_save_parameters(owner.get(), path.c_str())); }
  void trim() noexcept { zenith_session_trim(owner.get()); }
  zenith_session *get() const noexcept { return owner.get(); }

private:
  friend class Executable;
  static std::vector<zenith_array *> handles(const std::vector<Array> &arrays) {
    std::vector<zenith_array *> all;
    for (const Array &array : arrays) all.push_back(array.get());
    return all;
  }
  // A session does not say how many outputs an entry has: its executable did, when the session was made.
  std::size_t outputs_of(const zenith_run_options *options) const {
    const char *entry = options && options->struct_size >= offsetof(zenith_run_options, flags) ? options->entry : nullptr;
    for (const auto &known : counts)
      if (entry ? known.first == entry : counts.size() == 1 || known.first == "main") return known.second;
    return 1;
  }
  std::vector<Array> run_with(const std::vector<Array> &inputs, const zenith_run_options *options) const {
    std::vector<Array> outputs(outputs_of(options));
    run_into(inputs, outputs, options);
    return outputs;
  }
  detail::Owner<zenith_session, zenith_session_free> owner;
  std::vector<std::pair<std::string, std::size_t>> counts; // outputs by entry
};

inline Session Executable::session() const {
  zenith_session_options options;
  ZENITH_INIT(&options);
  return session(options);
}
inline Session Executable::session(const zenith_session_options &options) const {
  zenith_session *made = nullptr;
  check(zenith_session_create(owner.get(), &options, &made));
  Session session(made);
  for (const std::string &name : entries()) session.counts.emplace_back(name, zenith_executable_count(owner.get(), name.c_str(), ZENITH_ROLE_OUTPUT));
  return session;
}

// ---- Programs as expressions ----

class Graph;
// A value of a Graph, which must outlive it. Copies freely.
class Value {
public:
  Value() noexcept = default;
  Value(Graph &graph, zenith_value id) noexcept : owner(&graph), number(id) {}
  Graph &graph() const noexcept { return *owner; }
  zenith_value id() const noexcept { return number; }
  std::string type() const; // "tensor<?x8xf32>"
  std::int64_t rank() const;

private:
  Graph *owner = nullptr;
  zenith_value number = 0;
};

using Dim = std::variant<std::int64_t, std::string>; // a size or a name

// One public function "main". Errors stick as in zenith_builder; finish() throws the first.
class Graph {
public:
  explicit Graph(const Context &context) {
    check(zenith_builder_create(context.get(), owner.out()));
    zenith_builder_function(get(), "main", 1);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  Value input(const std::string &name, zenith_dtype dtype, const std::vector<Dim> &dims) {
    std::vector<std::string> texts;
    for (const Dim &dim : dims) texts.push_back(dim.index() == 0 ? std::to_string(std::get<0>(dim)) : std::get<1>(dim));
    const std::vector<const char *> table = detail::pointers(texts);
    return Value(*this, zenith_builder_argument(get(), name.c_str(), dtype, static_cast<std::int32_t>(table.size()), table.data()));
  }
  Value constant(const Array &value) {
    zenith_view view;
    ZENITH_INIT(&view);
    zenith_array_view(value.get(), &view);
    return Value(*this, zenith_builder_constant(get(), &view));
  }
  template <typename T> Value scalar(T value) {
    zenith_view view;
    ZENITH_INIT(&view);
    view.dtype = dtype_of<T>();
    view.data = &value;
    return Value(*this, zenith_builder_constant(get(), &view));
  }
  Value parameter(const std::string &name, const Array &value) {
    zenith_view view;
    ZENITH_INIT(&view);
    zenith_array_view(value.get(), &view);
    return Value(*this, zenith_builder_parameter(get(), name.c_str(), view.dtype, view.rank, view.dims, view.data));
  }
  void output(Value value, const std::string &name = {}) {
    outputs.push_back(value.id());
    names.push_back(name);
  }
  std::vector<Value> op(const std::string &name, const std::vector<Value> &operands, const std::string &attributes = {},
                        const std::vector<std::string> &result_types = {}, std::size_t results = 1) {
    const std::vector<const char *> types = detail::pointers(result_types);
    const std::vector<zenith_value> numbers = ids(operands);
    std::vector<zenith_value> made(results, 0);
    zenith_builder_op(get(), name.c_str(), numbers.data(), numbers.size(), detail::or_null(attributes), types.empty() ? nullptr : types.data(),
                      made.data(), made.size());
    return values(made);
  }
  Module finish() {
    std::vector<const char *> texts;
    for (const std::string &name : names) texts.push_back(detail::or_null(name));
    zenith_builder_return(get(), outputs.data(), texts.data(), outputs.size());
    zenith_module *made = nullptr;
    check(zenith_builder_finish(get(), &made));
    return Module(made);
  }
  zenith_builder *get() const noexcept { return owner.get(); }

  static std::vector<zenith_value> ids(const std::vector<Value> &values) {
    std::vector<zenith_value> numbers;
    for (const Value &value : values) numbers.push_back(value.id());
    return numbers;
  }
  std::vector<Value> values(const std::vector<zenith_value> &numbers) {
    std::vector<Value> all;
    for (zenith_value number : numbers) all.emplace_back(*this, number);
    return all;
  }

private:
  detail::Owner<zenith_builder, zenith_builder_free> owner;
  std::vector<zenith_value> outputs;
  std::vector<std::string> names;
};

inline std::string Value::type() const { return owner ? zenith_builder_type(owner->get(), number) : ""; }

namespace detail {

// A type apart: sizes (-1 = dynamic) and the element type.
struct Shape {
  std::vector<std::int64_t> dims;
  std::string element;
  std::string text() const {
    std::string out = "tensor<";
    for (std::int64_t dim : dims) out += (dim < 0 ? std::string("?") : std::to_string(dim)) + "x";
    return out + element + ">";
  }
};
inline Shape shape_of(const Value &value) {
  const std::string type = value.type();
  Shape shape;
  std::size_t at = type.find('<');
  if (at == std::string::npos) return shape;
  std::string rest = type.substr(at + 1, type.size() - at - 2);
  while (!rest.empty() && (rest[0] == '?' || (rest[0] >= '0' && rest[0] <= '9'))) {
    const std::size_t end = rest.find('x');
    shape.dims.push_back(rest[0] == '?' ? -1 : std::strtoll(rest.c_str(), nullptr, 10));
    rest = rest.substr(end + 1);
  }
  shape.element = rest;
  return shape;
}
inline std::string list(const std::vector<std::int64_t> &numbers) {
  std::string out = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) out += (i ? ", " : "") + std::to_string(numbers[i]);
  return out + "]";
}
inline Value one(Value graph_of, const std::string &name, const std::vector<Value> &operands, const std::string &attributes = {},
                 const std::vector<std::string> &types = {}) {
  return graph_of.graph().op(name, operands, attributes, types)[0];
}
inline Value dim_of(Value x, std::size_t axis) { return one(x, "dim", {x}, "{\"dim\": " + std::to_string(axis) + "}"); }

// A number of another value's element type.
inline Value number(Value like, double value) {
  const Shape shape = shape_of(like);
  Graph &graph = like.graph();
  if (shape.element == "f32") return graph.scalar(static_cast<float>(value));
  if (shape.element == "f64") return graph.scalar(value);
  if (shape.element == "i64") return graph.scalar(static_cast<std::int64_t>(value));
  if (shape.element == "i32") return graph.scalar(static_cast<std::int32_t>(value));
  const bool is_integer = shape.element[0] == 'i' || shape.element[0] == 'u';
  const Value wide = is_integer ? graph.scalar(static_cast<std::int64_t>(value)) : graph.scalar(static_cast<float>(value));
  return one(wide, "convert", {wide}, {}, {"tensor<" + shape.element + ">"});
}

// Repeats x to `dims`; the sizes of dynamic ones are those of `like`, whose trailing dimensions these are.
inline Value broadcast_to(Value x, const std::vector<std::int64_t> &dims, const std::vector<Value> &sizes) {
  Shape from = shape_of(x), to{dims, from.element};
  if (from.dims == dims) return x;
  std::vector<std::int64_t> mapping;
  for (std::size_t i = 0; i < from.dims.size(); ++i) mapping.push_back(static_cast<std::int64_t>(dims.size() - from.dims.size() + i));
  std::vector<Value> operands{x};
  operands.insert(operands.end(), sizes.begin(), sizes.end());
  return one(x, "broadcast", operands, "{\"mapping\": " + list(mapping) + "}", {to.text()});
}
// All values with one shape, as NumPy broadcasts them.
inline void broadcast(std::vector<Value *> values) {
  std::size_t rank = 0;
  std::vector<Shape> shapes;
  for (const Value *value : values) {
    shapes.push_back(shape_of(*value));
    if (shapes.back().element.empty()) return; // an error sticks
    rank = std::max(rank, shapes.back().dims.size());
  }
  std::vector<std::int64_t> dims(rank, 1);
  std::vector<std::pair<std::size_t, std::size_t>> source(rank, {0, 0});
  for (std::size_t v = 0; v < values.size(); ++v)
    for (std::size_t i = 0; i < shapes[v].dims.size(); ++i) {
      const std::size_t axis = rank - shapes[v].dims.size() + i;
      const std::int64_t size = shapes[v].dims[i];
      if (size != 1 && (dims[axis] == 1 || (dims[axis] < 0 && size >= 0))) dims[axis] = size, source[axis] = {v, i};
    }
  std::vector<bool> differs;
  bool any = false;
  for (const Shape &shape : shapes) differs.push_back(shape.dims != dims), any |= differs.back();
  if (!any) return;
  std::vector<Value> sizes;
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (dims[axis] < 0) sizes.push_back(dim_of(*values[source[axis].first], source[axis].second));
  for (std::size_t v = 0; v < values.size(); ++v)
    if (differs[v]) *values[v] = broadcast_to(*values[v], dims, sizes);
}
inline Value binary(const char *name, Value a, Value b, const std::string &attributes = {}) {
  broadcast({&a, &b});
  return one(a, name, {a, b}, attributes);
}
// The product of sizes, as an i64 scalar.
inline Value count_of(Value x, const std::vector<std::int64_t> &axes) {
  const Shape shape = shape_of(x);
  std::int64_t known = 1;
  Value count;
  for (std::int64_t axis : axes) {
    const std::int64_t size = axis >= 0 && axis < static_cast<std::int64_t>(shape.dims.size()) ? shape.dims[static_cast<std::size_t>(axis)] : 1;
    if (size >= 0) {
      known *= size;
      continue;
    }
    const Value next = dim_of(x, static_cast<std::size_t>(axis));
    count = count.id() ? one(x, "mul", {count, next}) : next;
  }
  const Value constant = x.graph().scalar(known);
  return count.id() ? (known == 1 ? count : one(x, "mul", {count, constant})) : constant;
}

} // namespace detail

inline std::int64_t Value::rank() const { return static_cast<std::int64_t>(detail::shape_of(*this).dims.size()); }

// Operands of operators and of binary functions broadcast as in NumPy (by graph.broadcast); a number becomes a constant of the other operand's type.
inline Value operator+(Value a, Value b) { return detail::binary("add", a, b); }
inline Value operator-(Value a, Value b) { return detail::binary("sub", a, b); }
inline Value operator*(Value a, Value b) { return detail::binary("mul", a, b); }
inline Value operator/(Value a, Value b) { return detail::binary("div", a, b); }
inline Value operator-(Value a) { return detail::one(a, "neg", {a}); }
inline Value operator+(Value a, double b) { return a + detail::number(a, b); }
inline Value operator-(Value a, double b) { return a - detail::number(a, b); }
inline Value operator*(Value a, double b) { return a * detail::number(a, b); }
inline Value operator/(Value a, double b) { return a / detail::number(a, b); }
inline Value compare(const std::string &direction, Value a, Value b) { // "eq" "ne" "lt" "le" "gt" "ge"
  return detail::binary("compare", a, b, "{\"direction\": \"" + direction + "\"}");
}
inline Value select(Value predicate, Value on_true, Value on_false) {
  detail::broadcast({&predicate, &on_true, &on_false});
  return detail::one(predicate, "select", {predicate, on_true, on_false});
}
inline Value max(Value a, Value b) { return detail::binary("max", a, b); }
inline Value min(Value a, Value b) { return detail::binary("min", a, b); }
inline Value relu(Value x) { return max(x, detail::number(x, 0)); }
inline Value exp(Value x) { return detail::one(x, "exp", {x}); }
inline Value log(Value x) { return detail::one(x, "log", {x}); }
inline Value tanh(Value x) { return detail::one(x, "tanh", {x}); }
inline Value sqrt(Value x) { return detail::one(x, "sqrt", {x}); }
inline Value softmax(Value x, std::int64_t dim) { return detail::one(x, "softmax", {x}, "{\"dims\": " + detail::list({dim}) + "}"); }
inline Value sum(Value x, const std::vector<std::int64_t> &dims) {
  return detail::one(x, "reduce", {x}, "{\"kind\": \"sum\", \"dims\": " + detail::list(dims) + "}");
}
inline Value convert(Value x, zenith_dtype dtype) {
  detail::Shape shape = detail::shape_of(x);
  shape.element = zenith_dtype_name(dtype);
  return detail::one(x, "convert", {x}, {}, {shape.text()});
}
inline Value mean(Value x, const std::vector<std::int64_t> &dims) {
  const Value count = detail::count_of(x, dims);
  return sum(x, dims) / detail::one(x, "convert", {count}, {}, {"tensor<" + detail::shape_of(x).element + ">"});
}
inline Value reshape(Value x, const std::vector<std::int64_t> &dims) { // one may be -1
  const detail::Shape from = detail::shape_of(x);
  std::int64_t known = 1, total = 1;
  bool is_open = false, is_static = true;
  for (std::int64_t dim : dims) dim < 0 ? is_open = true : known *= dim, (void)0;
  for (std::int64_t dim : from.dims) dim < 0 ? is_static = false : total *= dim, (void)0;
  detail::Shape to{dims, from.element};
  std::vector<Value> operands{x};
  for (std::int64_t &dim : to.dims) {
    if (dim >= 0 || !is_open) continue;
    if (is_static && known > 0 && total % known == 0) {
      dim = total / known;
      continue;
    }
    std::vector<std::int64_t> axes;
    for (std::size_t axis = 0; axis < from.dims.size(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
    const Value all = detail::count_of(x, axes);
    operands.push_back(known == 1 ? all : detail::one(x, "div", {all, x.graph().scalar(known)}));
  }
  return detail::one(x, "reshape", operands, {}, {to.text()});
}
inline Value transpose(Value x, const std::vector<std::int64_t> &permutation) {
  return detail::one(x, "transpose", {x}, "{\"permutation\": " + detail::list(permutation) + "}");
}
inline Value concat(const std::vector<Value> &values, std::int64_t dim) {
  return detail::one(values.at(0), "concat", values, "{\"dim\": " + std::to_string(dim) + "}");
}
inline Value slice(Value x, const std::vector<std::int64_t> &starts, const std::vector<std::int64_t> &sizes) {
  const std::vector<std::int64_t> strides(starts.size(), 1);
  return detail::one(x, "slice", {x},
                     "{\"static_starts\": " + detail::list(starts) + ", \"static_sizes\": " + detail::list(sizes) + ", \"strides\": " + detail::list(strides) +
                         "}");
}
inline Value matmul(Value a, Value b) { // last two dimensions; the ones before broadcast
  detail::Shape left = detail::shape_of(a), right = detail::shape_of(b);
  std::vector<std::int64_t> batching;
  if (left.dims.size() > 2 && right.dims.size() == 2) { // the rows of all batches are rows
    const auto last = static_cast<std::int64_t>(left.dims.size()) - 1;
    return detail::one(a, "dot_general", {a, b}, "{\"dims\": {\"batching\": [[], []], \"contracting\": [" + detail::list({last}) + ", [0]]}}");
  }
  const std::size_t rank = std::max(left.dims.size(), right.dims.size());
  if (rank > 2) { // batches alike, the two last dimensions as they are
    std::vector<std::int64_t> dims(rank - 2, 1);
    std::vector<std::pair<Value, std::size_t>> source(rank - 2, {a, 0});
    auto meet = [&](const Value &value, const detail::Shape &shape) {
      for (std::size_t i = 0; i + 2 < shape.dims.size(); ++i) {
        const std::size_t axis = rank - shape.dims.size() + i;
        if (shape.dims[i] != 1 && (dims[axis] == 1 || dims[axis] < 0)) dims[axis] = shape.dims[i], source[axis] = {value, i};
      }
    };
    meet(a, left), meet(b, right);
    auto widen = [&](Value value, const detail::Shape &shape) {
      std::vector<std::int64_t> whole = dims;
      whole.insert(whole.end(), shape.dims.end() - 2, shape.dims.end());
      if (whole == shape.dims) return value;
      std::vector<Value> sizes;
      for (std::size_t axis = 0; axis < dims.size(); ++axis)
        if (dims[axis] < 0) sizes.push_back(detail::dim_of(source[axis].first, source[axis].second));
      for (std::size_t i = shape.dims.size() - 2; i < shape.dims.size(); ++i)
        if (shape.dims[i] < 0) sizes.push_back(detail::dim_of(value, i));
      return detail::broadcast_to(value, whole, sizes);
    };
    a = widen(a, left), b = widen(b, right);
    for (std::size_t axis = 0; axis + 2 < rank; ++axis) batching.push_back(static_cast<std::int64_t>(axis));
  }
  const auto columns = static_cast<std::int64_t>(rank) - 1;
  return detail::one(a, "dot_general", {a, b},
                     "{\"dims\": {\"batching\": [" + detail::list(batching) + ", " + detail::list(batching) + "], \"contracting\": [" +
                         detail::list({columns}) + ", " + detail::list({columns - 1}) + "]}}");
}
inline std::vector<Value> while_loop(const std::vector<Value> &inits, std::function<Value(const std::vector<Value> &)> condition,
                                     std::function<std::vector<Value>(const std::vector<Value> &)> body) {
  Graph &graph = inits.at(0).graph();
  std::vector<zenith_value> carried(inits.size(), 0), results(inits.size(), 0);
  const std::vector<zenith_value> first = Graph::ids(inits);
  zenith_builder_begin(graph.get(), "while", first.data(), first.size(), nullptr, nullptr, carried.data(), carried.size());
  const zenith_value go = condition(graph.values(carried)).id();
  zenith_builder_next(graph.get(), &go, 1, carried.data(), carried.size());
  const std::vector<zenith_value> next = Graph::ids(body(graph.values(carried)));
  zenith_builder_end(graph.get(), next.data(), next.size(), nullptr, results.data(), results.size());
  return graph.values(results);
}
inline std::vector<Value> if_else(Value predicate, std::function<std::vector<Value>()> then_values, std::function<std::vector<Value>()> else_values) {
  Graph &graph = predicate.graph();
  const zenith_value condition = predicate.id();
  zenith_builder_begin(graph.get(), "if", &condition, 1, nullptr, nullptr, nullptr, 0);
  const std::vector<zenith_value> first = Graph::ids(then_values());
  zenith_builder_next(graph.get(), first.data(), first.size(), nullptr, 0);
  const std::vector<zenith_value> second = Graph::ids(else_values());
  std::vector<zenith_value> results(second.size(), 0);
  zenith_builder_end(graph.get(), second.data(), second.size(), nullptr, results.data(), results.size());
  return graph.values(results);
}

} // namespace zenith

#endif // ZENITH_ZENITH_HPP
