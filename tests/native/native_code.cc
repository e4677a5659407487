#include "tests/native/native_code.h"

#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/subprocess.h"
#include "checker/native/compiler.h"

#include "tests/catch.h"

namespace cmc::test {

namespace {

std::shared_ptr<const native::Library> build(const Model& model, const native::Compiler& compiler) {
  if (!native::identity_of(compiler).ok()) {
    WARN("there is no C compiler");
    return nullptr;
  }
  const Result<RunDirectory> folder = RunDirectory::create("", false);
  REQUIRE(folder.ok());
  const std::string path = folder.value().path();
  const native::Source source = native::write_source(model);
  REQUIRE(write_file_atomically(path + "/model.c", source.text).ok());
  const Status compiled =
      native::compile(compiler, path, path + "/model.c", path + "/model.so", [] { return false; });
  INFO(source.text);
  if (!compiled.ok()) FAIL(compiled.error());
  const Result<std::string> object = read_file(path + "/model.so");
  REQUIRE(object.ok());
  auto library = native::Library::load(object.value(), source);
  if (!library.ok()) FAIL(library.error());
  return std::move(library).value();
}

}  // namespace

std::shared_ptr<const native::Library> native_code(const Model& model) {
  native::Compiler compiler = native::system_compiler();
  if (program_exists("tcc")) compiler.words = {"tcc"};
  return build(model, compiler);
}

std::shared_ptr<const native::Library> optimized_native_code(const Model& model) {
  return build(model, native::system_compiler());
}

}  // namespace cmc::test
