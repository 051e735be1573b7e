//! trial
#![deny(unsafe_code)]
use napi_derive::napi;
use napi::bindgen_prelude::*;
use napi::JsString;

/// trial
#[napi]
pub struct Engine { n: u32 }

#[napi]
impl Engine {
    /// trial
    #[napi(constructor)]
    pub fn new(name: String) -> Result<Engine> { Ok(Engine { n: name.len() as u32 }) }
    /// trial
    #[napi]
    pub fn feed(&self, bytes: &[u8]) -> u32 { self.n + bytes.len() as u32 }
    /// trial
    #[napi]
    pub fn take<'e>(&self, env: &'e Env) -> Result<BufferSlice<'e>> { BufferSlice::copy_from(env, b"abc") }
    /// trial
    #[napi]
    pub fn text<'e>(&self, env: &'e Env) -> Result<JsString<'e>> { env.create_string("abc") }
}
