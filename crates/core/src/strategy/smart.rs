//! `smart`: source code by its functions, JSON that ends too early by its elements, and everything else by its lines.

use super::code::Code;
use super::element::torn_json;
use super::lines::{Lines, LinesCutter};
use super::{CutContext, CutError, Cutter, Strategy};
use crate::budget::Budget;
use crate::cut::Cut;
use crate::document::Document;
use crate::kind::Kind;

/// Cuts with an eye for content.
#[derive(Debug, Clone, Copy, Default)]
pub struct Smart;

impl Strategy for Smart {
    fn name(&self) -> &str {
        "smart"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        if matches!(context.classification.kind, Kind::Json | Kind::Ndjson) {
            match torn_json(document, context) {
                Err(CutError::Shape(_)) => {}
                json => return Ok(Box::new(Named { cutter: json? })),
            }
        }
        let table = Lines::table(document, context)?;
        let is_code = matches!(context.classification.kind, Kind::Code(_))
            && context.settings.preserve_functions
            && !Lines::is_output(&table, context.settings);
        if !is_code {
            return Ok(Box::new(Lines::score(document, table, context)?));
        }
        match Code.prepare(document, context) {
            Err(CutError::Shape(_)) => Ok(Box::new(Lines::score(document, table, context)?)),
            code => Ok(Box::new(CodeOrLines { code: code?, lines: None, document, context: *context })),
        }
    }
}

/// What cuts by another strategy's means, in the name of `smart`.
struct Named<'a> {
    cutter: Box<dyn Cutter + 'a>,
}

impl Cutter for Named<'_> {
    fn cut(&mut self, budget: &Budget) -> Result<Cut, CutError> {
        Ok(self.cutter.cut(budget)?.named("smart"))
    }
}

/// Code that is cut by its functions while there is room for a signature, else by its lines.
struct CodeOrLines<'a> {
    code: Box<dyn Cutter + 'a>,
    /// The lines, once they were needed.
    lines: Option<LinesCutter<'a>>,
    document: &'a dyn Document,
    context: CutContext<'a>,
}

impl Cutter for CodeOrLines<'_> {
    fn cut(&mut self, budget: &Budget) -> Result<Cut, CutError> {
        match self.code.cut(budget) {
            Err(CutError::Shape(_)) => {}
            cut => return Ok(cut?.named("smart")),
        }
        let lines = match &mut self.lines {
            Some(lines) => lines,
            None => {
                let table = Lines::table(self.document, &self.context)?;
                self.lines.insert(Lines::score(self.document, table, &self.context)?)
            }
        };
        lines.cut(budget)
    }
}
