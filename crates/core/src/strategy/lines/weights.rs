//! The numbers by which lines are weighed, and nowhere else.
//!
//! Worth goes from 0 to 100: 100 is a line without which the task fails, 1 is hardly worth its room. What a line is
//! worth by itself comes from what it says (`crate::line`); here is what becomes of that among other lines. Factors
//! and shares go from 0 to 1 unless their sentence says otherwise.

pub(super) mod access;
pub(super) mod columns;
pub(super) mod git;
pub(super) mod records;

/// Worth below this is not shown, however much room there is.
pub(super) const FLOOR: f32 = 1.0;

/// What a unit costs beside its characters, so that short lines are not taken for their shortness.
pub(super) const OVERHEAD: f32 = 30.0;

/// How much room counts against worth: 1 would fill the budget with short lines, 0 would not look at length.
pub(super) const THRIFT: f32 = 0.6;

/// A gap is shown after all where its lines take at most so many characters more than its address, and no more than
/// one character in so many of the budget: an address of a dozen characters is as many tokens as a line of text, and
/// what stands between two lines explains both.
pub(super) const BRIDGED: Bridge = Bridge { beyond: 0, share: 40, most: 160 };

/// In what a run printed that may be more: there a line is told by those around it, while rows, matches and entries that are
/// not shown are of no more use beside one that is. The first characters are for what tells most.
pub(super) const BRIDGED_IN_LOGS: Bridge = Bridge { beyond: 1000, share: 17, most: 350 };

/// How many characters more than its address a gap may take to be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bridge {
    beyond: i64,
    share: i64,
    most: i64,
}

impl Bridge {
    /// The characters in a budget of so many: one in `share` of those `beyond` the first, and no more than `most`.
    pub(super) fn of(self, chars: i64) -> i64 {
        ((chars - self.beyond).max(0) / self.share).min(self.most)
    }
}

/// What a further gap counts against a line's worth, in characters, where there are few. With so many gaps, and one
/// more for so many characters of the budget, it counts twice as much.
pub(super) const MARK: f32 = 100.0;
pub(super) const MARKS: f32 = 3.0;
pub(super) const MARKS_EACH: f32 = 1000.0;

/// Against a line of a log that is worth less than this by itself it counts so many times as much: alone between two
/// gaps such a line seldom tells anything.
pub(super) const QUIET: f32 = 40.0;
pub(super) const QUIET_MARK: f32 = 2.0;

/// One bundle takes at most this share of the budget.
pub(super) const BUNDLE_SHARE: f32 = 0.3;

/// What it is worth that a fold says what it is, where all else of a bundle is shown.
pub(super) const SAYING: f32 = 50.0;

/// What the first and the last line are worth where nothing else is known; each further one a part of it.
pub(super) const END: f32 = 100.0;

/// A step that failed is shown whole where it takes at most this share of the budget.
pub(super) const FAILED_WHOLE: f32 = 0.8;

/// Of one that is larger so much of the budget is shown first, while it has something to show.
pub(super) const FAILED_SHARE: f32 = 0.75;

/// What a row outside of the steps that failed keeps of its worth: hardly ever is the reason there.
pub(super) const OUTSIDE_FAILED: f32 = 0.1;

/// How many times as much a row of a step that failed counts where not all rows are weighed.
pub(super) const FAILED_AHEAD: f32 = 4.0;

/// Where more than this share of the budget is left, so many lines on each side of what is shown are shown though they are
/// like it.
pub(super) const EMPTY: f32 = 0.15;
pub(super) const ALIKE_AROUND: usize = 4;

/// The share of what is left then that stays for what gaps say.
pub(super) const SAID_OF_EMPTY: f32 = 0.3;

/// All embedded values take at most this share of the budget while there is something else to show.
pub(super) const EMBEDS_SHARE: f32 = 0.5;

/// Embedded values are shown step by step: what is left of their worth at each, and how much of their share it shows.
pub(super) const EMBED_STEPS: [(f32, f32); 4] = [(1.0, 0.2), (0.4, 0.4), (0.25, 0.7), (0.15, 1.0)];

/// But at first so many characters, where the share has them.
pub(super) const EMBED_LEAST: f32 = 120.0;

/// In less room than so many characters a value, of which little could be shown, is worth less.
pub(super) const EMBED_ROOMY: f32 = 4000.0;

