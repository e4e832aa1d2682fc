//! What git prints beside diffs: histories, the state of a working tree, who wrote a line, how much changed.

use super::word_lists::GIT_MOVES;
use crate::text;

/// The forms of git's output that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GitForm {
    /// Commits, newest first: `log`, `log --oneline --graph --stat`, `reflog`, `stash list`.
    History,
    /// `status`: the branch, then sections of files.
    Status,
    /// `status --short`.
    ShortStatus,
    /// `blame`: each line of a file behind its commit.
    Blame,
    /// `shortlog`: authors, with their commits or their number.
    Authors,
    /// `diff --stat`.
    Changes,
    /// `branch -v`.
    Branches,
}

impl GitForm {
    /// What it is, in a few words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            GitForm::History => "commits of a history",
            GitForm::Status => "the state of a working tree",
            GitForm::ShortStatus => "states of files",
            GitForm::Blame => "lines behind their commits",
            GitForm::Authors => "authors and their commits",
            GitForm::Changes => "changes by file",
            GitForm::Branches => "branches and their commits",
        }
    }
}

/// Lines that one form must explain, of so many that are not empty.
const EXPLAINED: (u32, u32) = (9, 10);

/// Forms other than histories and states take so many lines to be told.
const LEAST: u32 = 3;

/// The form of git's output that the lines have, if they have one. Costs no more than a look at the first line where
/// that belongs to none.
pub(crate) fn form<'a>(lines: impl Iterator<Item = &'a str>) -> Option<GitForm> {
    let mut lines = lines.filter(|line| !line.trim().is_empty()).peekable();
    let first = *lines.peek()?;
    if is_status(first) {
        return Some(GitForm::Status);
    }
    let candidates: &[GitForm] = match () {
        () if is_branch(first) => &[GitForm::Branches, GitForm::History],
        () if commit(first).is_some() => &[GitForm::Blame, GitForm::History],
        () if author(first).is_some() => &[GitForm::Authors],
        () if change(first).is_some() => &[GitForm::Changes],
        () if first.starts_with("## ") || short_state(first).is_some() => &[GitForm::ShortStatus],
        () => return None,
    };
    let mut counts = [Count::default(); 2];
    let mut all = 0;
    for line in lines {
        all += 1;
        for (count, form) in counts.iter_mut().zip(candidates) {
            count.add(line, *form);
        }
    }
    let mut found = counts.iter().zip(candidates);
    found.find(|(count, form)| count.tells(**form, all)).map(|(_, form)| *form)
}

/// How many lines a form explains, and how many of them only this form has.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    explained: u32,
    own: u32,
    /// Ids with digits and letters, and lines of `log` that are whole ids.
    ids: u32,
}

impl Count {
    fn add(&mut self, line: &str, form: GitForm) {
        let (own, explained) = match form {
            GitForm::History => {
                let commit = commit(line);
                self.ids += u32::from(commit.is_some_and(|commit| commit.is_sure()));
                (commit.is_some(), commit.is_some() || goes_on(line))
            }
            GitForm::Blame => (blamed(line).is_some(), false),
            GitForm::Authors => (author(line).is_some(), line.starts_with("      ")),
            GitForm::Changes => (change(line).is_some(), is_total(line)),
            GitForm::ShortStatus => (short_state(line).is_some(), line.starts_with("## ")),
            GitForm::Branches => (is_branch(line), false),
            GitForm::Status => (false, true),
        };
        self.own += u32::from(own);
        self.explained += u32::from(own || explained);
    }

    fn tells(&self, form: GitForm, all: u32) -> bool {
        let most = self.explained * EXPLAINED.1 >= all * EXPLAINED.0;
        let sure = form != GitForm::History || self.ids * 10 >= self.own * 7;
        most && sure && self.own > 0 && (all >= LEAST || form == GitForm::History && self.ids == self.own)
    }
}

/// A commit at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Commit<'a> {
    /// Its id, shortened or not; empty in a list of stashes.
    pub(crate) id: &'a str,
    /// What the line says of it.
    pub(crate) words: &'a str,
    /// Whether the line is one of `log`'s: more about the commit comes below it.
    pub(crate) goes_on: bool,
}

