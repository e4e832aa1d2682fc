//! A command that was run before: what of its output is new.

use super::counted;

/// How two outputs of one command differ, with the handles of this one and of the one before. `new` are the lines of this
/// one that the other does not have, `missing` is how many of the other's are gone.
pub fn run_again(this: &str, before: &str, new: &[(u64, u64)], missing: u64) -> String {
    let place = |&(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let places = new.iter().map(place).collect::<Vec<_>>().join(", ");
    let noun = if matches!(new, [(first, last)] if first == last) { "line" } else { "lines" };
    let gone = counted(missing, "line");
    let what = match (new.is_empty(), missing) {
        (true, 0) => "every line is as it was".to_owned(),
        (true, _) => format!("no line is new; {gone} of before missing"),
        (false, 0) => format!("new: {noun} {places}"),
        (false, _) => format!("new: {noun} {places}; {gone} of before missing"),
    };
    format!("[{this}: the same command gave {before} before; {what}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_both_outputs_and_what_is_new() {
        let said = |new: &[(u64, u64)], missing| run_again("a111", "b222", new, missing);
        assert_eq!(said(&[], 0), "[a111: the same command gave b222 before; every line is as it was]");
        assert_eq!(said(&[], 1), "[a111: the same command gave b222 before; no line is new; 1 line of before missing]");
        assert_eq!(said(&[(4, 4)], 0), "[a111: the same command gave b222 before; new: line 4]");
        let several = "[a111: the same command gave b222 before; new: lines 4, 7-9; 2 lines of before missing]";
        assert_eq!(said(&[(4, 4), (7, 9)], 2), several);
    }
}
