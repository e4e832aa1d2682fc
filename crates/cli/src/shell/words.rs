//! Reading a line of shell as far as needed: simple commands, their words, and what stands between them.
//!
//! It never runs anything and expands nothing; where a text is not plain enough to be sure, it says so.

/// A word of a command, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether the shell would take it as it stands: no variable, substitution, glob or tilde in it.
    pub(super) is_literal: bool,
}

/// What stands behind a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// `;`, a line end, `&&`, `||`, or the end of the text.
    Sequence,
    /// `|`.
    Pipe,
    /// `&`.
    Background,
    /// A parenthesis: what is inside is not told apart from what is outside.
    Group,
}

/// Words up to a separator; redirections are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    pub(super) separator: Separator,
    /// Whether it reads from or writes to something else than the shell does; `2>&1` and `< /dev/null` do not count.
    pub(super) is_redirected: bool,
}

/// The simple commands of `text`; none where a quote is open at its end.
pub(super) fn commands(text: &str) -> Option<Vec<Simple>> {
    let mut reader = WordReader { rest: text.chars().peekable(), commands: Vec::new(), open: Simple::new() };
    reader.read()?;
    Some(reader.commands)
}

/// The words of `text` where it is one simple command that a shell would only split: nothing to expand, no operator.
pub(super) fn literal_words(text: &str) -> Option<Vec<String>> {
    let [simple] = <[Simple; 1]>::try_from(commands(text)?).ok()?;
    let plain = simple.separator == Separator::Sequence && !simple.is_redirected && !text.contains(['<', '>', '\n']);
    let assigns = simple.words.first().is_none_or(|word| word.text.contains('='));
    (plain && !assigns && simple.words.iter().all(|word| word.is_literal))
        .then(|| simple.words.into_iter().map(|word| word.text).collect())
}

impl Simple {
    fn new() -> Simple {
        Simple { words: Vec::new(), separator: Separator::Sequence, is_redirected: false }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.is_redirected
    }
}

struct WordReader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    commands: Vec<Simple>,
    open: Simple,
}

impl WordReader<'_> {
    fn read(&mut self) -> Option<()> {
        while let Some(&next) = self.rest.peek() {
            match next {
                ' ' | '\t' => {
                    self.rest.next();
                }
                '#' => while self.rest.next_if(|&char| char != '\n').is_some() {},
                ';' | '\n' => self.separate(Separator::Sequence),
                '(' | ')' => self.separate(Separator::Group),
                '&' => {
                    self.rest.next();
                    match self.rest.peek() {
                        Some('&') => self.separate(Separator::Sequence),
                        Some('>') => self.redirect()?,
                        _ => self.end(Separator::Background),
                    }
                }
                '|' => {
                    self.rest.next();
                    match self.rest.peek() {
                        Some('|') => self.separate(Separator::Sequence),
                        _ => self.end(Separator::Pipe),
                    }
                }
                '<' | '>' => self.redirect()?,
                _ => self.word()?,
            }
        }
        self.end(Separator::Sequence);
        Some(())
    }

    fn separate(&mut self, separator: Separator) {
        self.rest.next();
        self.end(separator);
    }

    fn end(&mut self, separator: Separator) {
        // A parenthesis counts also where no words stand before it.
        if !self.open.is_empty() || separator == Separator::Group {
            let simple = std::mem::replace(&mut self.open, Simple::new());
            self.commands.push(Simple { separator, ..simple });
        }
    }

    fn word(&mut self) -> Option<()> {
        let word = self.one_word()?;
        let is_number = word.is_literal && !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && matches!(self.rest.peek(), Some('<' | '>')) {
            return self.redirect();
        }
        self.open.words.push(word);
        Some(())
    }

    /// Reads a redirection and where it leads.
    fn redirect(&mut self) -> Option<()> {
        while self.rest.next_if(|char| matches!(char, '<' | '>' | '&' | '|')).is_some() {}
        while self.rest.next_if(|char| matches!(char, ' ' | '\t')).is_some() {}
        let target = self.one_word()?.text;
        let is_stream = target.bytes().all(|byte| byte.is_ascii_digit()) && !target.is_empty();
        self.open.is_redirected |= !is_stream && target != "/dev/null";
        Some(())
    }

    fn one_word(&mut self) -> Option<Word> {
        let mut word = Word { text: String::new(), is_literal: true };
        while let Some(&next) = self.rest.peek() {
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.rest.next();
                    self.single_quoted(&mut word)?;
                }
                '"' => {
                    self.rest.next();
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.rest.next();
                    match self.rest.next() {
                        Some('\n') | None => {}
                        Some(char) => word.text.push(char),
                    }
                }
                _ => {
                    self.rest.next();
                    let expands =
                        matches!(next, '$' | '`' | '*' | '?' | '[' | '{' | '!') || next == '~' && word.text.is_empty();
                    word.is_literal &= !expands;
                    word.text.push(next);
                }
            }
        }
        Some(word)
    }

    fn single_quoted(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                char => word.text.push(char),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    char @ ('"' | '\\' | '$' | '`') => word.text.push(char),
                    char => {
                        word.text.push('\\');
                        word.text.push(char);
                    }
                },
                char => {
                    word.is_literal &= !matches!(char, '$' | '`');
                    word.text.push(char);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&[&str]]) {
        let found: Vec<Vec<String>> = commands(text)
            .unwrap()
            .into_iter()
            .map(|simple| simple.words.into_iter().map(|word| word.text).collect())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        check("", &[]);
        check("cat a.log", &[&["cat", "a.log"]]);
        check(r#"echo 'a b' "c\"d" e\ f"#, &[&["echo", "a b", "c\"d", "e f"]]);
        check(r"echo 'it'\''s'", &[&["echo", "it's"]]);
        check("a && b || c; d & e | f\ng", &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"]]);
        check("make 2>&1 >out.txt < /dev/null # all", &[&["make"]]);
        check("(a; b)", &[&[], &["a"], &["b"]]);
    }

    #[test]
    fn an_open_quote_is_not_guessed_at() {
        assert_eq!(commands("echo 'a"), None);
        assert_eq!(commands("echo \"a"), None);
    }

    #[test]
    fn only_words_that_a_shell_would_not_change_are_literal() {
        assert_eq!(
            literal_words("npx -y 'a server' /data"),
            Some(["npx", "-y", "a server", "/data"].map(str::to_owned).into())
        );
        for text in
            ["a $HOME", "a `b`", "a *.txt", "~/bin/a", "a; b", "a | b", "a > b", "X=1 a", "a \"$b\"", "(a)", "a &", ""]
        {
            assert_eq!(literal_words(text), None, "{text}");
        }
    }
}
