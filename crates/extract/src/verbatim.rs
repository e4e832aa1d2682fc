//! Whether what a report quotes and names stands in the document.
//!
//! Quotations in every form are looked for in the artifact, and what is not there is taken out; a report of which more
//! than half is not there is refused. Names and numbers that the artifact does not hold are marked.

mod claims;
mod copied;
mod presence;

use offcut_core::text;

use super::context::ExtractContext;
use super::error::ExtractError;
use super::wrapper::Report;

use claims::{Claim, ClaimKind};
use presence::SoughtText;

/// Stands behind a name or number that the artifact does not hold.
const MARK: &str = "(not in the output)";

/// Stands for a quotation that is none.
const REMOVED: &str = "[quotation removed: not in the output]";

/// Stands for lines that were quoted and are none of the document's.
const LINES_REMOVED: &str = "[lines removed: not in the output]";

/// Stands under a report in which nothing was quoted and nothing named that stands in the artifact.
const UNCHECKED: &str = "[Nothing in this answer could be checked against the output: it quotes nothing and names nothing that stands there.]";

/// How much of a quotation a refusal repeats, in characters.
const LONGEST_REPEATED: u64 = 80;

/// A claim of a report, and whether the artifact bears it out.
struct Checked {
    claim: Claim,
    holds: bool,
}

/// Says what is wrong with a report that no reader should trust: most of its quotations do not stand in the artifact, or
/// it names several things and none of them does.
pub(super) fn usable(context: &ExtractContext<'_>, report: &Report) -> Result<(), ExtractError> {
    if report.nothing {
        return Ok(());
    }
    verdict(&report.text, &check(context, &report.text)?)
}

fn verdict(report: &str, checked: &[Checked]) -> Result<(), ExtractError> {
    let quotations = checked.iter().filter(|checked| checked.claim.kind.is_quotation());
    let (held, missing): (Vec<&Checked>, Vec<&Checked>) = quotations.partition(|checked| checked.holds);
    if let Some(first) = missing.first().filter(|_| missing.len() > held.len()) {
        let words = text::slice(report, first.claim.range.clone());
        let shown = offcut_core::notice::one_line(words.trim(), LONGEST_REPEATED);
        return Err(ExtractError::NoReport(format!("it quotes what does not stand in the output: {shown}")));
    }
    if checked.len() >= 2 && checked.iter().all(|checked| !checked.holds) {
        return Err(ExtractError::no_report("nothing that it names stands in the output"));
    }
    Ok(())
}

/// The report without quotations that do not stand in the artifact, and with a mark behind each name and number that
/// does not. A report that no reader should trust is an error.
pub(super) fn checked(context: &ExtractContext<'_>, report: &str) -> Result<String, ExtractError> {
    let checked = check(context, report)?;
    verdict(report, &checked)?;
    let missing = |quotation: bool| {
        checked.iter().filter(|checked| !checked.holds && checked.claim.kind.is_quotation() == quotation).count()
    };
    let (removed, marked) = (missing(true) as u64, missing(false) as u64);
    context.session.note(|account| (account.not_verbatim, account.marked) = (removed, marked));
    let mut text = edited(report, &checked);
    if !checked.iter().any(|checked| checked.holds) {
        text = format!("{}\n\n{UNCHECKED}", text.trim_end());
    }
    Ok(text)
}

/// Takes out and marks what does not hold.
fn edited(report: &str, checked: &[Checked]) -> String {
    let mut edited = String::with_capacity(report.len() + 64);
    let mut at = 0;
    let mut before: Option<ClaimKind> = None;
    for Checked { claim, .. } in checked.iter().filter(|checked| !checked.holds) {
        let between = text::slice(report, at..claim.range.start);
        // Lines that follow each other share one word.
        let goes_on = claim.kind == ClaimKind::Line && before == Some(ClaimKind::Line) && between.trim().is_empty();
        if !goes_on {
            edited.push_str(between);
        }
        match claim.kind {
            ClaimKind::Quotation => edited.push_str(REMOVED),
            ClaimKind::Line if goes_on => {}
            ClaimKind::Line => edited.push_str(LINES_REMOVED),
            ClaimKind::Name => {
                edited.push_str(text::slice(report, claim.range.clone()));
                edited.push(' ');
                edited.push_str(MARK);
            }
        }
        at = claim.range.end;
        before = Some(claim.kind);
    }
    edited.push_str(text::slice(report, at..report.len()));
    edited
}

/// Looks for every claim of a report in the artifact.
fn check(context: &ExtractContext<'_>, report: &str) -> Result<Vec<Checked>, ExtractError> {
    let info = context.artifact.info();
    let claims = claims::claims(report, info.extent.lines);
    // What the question or the call said, and the document's own sizes, may be repeated.
    let sizes = [info.extent.bytes, info.extent.lines, info.extent.chars, info.tokens].map(|size| size.to_string());
    let source = &info.source;
    let known = [context.question.extract.as_str(), &source.arguments, &source.tool, info.id.as_str()];
    let is_known =
        |wanted: &SoughtText| known.iter().any(|text| text.contains(&wanted.text)) || sizes.contains(&wanted.text);
    let wanted: Vec<&SoughtText> = claims.iter().flat_map(|claim| claim.forms.iter().flatten()).collect();
    let there = presence::of(context.artifact, &wanted)?;
    let mut there = there.into_iter().zip(&wanted).map(|(there, wanted)| there || is_known(wanted));
    let checked = claims.iter().map(|claim| {
        let mut any = claim.forms.is_empty();
        for form in &claim.forms {
            // Every text of a form takes its place in the list, whatever came of the one before.
            let all = form.iter().fold(true, |all, _| there.next().unwrap_or(false) && all);
            any = any || all;
        }
        Checked { claim: claim.clone(), holds: any }
    });
    Ok(checked.collect())
}
