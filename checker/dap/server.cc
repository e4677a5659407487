#include "checker/dap/server.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "checker/dap/breakpoint_requests.h"
#include "checker/dap/connection.h"
#include "checker/dap/target.h"
#include "checker/dap/views.h"
#include "checker/trace/step_values.h"

namespace cmc::dap {
namespace {

using session::Breakpoint;
using session::RunOptions;
using session::Stop;

constexpr uint64_t kSlice = 2000;              // choices between two looks at the client
constexpr uint64_t kMostChoices = 10'000'000;  // of one request

class Server {
 public:
  Server(int in, int out, const std::string& program, const std::atomic<bool>& interrupted)
      : client_(in, out), program_(program), interrupted_(interrupted) {}

  void serve() {
    using Read = rpc::MessageStream::Read;
    std::string message;
    while (!interrupted_ && client_.is_open() && !is_over_) {
      const Read read = client_.read(message, going_ ? 0 : -1);
      if (read == Read::kEnd) return;
      if (read == Read::kMessage) {
        client_.answer(
            message, [this](const std::string& command, const Json& arguments) { return call(command, arguments); });
        if (after_) std::exchange(after_, nullptr)();
      } else if (going_) {
        go_on();
      }
    }
  }

 private:
  using Handler = Json (Server::*)(const Json& arguments);
  static const std::map<std::string, Handler> kHandlers;

  // A run forward that is under way.
  struct Going {
    RunOptions options;
    uint64_t choices = 0;  // so far
  };

  Json call(const std::string& command, const Json& arguments) {
    const auto handler = kHandlers.find(command);
    if (handler == kHandlers.end()) throw Failure{fmt::format("there is no request '{}'", command)};
    const bool needs_target = command != "initialize" && command != "launch" && command != "disconnect";
    if (needs_target && !target_) throw Failure{"nothing was launched"};
    return (this->*handler->second)(arguments);
  }

  // --- the beginning and the end
  Json initialize(const Json& arguments) {
    counting_.first_line = arguments.value("linesStartAt1", true) ? 1 : 0;
    counting_.first_column = arguments.value("columnsStartAt1", true) ? 1 : 0;
    Json capabilities = {
        {"exceptionBreakpointFilters",
         {{{"filter", "errors"}, {"label", "assertions and other errors of a step"}, {"default", true}}}}};
    for (const char* const each :
         {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
          "supportsHitConditionalBreakpoints", "supportsEvaluateForHovers", "supportsStepBack",
          "supportsStepInTargetsRequest", "supportsRestartRequest", "supportsExceptionInfoRequest",
          "supportsDataBreakpoints", "supportsTerminateRequest"})
      capabilities[each] = true;
    return capabilities;
  }

  Json launch(const Json& arguments) {
    going_.reset();
    target_.reset();
    target_ = std::make_unique<Target>(
        arguments, program_, [this] { tell_printed(); }, interrupted_);
    stops_on_entry_ = arguments.value("stopOnEntry", true);
    after_ = [this] { client_.event("initialized"); };
    return Json::object();
  }

  Json configuration_done(const Json&) {
    if (stops_on_entry_) {
      after_ = [this] { tell_stop("entry", end_text_or(position_text())); };
    } else {
      start({.begins_here = false});
    }
    return Json::object();
  }

  Json restart(const Json&) {
    target_->run().go_to(0);
    going_.reset();
    return configuration_done({});
  }

  Json terminate(const Json&) {
    going_.reset();
    after_ = [this] { client_.event("terminated"); };
    return Json::object();
  }

  Json disconnect(const Json&) {
    is_over_ = true;
    return Json::object();
  }

  // --- breakpoints
  Json set_lines(const Json& arguments) { return set_line_breakpoints(*target_, arguments, counting_); }
  Json set_functions(const Json& arguments) { return set_function_breakpoints(*target_, arguments); }
  Json set_data(const Json& arguments) { return set_data_breakpoints(*target_, arguments); }

  Json set_exception_breakpoints(const Json& arguments) {
    const Json& filters = arguments.at("filters");
    stops_at_errors_ = std::find(filters.begin(), filters.end(), "errors") != filters.end();
    return Json::object();
  }

  // --- walking
  // Begins a run forward; it goes on between requests, until something stops it.
  void start(RunOptions options) {
    options.stops_at_errors = stops_at_errors_;
    options.interrupt = &interrupted_;
    options.on_choice = [this] { tell_printed(); };
    going_ = {std::move(options), 0};
  }

