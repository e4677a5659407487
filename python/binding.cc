// The module cmc._cmc: what cmc/cmc.h offers, as Python needs it. The package around it (cmc/) gives it its shape.

#include <chrono>
#include <future>
#include <mutex>

#include <cmc/cmc.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace {

namespace py = pybind11;
namespace api = cmc::api;
using Words = std::vector<std::string>;
using Pid = std::optional<std::uint32_t>;

// Models are written in any encoding.
py::str text(const std::string& bytes) {
  PyObject* const made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::list texts(const std::vector<std::string>& all) {
  py::list list;
  for (const std::string& each : all) list.append(text(each));
  return list;
}

template <class T>
[[noreturn]] void raise(const api::Result<T>& failed) {
  py::list mistakes;
  for (const api::Mistake& each : failed.mistakes())
    mistakes.append(py::make_tuple(text(each.message), text(each.place.file), each.place.line, each.place.column));
  const py::object error = py::module_::import("cmc._errors").attr("make")(text(failed.error()), mistakes);
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

template <class T>
T value(api::Result<T> result) {
  if (!result.ok()) raise(result);
  return std::move(result.value());
}

// What `work(stop)` returns, and whether Ctrl-C ended it: then it has what was found until then. It runs in a thread
// of its own, without the interpreter's lock, because Python tells of signals in its main thread only.
template <class Work>
auto interruptible(const Work& work) {
  constexpr std::chrono::milliseconds kBetweenLooks(20);
  std::atomic<bool> stop = false;
  std::optional<py::error_already_set> raised;
  auto running = std::async(std::launch::async, [&] { return work(&stop); });
  const auto is_over = [&] {
    const py::gil_scoped_release released;
    return running.wait_for(kBetweenLooks) == std::future_status::ready;
  };
  while (!is_over()) {
    if (raised || PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    stop = true;
  }
  if (raised && !raised->matches(PyExc_KeyboardInterrupt)) throw std::move(*raised);
  return std::pair(running.get(), raised.has_value());
}

api::Model load(const std::string& path, const Words& options) {
  const py::gil_scoped_release released;
  api::Result<api::Model> model = api::Model::load(path, options);
  const py::gil_scoped_acquire acquired;
  return value(std::move(model));
}

py::tuple check(const api::Model& model, const Words& options) {
  auto [result, interrupted] =
      interruptible([&](const std::atomic<bool>* stop) { return model.check(options, stop); });
  return py::make_tuple(value(std::move(result)), interrupted);
}

template <class T>
py::bytearray column(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Columns of 32-bit numbers and lists of texts.
py::dict graph_dict(const api::Graph& graph) {
  std::vector<std::uint32_t> kinds, depths, expanded, edges, pids, errors;
  py::list states, processes, statements, changes;
  for (const api::Graph::Node& node : graph.nodes) {
    kinds.push_back(static_cast<std::uint32_t>(node.kind));
    depths.push_back(node.depth);
    expanded.push_back(node.expanded ? 1 : 0);
    states.append(text(node.text));
  }
  for (const api::Graph::Edge& edge : graph.edges) {
    edges.push_back(edge.from);
    edges.push_back(edge.to);
    pids.push_back(edge.pid);
    errors.push_back(edge.error ? 1 : 0);
    processes.append(text(edge.process));
    statements.append(text(edge.statement));
    changes.append(text(edge.changes));
  }
  using namespace py::literals;
  return py::dict("kinds"_a = column(kinds), "depths"_a = column(depths), "expanded"_a = column(expanded),
                  "edges"_a = column(edges), "pids"_a = column(pids), "errors"_a = column(errors),
                  "states"_a = states, "processes"_a = processes, "statements"_a = statements, "changes"_a = changes,
                  "complete"_a = graph.complete, "reason"_a = text(graph.reason), "svg"_a = text(graph.svg));
}

py::tuple graph(const api::Model& model, std::size_t most_states, const Words& options) {
  auto [result, interrupted] =
      interruptible([&](const std::atomic<bool>* stop) { return model.graph(most_states, options, stop); });
  return py::make_tuple(graph_dict(value(std::move(result))), interrupted);
}

py::dict choice_dict(const api::Step& step) {
  using namespace py::literals;
  const auto action = [](const api::Action& each) {
    return py::dict("pid"_a = each.pid, "process"_a = text(each.process + "[" + std::to_string(each.pid) + "]"),
                    "text"_a = text(each.statement), "file"_a = text(each.place.file), "line"_a = each.place.line);
  };
  py::dict dict = action(step.action);
  dict["changes"] = texts(step.changes);
  dict["partner"] = step.receiver ? py::object(action(*step.receiver)) : py::none();
  return dict;
}

// A session that says so when a second thread uses it, rather than break.
class Session {
 public:
  explicit Session(const api::Model& model) : run_(value(model.start())) {}

  template <class Work>
  auto with(const Work& work) {
    const std::unique_lock<std::mutex> lock(in_use_, std::try_to_lock);
    if (!lock.owns_lock()) throw std::runtime_error("another thread uses this session");
    return work(run_);
  }

 private:
  std::mutex in_use_;
  api::Session run_;
};

// A method of the session without arguments, whose answer `convert` makes one of Python's.
template <class Answer, class Convert>
auto method(Answer (api::Session::*get)() const, const Convert& convert) {
  return [get, convert](Session& session) {
    return session.with([&](api::Session& run) { return convert((run.*get)()); });
  };
}

py::list values(const std::vector<api::Value>& all) {
  py::list list;
  for (const api::Value& each : all)
    list.append(py::make_tuple(text(each.name), text(each.text),
                               each.messages ? py::object(texts(*each.messages)) : py::none()));
  return list;
}

py::list choices(const std::vector<api::Step>& steps) {
  py::list list;
  for (const api::Step& each : steps) list.append(choice_dict(each));
  return list;
}

py::tuple find(Session& session, const std::string& expression, const Pid& pid, double seconds) {
  return session.with([&](api::Session& run) {
    auto [found, interrupted] =
        interruptible([&](const std::atomic<bool>* stop) { return run.find(expression, pid, seconds, stop); });
    return py::make_tuple(interrupted ? false : value(std::move(found)), interrupted);
  });
}

void define_session(py::module_& module) {
  const auto same = [](auto answer) { return answer; };
  py::class_<Session>(module, "Session")
      .def(py::init<const api::Model&>())
      .def("position", method(&api::Session::position, same))
      .def("length", method(&api::Session::length, same))
      .def("loop_start", method(&api::Session::loop_start, same))
      .def("is_stuck", method(&api::Session::is_stuck, same))
      .def("choices", method(&api::Session::choices, choices))
      .def("values", method(&api::Session::values, values))
      .def("end", method(&api::Session::end, text))
      .def("why", method(&api::Session::why, texts))
      .def("take",
           [](Session& self, std::size_t choice) { self.with([&](api::Session& run) { value(run.take(choice)); }); })
      .def("go_to", [](Session& self,
                       std::uint64_t position) { self.with([&](api::Session& run) { value(run.go_to(position)); }); })
      .def("run",
           [](Session& self, std::uint64_t steps, std::uint64_t seed) {
             return self.with([&](api::Session& run) {
               return py::cast(
                   interruptible([&](const std::atomic<bool>* stop) { return run.run(steps, seed, stop); }));
             });
           })
      .def("load", [](Session& self,
                      const std::string& trail) { self.with([&](api::Session& run) { value(run.load(trail)); }); })
      .def("evaluate",
           [](Session& self, const std::string& expression, const Pid& pid) {
             return self.with([&](api::Session& run) { return text(value(run.evaluate(expression, pid))); });
           })
      .def("find", find)
      .def("trace",
           [](Session& self, std::size_t steps) {
             return self.with([&](api::Session& run) { return text(run.trace(steps)); });
           })
      .def("page", [](Session& self, std::size_t steps) {
        return self.with([&](api::Session& run) { return text(run.page(steps)); });
      });
}

}  // namespace

PYBIND11_MODULE(_cmc, module) {
  py::class_<api::Model>(module, "Model")
      .def_static("load", load)
      .def_static("parse", [](const std::string& source, const std::string& name,
                              const Words& options) { return value(api::Model::parse(source, name, options)); })
      .def("warnings", [](const api::Model& model) { return text(model.warnings()); })
      .def("check", check)
      .def("graph", graph);
  py::class_<api::CheckResult>(module, "CheckResult")
      .def("json", [](const api::CheckResult& result) { return text(result.json); })
      .def("traces", [](const api::CheckResult& result, std::size_t steps) { return text(result.traces(steps)); })
      .def("page", [](const api::CheckResult& result, std::size_t steps) { return text(result.page(steps)); })
      .def("trail",
           [](const api::CheckResult& result, std::size_t number) { return text(value(result.trail(number))); });
  define_session(module);
}