/// What each embedded value that begins alike leaves of the next one's worth.
pub(super) const EMBED_FADE: f32 = 0.4;

/// A step of an embedded value counts as so many characters at least.
pub(super) const EMBED_LINE: f32 = 60.0;

/// What a line without words keeps of its worth once some line was shown.
pub(super) const WORDLESS: f32 = 0.5;

/// What a line keeps of its worth of which `new` of `all` words were not shown before: 0.4 where none is new.
pub(super) fn novelty(new: usize, all: usize) -> f32 {
    0.4 + 0.6 * new as f32 / all as f32
}

/// Up to so many characters nothing is set aside for what gaps say.
pub(super) const NOTHING_SAID: u64 = 3000;

/// One character in so many of the others is set aside for what gaps say of lines, and of changes.
pub(super) const SAID_OF_LINES: u64 = 200;
pub(super) const SAID_OF_CHANGES: u64 = 60;

/// One character in so many of all for which files or folders a gap of entries or matches hides: those are what is
/// looked for.
pub(super) const SAID_OF_PLACES: u64 = 14;

/// But no more characters than these, and in little room no fewer than these, unless that were more than one in so many.
pub(super) const MOST_SAID_OF_PLACES: u64 = 250;
pub(super) const LEAST_SAID_OF_PLACES: u64 = 60;
pub(super) const SAID_AT_MOST: u64 = 8;

/// Characters that gaps may say of what is left, where less was set aside.
pub(super) const SAID_LEFT: i64 = 40;

/// A gap of fewer lines says nothing.
pub(super) const SAID_ROWS: usize = 20;
/// And a gap of fewer entries of a listing, or matches of a search.
pub(super) const SAID_ENTRIES: usize = 8;

/// How many times as much as the best of paths and matches a line among them is worth that says what went wrong, and
/// what each leaves of the next one's worth.
pub(super) const FAILURE_AMONG_OTHERS: f32 = 4.0;
pub(super) const NEXT_FAILURE_AMONG_OTHERS: f32 = 0.8;

/// Logs, test and build output, stack traces.
pub(super) mod log {
    use crate::line::Role;

    /// What a line keeps of the lesser of its own worth and what its neighbours lend it.
    pub(in crate::strategy::lines) const LESSER: f32 = 0.2;

    /// How much more the first line of a prefix is worth; the second has half of it, and so on.
    pub(in crate::strategy::lines) const EARLIER: f32 = 0.15;

    /// What an item of a list of failing tests is worth, and a line below one.
    pub(in crate::strategy::lines) const LISTED: f32 = 85.0;
    pub(in crate::strategy::lines) const BELOW_LISTED: f32 = 6.0;

    /// What each further line that pytest marks with `E` is worth of the one before it.
    pub(in crate::strategy::lines) const QUOTED: f32 = 0.7;

    /// A prefix that occurs so often repeats.
    pub(in crate::strategy::lines) const REPEATED_OFTEN: u32 = 8;

    /// How much of a text repeats itself as logs do, from 0 to 1, where `share` of its runs are of prefixes that repeat:
    /// up to four tenths are usual in any text.
    pub(in crate::strategy::lines) fn repetition(share: f32) -> f32 {
        (share - 0.4).max(0.0) / 0.6
    }

    /// How much nearly all lines are of few sorts, from 0 to 1, by the share of those that are.
    pub(in crate::strategy::lines) fn uniformity(share: f32) -> f32 {
        (share - 0.95).max(0.0) / 0.05
    }

    /// From 0 to 1 as a text becomes a plain log, where frequent errors are routine.
    pub(in crate::strategy::lines) fn plainness(repetition: f32) -> f32 {
        (repetition - 0.7).max(0.0) / 0.3
    }

    /// What the first lines of a prefix gain in a plain log, so that each sort of line is shown once or twice.
    pub(in crate::strategy::lines) const SAMPLE: f32 = 12.0;

    /// What a line gains that occurs once, and what it gains more where the text repeats itself.
    pub(in crate::strategy::lines) const RARE: f32 = 0.8;
    pub(in crate::strategy::lines) const RARE_IN_LOG: f32 = 12.0;

    /// What is left of both where lines give the verdict on a run that failed.
    pub(in crate::strategy::lines) const RARE_IN_FAILED_RUN: f32 = 0.05;

