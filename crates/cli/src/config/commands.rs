//! `offcut config`: show, check, trust, schema, init.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use offcut::Offcut;
use offcut::options::{Options, RedactionMode};
use offcut::policy::Policy;
use serde_json::{Value as Json, json};

use crate::config::keys;
use crate::config::trust::Withheld;
use crate::config::trust_command::{TrustArgs, trust};
use crate::config::{Config, reference};
use crate::failure::{Failure, while_doing};
use crate::flags::PlaceFlags;
use crate::table::Table;
use crate::{output, place, setup};

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the effective configuration and its sources
    Show {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
        /// Print only what differs from the built-in values
        #[arg(long)]
        changed: bool,
        /// Use this profile
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        #[command(flatten)]
        place: PlaceFlags,
    },
    /// Check a configuration file, or all that apply here
    Check {
        /// The file [default: the user's and the project's]
        file: Option<PathBuf>,
    },
    /// Trust the project's own configuration file
    Trust(TrustArgs),
    /// Print the JSON Schema of a configuration file
    Schema,
    /// Write a configuration file to start from
    Init {
        /// The file [default: offcut.toml in the project]
        file: Option<PathBuf>,
        /// Overwrite the file if it exists
        #[arg(long)]
        force: bool,
    },
}

/// A configuration file to start from: everything in it is switched off.
pub(crate) const STARTER: &str = include_str!("starter.toml");

/// Runs the subcommand.
pub(crate) fn config(args: &ConfigArgs) -> Result<(), Failure> {
    match &args.command {
        ConfigCommand::Show { json, changed, profile, place } => show(place, profile.as_deref(), *changed, *json),
        ConfigCommand::Check { file } => check(file.as_deref()),
        ConfigCommand::Trust(args) => trust(args),
        ConfigCommand::Schema => {
            writeln!(io::stdout().lock(), "{:#}", offcut::options::schema())?;
            Ok(())
        }
        ConfigCommand::Init { file, force } => init(file.as_deref(), *force),
    }
}

/// A key with its value and where that comes from.
struct ConfigValue {
    key: String,
    value: Json,
    origin: Option<String>,
}

fn show(place: &PlaceFlags, profile: Option<&str>, changed: bool, json: bool) -> Result<(), Failure> {
    let (config, policy) = settled(place, profile)?;
    config.problems.failure()?;
    let mut held = held(&config, &policy)?;
    held.retain(|held| !changed || held.origin.is_some());
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        let keys: serde_json::Map<String, Json> = held
            .into_iter()
            .map(|held| {
                let from = held.origin.as_deref().unwrap_or("built in");
                let mut entry = json!({ "value": held.value, "from": from });
                let ignored: Vec<Json> = withheld(&config, &held.key);
                if !ignored.is_empty() {
                    entry["ignored"] = Json::from(ignored);
                }
                (held.key, entry)
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &keys)?;
        writeln!(out)?;
    } else {
        let mut table = Table::new(&["Key", "~Value", "~From"]);
        for held in held {
            let value = held.value.as_str().map_or_else(|| held.value.to_string(), str::to_owned);
            table.row([held.key, value, held.origin.unwrap_or_else(|| "built in".to_owned())]);
        }
        table.write(&mut out)?;
        for (path, Withheld { key, line, value, why }) in &config.withheld {
            let place = format!("{}:{line}", path.display());
            writeln!(out, "Ignored {place}: `{key}` = {value}: it {why}, and the file is not trusted")?;
        }
    }
    out.flush()?;
    Ok(())
}

/// What an untrusted file says about a key, for programs.
fn withheld(config: &Config, key: &str) -> Vec<Json> {
    let of_key = config.withheld.iter().filter(|(_, withheld)| withheld.key == key);
    of_key
        .map(|(path, withheld)| {
            let from = format!("{}:{}", path.display(), withheld.line);
            json!({ "value": withheld.value, "from": from, "why": withheld.why })
        })
        .collect()
}

