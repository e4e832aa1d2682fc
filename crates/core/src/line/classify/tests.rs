//! Lines of many tools, and what they are taken for.

use super::*;
use crate::line::{prefix, signals};

fn scored(line: &str) -> LineScore {
    classify_line(prefix::body(line), signals::of_line(line), &LineRules::default())
}

#[test]
fn names_of_failing_tests_are_known_in_every_runner() {
    let lines = [
        "FAILED tests/test_a.py::test_b - AssertionError: x",
        "ERROR tests/test_a.py::test_b",
        "tests/test_a.py::test_b FAILED                 [ 12%]",
        "[gw1] [ 91%] FAILED tests/test_a.py::test_b",
        "FAIL: test_basic (tests.test_more.DistributeTest)",
        "ERROR: test_basic (tests.test_more.DistributeTest)",
        "test_basic (tests.T) ... FAIL",
        "test_basic (tests.T) ... ERROR",
        "test foo::bar ... FAILED",
        "--- FAIL: TestUnmarshal (0.01s)",
        "    --- FAIL: TestUnmarshal/case_1 (0.01s)",
        "FAIL src/app.test.ts",
        " FAIL  src/v3/tests/number.test.ts > passing validations",
        "  ● suite › does a thing",
        "    ✕ does a thing (12 ms)",
        "   × does a thing 12ms",
        "not ok 12 - does a thing",
        "com.example.FooTest > testBar FAILED",
        "[ERROR] com.example.FooTest.testBar  Time elapsed: 0.003 s  <<< FAILURE!",
        "testBar(com.example.FooTest)  Time elapsed: 0.003 sec  <<< ERROR!",
        "[  FAILED  ] FooTest.Bar (3 ms)",
        " 3/10 Test  #3: foo_test .........................***Failed    0.02 sec",
        "          3 - foo_test (Failed)",
        "  Failed Namespace.Tests.FooTest.Bar [12 ms]",
        "rspec ./spec/foo_spec.rb:12 # Foo does bar",
        "test_tensor_product_simp F",
        "FAIL\texample.com/jsonx\t8.824s",
        "//foo/bar:baz_test                 FAILED in 2.3s",
        "        FAIL [   0.012s] my-crate tests::works",
        "✗ does a thing",
    ];
    let wrong: Vec<_> =
        lines.iter().filter(|line| scored(line).role != Role::FailedTest).map(|line| (line, scored(line))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn summaries_and_endings_are_worth_showing() {
    let lines = [
        "========================= 1 failed, 2 passed in 19.26s =========================",
        "test result: FAILED. 140 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 15.37s",
        "FAILED (failures=5, skipped=1)",
        "Ran 817 tests in 9.136s",
        "Tests:       3 failed, 116 skipped, 9621 passed, 9740 total",
        "Tests  1 failed | 544 passed (545)",
        "  11 failing",
        "Tests run: 271, Failures: 0, Errors: 2, Skipped: 2",
        "[ERROR] Tests run: 21, Failures: 1, Errors: 0, Skipped: 1",
        "873 tests completed, 2 failed, 32 skipped",
        "12 examples, 3 failures",
        "12 runs, 20 assertions, 1 failures, 0 errors, 0 skips",
        "Tests: 10, Assertions: 20, Failures: 1.",
        "Failed!  - Failed:     1, Passed:    10, Skipped:     0, Total:    11, Duration: 12 ms - x.dll (net8.0)",
        "67% tests passed, 1 tests failed out of 3",
        "Found 44 errors in 22 files.",
        "✖ 954 problems (7 errors, 947 warnings)",
        "2 errors generated.",
        "BUILD FAILED in 12s",
        "[INFO] BUILD FAILURE",
        "[INFO] BUILD SUCCESS",
        "# fail 3",
        "     Summary [   1.2s] 396 tests run: 395 passed, 1 failed, 12 skipped",
        "##[error]Process completed with exit code 1.",
        "The command \"npm test\" exited with 1.",
        "npm ERR! code ELIFECYCLE",
        "make: *** [Makefile:136: all] Error 2",
        "gmake[2]: *** [CMakeFiles/x.dir/build.make:104: x.o] Error 1",
        "ninja: build stopped: subcommand failed.",
        "error Command failed with exit code 1.",
        "Error: Process completed with exit code 2.",
        "collect2: error: ld returned 1 exit status",
        "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.0:compile",
        "FAILURE: Build failed with an exception.",
        "Execution failed for task ':app:test'.",
        "Build FAILED.",
        "    3 Error(s)",
        "error: could not compile `clap` (lib) due to 2 previous errors",
        "Command exited with code 1",
        "FAILED (errors=1)",
        "Finished: FAILURE",
        "Exited with code exit status 1",
        "ERROR: Job failed: exit code 1",
    ];
    let wrong: Vec<_> =
        lines.iter().filter(|line| scored(line).worth < 40.0).map(|line| (line, scored(line))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn errors_and_messages_are_worth_showing() {
    let lines = [
        "error[E0599]: no method named `x` found",
        "src/a.c:12:5: error: expected ';' before '}' token",
        "src/a.ts(5,17): error TS2394: This overload signature is not compatible",
        "src/a.ts:5:17 - error TS2394: This overload signature is not compatible",
        "a.py:104: error: Need type annotation",
        "  3853:45  error    'define' is not defined   no-undef",
        "E       AssertionError: assert 1 == 2",
        "AssertionError: False is not true",
        "AssertionError",
        "java.lang.NullPointerException: Cannot invoke",
        "java.lang.NullPointerException",
        "Caused by: java.io.IOException: No space left on device",
        "thread 'main' panicked at src/lib.rs:4289:17:",
        "panic: runtime error: index out of range [3] with length 3",
        "fatal: not a git repository",
        "fatal error: 'x.h' file not found",
        "TypeError: Cannot read properties of undefined (reading 'x')",
        "Uncaught Error: boom",
        "System.InvalidOperationException: Sequence contains no elements",
        "ActiveRecord::RecordNotFound: Could not find User",
        "ERROR: Could not find a version that satisfies the requirement x",
        "[ERROR] COMPILATION ERROR :",
        "2021-01-01 00:00:00 ERROR something bad",
        "E: Unable to locate package foo",
        "ld: symbol(s) not found for architecture x86_64",
        "undefined reference to `deflate_fast'",
        "bash: foo: command not found",
        "ModuleNotFoundError: No module named 'x'",
        "npm ERR! 404 Not Found",
        "Error: Cannot find module 'x'",
        "x.go:12:3: undefined: foo",
        "CMake Error at CMakeLists.txt:3 (find_package):",
        "PHP Fatal error:  Uncaught Error: Call to undefined function",
        "Segmentation fault (core dumped)",
        "Unhandled exception. System.Exception: x",
        "error CS1002: ; expected",
        "Program.cs(3,5): error CS1002: ; expected",
        "RuntimeError: CUDA out of memory.",
        "Traceback (most recent call last):",
        "ERROR in ./src/index.js",
        "Module not found: Error: Can't resolve './x'",
        "SyntaxError: Unexpected token (1:2)",
        "level=error msg=\"boom\"",
        "{\"level\":\"error\",\"msg\":\"boom\"}",
        "docker: Error response from daemon: x",
        "ERROR: failed to solve: process \"/bin/sh -c x\" did not complete successfully: exit code: 1",
        "Failure/Error: expect(x).to eq(2)",
        "** (RuntimeError) boom",
        "cc1plus: all warnings being treated as errors",
        "configure: error: no acceptable C compiler found",
        "E0102 15:04:05.678901   12345 server.go:99] cannot serve: boom",
        "py36: commands failed",
        "test.rb:3:in `foo': unhandled exception (RuntimeError)",
        "│ Error: Unsupported argument",
        "systemd[1]: Failed to start nginx.service",
        "npm error code E404",
        "[error] Failed tests:",
        "2021/01/01 00:00:00 [error] 12#0: *1 open() failed",
    ];
    let wrong: Vec<_> =
        lines.iter().filter(|line| scored(line).worth < 20.0).map(|line| (line, scored(line))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lines_that_only_sound_bad_are_not_worth_much() {
    let lines = [
        "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
        "0 errors, 0 warnings",
        "Compiling error-chain v0.12.4",
        "Downloading: http://repo/org/x/failureaccess-1.0.jar",
        "copying src/errors.py -> build/lib/errors.py",
        "test errors::display ... ok",
        "tests/test_errors.py::test_error_message PASSED",
        "   Compiling thiserror v1.0.0",
        "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in FooErrorTest",
        "Setting up liberror-perl (0.17029-1) ...",
        "  -Werror -Wall",
        "--- PASS: TestError (0.00s)",
        "ok 12 - throws an error",
        "✓ throws an error",
        "  128┆     chord_error = _create_error(message=f'Callback error: {exc!r}',",
        "  839 |     error('beat pidbox command error: %r', exc, exc_info=True)",
    ];
    let wrong: Vec<_> =
        lines.iter().filter(|line| scored(line).worth > 12.0).map(|line| (line, scored(line))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
