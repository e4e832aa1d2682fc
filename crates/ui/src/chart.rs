//! Charts as plain SVG.

use maud::{Markup, html};

use crate::format::short;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;

/// A chart has room for at least so many bars, so that one alone is not a wall.
const FEWEST: usize = 10;

/// One bar of a chart: what it stands for, and how much of it is which of the two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bar {
    /// What it stands for.
    pub(crate) name: String,
    /// The lower part.
    pub(crate) lower: u64,
    /// The part on top of it.
    pub(crate) upper: u64,
}

/// Stacked bars with a scale; `about` says in words what it shows.
pub(crate) fn bars(bars: &[Bar], parts: [&str; 2], about: &str) -> Markup {
    let most = bars.iter().map(|bar| bar.lower + bar.upper).max().unwrap_or(0).max(1);
    let room = HEIGHT - TOP - BOTTOM;
    let height = |value: u64| room * value as f64 / most as f64;
    let step = (WIDTH - LEFT) / bars.len().max(FEWEST) as f64;
    let every = bars.len().div_ceil(8).max(1);
    let number = |value: f64| format!("{value:.1}");
    html! {
        figure.chart {
            svg viewBox={"0 0 " (WIDTH) " " (HEIGHT)} role="img" aria-label=(about) {
                @for quarter in 0..=4_u32 {
                    @let y = TOP + room * (1.0 - f64::from(quarter) / 4.0);
                    line.grid x1=(LEFT) x2=(WIDTH) y1=(number(y)) y2=(number(y)) {}
                    text.scale x=(LEFT - 6.0) y=(number(y + 3.5)) text-anchor="end" { (short(most * u64::from(quarter) / 4)) }
                }
                @for (at, bar) in bars.iter().enumerate() {
                    @let x = LEFT + step * at as f64 + step * 0.12;
                    @let (low, up) = (height(bar.lower), height(bar.upper));
                    g {
                        title { (bar.name) ": " (short(bar.lower)) " " (parts[0]) ", " (short(bar.upper)) " " (parts[1]) }
                        rect.lower x=(number(x)) y=(number(TOP + room - low)) width=(number(step * 0.76)) height=(number(low)) {}
                        rect.upper x=(number(x)) y=(number(TOP + room - low - up)) width=(number(step * 0.76)) height=(number(up)) {}
                    }
                    @if at % every == 0 {
                        text.scale x=(number(x + step * 0.38)) y=(HEIGHT - 6.0) text-anchor="middle" { (bar.name) }
                    }
                }
            }
            figcaption { span.key.lower {} (parts[0]) span.key.upper {} (parts[1]) }
        }
    }
}

/// A strip that shows which of `total` lines are kept.
pub(crate) fn strip(kept: &[(u64, u64)], total: u64) -> Markup {
    let total = total.max(1) as f64;
    let place = |line: u64| 1000.0 * line as f64 / total;
    html! {
        svg.strip viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="Which lines the model saw" {
            rect.gap x="0" y="0" width="1000" height="10" {}
            @for (first, last) in kept {
                @let start = place(first.saturating_sub(1));
                rect.keep x=(format!("{start:.2}")) y="0" width=(format!("{:.2}", (place(*last) - start).max(1.0))) height="10" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_chart_and_names_are_escaped() {
        let bar = |name: &str, lower, upper| Bar { name: name.to_owned(), lower, upper };
        let drawn = bars(&[bar("<b>", 50, 50), bar("11-02", 0, 0)], ["shown", "saved"], "Tokens").into_string();
        assert!(drawn.contains("&lt;b&gt;: 50 shown, 50 saved") && !drawn.contains("<b>"), "{drawn}");
        assert!(drawn.contains(r#"<rect class="upper" x="52.1" y="8.0""#), "{drawn}");
        assert!(bars(&[], ["a", "b"], "Nothing").into_string().contains("<svg"));
    }

    #[test]
    fn a_strip_shows_every_range_however_small() {
        let drawn = strip(&[(1, 10), (999_999, 1_000_000)], 1_000_000).into_string();
        assert_eq!(drawn.matches(r#"class="keep""#).count(), 2);
        assert!(drawn.contains(r#"width="1.00""#), "{drawn}");
    }
}