/// The configuration with everything in it checked, redaction rules against their examples too, and what it makes.
fn settled(place: &PlaceFlags, profile: Option<&str>) -> Result<(Config, Policy), Failure> {
    let mut config = setup::config(&place::root(), place, profile);
    let offcut = config.settle(|options| setup::checked(options, Offcut::builder().options(with_rules(options))))?;
    config.add_line_rule_faults(offcut.policy());
    config.problems.print_warnings();
    Ok((config, offcut.policy().clone()))
}

/// The options with redaction on, so that the rules of one that is off are checked too.
fn with_rules(options: &Options) -> Options {
    let mut options = options.clone();
    let general = std::iter::once(&mut options.redaction);
    for redaction in general.chain(options.overrides.values_mut().map(|own| &mut own.redaction)) {
        if redaction.mode == Some(RedactionMode::Off) {
            redaction.mode = Some(RedactionMode::On);
        }
    }
    options
}

/// Every key of the configuration, set or not, in the order of the types; those of single tools last.
fn held(config: &Config, policy: &Policy) -> Result<Vec<ConfigValue>, Failure> {
    let said = serde_json::to_value(&config.options)?;
    let origin = |key: &str| config.origins.get(key).map(ToString::to_string);
    let mut held = Vec::new();
    for (key, _) in keys::all().into_iter().filter(|(key, _)| !key.starts_with("overrides.")) {
        let value = match find(&said, &key) {
            Some(value) => value.clone(),
            None => Json::from(reference::built_in(&key, policy.profile())),
        };
        held.push(ConfigValue { value, origin: origin(&key), key });
    }
    for (key, from) in config.origins.range("overrides.".to_owned().."overrides/".to_owned()) {
        let value = find(&said, key).cloned().unwrap_or_default();
        held.push(ConfigValue { key: key.clone(), value, origin: Some(from.to_string()) });
    }
    Ok(held)
}

fn find<'j>(json: &'j Json, key: &str) -> Option<&'j Json> {
    key.split('.').try_fold(json, |json, part| json.get(part))
}

fn check(file: Option<&Path>) -> Result<(), Failure> {
    let place = PlaceFlags { config: file.map(Path::to_owned), ..PlaceFlags::default() };
    let (config, _) = settled(&place, None)?;
    config.problems.failure()?;
    let mut out = io::stdout().lock();
    if config.files.is_empty() {
        writeln!(out, "No configuration file here: the built-in values apply.")?;
    }
    for path in &config.files {
        writeln!(out, "{}: ok", path.display())?;
    }
    Ok(())
}

fn init(file: Option<&Path>, force: bool) -> Result<(), Failure> {
    let path: PathBuf = file.map_or_else(|| place::root().join("offcut.toml"), Path::to_owned);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Failure::usage(format!("`{}` does not end in `.toml`", path.display())));
    }
    let mut opened = output::create(&path, force)?;
    opened.write_all(STARTER.as_bytes()).map_err(while_doing(format!("write `{}`", path.display())))?;
    writeln!(io::stdout().lock(), "Wrote {}", path.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layer::Layer;
    use crate::config::parse;

    fn options(text: &str) -> Options {
        let mut node = parse::toml(text).unwrap();
        assert_eq!(keys::sift(&mut node), []);
        Layer::of_file(Path::new("offcut.toml"), &node).options().unwrap()
    }

    #[test]
    fn the_starter_says_nothing_and_with_its_marks_removed_it_is_right() {
        assert_eq!(options(STARTER), Options::default());
        let on: String = STARTER
            .lines()
            .map(|line| match line.strip_prefix("#: ") {
                Some(on) => format!("{on}\n"),
                None => format!("{line}\n"),
            })
            .collect();
        let options = options(&on);
        assert!(options.inline_limit.is_some() && !options.overrides.is_empty());
        Policy::new(options, Default::default()).unwrap();
    }
}
