//! What stands for the engine's HTTP in builds without it: types of which there can be none, so that nothing
//! of it is linked although all builds export the same functions.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use mcplite_core::{Error, HttpOptions, Server, Verdict, Wake};

pub(crate) enum Http {}

pub(crate) enum Exchange {}

#[derive(Clone)]
pub(crate) enum HttpRequest {}

pub(crate) trait Authorizer: Send + Sync {
    fn authorize(&self, request: &HttpRequest) -> Verdict;
}

impl Http {
    pub(crate) fn new(_: &Server, _: &str) -> Result<Http, Error> {
        Err(Error::State("built without the feature exchange"))
    }

    pub(crate) fn mount(&self, _: &str, _: &Server) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn unmount(&self, _: &str) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn configure(&self, _: impl Fn(&mut HttpOptions)) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn set_authorizer(&self, _: Option<Arc<dyn Authorizer>>) {
        match *self {}
    }

    pub(crate) fn open(&self, _: &str, _: &str) -> Result<Exchange, Error> {
        match *self {}
    }

    pub(crate) fn close(&self) {
        match *self {}
    }
}

impl Exchange {
    pub(crate) fn header(&self, _: &[u8], _: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn body(&self, _: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn end(&self) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn status(&self) -> Option<u16> {
        match *self {}
    }

    pub(crate) fn response_headers(&self) -> Vec<(&'static str, Cow<'static, str>)> {
        match *self {}
    }

    pub(crate) fn is_stream(&self) -> bool {
        match *self {}
    }

    pub(crate) fn poll_into(&self, _: &mut Vec<u8>) -> bool {
        match *self {}
    }

    pub(crate) fn is_finished(&self) -> bool {
        match *self {}
    }

    pub(crate) fn set_wake(&self, _: Option<Wake>) {
        match *self {}
    }

    pub(crate) fn request(&self) -> &HttpRequest {
        match *self {}
    }

    pub(crate) fn close(&self) {
        match *self {}
    }
}

impl HttpRequest {
    pub(crate) fn method(&self) -> String {
        match *self {}
    }

    pub(crate) fn path(&self) -> String {
        match *self {}
    }

    pub(crate) fn header(&self, _: &str) -> Option<String> {
        match *self {}
    }

    pub(crate) fn set_principal(&self, _: Option<&str>) {
        match *self {}
    }

    pub(crate) fn set_context(&self, _: Option<Arc<dyn Any + Send + Sync>>) {
        match *self {}
    }

    pub(crate) fn set_challenge(&self, _: &str) -> Result<(), Error> {
        match *self {}
    }
}
