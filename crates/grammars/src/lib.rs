//! Grammars of programming languages, as tree-sitter's projects publish them, with their tables packed.
//!
//! A parser that tree-sitter generates is a small lexer and large tables, which are mostly zeros: 18 MB for the thirteen
//! languages here, 1 MB packed. The tables of a language are unpacked when its first source is parsed (a few
//! milliseconds for the largest) and kept until the program ends. `vendor/` holds a folder a language with its
//! licence; `scripts/grammars.py` writes it from the published crates, whose versions stand there.
//!
//! ```
//! # #[cfg(feature = "rust")] {
//! let mut parser = tree_sitter::Parser::new();
//! let rust = offcut_grammars::RUST.language().expect("the tables are part of the program");
//! parser.set_language(&rust).expect("a version that tree-sitter knows");
//! let tree = parser.parse("fn main() {}", None).expect("nothing stops it");
//! assert_eq!(tree.root_node().to_sexp(), "(source_file (function_item name: (identifier) parameters: (parameters) body: (block)))");
//! # }
//! ```

use std::sync::OnceLock;

use tree_sitter::Language;
use tree_sitter::ffi::TSLanguage;

#[cfg(target_endian = "big")]
compile_error!("the tables of the grammars are packed for little-endian machines: build without the features `code…`");

/// A language that sources can be parsed in.
#[derive(Debug)]
pub struct Grammar {
    /// The tables, as `scripts/grammars.py` packed them.
    packed: &'static [u8],
    /// Gives the language for the place of its unpacked tables.
    language_of: unsafe extern "C" fn(*const u32) -> *const TSLanguage,
    language: OnceLock<Option<Language>>,
}

impl Grammar {
    /// The language for a parser, its tables unpacked at the first call; `None` if they could not be.
    pub fn language(&'static self) -> Option<Language> {
        self.language.get_or_init(|| self.loaded()).clone()
    }

    #[allow(unsafe_code)]
    fn loaded(&self) -> Option<Language> {
        let tables: &'static [u32] = unpacked(self.packed)?.leak();
        // SAFETY: the function only notes where the tables are, in memory of its own, and is called once a grammar, in
        // `get_or_init`. It finds in the tables what `scripts/grammars.py` laid there for this very function, at
        // multiples of four bytes; they are never freed. What it gives back is never null.
        Some(unsafe { Language::from_raw((self.language_of)(tables.as_ptr())) })
    }
}

/// Numbers that were packed as bytes, their length a multiple of four.
fn unpacked(packed: &[u8]) -> Option<Vec<u32>> {
    let size = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let bytes = zstd::bulk::decompress(packed, usize::try_from(size).ok()?).ok()?;
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// A grammar a line: its name here, the feature that it is built with, its function in C, its tables.
macro_rules! grammars {
    ($($name:ident $feature:literal $function:ident;)*) => {
        $(
            #[doc = concat!("The grammar `", $feature, "`.")]
            #[cfg(feature = $feature)]
            pub static $name: Grammar = {
                #[allow(unsafe_code)]
                unsafe extern "C" {
                    fn $function(tables: *const u32) -> *const TSLanguage;
                }
                Grammar {
                    packed: include_bytes!(concat!("../vendor/", $feature, "/tables.zst")),
                    language_of: $function,
                    language: OnceLock::new(),
                }
            };
        )*

        #[cfg(test)]
        const ALL: &[(&str, &Grammar)] = &[$(#[cfg(feature = $feature)] ($feature, &$name)),*];
    };
}

grammars! {
    BASH "bash" offcut_grammar_bash;
    C "c" offcut_grammar_c;
    C_SHARP "c_sharp" offcut_grammar_c_sharp;
    CPP "cpp" offcut_grammar_cpp;
    GO "go" offcut_grammar_go;
    JAVA "java" offcut_grammar_java;
    JAVASCRIPT "javascript" offcut_grammar_javascript;
    PHP "php" offcut_grammar_php;
    PYTHON "python" offcut_grammar_python;
    RUBY "ruby" offcut_grammar_ruby;
    RUST "rust" offcut_grammar_rust;
    TSX "tsx" offcut_grammar_tsx;
    TYPESCRIPT "typescript" offcut_grammar_typescript;
}

#[cfg(test)]
mod tests;
