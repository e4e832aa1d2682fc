use super::*;

fn steps(log: &str) -> Steps {
    let mut finder = StepFinder::default();
    log.lines().for_each(|line| finder.push(line));
    finder.finish()
}

/// The failed steps of a log: name, first and last line (1-based), and how it is known.
fn check(log: &str, expected: &[(&str, usize, usize, Evidence)]) {
    let steps = steps(log);
    let failed: Vec<_> = steps
        .failed()
        .into_iter()
        .map(|step| match step.outcome {
            Outcome::Failed { evidence, .. } => (step.name.as_str(), step.lines.start + 1, step.lines.end, evidence),
            _ => panic!("{step:?} did not fail"),
        })
        .collect();
    assert_eq!(failed, expected, "{log}\n{steps:#?}");
}

#[test]
fn travis_names_the_command_that_failed() {
    let log = "$ npm ci\nadded 3\nThe command \"npm ci\" exited with 0.\n$ npm test\n$ jest\n1 failed\nThe command \"npm test\" exited with 1.\n\nDone. Your build exited with 1.";
    check(log, &[("npm test", 4, 7, Evidence::Exit(1))]);
    let levels: Vec<Level> = steps(log).steps.iter().map(|step| step.level).collect();
    assert_eq!(levels, [Level::Step, Level::Step, Level::Command], "what a step printed is inside it");
}

#[test]
fn all_commands_that_failed_are_given() {
    let log =
        "$ flake8\nE501\nThe command \"flake8\" exited with 1.\n$ pytest\nboom\nThe command \"pytest\" exited with 2.";
    check(log, &[("flake8", 1, 3, Evidence::Exit(1)), ("pytest", 4, 6, Evidence::Exit(2))]);
}

#[test]
fn a_command_of_several_lines_is_known_by_its_first() {
    let log = "$ if true; then\nmake\nboom\nThe command \"if true; then\n  make\nfi\" exited with 2.";
    check(log, &[("if true; then", 1, 6, Evidence::Exit(2))]);
    let log = "$ if true; then\nmake\nThe command \"if true; then\n  make\nfi\" exited with 0.\n$ x\nThe command \"x\" exited with 3.";
    check(log, &[("x", 6, 7, Evidence::Exit(3))]);
}

#[test]
fn a_log_that_breaks_off_failed_in_its_last_step() {
    check("Worker information\n$ a\nfine\n$ b\n[error] boom", &[("b", 4, 5, Evidence::BrokenOff)]);
    check("Worker information\n$ a\nfine\n$ b\nDone. Your build exited with 0.", &[]);
    check("$ a\nfine\n$ b\nfine too", &[]);
    let late =
        "$ sleep 9999\n\nNo output has been received in the last 10m0s, this potentially indicates a stalled build";
    check(late, &[("sleep 9999", 1, 3, Evidence::Stopped)]);
}

#[test]
fn github_actions_closes_a_step_by_its_status() {
    let log = "2024-01-01T00:00:00.000Z ##[group]Run actions/checkout@v4\n2024-01-01T00:00:00.000Z ##[endgroup]\n\
               2024-01-01T00:00:01.000Z ##[group]Run npm test\n2024-01-01T00:00:01.000Z ##[endgroup]\n\
               2024-01-01T00:00:02.000Z 1 failed\n2024-01-01T00:00:02.000Z ##[error]Process completed with exit code 1.\n\
               2024-01-01T00:00:03.000Z Post job cleanup.\n2024-01-01T00:00:03.000Z done";
    check(log, &[("npm test", 3, 6, Evidence::Exit(1))]);
    let action = "##[group]Run actions/setup-java@v4\n##[endgroup]\n##[error]No supported distribution was found\nPost job cleanup.";
    check(action, &[("actions/setup-java@v4", 1, 3, Evidence::Said)]);
}

#[test]
fn gitlab_reports_the_status_after_scripts_that_always_run() {
    let log = "Running with gitlab-runner 16.1\n$ npm ci\nok\n$ npm test\nboom\nRunning after_script\n$ cat log\nlog\nERROR: Job failed: exit code 1";
    check(log, &[("npm test", 4, 5, Evidence::Exit(1))]);
}

#[test]
fn azure_sections_fail_by_the_exit_of_their_shell() {
    let log = "##[section]Starting: Build\nok\n##[section]Finishing: Build\n##[section]Starting: Test\nboom\n##[error]Bash exited with code '1'.\n##[section]Finishing: Test\n##[section]Starting: Publish\nok\n##[section]Finishing: Publish";
    check(log, &[("Test", 4, 6, Evidence::Exit(1))]);
}

#[test]
fn jenkins_skips_the_stages_after_the_one_that_failed() {
    let log = "[Pipeline] { (Build)\n+ make\n[Pipeline] }\n[Pipeline] { (Test)\n+ make check\nboom\n[Pipeline] }\n[Pipeline] { (Deploy)\nStage \"Deploy\" skipped due to earlier failure(s)\n[Pipeline] }\n[Pipeline] End of Pipeline\nERROR: script returned exit code 2\nFinished: FAILURE";
    check(log, &[("Test", 4, 7, Evidence::Exit(2))]);
}

#[test]
fn buildkite_signs_count_only_in_its_logs() {
    let log = "~~~ Preparing working directory\n--- :npm: Install\nok\n+++ :hammer: Test\nboom\n🚨 Error: The command exited with status 3";
    check(log, &[(":hammer: Test", 4, 6, Evidence::Exit(3))]);
    assert_eq!(steps("--- a/x\n+++ b/x\n@@ -1 +1 @@").steps, []);
}

#[test]
fn docker_names_the_instruction() {
    let log = "Step 1/3 : FROM node\nok\nStep 2/3 : RUN npm ci\nboom\nThe command '/bin/sh -c npm ci' returned a non-zero code: 1";
    check(log, &[("RUN npm ci", 3, 5, Evidence::Exit(1))]);
    let kit = "#5 [1/2] RUN npm ci\n#5 1.2 boom\n#5 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1";
    check(kit, &[("npm ci", 1, 3, Evidence::Exit(1))]);
}

#[test]
fn make_says_that_the_open_step_failed() {
    check("$ make\ncc x.c\nmake: *** [all] Error 2\n", &[("make", 1, 3, Evidence::Said)]);
    check("$ make -k\nmake: *** [all] Error 2\nThe command \"make -k\" exited with 0.", &[]);
}

#[test]
fn a_text_without_steps_has_none() {
    assert_eq!(steps("hello\nworld\nerror: boom\n").steps, []);
    assert_eq!(steps("").failed(), Vec::<&Step>::new());
}
