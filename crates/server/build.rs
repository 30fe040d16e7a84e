//! Takes the files of Swagger UI that `/docs` loads out of its archive and compresses them, as they are sent.

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{self, Cursor};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

const FILES: [&str; 2] = ["swagger-ui-bundle.js", "swagger-ui.css"];

#[expect(clippy::disallowed_methods, reason = "cargo says there where a build may write")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("OUT_DIR")?;
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for file in FILES {
        let path = format!("/dist/{file}");
        let name = archive.file_names().flatten().find(|name| name.ends_with(&path)).map(Cow::into_owned);
        let name = name.ok_or_else(|| format!("Swagger UI has no {file}"))?;
        let compressed = File::create(Path::new(&target).join(format!("{file}.gz")))?;
        let mut encoder = GzEncoder::new(compressed, Compression::best());
        io::copy(&mut archive.by_name(&name)?, &mut encoder)?;
        encoder.finish()?;
    }
    Ok(())
}
