//! Compiles the lexers of the grammars that were asked for.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=vendor");
    let languages = std::env::vars_os()
        .filter_map(|(name, _)| Some(name.to_str()?.strip_prefix("CARGO_FEATURE_")?.to_ascii_lowercase()))
        .filter(|feature| feature != "default");
    for language in languages {
        let folder = Path::new("vendor").join(&language);
        let files = ["parser.c", "scanner.c"].map(|file| folder.join(file)).into_iter().filter(|file| file.exists());
        cc::Build::new()
            .std("c11")
            .flag_if_supported("-utf-8")
            .flag_if_supported("-fvisibility=hidden")
            .define("TREE_SITTER_HIDE_SYMBOLS", None)
            .warnings(false)
            .include(&folder)
            .files(files)
            .compile(&format!("offcut-grammar-{language}"));
    }
}