    /// What a plain line gains by so many words that stand nowhere else, and the share of the lines that may be so.
    pub(in crate::strategy::lines) const STRANGE: f32 = 8.0;
    pub(in crate::strategy::lines) const STRANGE_WORDS: u32 = 2;
    pub(in crate::strategy::lines) const MOST_STRANGE: f32 = 0.03;

    /// What a line gains by a number that is far from those of lines like it.
    pub(in crate::strategy::lines) const FAR_NUMBER: f32 = 25.0;

    /// What an error in a file that others wrote is worth of one in the user's own: it is seldom the cause.
    pub(in crate::strategy::lines) const FOREIGN_ERROR: f32 = 0.7;

    /// The last line of a template counts as one of so many at most.
    pub(in crate::strategy::lines) const LAST_COUNTS: f32 = 4.0;

    /// How often a line's number must double before it is worth half: of a plain line, an error, a place.
    pub(in crate::strategy::lines) const FREQUENT: f32 = 6.0;
    pub(in crate::strategy::lines) const FREQUENT_ERROR: f32 = 12.0;
    pub(in crate::strategy::lines) const FREQUENT_PLACE: f32 = 10.0;

    /// How much sooner that is for errors in a plain log.
    pub(in crate::strategy::lines) const ROUTINE_ERROR: f32 = 8.0;

    /// How much more the last error of a template is worth.
    pub(in crate::strategy::lines) const LAST_ERROR: f32 = 1.2;

    /// Where nothing is severe, everything is worth so many times as much at most.
    pub(in crate::strategy::lines) const STRETCHED: f32 = 4.0;

    /// What each line of a template leaves of the next one's worth.
    pub(in crate::strategy::lines) fn fade(role: Role) -> f32 {
        match role {
            Role::FailedTest => 0.97,
            Role::Message | Role::Error | Role::Summary => 0.85,
            Role::Location | Role::Frame | Role::Detail => 0.85,
            Role::Warning | Role::AuditEvent => 0.8,
            _ => 0.6,
        }
    }

    /// What each line of a prefix leaves of the next one's worth: less where the text repeats itself.
    pub(in crate::strategy::lines) fn prefix_fade(role: Role, repetition: f32) -> f32 {
        match role {
            Role::FailedTest => 0.985,
            Role::AuditEvent => 0.95,
            _ => 0.95 - 0.12 * repetition,
        }
    }
}

/// What lines lend to those around them.
pub(super) mod neighbours {
    /// From this worth on a line lends some of it to the lines around it.
    pub(in crate::strategy::lines) const STRONG: f32 = 35.0;

    /// From this worth on a line is severe: a message has its place shown, and nothing is stretched.
    pub(in crate::strategy::lines) const SEVERE: f32 = 50.0;

    /// What each line of a template leaves of what the next one lends, and what is left at least.
    pub(in crate::strategy::lines) const REPEATED: f32 = 0.8;
    pub(in crate::strategy::lines) const REPEATED_LEAST: f32 = 0.2;

    /// What a strong line lends to those behind it, and what is left of that behind an empty line, a line that is
    /// indented further, and another.
    pub(in crate::strategy::lines) const BEHIND: f32 = 0.6;
    pub(in crate::strategy::lines) const BLANK_BEHIND: f32 = 0.6;
    pub(in crate::strategy::lines) const DEEPER_BEHIND: f32 = 0.92;
    pub(in crate::strategy::lines) const NEXT_BEHIND: f32 = 0.75;

    /// What a frame of a library takes of what it is lent.
    pub(in crate::strategy::lines) const FOREIGN_FRAME: f32 = 0.3;

    /// What a strong line lends to those before it, and what is left of that before an empty line and another.
    pub(in crate::strategy::lines) const BEFORE: f32 = 0.3;
    pub(in crate::strategy::lines) const BLANK_BEFORE: f32 = 0.4;
    pub(in crate::strategy::lines) const NEXT_BEFORE: f32 = 0.6;

    /// The same for the line that says how a process ended: what is before it is why.
    pub(in crate::strategy::lines) const BEFORE_EXIT: f32 = 0.7;
    pub(in crate::strategy::lines) const BLANK_BEFORE_EXIT: f32 = 0.95;
    pub(in crate::strategy::lines) const NEXT_BEFORE_EXIT: f32 = 0.85;