impl Commit<'_> {
    /// Whether a word that looks like an id can be nothing else.
    fn is_sure(&self) -> bool {
        self.goes_on
            || self.id.is_empty()
            || self.id.bytes().any(|byte| byte.is_ascii_digit())
                && self.id.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    /// Whether it is a stash that someone gave words of its own, not `WIP on main: …`.
    pub(crate) fn is_worded_stash(&self) -> bool {
        self.id.is_empty() && self.words.starts_with("On ")
    }

    /// Whether it is an entry of a reflog that moved a branch in another way than by a commit or a checkout.
    pub(crate) fn moves_a_branch(&self) -> bool {
        let action = self.words.split_once("@{").and_then(|(_, behind)| behind.split_once("}: "));
        action.is_some_and(|(_, action)| GIT_MOVES.iter().any(|word| action.starts_with(word)))
    }

    /// What an entry of a reflog did: `commit`, `rebase (start)`; else nothing.
    pub(crate) fn action(&self) -> &str {
        let entry = self.words.split_once("@{").and_then(|(_, behind)| behind.split_once("}: "));
        entry.and_then(|(_, entry)| entry.split_once(": ")).map_or("", |(action, _)| action)
    }

    /// Whether a branch or a tag points at it.
    pub(crate) fn is_named(&self) -> bool {
        let words = self.words.trim_start();
        let inner = words.strip_prefix('(').and_then(|words| words.split_once(')')).map_or("", |(inner, _)| inner);
        inner.starts_with("HEAD") || inner.contains("tag: ") || inner.contains('/')
    }
}

/// The commit that a line of a history begins with: `commit 1234…`, `1234567 words`, `* | 1234567 words`,
/// `stash@{0}: words`.
pub(crate) fn commit(line: &str) -> Option<Commit<'_>> {
    let behind = behind_graph(line)?;
    let (words, goes_on) = match behind.strip_prefix("commit ") {
        Some(words) => (words, true),
        None => (behind, false),
    };
    let id = words.split([' ', '\t', '|', ',', ';', '(']).next().unwrap_or("");
    let rest = text::slice(words, id.len()..words.len());
    if is_id(id.trim_start_matches('^')) && (goes_on || !rest.starts_with("  ") && rest.trim().len() > 1) {
        return Some(Commit { id, words: rest, goes_on });
    }
    let (name, words) = behind.split_once("@{")?;
    let named = !name.is_empty() && !name.contains([' ', '\t']);
    let (_, words) = words.split_once("}: ").filter(|_| named)?;
    Some(Commit { id: "", words, goes_on: false })
}

/// Whether the subject of a commit says that it takes another one back: `Revert "Add x"`, `(main) revert: add x`.
pub(crate) fn takes_back(subject: &str) -> bool {
    let subject = subject.trim_start();
    let subject = match subject.strip_prefix('(').and_then(|names| names.split_once(") ")) {
        Some((_, subject)) => subject,
        None => subject,
    };
    let (word, rest) = subject.split_at(subject.find([' ', ':', '(']).unwrap_or(subject.len()));
    let is_known = ["revert", "reverts", "rollback"].iter().any(|known| word.eq_ignore_ascii_case(known));
    is_known && !rest.is_empty()
}

/// What stands behind the lines of `--graph`; nothing where no commit does.
fn behind_graph(line: &str) -> Option<&str> {
    let behind = line.trim_start_matches(['*', '|', '/', '\\', '_', '-', '.', ' ']);
    let lead = text::slice(line, 0..line.len() - behind.len());
    (lead.is_empty() || lead.contains('*')).then_some(behind)
}

/// Whether a line of a history belongs to the commit above it, or only draws the graph.
fn goes_on(line: &str) -> bool {
    let behind = line.trim_start_matches(['|', '/', '\\', '_', '*', '-', '.', ' ']);
    let graph = behind.len() < line.len();
    behind.is_empty()
        || is_about(behind)
        || line.starts_with("    ")
        || graph && line.contains("|     ")
        || change(line).is_some()
        || is_total(line)
        || named_state(line)
        || recorded(line).is_some()
}

/// The path of a file that a commit changed, as `--raw` and `--numstat` write it: `:100644 100644 1a2b 3c4d M\tsrc/a.c`,
/// `12\t3\tsrc/a.c`.
pub(crate) fn recorded(line: &str) -> Option<&str> {
    let (lead, path) = line.split_once('\t')?;
    let is_count = |word: &str| word == "-" || !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((removed, path)) = path.split_once('\t').filter(|_| is_count(lead)) {
        return Some(path).filter(|_| is_count(removed));
    }
    let modes = lead.strip_prefix(':')?;
    let is_raw = modes.split(' ').count() == 5 && modes.bytes().take(6).all(|byte| byte.is_ascii_digit());
    is_raw.then_some(path)
}

