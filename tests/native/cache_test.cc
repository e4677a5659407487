#include <cstdlib>
#include <filesystem>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/sha1.h"
#include "checker/native/compiler.h"
#include "checker/native/interface.h"
#include "checker/native/library.h"
#include "checker/native/object_cache.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "0123456789";

// A shared object of this C text; empty: there is no compiler.
std::string shared_object(const std::string& text) {
  const native::Compiler compiler = native::system_compiler();
  if (!native::identity_of(compiler).ok()) {
    WARN("there is no C compiler");
    return "";
  }
  const Result<RunDirectory> folder = RunDirectory::create("", false);
  REQUIRE(folder.ok());
  const std::string path = folder.value().path() + "/it";
  REQUIRE(write_file_atomically(path + ".c", text).ok());
  REQUIRE(native::compile(compiler, folder.value().path(), path + ".c", path + ".so", [] { return false; }).ok());
  const Result<std::string> object = read_file(path + ".so");
  REQUIRE(object.ok());
  return object.value();
}

// An object that makes a file as soon as it is loaded.
std::string foreign_object(const std::string& made, const std::string& more) {
  return shared_object(
      fmt::format("#include <fcntl.h>\n{}\n__attribute__((constructor)) static void begin(void) {{ open(\"{}\", "
                  "O_CREAT, 0600); }}\n",
                  more, made));
}

native::ObjectCache opened(const std::string& folder) {
  Result<native::ObjectCache> cache = native::ObjectCache::open(folder);
  if (!cache.ok()) FAIL(cache.error());
  return std::move(cache).value();
}

std::string refusal(const std::string& folder) {
  const Result<native::ObjectCache> cache = native::ObjectCache::open(folder);
  return cache.ok() ? "" : cache.error();
}

TEST_CASE("native cache: a cache stays in the folder that was opened, whatever has its name later") {
  const std::string object = shared_object("int one(void) { return 1; }");
  const std::string other = shared_object("int two(void) { return 2; }");
  if (object.empty()) return;
  const Result<RunDirectory> place = RunDirectory::create("", false);
  REQUIRE(place.ok());
  const fs::path above = fs::path(place.value().path()) / "cmc";
  const native::ObjectCache cache = opened(above / "native");
  REQUIRE(cache.add(kKey, object).ok());
  CHECK(cache.find(kKey) == object);

  fs::rename(above, place.value().path() + "/moved");
  const native::ObjectCache planted = opened(above / "native");
  REQUIRE(planted.add(kKey, other).ok());
  CHECK(cache.find(kKey) == object);
  REQUIRE(cache.add(kKey, object).ok());
  CHECK(planted.find(kKey) == other);
}

TEST_CASE("native cache: an object is found by the key that it was kept by only") {
  const std::string object = shared_object("int one(void) { return 1; }");
  if (object.empty()) return;
  const Result<RunDirectory> place = RunDirectory::create("", false);
  REQUIRE(place.ok());
  const std::string folder = place.value().path() + "/cmc/native";
  const native::ObjectCache cache = opened(folder);
  REQUIRE(cache.add(kKey, object).ok());
  fs::copy_file(folder + '/' + kKey + ".so", folder + "/abc.so");
  ::chmod((folder + "/abc.so").c_str(), 0600);
  CHECK_FALSE(cache.find("abc"));
  fs::create_symlink(std::string(kKey) + ".so", folder + "/def.so");
  CHECK_FALSE(cache.find("def"));
  CHECK(cache.find(kKey) == object);
}

TEST_CASE("native cache: code of another model is refused before it runs") {
  const Result<RunDirectory> place = RunDirectory::create("", false);
  REQUIRE(place.ok());
  const std::string made = place.value().path() + "/made";
  const native::Source source = native::write_source(compile_text("active proctype p() { skip }"));
  const std::string entry = "const void* cmc_native_model(void) { return 0; }\n";
  for (const std::string& more : {std::string(), entry}) {
    const std::string object = foreign_object(made, more);
    if (object.empty()) return;
    CHECK_FALSE(native::Library::load(object, source).ok());
    CHECK_FALSE(fs::exists(made));
  }
  // The object does what the test believes that it does.
  const std::string object = foreign_object(made, entry);
  REQUIRE(write_file_atomically(place.value().path() + "/it.so", object).ok());
  void* const handle = ::dlopen((place.value().path() + "/it.so").c_str(), RTLD_NOW);
  CHECK(fs::exists(made));
  if (handle != nullptr) ::dlclose(handle);
}

TEST_CASE("native cache: a cache is used only where nobody else can exchange it") {
  const Result<RunDirectory> place = RunDirectory::create("", false);
  REQUIRE(place.ok());
  const fs::path above = fs::path(place.value().path()) / "above";
  fs::create_directory(above);
  const auto with_mode = [&](mode_t mode) {
    ::chmod(above.c_str(), mode);
    return refusal(above / "cmc/native");
  };
  CHECK(with_mode(0700).empty());
  CHECK(with_mode(0755).empty());
  CHECK(with_mode(01777).empty());
  CHECK(with_mode(0777).find("above' is open to others") != std::string::npos);
  CHECK(with_mode(0775).find("above' is open to others") != std::string::npos);
  ::chmod(above.c_str(), 0700);

  const fs::path link = fs::path(place.value().path()) / "link";
  fs::create_symlink("./above/../above", link);
  CHECK(refusal(link / "cmc/native").empty());
  ::chmod(above.c_str(), 0777);
  CHECK_FALSE(refusal(link / "cmc/native").empty());
  ::chmod(above.c_str(), 0700);
  fs::remove_all(above / "cmc/native");
  fs::create_symlink("/tmp", above / "cmc/native");
  CHECK(refusal(above / "cmc/native").find("Not a directory") != std::string::npos);
  fs::create_symlink("loop", fs::path(place.value().path()) / "loop");
  CHECK(refusal(place.value().path() + "/loop/cmc/native").find("symbolic links") != std::string::npos);

  if (::geteuid() != 0) return;
  fs::remove_all(above);
  fs::create_directory(above);
  REQUIRE(::lchown(link.c_str(), 65534, 65534) == 0);
  CHECK(refusal(link / "cmc/native").find("link of somebody else") != std::string::npos);
  REQUIRE(::chown(above.c_str(), 65534, 65534) == 0);
  CHECK(refusal(above / "cmc/native").find("above' belongs to somebody else") != std::string::npos);
}

}  // namespace
}  // namespace cmc::test
