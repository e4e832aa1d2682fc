//! `offcut artifacts export`: a copy in a file.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use offcut::recall::Selector;
use offcut_core::limit::human_size;

use crate::failure::{Failure, while_doing};
use crate::filter::CHUNK;
use crate::flags::PlaceFlags;
use crate::output;
use crate::setup::stored;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The artifact's id, or `last`
    id: String,
    /// The file to write
    file: PathBuf,
    /// Overwrite the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// Copies an artifact to a file.
pub(crate) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let recall = setup.offcut.recall();
    // An artifact that is not there must not cost the user a file that is.
    let id = recall.open(&args.id)?.info().id.to_string();
    let mut out = BufWriter::with_capacity(CHUNK, output::create(&args.file, args.force)?);
    let written = recall.write(&id, &Selector::Whole, &mut out);
    let written = written.map_err(Failure::from).and_then(|tally| {
        out.flush().map_err(while_doing(format!("write `{}`", args.file.display())))?;
        Ok(tally)
    });
    if written.is_err() {
        // Half a copy is worse than none.
        let _ = std::fs::remove_file(&args.file);
    }
    let tally = written?;
    writeln!(io::stdout().lock(), "Wrote {} to {}", human_size(tally.bytes), args.file.display())?;
    Ok(())
}
