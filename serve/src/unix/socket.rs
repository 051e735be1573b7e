//! Unix and TCP sockets.

use mcplite_core::Server;

use super::listener::Listener;
use super::service::serve;
use crate::address::Address;
use crate::error::ServeError;
use crate::settings::Settings;

pub(crate) fn socket(
    server: &Server,
    address: &Address,
    settings: &Settings,
    listening: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    if server.is_closed() || server.is_draining() {
        return Err(ServeError::Closed);
    }
    serve(server, settings, |driver| {
        let listener = Listener::new(address)?;
        let address = listener.address()?;
        driver.listen(listener, settings.connections);
        listening(&address);
        Ok(())
    })
}