/// Whether a line says who committed, and when.
pub(crate) fn is_about(line: &str) -> bool {
    let Some((name, _)) = line.split_once(':') else { return false };
    matches!(name, "Author" | "Date" | "Commit" | "AuthorDate" | "CommitDate" | "Merge" | "Reflog" | "Reflog message")
}

/// `M⇥path`, `12⇥3⇥path`: what a commit did to a file.
fn named_state(line: &str) -> bool {
    let Some((state, _)) = line.split_once('\t') else { return false };
    let letters = state.starts_with(['M', 'A', 'D', 'R', 'C', 'T', 'U']) && state.len() <= 4;
    letters || !state.is_empty() && state.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn is_id(word: &str) -> bool {
    (6..=40).contains(&word.len()) && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A line of `blame`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blamed<'a> {
    pub(crate) id: &'a str,
    /// The day and the time, where they are written as figures.
    pub(crate) date: &'a str,
    pub(crate) code: &'a str,
}

/// `1234567 (Author 2026-01-02 03:04:05 +0000 12) code`, also with a path behind the id.
pub(crate) fn blamed(line: &str) -> Option<Blamed<'_>> {
    let (id, rest) = line.split_once(' ')?;
    let (_, rest) = rest.split_once('(').filter(|_| is_id(id.trim_start_matches('^')))?;
    let (about, code) = rest.split_once(')')?;
    let number = about.rsplit(' ').next()?;
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let starts = about.match_indices(' ').map(|(at, _)| text::slice(about, at + 1..about.len()));
    let date = starts.filter(|date| is_day(date.as_bytes())).map(|date| text::slice(date, 0..19)).next();
    numbered.then(|| Blamed { id, date: date.unwrap_or(""), code: code.strip_prefix(' ').unwrap_or(code) })
}

/// Whether a text begins with a day: `2026-01-02`.
fn is_day(bytes: &[u8]) -> bool {
    let Some(day) = bytes.get(..10) else { return false };
    day.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
}

/// An author with the number of commits: `Ann (12):`, `  12⇥Ann`.
pub(crate) fn author(line: &str) -> Option<(&str, u64)> {
    if let Some(head) = line.strip_suffix("):") {
        let (name, count) = head.rsplit_once(" (")?;
        return Some((name, count.parse().ok()?)).filter(|_| !line.starts_with([' ', '\t']));
    }
    let (count, name) = line.strip_prefix(' ')?.split_once('\t')?;
    Some((name, count.trim().parse().ok()?))
}

/// A file with how many lines of it changed: ` path | 12 ++--`; 0 for a binary one.
pub(crate) fn change(line: &str) -> Option<(&str, u64)> {
    let behind = line.trim_start_matches(['|', '/', '\\', '*', ' ']);
    let (path, how) = behind.rsplit_once(" | ").filter(|_| behind.len() < line.len())?;
    let how = how.trim_start();
    let digits = how.bytes().take_while(u8::is_ascii_digit).count();
    let (number, signs) = how.split_at_checked(digits)?;
    if number.is_empty() {
        return how.starts_with("Bin").then(|| (path.trim_end(), 0));
    }
    let drawn = signs.bytes().all(|byte| matches!(byte, b'+' | b'-' | b' '));
    drawn.then_some((path.trim_end(), number.parse().ok()?))
}

/// ` 3 files changed, …`.
pub(crate) fn is_total(line: &str) -> bool {
    line.contains(" changed") && (line.contains(" file changed") || line.contains(" files changed"))
}

