//! Where models are asked: with patience, within bounds, and with every call written down.

use std::borrow::Cow;

use std::time::{Duration, Instant};

use offcut_core::notice;
use parking_lot::{Mutex, MutexGuard};

use super::account::{Account, Fallback, Step};
use super::error::ExtractError;
use super::model::{Completion, Message, Model, ModelError, Prompt, ToolDefinition};
use super::settings::Settings;
use super::{Mode, prompts, wrapper};
use offcut::Cancel;

/// How many characters of an answer a trace keeps.
const PREVIEW: u64 = 120;

/// The first pause before a call is made again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause that a provider may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long a pause goes on before it is looked whether anybody asked to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// How often a report is asked for.
const REPORTS: u64 = 2;

/// The most steps that a trace keeps.
const LONGEST_TRACE: usize = 1000;

/// Asks the model for one extraction, and keeps its account.
pub(super) struct ModelSession<'a> {
    model: Option<&'a dyn Model>,
    settings: &'a Settings,
    cancel: &'a Cancel,
    account: Mutex<Account>,
}

/// What one call says.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromptText<'a> {
    /// What it is for, for the trace.
    pub(super) purpose: &'a str,
    /// What the model is told.
    pub(super) system: &'a str,
    /// The conversation.
    pub(super) messages: &'a [Message],
    /// The tools.
    pub(super) tools: &'a [ToolDefinition],
}

/// What a report is asked for with.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// What the model is told.
    pub(super) system: String,
    /// The conversation.
    pub(super) messages: Vec<Message>,
}

impl<'a> ModelSession<'a> {
    pub(super) fn new(model: Option<&'a dyn Model>, settings: &'a Settings, cancel: &'a Cancel) -> ModelSession<'a> {
        ModelSession { model, settings, cancel, account: Mutex::default() }
    }

    pub(super) fn model(&self, mode: Mode) -> Result<&'a dyn Model, ExtractError> {
        self.model.ok_or(ExtractError::NoModel(mode))
    }

    pub(super) fn has_model(&self) -> bool {
        self.model.is_some()
    }

    pub(super) fn check(&self) -> Result<(), ExtractError> {
        if self.cancel.is_cancelled() { Err(ExtractError::Cancelled) } else { Ok(()) }
    }

    /// Changes the account.
    pub(super) fn note(&self, change: impl FnOnce(&mut Account)) {
        change(&mut self.account());
    }

    pub(super) fn fell_back(&self, from: Mode, to: Mode, why: &ExtractError) {
        tracing::warn!(from = from.name(), to = to.name(), why = why.code(), "an extraction fell back");
        self.note(|account| account.fallbacks.push(Fallback { from, to, why: why.to_string() }));
    }

    /// Tokens, in and out, that were spent so far.
    pub(super) fn spent(&self) -> u64 {
        let account = self.account();
        account.input_tokens.saturating_add(account.output_tokens)
    }

    /// Moves what was counted here to `account`, which keeps what was asked and when.
    pub(super) fn conclude(self, account: &mut Account) {
        let counted = self.account.into_inner();
        let mode = if counted.mode == Mode::Auto { account.mode } else { counted.mode };
        *account = Account { asked: account.asked, mode, ..counted };
    }

    /// Asks, and asks again where that may help. A model that was too slow is told so.
    pub(super) fn ask(&self, words: &PromptText<'_>) -> Result<Completion, ExtractError> {
        let model = self.model(Mode::Auto)?;
        let mut pause = FIRST_PAUSE;
        let mut attempt = 0;
        let mut system = Cow::Borrowed(words.system);
        loop {
            self.check()?;
            attempt += 1;
            let error = match self.once(model, &PromptText { system: &system, ..*words }) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if attempt >= self.settings.attempts || !error.may_pass() {
                return Err(error.into());
            }
            let wait = match &error {
                ModelError::Busy { retry_after: Some(after), .. } => (*after).min(LONGEST_PAUSE),
                _ => pause,
            };
            if error == ModelError::TimedOut {
                system = Cow::Owned(prompts::again(words.system, prompts::TOO_SLOW));
            }
            self.wait(wait)?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Asks for a report. An answer of no use is asked for once more, in other words: `request` makes them from a nonce,
    /// which is new for each call, and the model is told what was wrong with its last answer. `usable` says that of a
    /// report.
    pub(super) fn report(
        &self,
        purpose: &str,
        request: &dyn Fn(&str) -> Result<Request, ExtractError>,
        usable: &dyn Fn(&wrapper::Report) -> Result<(), ExtractError>,
    ) -> Result<wrapper::Report, ExtractError> {
        let mut wrong: Option<String> = None;
        for _ in 0..self.settings.attempts.min(REPORTS) {
            let nonce = wrapper::nonce();
            let Request { mut system, messages } = request(&nonce)?;
            if let Some(wrong) = &wrong {
                system = prompts::again(&system, &prompts::refused(wrong));
            }
            let answer = self.ask(&PromptText { purpose, system: &system, messages: &messages, tools: &[] })?;
            let report = wrapper::report(&answer.text, &nonce).map_err(ExtractError::no_report).and_then(|report| {
                let report = wrapper::Report { cut_off: report.open && answer.cut_off, ..report };
                usable(&report).map(|()| report)
            });
            match report {
                Err(ExtractError::NoReport(why)) => wrong = Some(why),
                other => return other,
            }
        }
        Err(ExtractError::NoReport(wrong.unwrap_or_default()))
    }

    fn once(&self, model: &dyn Model, words: &PromptText<'_>) -> Result<Completion, ModelError> {
        let prompt = Prompt {
            system: words.system,
            messages: words.messages,
            tools: words.tools,
            max_output_tokens: model.output_tokens(),
            timeout: self.settings.timeout,
            cancel: self.cancel,
        };
        let started = Instant::now();
        let answer = model.ask(&prompt);
        let mut step = Step {
            purpose: words.purpose.to_owned(),
            messages: words.messages.len() as u64,
            bytes: prompt.bytes(),
            duration_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            outcome: answer.as_ref().err().map_or("ok", ModelError::code).to_owned(),
            ..Step::default()
        };
        if let Ok(answer) = &answer {
            step.input_tokens = answer.usage.input;
            step.output_tokens = answer.usage.output;
            let called: Vec<&str> = answer.calls.iter().map(|call| call.name.as_str()).collect();
            let preview = if answer.text.trim().is_empty() { called.join(", ") } else { answer.text.clone() };
            step.preview = notice::one_line(&preview, PREVIEW);
        }
        let mut account = self.account();
        account.model.get_or_insert_with(|| model.name().to_owned());
        account.calls += 1;
        account.input_tokens += step.input_tokens;
        account.output_tokens += step.output_tokens;
        if account.trace.len() < LONGEST_TRACE {
            account.trace.push(step);
        }
        answer
    }

    fn wait(&self, wait: Duration) -> Result<(), ExtractError> {
        let until = Instant::now() + wait;
        loop {
            self.check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(GLANCE));
        }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock()
    }
}
