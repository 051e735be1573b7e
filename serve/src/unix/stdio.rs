//! Standard input and output.

use mcplite_core::Server;

use super::service::serve;
use super::standard::Standard;
use crate::error::ServeError;
use crate::settings::Settings;

pub(crate) fn stdio(server: &Server, settings: &Settings) -> Result<(), ServeError> {
    let standard = Standard::take()?;
    serve(server, settings, |driver| driver.connect(standard.ends()?))
}
