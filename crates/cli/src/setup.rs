//! From flags to a library object that is ready to work.

use std::path::{Component, Path};
use std::sync::Arc;

use offcut::audit_log::AuditLog;
use offcut::event_log::EventLog;
use offcut::options::{Durability, Options, RetentionOptions};
use offcut::policy::Policy;
use offcut::{BuildError, Builder, Call, Offcut};
use offcut_core::causes::with_causes;
use offcut_core::notice::{Recall, Shell};
use offcut_core::strategy::registry::Registry;
use offcut_extract::Settings as ExtractionSettings;
use offcut_history::Bounds;
use offcut_retain::RetainOptions;
use offcut_store::Store;

use crate::caller;
use crate::config::Config;
use crate::config::problem::{Problem, Problems};
use crate::config::refused::did_you_mean;
use crate::failure::Failure;
use crate::flags::{CutFlags, PlaceFlags, ToolFlags};
use crate::place::{self, Chosen, ChosenBy, Place, Storage};
use crate::program;
use crate::telemetry::{self, Sending};

/// The tool whose output is read where nobody says.
pub(crate) const TOOL: &str = "execute_command";

/// The library, built, and how it came to be so.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) offcut: Offcut,
    pub(crate) config: Config,
    pub(crate) place: Place,
    /// Sends what happens until the command is done.
    pub(crate) _sending: Sending,
}

impl Setup {
    /// Builds the library by flags, environment and configuration, for what a person starts and can start again: a
    /// mistake in them is an error.
    pub(crate) fn new(flags: &PlaceFlags, profile: Option<&str>) -> Result<Setup, Failure> {
        let setup = Setup::build(flags, profile, Durability::Sync)?;
        setup.config.problems.failure()?;
        setup.config.problems.print_warnings();
        Ok(setup)
    }

    /// The same for what stands in a pipe, in front of a command, or between a client and its server: mistakes are
    /// printed, values that hold without them are used, and every reply says so in its report.
    pub(crate) fn tolerant(flags: &PlaceFlags, profile: Option<&str>) -> Result<Setup, Failure> {
        Ok(Setup::build(flags, profile, Durability::Sync)?.tolerated())
    }

    /// The same for one output, which somebody waits for: what it keeps outlives the process, and is not synced.
    pub(crate) fn for_one_output(flags: &PlaceFlags, profile: Option<&str>) -> Result<Setup, Failure> {
        Ok(Setup::build(flags, profile, Durability::Rename)?.tolerated())
    }

    fn tolerated(mut self) -> Setup {
        self.config.problems.print_all();
        self.offcut = self.offcut.degraded(self.config.problems.reasons());
        self
    }

    /// The same for somebody who only looks: mistakes stay in `config.problems`, and nothing is printed.
    pub(crate) fn examined(flags: &PlaceFlags) -> Result<Setup, Failure> {
        Setup::build(flags, None, Durability::Sync)
    }

    fn build(flags: &PlaceFlags, profile: Option<&str>, durability: Durability) -> Result<Setup, Failure> {
        let root = place::root();
        let mut config = config(&root, flags, profile);
        let (chosen, storage, store) = open_store(flags.store.as_deref(), &root, &mut config);
        let mut place = Place::new(root, flags, &mut config, &chosen, storage);
        let offcut = match config
            .settle(|options| checked(options, builder(options, &place, store.as_ref()).durability(durability)))
        {
            Err(BuildError::Store(error)) => {
                config.problems.add(Problem::error(format!("the store cannot be used: {}", with_causes(&error))));
                place.store = Storage::Nothing;
                config.settle(|options| checked(options, builder(options, &place, None).durability(durability)))?
            }
            built => built?,
        };
        config.add_line_rule_faults(offcut.policy());
        let offcut = match caller::agent_name() {
            Some(agent) => offcut.for_agent(agent),
            None => offcut,
        };
        let (offcut, sending) = telemetry::start(telemetry::in_trace(&offcut), &mut config, &place.root);
        Ok(Setup { offcut, config, place, _sending: sending })
    }

    /// The call, without what the policy refuses of its limit and strategy.
    pub(crate) fn accept(&mut self, mut call: Call) -> Call {
        let mut refused = Problems::default();
        while let Err(error) = self.offcut.policy().plan(&call) {
            refused.add(Problem::error(format!("--{}: {error}", error.key)).hint(did_you_mean(&error)));
            match error.key.as_str() {
                "limit" if call.limits.is_some() => call.limits = None,
                "strategy" if call.strategy.is_some() => call.strategy = None,
                _ => break,
            }
        }
        refused.print_all();
        self.offcut = self.offcut.degraded(refused.reasons());
        call
    }
}

