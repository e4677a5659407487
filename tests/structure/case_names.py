"""Habit: a case of a test program is named `unit: the property that holds`, and no other case of its folder is."""

import os
import re

import names
import tree

CASE = re.compile(r'^ *TEST_CASE(?:_METHOD)?\(\s*(?:\w+,\s*)?((?:"(?:\\.|[^"\\\n])*"\s*)+)', re.MULTILINE)
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
FORM = re.compile(r"[A-Za-z][\w-]*(?: [\w-]+){0,3}: \S.*[^.\s]")  # a unit has at most four words


def cases(text):
    """(line, name)"""
    for match in CASE.finditer(text):
        yield names.line_of(text, match.start()), "".join(LITERAL.findall(match.group(1)))


def problems(root):
    found = []
    seen = {}
    for file in tree.files(root):
        if not file.startswith("tests/") or not file.endswith(".cc"):
            continue
        for line, name in cases(tree.read(root, file)):
            if not FORM.fullmatch(name):
                found.append(f'{file}:{line}: the case "{name}" is not named `unit: the property that holds`')
            first = seen.setdefault((os.path.dirname(file), name), f"{file}:{line}")
            if first != f"{file}:{line}":
                found.append(f'{file}:{line}: the case "{name}" has the name of {first}')
    return found


def self_test():
    files = {
        "tests/base/a_test.cc": 'TEST_CASE("page: what is written is read") {}\n'
                                'TEST_CASE("a page is lost") {}\n'
                                'TEST_CASE(\n    "page: a text in two "\n    "parts", "[long]") {}\n'
                                'TEST_CASE_METHOD(Fixture, "Bloom filter: it never forgets") {}\n'
                                'TEST_CASE("page:") {}\n'
                                'TEST_CASE("page: it ends with a stop.") {}\n'
                                'TEST_CASE("a unit that has more words: than four") {}\n',
        "tests/base/b_test.cc": '\nTEST_CASE("page: what is written is read") {}\n',
        "tests/storage/a_test.cc": 'TEST_CASE("page: what is written is read") {}\n',
        "bench/a_test.cc": 'TEST_CASE("x") {}\n',
    }
    form = "is not named `unit: the property that holds`"
    return tree.differences(files, problems, {
        f'tests/base/a_test.cc:2: the case "a page is lost" {form}',
        f'tests/base/a_test.cc:7: the case "page:" {form}',
        f'tests/base/a_test.cc:8: the case "page: it ends with a stop." {form}',
        f'tests/base/a_test.cc:9: the case "a unit that has more words: than four" {form}',
        'tests/base/b_test.cc:2: the case "page: what is written is read" has the name of tests/base/a_test.cc:1',
    })
