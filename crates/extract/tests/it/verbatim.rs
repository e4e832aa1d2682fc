//! What a report quotes and names is looked up in the document.

use offcut::options::ExtractionOptions;
use offcut_extract::{Extraction, Mode, Question};

use super::{Scripted, ask, kept, lines, offcut};

const ERROR: &str = "error: disk full on /dev/sda1 after 4711 writes by db_writer";

/// The answer to a question about a document with one error, where a model reports `report` each time it is asked.
fn answered(report: &'static str) -> Extraction {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &(lines(300) + ERROR + "\n" + &lines(200)));
    ask(&offcut, &Question::new(&id, "why did the job stop?"), &Scripted::reporting(report))
}

fn body(answer: &Extraction) -> &str {
    answer.text.split_once(":\n\n").unwrap().1
}

#[test]
fn what_stands_in_the_document_passes_as_it_is() {
    for report in [
        "It says \"error: disk full on /dev/sda1\".",
        "It says 'disk full' on line 301, after 4711 writes.",
        "`db_writer` stopped: `disk full on /dev/sda1`.",
        "> error: disk full on /dev/sda1 after 4711 writes by db_writer",
        "Line 301: error: disk full on /dev/sda1 after 4711 writes by db_writer",
        "```\n301: error: disk full on /dev/sda1 after 4711 writes by db_writer\n302- line 1 says that all is well\n```",
        "<code>disk full</code>, says /dev/sda1 to db_writer.",
        "error: disk full on /dev/sda1 after 4711 writes by db_writer",
        "It says \"error: disk full … 4711 writes by db_writer\".",
    ] {
        let answer = answered(report);
        assert_eq!((body(&answer), answer.account.mode, answer.account.calls), (report, Mode::FullChunked, 1));
        assert_eq!((answer.account.not_verbatim, answer.account.marked), (0, 0), "{report}");
    }
}

#[test]
fn a_report_whose_quotations_are_not_there_is_asked_for_again_and_then_refused() {
    for report in [
        "It says \"error: no space left\".",
        "It says 'no space left'.",
        "It says `no space left`.",
        "It says <code>no space</code>.",
        "> error: no space left",
        "```\nerror: no space left\n```",
        "~~~\nno space left",
        "error: no space left on the disk",
        "2026-01-02 03:04:05 the disk is full",
        "def clean_disk(path):\n    os.remove(path)",
        "It says \"disk full\", and \"no space\", and \"try again\".",
    ] {
        let answer = answered(report);
        assert_eq!((answer.account.mode, answer.account.calls), (Mode::Search, 2), "{report}: {}", answer.text);
        let why = "WARNING: full-chunked gave no answer (the model wrote no usable report: it quotes what does not stand in \
                   the output: ";
        assert!(body(&answer).starts_with(why), "{}", answer.text);
        assert!(body(&answer).contains(ERROR), "{}", answer.text);
    }
}

#[test]
fn a_model_is_told_what_it_quoted_wrongly() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &(lines(300) + ERROR + "\n"));
    let model = Scripted::new(|prompt, number| {
        Ok(super::report_of(prompt, if number == 1 { "\"no space left\"" } else { "\"disk full on /dev/sda1\"" }))
    });
    let answer = ask(&offcut, &Question::new(&id, "x"), &model);
    assert_eq!(body(&answer), "\"disk full on /dev/sda1\"");
    let told = "Your last answer was refused: it quotes what does not stand in the output: \"no space left\".";
    assert!(model.asked()[1].system.contains(told), "{}", model.asked()[1].system);
}

#[test]
fn a_quotation_among_true_ones_is_taken_out_with_a_word() {
    let answer = answered(
        "It says \"disk full on /dev/sda1\" and \"no space left\".\n```\nline 7 says that all is well\nline 7 is lost\nline 8 \
         is lost\nline 9 says that all is well\n```",
    );
    assert_eq!(
        body(&answer),
        "It says \"disk full on /dev/sda1\" and [quotation removed: not in the output].\n```\nline 7 says that all is \
         well\n[lines removed: not in the output]\nline 9 says that all is well\n```"
    );
    assert_eq!((answer.account.not_verbatim, answer.account.outcome.as_str()), (3, "ok"));
}

#[test]
fn names_and_numbers_that_are_not_there_are_marked_where_they_first_stand() {
    let answer =
        answered("The \"disk full\" came from /dev/sdb1 after 471 writes (4711 in all), so /dev/sdb1 is lost.");
    assert_eq!(
        body(&answer),
        "The \"disk full\" came from /dev/sdb1 (not in the output) after 471 (not in the output) writes (4711 in all), so \
         /dev/sdb1 is lost."
    );
    assert_eq!(answer.account.marked, 2);
}

#[test]
fn a_report_that_names_nothing_of_the_document_is_refused_or_says_that_it_is_unchecked() {
    let answer = answered("In src/main.rs:12 the function open_pool() panics after 3.7s.");
    assert_eq!(answer.account.mode, Mode::Search);
    assert!(body(&answer).contains("(the model wrote no usable report: nothing that it names stands in the output)"));
    let answer = answered("The job ran out of memory.");
    assert_eq!(
        body(&answer),
        "The job ran out of memory.\n\n[Nothing in this answer could be checked against the output: it quotes nothing and \
         names nothing that stands there.]"
    );
}