/// Builds the library where all options are right, also those that others read.
pub(crate) fn checked(options: &Options, builder: Builder) -> Result<Offcut, BuildError> {
    ExtractionSettings::of(options)?;
    Bounds::of(options)?;
    // The prices that come along take a while to read.
    if options.retention != RetentionOptions::default() {
        RetainOptions::of(options)?;
    }
    telemetry::check(options)?;
    builder.build()
}

fn builder(options: &Options, place: &Place, store: Option<&Arc<dyn Store>>) -> Builder {
    let mut builder = Offcut::builder()
        .options(options.clone())
        .session(&place.session)
        .outlived()
        .wording(Recall::Shell(Shell { program: program::word(), place: place.suffix.clone() }));
    builder = match (&place.store, store) {
        // Only the project's root is trusted: a link below it must not lead artifacts elsewhere.
        (Storage::Directory(path), _) => match path.strip_prefix(&place.root) {
            Ok(below) if stays_below(below) => builder.store_below(&place.root, below),
            _ => builder.store(path),
        },
        (Storage::Address(_), Some(store)) => builder.store_in(store.clone()),
        (Storage::Address(_), None) | (Storage::Nothing, _) => builder,
    };
    if let Some(directory) = place.log_directory() {
        builder = builder.observer(Arc::new(EventLog::in_store(&directory)));
        builder = builder.observer(Arc::new(AuditLog::in_store(directory)));
    }
    builder
}

/// Whether a relative path never climbs.
fn stays_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Finds where artifacts are kept, and opens what has an address. A choice that cannot be used is a problem, and the
/// next lower one is taken: the project's own directory in the end.
fn open_store(mut flag: Option<&str>, root: &Path, config: &mut Config) -> (Chosen, Storage, Option<Arc<dyn Store>>) {
    loop {
        let chosen = Chosen::of(flag, config);
        let opened = chosen.storage(root).and_then(|storage| match &storage {
            Storage::Address(address) => open(address, config).map(|store| (storage, Some(store))),
            Storage::Directory(_) | Storage::Nothing => Ok((storage, None)),
        });
        let why = match opened {
            Ok((storage, store)) => return (chosen, storage, store),
            Err(why) => why,
        };
        let origin = match chosen.by {
            ChosenBy::Flag => {
                flag = None;
                Some("--store".to_owned())
            }
            ChosenBy::Key(key) => config.take_back(key).map(|origin| format!("{origin}: `{key}`")),
            ChosenBy::Default => None,
        };
        match origin {
            Some(origin) => config.problems.add(Problem::error(format!("{origin}: {why}"))),
            None => return (chosen, Storage::Nothing, None),
        }
    }
}

/// The library with a store; an error where nothing is kept.
pub(crate) fn stored(place: &PlaceFlags) -> Result<Setup, Failure> {
    let setup = Setup::new(place, None)?;
    if setup.place.store == Storage::Nothing {
        return Err(
            Failure::usage("no artifacts are kept here: the store is `none`").hint("name one with `--store DIR`")
        );
    }
    Ok(setup)
}

/// Opens a store by its address.
fn open(address: &str, config: &mut Config) -> Result<Arc<dyn Store>, String> {
    let make = |options: &Options| Ok(Policy::new(options.clone(), Registry::default())?.store_options()?);
    let options = config.settle(make).map_err(|error| error.to_string())?;
    offcut_store::open(address, options).map_err(|error| with_causes(&error))
}

/// The configuration that flags and environment name for the project at `root`, with its problems.
pub(crate) fn config(root: &Path, flags: &PlaceFlags, profile: Option<&str>) -> Config {
    let mut config = Config::load(root, place::only_config(flags.config.as_deref()).as_deref());
    if let Some(profile) = profile {
        config.set_profile(profile);
    }
    config
}

/// The configuration and the place, before anything is built from them; a mistake is an error.
pub(crate) fn load(flags: &PlaceFlags, profile: Option<&str>) -> Result<(Config, Place), Failure> {
    let root = place::root();
    let mut config = config(&root, flags, profile);
    let chosen = Chosen::of(flags.store.as_deref(), &config);
    let storage = chosen.storage(&root).map_err(Failure::usage)?;
    let place = Place::new(root, flags, &mut config, &chosen, storage);
    config.settle(|options| Ok(Bounds::of(options)?))?;
    config.problems.failure()?;
    config.problems.print_warnings();
    Ok((config, place))
}

/// The call that flags describe.
pub(crate) fn call(cut: &CutFlags, tool: &ToolFlags) -> Call {
    let mut call = Call::new(tool.tool.as_deref().unwrap_or(TOOL));
    if let Some(arguments) = &tool.args {
        call = call.arguments(arguments);
    }
    call.call_id = tool.call_id.clone();
    call.limits = cut.limit.clone();
    call.kind = cut.kind;
    call.strategy = cut.strategy.clone();
    call.keep_prefixes = cut.keep_prefixes;
    call
}
