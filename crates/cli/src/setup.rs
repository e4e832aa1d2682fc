//! From flags to a library object that is ready to work.

use std::path::{Component, Path};
use std::sync::Arc;

use offcut::audit_log::AuditLog;
use offcut::core::notice::Recall;
use offcut::core::strategy::registry::Registry;
use offcut::event_log::EventLog;
use offcut::policy::Policy;
use offcut::store::{self, Store};
use offcut::{BuildError, Call, Offcut};
use offcut_extract::Settings as ExtractionSettings;

use crate::config::Config;
use crate::failure::{Failure, USAGE};
use crate::flags::{CutFlags, PlaceFlags, ToolFlags};
use crate::place::{self, Place, Storage};

/// The tool whose output is read where nobody says.
pub(crate) const TOOL: &str = "execute_command";

/// The library, built, and how it came to be so.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) offcut: Offcut,
    pub(crate) config: Config,
    pub(crate) place: Place,
}

impl Setup {
    /// Builds the library by flags, environment and configuration.
    pub(crate) fn new(flags: &PlaceFlags, profile: Option<&str>) -> Result<Setup, Failure> {
        let (config, place) = load(flags, profile)?;
        let mut builder = Offcut::builder()
            .options(config.options.clone())
            .session(&place.session)
            .outlived()
            .wording(Recall::Shell(place.suffix.clone()));
        builder = match &place.store {
            Storage::Nothing => builder,
            // Only the project's root is trusted: a link below it must not lead artifacts elsewhere.
            Storage::Directory(path) => match path.strip_prefix(&place.root) {
                Ok(below) if stays_below(below) => builder.store_below(&place.root, below),
                _ => builder.store(path),
            },
            Storage::Address(address) => builder.store_in(open(address, &config)?),
        };
        if let Some(directory) = place.log_directory() {
            builder = builder.observer(Arc::new(EventLog::in_store(&directory)));
            builder = builder.observer(Arc::new(AuditLog::in_store(directory)));
        }
        ExtractionSettings::of(&config.options).map_err(|error| config.refused(&error))?;
        let offcut = builder.build().map_err(|error| refused(&config, error))?;
        Ok(Setup { offcut, config, place })
    }
}

/// Why the library could not be built, with the place in the configuration that is to blame.
pub(crate) fn refused(config: &Config, error: BuildError) -> Failure {
    match error {
        BuildError::Policy(error) => config.refused(&error),
        BuildError::Rules(error) => config.refused_rule(&error),
        BuildError::Store(error) => error.into(),
    }
}

/// Whether a relative path never climbs.
fn stays_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Opens a store by its address.
fn open(address: &str, config: &Config) -> Result<Arc<dyn Store>, Failure> {
    let policy = Policy::new(config.options.clone(), Registry::default()).map_err(|error| config.refused(&error))?;
    let options = policy.store_options().map_err(|error| config.refused(&error))?;
    store::open(address, options).map_err(|error| Failure::from(error).code(USAGE))
}

/// The configuration and the place, before anything is built from them.
pub(crate) fn load(flags: &PlaceFlags, profile: Option<&str>) -> Result<(Config, Place), Failure> {
    let root = place::root();
    let mut config = Config::load(&root, place::only_config(flags.config.as_deref()).as_deref())?;
    if let Some(profile) = profile {
        config.set_profile(profile);
    }
    let place = Place::find(root, flags, &config)?;
    Ok((config, place))
}

/// The call that flags describe.
pub(crate) fn call(cut: &CutFlags, tool: &ToolFlags) -> Call {
    let mut call = Call::new(tool.tool.as_deref().unwrap_or(TOOL));
    if let Some(arguments) = &tool.args {
        call = call.arguments(arguments);
    }
    call.limits = cut.limit.clone();
    call.kind = cut.kind;
    call.strategy = cut.strategy.clone();
    call
}