    /// What the user's own frame nearest to a message is worth of what the message is.
    pub(in crate::strategy::lines) const PLACE: f32 = 0.5;

    /// What is left of the worth of a value that no failure stands near.
    pub(in crate::strategy::lines) const ALONE: f32 = 0.3;

    /// What a heading is worth of what the line below it is.
    pub(in crate::strategy::lines) const HEADING: f32 = 0.6;

    /// What the first line is worth at least: enough to be shown where there is room left.
    pub(in crate::strategy::lines) const FIRST: f32 = 6.0;

    /// What the first and the last lines are worth, and how much less each further one.
    pub(in crate::strategy::lines) const ENDS: (f32, f32, f32) = (3.0, 4.0, 1.0);

    /// The same where nothing is severe: then they say what ran and how it went.
    pub(in crate::strategy::lines) const ENDS_OF_WHAT_WENT_WELL: (f32, f32, f32) = (20.0, 24.0, 1.5);

    /// What sums a run up last where nothing is severe.
    pub(in crate::strategy::lines) const LAST_SUMMARY: f32 = 90.0;
}

/// Stack traces.
pub(super) mod traces {
    /// From this worth on a message makes its trace worth following.
    pub(in crate::strategy::lines) const TOLD: f32 = 35.0;

    /// What a cause is worth of what the message of its trace is.
    pub(in crate::strategy::lines) const CAUSE: f32 = 0.8;

    /// What the line right above a trace is worth of it that tells of no failure: what was being done.
    pub(in crate::strategy::lines) const STEP_BEFORE: f32 = 0.35;

    /// What the frame that tells most is worth of it.
    pub(in crate::strategy::lines) const OWN: f32 = 0.45;

    /// What a row is worth that makes a trace whole, of what its message is.
    pub(in crate::strategy::lines) const WHOLE: f32 = 0.08;

    /// And at least so much: a goroutine that only waits says little.
    pub(in crate::strategy::lines) const LEAST: f32 = 2.0;

    /// What the frames of a trace that was seen before are worth of what they would be.
    pub(in crate::strategy::lines) const AGAIN: f32 = 0.6;
}

/// Blocks about one failure.
pub(super) mod failures {
    /// From this worth on a line opens a block.
    pub(in crate::strategy::lines) const TOLD: f32 = 45.0;

    /// What a row is worth that makes a block whole, of what the line is that opens it.
    pub(in crate::strategy::lines) const WHOLE: f32 = 0.065;
}

/// Values of another kind in a text.
pub(super) mod embedded {
    /// From this worth on a line tells of trouble.
    pub(in crate::strategy::lines) const TROUBLE: f32 = 35.0;

    /// What a value is worth at least.
    pub(in crate::strategy::lines) const LEAST: f32 = 6.0;

    /// What a value is worth of what its lines would be, and of what the lines beside it are.
    pub(in crate::strategy::lines) const INNER: f32 = 0.5;
    pub(in crate::strategy::lines) const BESIDE: f32 = 0.2;

    /// The shares of a value that tells of trouble or stands beside it, and of another.
    pub(in crate::strategy::lines) const SHARE: f32 = 0.3;
    pub(in crate::strategy::lines) const LONE_SHARE: f32 = 0.15;

    /// What a line of a diff in another text is worth of what it would be in a diff.
    pub(in crate::strategy::lines) const DIFF: f32 = 0.08;
}

/// Text that nothing is known of: these come on top of what its lines say.
pub(super) mod prose {
    /// What the first and the last line gain.
    pub(in crate::strategy::lines) const FIRST: f32 = 7.0;
    pub(in crate::strategy::lines) const LAST: f32 = 5.0;

    /// How many lines the gain of an end halves over.
    pub(in crate::strategy::lines) const NEAR: f32 = 15.0;

    /// What the first line of a paragraph gains, a heading beside that, and any line.
    pub(in crate::strategy::lines) const PARAGRAPH: f32 = 2.0;
    pub(in crate::strategy::lines) const HEADING: f32 = 7.0;
    pub(in crate::strategy::lines) const ANY: f32 = 1.0;

