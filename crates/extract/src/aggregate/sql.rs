//! A small `SELECT`, read into an [`Aggregation`].
//!
//! ```text
//! SELECT [DISTINCT] column, … [FROM rows] [WHERE condition] [GROUP BY key, …] [ORDER BY column [DESC], …] [LIMIT n]
//!
//! column     key, *, count(*), count(key), sum(key), avg(key), min(key), max(key); [AS name]
//! key        a member or column, user.id, "a name with blanks"
//! condition  key = 'text', <> < <= > >= LIKE ILIKE IN (…) BETWEEN … AND …, IS [NOT] NULL; AND, OR, NOT, ( )
//! ```

use super::condition::{Comparison, Condition};
use super::{Aggregation, Cell, Column, Measure, Order, SqlError};

/// How many rows are told where nobody says.
const LIMIT: usize = 50;

/// The most rows that are told.
const MOST: usize = 10_000;

/// How deep conditions may be nested.
const DEEPEST: usize = 50;

/// What can be asked, for messages.
const FORM: &str = "SELECT key, count(*) FROM rows WHERE key = 'x' GROUP BY key ORDER BY 2 DESC LIMIT 10";

/// Words that are no names unless they are quoted.
const WORDS: &[&str] = &[
    "select", "distinct", "from", "where", "group", "order", "by", "limit", "and", "or", "not", "in", "is", "null",
    "like", "ilike", "between", "as", "asc", "desc", "having", "join", "union", "offset",
];

pub(super) fn read(sql: &str) -> Result<Aggregation, SqlError> {
    let mut reader =
        SqlReader { tokens: tokens(sql)?, at: 0, new: Aggregation { limit: LIMIT, ..Aggregation::default() } };
    reader.select()?;
    Ok(reader.new)
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A name or a word of the language.
    Word(String),
    /// A name in quotes.
    Quoted(String),
    Text(String),
    Number(String),
    Sign(&'static str),
}

const SIGNS: &[&str] = &["<=", ">=", "<>", "!=", "==", "=", "<", ">", "(", ")", ",", "*", ";"];

fn tokens(sql: &str) -> Result<Vec<Token>, SqlError> {
    let mut tokens = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' | '"' | '`' => {
                let (text, length) = quoted(rest, first)?;
                (if first == '\'' { Token::Text(text) } else { Token::Quoted(text) }, length)
            }
            '0'..='9' | '-' | '.' | '+' => {
                let length =
                    rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
                let text = rest.get(..length).unwrap_or_default();
                text.parse::<f64>().map_err(|_| SqlError(format!("`{text}` is not a number; text stands in '…'")))?;
                (Token::Number(text.to_owned()), length)
            }
            c if is_name(c) => {
                let length = rest.find(|c: char| !(is_name(c) || c == '.')).unwrap_or(rest.len());
                (Token::Word(rest.get(..length).unwrap_or_default().to_owned()), length)
            }
            c => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| SqlError(format!("`{c}` cannot stand here: {FORM}")))?;
                (Token::Sign(sign), sign.len())
            }
        };
        tokens.push(token);
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(tokens)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@')
}

/// What stands in quotes at the beginning, where a doubled one stands for itself, and how long it is.
fn quoted(text: &str, quote: char) -> Result<(String, usize), SqlError> {
    let mut inside = String::new();
    let mut signs = text.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        if sign != quote {
            inside.push(sign);
        } else if signs.next_if(|(_, next)| *next == quote).is_some() {
            inside.push(quote);
        } else {
            return Ok((inside, at + 1));
        }
    }
    Err(SqlError(format!("a {quote} is not closed")))
}

struct SqlReader {
    tokens: Vec<Token>,
    at: usize,
    new: Aggregation,
}

impl SqlReader {
    fn select(&mut self) -> Result<(), SqlError> {
        if !self.word("select") {
            return Err(SqlError(format!("expected `SELECT`: {FORM}")));
        }
        let distinct = self.word("distinct");
        loop {
            let column = self.column()?;
            self.new.columns.push(column);
            if !self.sign(",") {
                break;
            }
        }
        self.new.shown = self.new.columns.len();
        if self.word("from") && !matches!(self.next(), Some(Token::Word(_) | Token::Quoted(_))) {
            return Err(SqlError("expected `rows` after `FROM`".to_owned()));
        }
        if self.word("where") {
            self.new.filter = Some(self.condition(0)?);
        }
        if self.word("group") {
            self.by("GROUP")?;
            loop {
                let key = self.group_key()?;
                self.new.group_by.push(key);
                if !self.sign(",") {
                    break;
                }
            }
        }
        if distinct {
            self.make_distinct()?;
        }
        if self.word("order") {
            self.by("ORDER")?;
            loop {
                let column = self.order_column()?;
                let descending = self.word("desc");
                if !descending {
                    self.word("asc");
                }
                self.new.order.push(Order { column, descending });
                if !self.sign(",") {
                    break;
                }
            }
        }
        if self.word("limit") {
            self.new.limit = match self.next() {
                Some(Token::Number(number)) => {
                    number.parse().map_err(|_| SqlError("`LIMIT` takes a number".to_owned()))?
                }
                _ => return Err(SqlError("`LIMIT` takes a number".to_owned())),
            };
            self.new.limit = self.new.limit.min(MOST);
        }
        self.sign(";");
        match self.peek() {
            Some(token) => {
                let what = written(token);
                Err(SqlError(format!(
                    "`{what}` cannot stand here; joins, HAVING and expressions are not computed: {FORM}"
                )))
            }
            None => self.check(),
        }
    }

