//! Asking an artifact a question.

use offcut::extract::{Mode, Question};
use offcut::{Call, Cancel, Offcut};

fn kept(offcut: &Offcut, text: &str) -> String {
    let reply = offcut.process(Call::new("bash"), text).unwrap();
    reply.report.artifact_id.expect("the output is large enough to be kept")
}

#[test]
fn without_a_model_auto_searches() {
    let offcut = Offcut::builder().in_memory().build().unwrap();
    let text: String = (1..=3000)
        .map(|n| if n == 1700 { "disk /dev/sda1 is full\n".to_owned() } else { format!("line {n} is fine\n") })
        .collect();
    let id = kept(&offcut, &text);
    let answer = offcut.extract(&Question::new(&id, "which disk is full?"), None, &Cancel::new());
    println!("{}", answer.text);
    assert!(!answer.failed);
    assert_eq!(answer.account.mode, Mode::Search);
    assert!(answer.text.contains("disk /dev/sda1 is full"));
}