    /// What a line gains that names the columns of those below it, and the first of several lines of a form.
    pub(in crate::strategy::lines) const HEADER: f32 = 10.0;
    pub(in crate::strategy::lines) const FIRST_OF_FORM: f32 = 4.0;
}

/// Diffs and histories; the worth of a file's lines is multiplied by how much a change to it matters.
pub(super) mod diff {
    /// A commit's id, author, date and subject together, what each leaves of the next one's worth, and the other lines of its message.
    pub(in crate::strategy::lines) const COMMIT: f32 = 220.0;
    pub(in crate::strategy::lines) const OLDER: f32 = 0.97;
    pub(in crate::strategy::lines) const MESSAGE: f32 = 4.0;

    /// The first file and the first lines of the first hunk of the newest commit.
    pub(in crate::strategy::lines) const FIRST_CHANGE: f32 = 220.0;

    /// The line that names a file, what became of it, and the other lines of its header.
    pub(in crate::strategy::lines) const FILE: f32 = 80.0;
    pub(in crate::strategy::lines) const FATE: f32 = 12.0;
    pub(in crate::strategy::lines) const HEADER: f32 = 2.0;

    /// A file's line in a summary of changes, and the sum.
    pub(in crate::strategy::lines) const STAT: f32 = 6.0;
    pub(in crate::strategy::lines) const TOTAL: f32 = 25.0;

    /// A line that belongs to nothing, and the last one behind all changes, which sums them up.
    pub(in crate::strategy::lines) const OTHER: f32 = 1.2;
    pub(in crate::strategy::lines) const LAST_OTHER: f32 = 90.0;

    /// A hunk, what the root of the number of changed lines adds to it so many times, and a definition among them.
    pub(in crate::strategy::lines) const HUNK: f32 = 8.0;
    pub(in crate::strategy::lines) const CHANGE: f32 = 2.5;
    pub(in crate::strategy::lines) const DEFINITION: f32 = 14.0;

    /// What a hunk gains where a merge left a conflict.
    pub(in crate::strategy::lines) const CONFLICT: f32 = 60.0;

    /// What is left of a hunk's worth where only comments and blank lines change.
    pub(in crate::strategy::lines) const COMMENTS: f32 = 0.3;

    /// What is left of it where everything that it changes is changed alike everywhere.
    pub(in crate::strategy::lines) const CHANGED_ALIKE: f32 = 0.4;

    /// What each part of a long hunk leaves of the next one's worth, each hunk of a file, and each equal header.
    pub(in crate::strategy::lines) const NEXT_PART: f32 = 0.85;
    pub(in crate::strategy::lines) const HUNK_FADE: f32 = 0.75;
    pub(in crate::strategy::lines) const HEADER_FADE: f32 = 0.8;
}

/// Directory listings.
pub(super) mod listing {
    /// An entry at the top, by what its worth is divided a level down, and how many levels count.
    pub(in crate::strategy::lines) const ENTRY: f32 = 60.0;
    pub(in crate::strategy::lines) const DEEPER: f32 = 3.0;
    pub(in crate::strategy::lines) const DEEPEST: f32 = 8.0;

    /// How many times as much a folder is worth, the line that heads what lies in one, the first entry of a folder, and
    /// what others wrote.
    pub(in crate::strategy::lines) const FOLDER: f32 = 1.5;
    pub(in crate::strategy::lines) const HEADING: f32 = 4.0;
    pub(in crate::strategy::lines) const FIRST_OF_FOLDER: f32 = 1.6;
    pub(in crate::strategy::lines) const FOREIGN: f32 = 0.4;

    /// What an upper folder gains each time that twice as much lies in it.
    pub(in crate::strategy::lines) const DOUBLED: f32 = 0.25;

    /// The first line at least, the root of a drawn tree, the sum of everything, and the sum of a part.
    pub(in crate::strategy::lines) const FIRST: f32 = 40.0;
    pub(in crate::strategy::lines) const ROOT: f32 = 90.0;
    pub(in crate::strategy::lines) const TOTAL: f32 = 60.0;
    pub(in crate::strategy::lines) const PART_TOTAL: f32 = 1.0;

    /// What each entry of a folder leaves of the next one's worth.
    pub(in crate::strategy::lines) const FADE: f32 = 0.985;

    /// Worth below this is not shown: the deepest entry is worth its line where there is room.
    pub(in crate::strategy::lines) const FLOOR: f32 = 0.005;