  void go_on() {
    RunOptions options = going_->options;
    const uint64_t most = options.most_choices - going_->choices;
    options.most_choices = std::min(most, kSlice);
    const uint64_t before = target_->run().position();
    const Stop stop = session::run(target_->run(), target_->breakpoints(), target_->random(), options);
    going_->choices += target_->run().position() - before;
    going_->options.begins_here = false;
    if (stop.reason == Stop::Reason::kChoices && most > kSlice) return;
    const bool is_step = going_->options.most_choices == 1;
    going_.reset();
    switch (stop.reason) {
      case Stop::Reason::kBreakpoint: return tell_breakpoint(stop.breakpoint);
      case Stop::Reason::kUntil: return tell_stop("step", position_text());
      case Stop::Reason::kEnd: return tell_end();
      case Stop::Reason::kInterrupted: return;
      case Stop::Reason::kChoices: break;
    }
    tell_stop(is_step ? "step" : "pause", end_text_or(position_text()));
  }

  Json go(const Json&) {
    start({.most_choices = kMostChoices});
    return {{"allThreadsContinued", true}};
  }

  // Until the process has taken a step.
  Json next(const Json& arguments) {
    const uint8_t pid = process_of(*target_, arguments.at("threadId"));
    start({.most_choices = kMostChoices, .prefers = pid, .until = [this, pid] {
             const Step& last = target_->run().last_choice().back();
             return last.pid == pid || last.partner == pid;
           }});
    return Json::object();
  }

  // One step, of whatever process.
  Json step_in(const Json& arguments) {
    const uint8_t pid = process_of(*target_, arguments.at("threadId"));
    if (arguments.contains("targetId")) {
      const auto number = arguments["targetId"].get<size_t>();
      if (number < 1 || number > target_->run().choices().size()) throw Failure{"there is no such step here"};
      target_->run().plan(number - 1);
    }
    start({.most_choices = 1, .prefers = pid});
    return Json::object();
  }

  // Until the process has ended.
  Json step_out(const Json& arguments) {
    const uint8_t pid = process_of(*target_, arguments.at("threadId"));
    start({.most_choices = kMostChoices, .prefers = pid, .until = [this, pid] {
             return load<uint8_t>(target_->run().state().data() + target_->model().process_count_offset()) <= pid;
           }});
    return Json::object();
  }

  Json step_back(const Json&) {
    going_.reset();
    const uint64_t position = target_->run().position();
    if (position > 0) target_->run().go_to(position - 1);
    after_ = [this, position] { position > 0 ? tell_stop("step", position_text()) : tell_start(); };
    return Json::object();
  }

  Json reverse_continue(const Json&) {
    going_.reset();
    session::Breakpoints& breakpoints = target_->breakpoints();
    const bool met = target_->run().back_until([&] { return breakpoints.at_next(); });
    after_ = [this, met] { met ? tell_stop("breakpoint", position_text()) : tell_start(); };
    return Json::object();
  }

  Json pause(const Json&) {
    going_.reset();
    after_ = [this] { tell_stop("pause", position_text()); };
    return Json::object();
  }

  // --- what is told
  [[nodiscard]] std::string position_text() {
    session::Session& run = target_->run();
    std::string text = fmt::format("step {}", run.position());
    if (run.length() > run.position()) text += fmt::format(" of {}", run.length());
    if (run.loop_start() && run.position() == run.length())
      text += fmt::format("; from step {} on it is repeated for ever", *run.loop_start());
    return text;
  }
  [[nodiscard]] std::string end_text_or(const std::string& text) {
    const std::string end = target_->run().end_text();
    return end.empty() ? text : end;
  }

  void tell_stop(const std::string& reason, const std::string& description, uint32_t breakpoint = 0) {
    Json body = {{"reason", reason},
                 {"description", description},
                 {"threadId", thread_in_focus(*target_)},
                 {"allThreadsStopped", true}};
    if (reason == "exception") body["text"] = description;
    if (breakpoint > 0) body["hitBreakpointIds"] = {breakpoint};
    client_.event("stopped", std::move(body));
  }

  void tell_start() { tell_stop("entry", "the start of the run"); }

  void tell_breakpoint(uint32_t number) {
    const Breakpoint& breakpoint = target_->breakpoints().all().at(number);
    const char* const reason = breakpoint.kind == Breakpoint::Kind::kLine     ? "breakpoint"
                               : breakpoint.kind == Breakpoint::Kind::kStarts ? "function breakpoint"
                                                                              : "data breakpoint";
    tell_stop(reason, breakpoint_text(target_->model(), breakpoint), number);
  }