    /// Groups make sense only of what they are made by.
    fn check(&mut self) -> Result<(), SqlError> {
        if self.new.lists() {
            return Ok(());
        }
        for column in &self.new.columns {
            let stray = match column.cell {
                Cell::Key(key) => !self.new.group_by.contains(&key),
                Cell::Record => true,
                Cell::Count | Cell::CountOf(_) | Cell::Measure(..) => false,
            };
            if stray {
                return Err(SqlError(format!("`{}` has to stand in GROUP BY too, or in count, sum, …", column.head)));
            }
        }
        if self.new.order.is_empty() && !self.new.group_by.is_empty() {
            let count = self.new.columns.iter().position(|column| column.cell == Cell::Count);
            self.new.order.extend(count.map(|column| Order { column, descending: true }));
        }
        Ok(())
    }

    fn make_distinct(&mut self) -> Result<(), SqlError> {
        if !self.new.group_by.is_empty() {
            return Ok(());
        }
        for column in &self.new.columns {
            match column.cell {
                Cell::Key(key) => self.new.group_by.push(key),
                _ => return Err(SqlError("`SELECT DISTINCT` takes names of keys".to_owned())),
            }
        }
        Ok(())
    }

    fn column(&mut self) -> Result<Column, SqlError> {
        let (mut head, cell) = self.cell()?;
        if self.word("as") {
            head = self.name()?;
        }
        Ok(Column { head, cell })
    }

    fn cell(&mut self) -> Result<(String, Cell), SqlError> {
        if self.sign("*") {
            return Ok(("record".to_owned(), Cell::Record));
        }
        let is_function = self.tokens.get(self.at + 1) == Some(&Token::Sign("("));
        let function = match self.peek() {
            Some(Token::Word(word)) if is_function => word.to_ascii_lowercase(),
            _ => {
                let name = self.name()?;
                let key = self.new.key(&name);
                return Ok((name, Cell::Key(key)));
            }
        };
        self.at += 2;
        let measure = match function.as_str() {
            "count" if self.sign("*") => return self.closed(("count".to_owned(), Cell::Count)),
            "count" => None,
            "sum" => Some(Measure::Sum),
            "avg" | "mean" => Some(Measure::Mean),
            "min" => Some(Measure::Min),
            "max" => Some(Measure::Max),
            _ => {
                return Err(SqlError(format!(
                    "there is no function `{function}`: count, sum, avg, min and max are known"
                )));
            }
        };
        let name = self.name()?;
        let key = self.new.key(&name);
        let cell = measure.map_or(Cell::CountOf(key), |measure| Cell::Measure(measure, key));
        self.closed((format!("{function}({name})"), cell))
    }

    fn closed<T>(&mut self, value: T) -> Result<T, SqlError> {
        if self.sign(")") { Ok(value) } else { Err(SqlError("expected `)`".to_owned())) }
    }

    /// A key by its name, by the name that a column was given, or by the number of a column.
    fn group_key(&mut self) -> Result<usize, SqlError> {
        let column = match self.peek() {
            Some(Token::Number(number)) => Some(self.numbered(&number.clone())?),
            Some(Token::Word(name) | Token::Quoted(name)) => {
                self.new.columns.iter().position(|column| column.head == *name && matches!(column.cell, Cell::Key(_)))
            }
            _ => None,
        };
        let Some(column) = column else {
            let name = self.name()?;
            return Ok(self.new.key(&name));
        };
        self.at += 1;
        match self.new.columns.get(column).map(|column| column.cell) {
            Some(Cell::Key(key)) => Ok(key),
            _ => Err(SqlError(format!("column {} is not a key that can be grouped by", column + 1))),
        }
    }

    fn order_column(&mut self) -> Result<usize, SqlError> {
        if let Some(Token::Number(number)) = self.peek() {
            let column = self.numbered(&number.clone())?;
            self.at += 1;
            return Ok(column);
        }
        if let Some(Token::Word(name) | Token::Quoted(name)) = self.peek()
            && self.tokens.get(self.at + 1) != Some(&Token::Sign("("))
            && let Some(column) = self.new.columns.iter().position(|column| column.head == *name)
        {
            self.at += 1;
            return Ok(column);
        }
        let (head, cell) = self.cell()?;
        let known = self.new.columns.iter().position(|column| column.cell == cell);
        Ok(known.unwrap_or_else(|| {
            self.new.columns.push(Column { head, cell });
            self.new.columns.len() - 1
        }))
    }