/// Whether `status` begins with this line.
fn is_status(line: &str) -> bool {
    const STARTS: [&str; 5] = [
        "On branch ",
        "HEAD detached at ",
        "HEAD detached from ",
        "interactive rebase in progress; onto ",
        "Not currently on any branch.",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// The state and the path of a file in `status --short`.
pub(crate) fn short_state(line: &str) -> Option<(&str, &str)> {
    let (state, path) = line.split_at_checked(2)?;
    let path = path.strip_prefix(' ')?;
    let states = state.bytes().all(|byte| b" MADRCUT?!".contains(&byte)) && state != "  ";
    (states && !path.is_empty() && !path.starts_with(' ')).then_some((state, path))
}

/// Whether both sides changed what the state stands for.
pub(crate) fn is_conflict(state: &str) -> bool {
    state.contains('U') || matches!(state, "AA" | "DD")
}

/// `* main 1234567 words`, `  topic 1234567 [origin/topic: gone] words`.
fn is_branch(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("* ").or_else(|| line.strip_prefix("  ")).or_else(|| line.strip_prefix("+ "))
    else {
        return false;
    };
    let mut words = rest.split_ascii_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("(HEAD"), Some("detached"), _) => true,
        (Some(name), Some(id), Some(_)) => !name.contains(['|', '/', '\\']) && is_id(id) || is_id(id) && !is_id(name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<GitForm>) {
        assert_eq!(form(text.lines()), expected, "{text}");
    }

    #[test]
    fn every_form_is_told_by_its_lines() {
        let log = "commit 3fce3b5bb0236da2df6d99672afb8a719642eca7\nAuthor: Ann <a@x.org>\nDate:   Tue Aug 4\n\n    Mend it\n\n src/a.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n";
        check(log, Some(GitForm::History));
        check("3fce3b5 (HEAD -> main) Mend it\n505526a Say why\n020687a Begin\n", Some(GitForm::History));
        check("*   3fce3b5 Merge x\n|\\  \n| * 505526a Say why\n|/  \n* 020687a Begin\n", Some(GitForm::History));
        check("3fce3b5 HEAD@{0}: commit: Mend\n505526a HEAD@{1}: reset: moving to x\n", Some(GitForm::History));
        check("stash@{0}: WIP on main: 3fce3b5 Mend\nstash@{1}: On main: y\n", Some(GitForm::History));
        check("On branch main\nnothing to commit\n", Some(GitForm::Status));
        check("## main...origin/main\n M src/a.c\n?? b\nUU c\n", Some(GitForm::ShortStatus));
        let blame = "3fce3b5b (Ann 2025-09-19 17:17:20 -0400 1) int x;\n^0a0687a7 src/a.c (Bo B 2025-09-19 17:17:20 -0400 2) \n";
        check(&blame.repeat(2), Some(GitForm::Blame));
        check("Ann (2):\n      Mend it\n      Say why\n\nBo (1):\n      Begin\n", Some(GitForm::Authors));
        check("  12\tAnn\n   1\tBo\n   1\tCy\n   1\tDi\n", Some(GitForm::Authors));
        check(" a.c   | 2 +-\n b.png | Bin 0 -> 12 bytes\n c.c => d.c | 0\n 3 files changed\n", Some(GitForm::Changes));
        check(
            "* main 3fce3b5 [origin/main: ahead 1] Mend\n  old  505526a Say why\n  new  020687a x\n",
            Some(GitForm::Branches),
        );
    }

    #[test]
    fn other_texts_are_not_of_git() {
        check("", None);
        check("## Heading\n\nSome words.\n\n- an item\n", None);
        check("1234567 rows\n2345678 rows\n3456789 rows\n", None);
        check("d41d8cd98f00b204e9800998ecf8427e  a.txt\n0cc175b9c0f1b6a831c399e269772661  b.txt\n", None);
        check("  a | b\n  c | d\n", None);
        check("commit messages are written like this\n", None);
        check("M  is a letter\nand so is N\nO\nP\n", None);
    }

    #[test]
    fn commits_that_take_others_back_are_known() {
        for subject in ["Revert \"Add x\"", " (main) revert: add x", "revert(core): add x", "Rollback of x"] {
            assert!(takes_back(subject), "{subject}");
        }
        for subject in ["Reverted lists are sorted", "Revert", "Add revert", "reversed: x"] {
            assert!(!takes_back(subject), "{subject}");
        }
    }

    #[test]
    fn the_parts_of_lines_are_found() {
        let named = commit("* 3fce3b5 (HEAD -> main, tag: v1) Mend").unwrap();
        assert!(named.is_named() && named.id == "3fce3b5");
        assert!(!commit("3fce3b5 (fix) Mend").unwrap().is_named());
        let moved = |line: &str| commit(line).is_some_and(|commit| commit.moves_a_branch());
        assert!(moved("3fce3b5 HEAD@{2}: reset: moving to HEAD~9"));
        assert!(!moved("3fce3b5 HEAD@{2}: commit: reset: again"));
        let line = "3fce3b5b src/a.c (Ann Lee 2025-09-19 17:17:20 -0400  12) int f(int x) {";
        let expected = Blamed { id: "3fce3b5b", date: "2025-09-19 17:17:20", code: "int f(int x) {" };
        assert_eq!(blamed(line), Some(expected));
        assert_eq!(change(" src/a.c | 12 ++--"), Some(("src/a.c", 12)));
        assert_eq!(short_state("R  a -> b"), Some(("R ", "a -> b")));
        assert!(is_conflict("UU") && is_conflict("AA") && !is_conflict(" M"));
    }
}