    /// What names the columns, and a line that only rules them off.
    pub(in crate::strategy::lines) const COLUMNS: f32 = 80.0;
    pub(in crate::strategy::lines) const RULE: f32 = 0.5;

    /// How many times as much the largest entry is worth, beside 1 for being any; others by the root of their share.
    pub(in crate::strategy::lines) const LARGE: f32 = 7.0;
}

/// Markdown.
pub(super) mod markdown {
    /// A heading, and how much less each level below is worth.
    pub(in crate::strategy::lines) const HEADING: f32 = 70.0;
    pub(in crate::strategy::lines) const LEVEL: f32 = 9.0;

    /// The first line of a section, and of code in it; the second line is worth half, and so on.
    pub(in crate::strategy::lines) const PARAGRAPH: f32 = 10.0;
    pub(in crate::strategy::lines) const FENCED: f32 = 3.0;

    /// What a line of a section below the second level is worth of that.
    pub(in crate::strategy::lines) const SUBSECTION: f32 = 0.7;

    /// Any line at least.
    pub(in crate::strategy::lines) const LEAST: f32 = 1.0;

    /// What each equal heading leaves of the next one's worth.
    pub(in crate::strategy::lines) const FADE: f32 = 0.8;

    /// What the last line is worth of what it would be as the first: documents say first what matters, and changelogs
    /// what is new.
    pub(in crate::strategy::lines) const LAST: f32 = 0.95;
}

/// Search results. Matches of rare forms are worth several times as much; all else is measured by that.
pub(super) mod search {
    /// The line that names a file above its matches.
    pub(in crate::strategy::lines) const FILE: f32 = 60.0;

    /// The first match of a file, and another one.
    pub(in crate::strategy::lines) const FIRST_MATCH: f32 = 18.0;
    pub(in crate::strategy::lines) const MATCH: f32 = 13.0;

    /// What the first match of a file gains each time that the file has twice as many.
    pub(in crate::strategy::lines) const DOUBLED: f32 = 0.3;

    /// What a match gains that defines what was searched for, and one that defines something else.
    pub(in crate::strategy::lines) const DEFINITION: f32 = 75.0;
    pub(in crate::strategy::lines) const OTHER_DEFINITION: f32 = 8.0;

    /// And one that defines a longer name with it.
    pub(in crate::strategy::lines) const LONGER_DEFINITION: f32 = 60.0;

    /// What a match gains that tells of trouble, where such matches are this share of all at most: a linter's finding.
    pub(in crate::strategy::lines) const TROUBLED: f32 = 40.0;
    pub(in crate::strategy::lines) const MOST_TROUBLED: f32 = 0.02;

    /// A message that tells of trouble, what sums the search up, another message, and a line around a match.
    pub(in crate::strategy::lines) const TROUBLE: f32 = 60.0;
    pub(in crate::strategy::lines) const SUMMARY: f32 = 50.0;
    pub(in crate::strategy::lines) const OTHER: f32 = 6.0;
    pub(in crate::strategy::lines) const CONTEXT: f32 = 1.4;

    /// Worth below this is not shown: even the hundredth match of a file is worth its line.
    pub(in crate::strategy::lines) const FLOOR: f32 = 0.1;

    /// What each line of a file that is no match leaves of the next one's worth, and each match of the same words.
    pub(in crate::strategy::lines) const FADE: f32 = 0.97;
    pub(in crate::strategy::lines) const SAME_WORDS: f32 = 0.8;

    /// And each finding that says the same. Findings are so many matches at least, of so many templates at least, and so
    /// many of each template.
    pub(in crate::strategy::lines) const SAME_FINDING: f32 = 0.75;
    pub(in crate::strategy::lines) const LEAST_FINDINGS: usize = 40;
    pub(in crate::strategy::lines) const LEAST_SAID: usize = 3;
    pub(in crate::strategy::lines) const FINDINGS_A_TEMPLATE: usize = 4;

    /// A form of which there are fewer matches counts as one of so many.
    pub(in crate::strategy::lines) const RARE_FORM: u32 = 8;

    /// How much rarity counts: 0 would not look at it, 1 would show nothing else.
    pub(in crate::strategy::lines) const RARITY: f32 = 0.25;
}