    fn numbered(&self, number: &str) -> Result<usize, SqlError> {
        let column = number.parse::<usize>().ok().filter(|number| (1..=self.new.shown).contains(number));
        column.map(|number| number - 1).ok_or_else(|| SqlError(format!("there is no column {number}")))
    }

    fn condition(&mut self, depth: usize) -> Result<Condition, SqlError> {
        let mut any = vec![self.conjunction(depth)?];
        while self.word("or") {
            any.push(self.conjunction(depth)?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Condition::Any(any) })
    }

    fn conjunction(&mut self, depth: usize) -> Result<Condition, SqlError> {
        let mut all = vec![self.single(depth)?];
        while self.word("and") {
            all.push(self.single(depth)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    fn single(&mut self, depth: usize) -> Result<Condition, SqlError> {
        if depth > DEEPEST {
            return Err(SqlError("the condition is nested too deep".to_owned()));
        }
        if self.word("not") {
            return Ok(Condition::Not(Box::new(self.single(depth + 1)?)));
        }
        if self.sign("(") {
            let inner = self.condition(depth + 1)?;
            return self.closed(inner);
        }
        let name = self.name()?;
        let key = self.new.key(&name);
        if self.word("is") {
            let not = self.word("not");
            return if self.word("null") { Ok(negated(not, Condition::IsNull { key })) } else { Err(expected("NULL")) };
        }
        let not = self.word("not");
        if self.word("like") {
            let pattern = self.literal()?.chars().collect();
            return Ok(negated(not, Condition::Like { key, pattern, fold: false }));
        }
        if self.word("ilike") {
            let pattern = self.literal()?.to_lowercase().chars().collect();
            return Ok(negated(not, Condition::Like { key, pattern, fold: true }));
        }
        if self.word("between") {
            let least = self.literal()?;
            let and = if self.word("and") { Ok(()) } else { Err(expected("AND")) };
            and?;
            let (below, above) =
                (compare(key, Comparison::Less, least), compare(key, Comparison::Greater, self.literal()?));
            return Ok(negated(!not, Condition::Any(vec![below, above])));
        }
        if self.word("in") {
            if !self.sign("(") {
                return Err(expected("("));
            }
            let mut values = vec![self.literal()?];
            while self.sign(",") {
                values.push(self.literal()?);
            }
            return self.closed(negated(not, Condition::In { key, values }));
        }
        let (not, is) = match self.next() {
            Some(Token::Sign("=" | "==")) => (false, Comparison::Equal),
            Some(Token::Sign("<>" | "!=")) => (true, Comparison::Equal),
            Some(Token::Sign("<")) => (false, Comparison::Less),
            Some(Token::Sign(">")) => (false, Comparison::Greater),
            Some(Token::Sign("<=")) => (true, Comparison::Greater),
            Some(Token::Sign(">=")) => (true, Comparison::Less),
            _ => return Err(SqlError(format!("`{name}` has to be compared: = <> < <= > >= LIKE IN BETWEEN, IS NULL"))),
        };
        Ok(negated(not, compare(key, is, self.literal()?)))
    }

    fn literal(&mut self) -> Result<String, SqlError> {
        match self.next() {
            Some(Token::Text(text)) => Ok(text),
            Some(Token::Number(number)) => Ok(number),
            Some(Token::Word(word)) if ["true", "false"].contains(&word.to_ascii_lowercase().as_str()) => {
                Ok(word.to_ascii_lowercase())
            }
            // Many write a text in double quotes.
            Some(Token::Quoted(text)) => Ok(text),
            Some(other) => {
                Err(SqlError(format!("expected a number or a text in '…' instead of `{}`", written(&other))))
            }
            None => Err(SqlError("expected a number or a text in '…' at the end".to_owned())),
        }
    }

    fn name(&mut self) -> Result<String, SqlError> {
        match self.next() {
            Some(Token::Word(word)) if !WORDS.contains(&word.to_ascii_lowercase().as_str()) => Ok(word),
            Some(Token::Quoted(name)) => Ok(name),
            Some(other) => {
                Err(SqlError(format!("expected the name of a key instead of `{}`: {FORM}", written(&other))))
            }
            None => Err(SqlError(format!("expected the name of a key at the end: {FORM}"))),
        }
    }

    fn by(&mut self, word: &str) -> Result<(), SqlError> {
        if self.word("by") { Ok(()) } else { Err(SqlError(format!("expected `{word} BY`"))) }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    /// Passes over a word of the language, if it stands here.
    fn word(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(wanted));
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(sign)) if *sign == wanted);
        self.at += usize::from(found);
        found
    }
}

fn negated(not: bool, condition: Condition) -> Condition {
    if not { Condition::Not(Box::new(condition)) } else { condition }
}

fn compare(key: usize, is: Comparison, with: String) -> Condition {
    Condition::Compare { key, is, with }
}

fn expected(what: &str) -> SqlError {
    SqlError(format!("expected `{what}`"))
}

fn written(token: &Token) -> &str {
    match token {
        Token::Word(text) | Token::Quoted(text) | Token::Text(text) | Token::Number(text) => text,
        Token::Sign(sign) => sign,
    }
}