  void tell_end() {
    using End = session::Session::End;
    const End end = target_->run().end();
    const bool is_error = end == End::kError || end == End::kInvalidEnd;
    tell_stop(is_error ? "exception" : "end", end_text_or(position_text()));
  }

  void tell_printed() {
    session::Session& run = target_->run();
    const std::optional<std::string> printed =
        printed_by_step(target_->model(), run.state_before(), run.last_choice().back());
    if (printed) client_.output("stdout", *printed);
  }

  Json exception_info(const Json&) {
    session::Session& run = target_->run();
    if (run.end_text().empty()) throw Failure{"there is no error here"};
    const char* const id = run.errors().empty() ? "end" : runtime_error_name(run.errors().front().kind);
    const Explanation why = run.explain();
    return {
        {"exceptionId", id},
        {"description", run.end_text()},
        {"breakMode", "always"},
        {"details", {{"message", run.end_text()}, {"stackTrace", fmt::format("{}", fmt::join(why.lines, "\n"))}}}};
  }

  // --- views
  Json tell_threads(const Json&) { return threads(*target_); }
  Json tell_stack(const Json& arguments) { return stack_trace(*target_, arguments, counting_); }
  Json tell_scopes(const Json& arguments) { return scopes(*target_, arguments); }
  Json tell_variables(const Json& arguments) { return variables(*target_, arguments); }
  Json tell_targets(const Json& arguments) { return step_in_targets(*target_, arguments); }
  Json tell_data(const Json& arguments) { return data_breakpoint_info(*target_, arguments); }

  Json set_variable(const Json&) {
    throw Failure{"a value cannot be set: the run would not be one of the model any more"};
  }

  Json evaluate(const Json& arguments) {
    const auto text = arguments.at("expression").get<std::string>();
    const uint8_t pid = arguments.contains("frameId") ? process_of(*target_, arguments["frameId"]) : kNoProcess;
    session::Session& run = target_->run();
    if (arguments.value("context", std::string()) == "repl") {
      const uint64_t before = run.position();
      const session::Console::Answer answer = target_->console().execute(text, pid);
      if (run.position() != before) {
        going_.reset();
        after_ = [this] { tell_stop("goto", end_text_or(position_text())); };
      }
      if (answer.is_known) return {{"result", answer.text}, {"variablesReference", 0}};
    }
    const Result<session::Expression> expression = run.read(text, pid);
    if (!expression.ok()) throw Failure{expression.error()};
    const std::optional<std::string> value = expression.value().text(run.state(), pid);
    if (!value) throw Failure{"it cannot be evaluated in this state"};
    return {{"result", *value}, {"variablesReference", 0}};
  }

  Connection client_;
  const std::string& program_;
  const std::atomic<bool>& interrupted_;
  Counting counting_;
  std::unique_ptr<Target> target_;
  std::optional<Going> going_;
  std::function<void()> after_;  // what is told behind the response
  bool stops_on_entry_ = true;
  bool stops_at_errors_ = true;
  bool is_over_ = false;
};

const std::map<std::string, Server::Handler> Server::kHandlers = {
    {"initialize", &Server::initialize},
    {"launch", &Server::launch},
    {"configurationDone", &Server::configuration_done},
    {"restart", &Server::restart},
    {"terminate", &Server::terminate},
    {"disconnect", &Server::disconnect},
    {"setBreakpoints", &Server::set_lines},
    {"setFunctionBreakpoints", &Server::set_functions},
    {"setDataBreakpoints", &Server::set_data},
    {"setExceptionBreakpoints", &Server::set_exception_breakpoints},
    {"dataBreakpointInfo", &Server::tell_data},
    {"continue", &Server::go},
    {"next", &Server::next},
    {"stepIn", &Server::step_in},
    {"stepOut", &Server::step_out},
    {"stepBack", &Server::step_back},
    {"reverseContinue", &Server::reverse_continue},
    {"pause", &Server::pause},
    {"stepInTargets", &Server::tell_targets},
    {"exceptionInfo", &Server::exception_info},
    {"threads", &Server::tell_threads},
    {"stackTrace", &Server::tell_stack},
    {"scopes", &Server::tell_scopes},
    {"variables", &Server::tell_variables},
    {"setVariable", &Server::set_variable},
    {"setExpression", &Server::set_variable},
    {"evaluate", &Server::evaluate},
};

}  // namespace

void serve(int in, int out, const std::string& program, const std::atomic<bool>& interrupted) {
  Server(in, out, program, interrupted).serve();
}

}  // namespace cmc::dap
