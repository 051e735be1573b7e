//! Sealing what a client carries for us: it can neither read nor change it.

use std::sync::OnceLock;

use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use chacha20poly1305::{Tag, XChaCha20Poly1305, XNonce};

use crate::base64::BASE64URL_NOPAD;
use crate::hooks::Hooks;

/// A secret key.
pub type SealKey = [u8; 32];

/// The host's source of random bytes.
pub trait Entropy: Send + Sync {
    /// Fills `out` with bytes that nobody can guess; says whether it could.
    fn fill(&self, out: &mut [u8]) -> bool;
}

/// The host's own way to seal what clients carry, instead of the engine's.
///
/// Expiry and what the state belongs to are inside of what is sealed, and checked by the engine.
pub trait Sealer: Send + Sync {
    /// Makes `plain` unreadable and unchangeable; `None` if that is not possible now.
    fn seal(&self, plain: &[u8]) -> Option<Vec<u8>>;

    /// What was sealed, unless it has been changed or is not ours.
    fn open(&self, sealed: &[u8]) -> Option<Vec<u8>>;
}

/// The seal of one server, whose own key is drawn when it is first needed.
#[derive(Default)]
pub(crate) struct Seal {
    own_key: OnceLock<SealKey>,
}

/// Why nothing could be sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SealError {
    NoEntropy,
    Sealer,
}

/// Names the format; part of what is authenticated.
const VERSION: u8 = 1;
const NONCE: usize = 24;
const TAG: usize = 16;

impl Seal {
    /// Text that only this server, or one with its keys, can open.
    pub(crate) fn seal(&self, hooks: &Hooks, plain: &[u8]) -> Result<String, SealError> {
        if let Some(sealed) = hooks.seal(plain) {
            return sealed.map(|bytes| BASE64URL_NOPAD.encode(&bytes)).ok_or(SealError::Sealer);
        }
        let mut nonce = [0; NONCE];
        let key = match hooks.seal_keys.first() {
            Some(key) => *key,
            None => self.own_key(hooks)?,
        };
        if !hooks.draw(&mut nonce) {
            return Err(SealError::NoEntropy);
        }
        let mut sealed = Vec::with_capacity(1 + NONCE + plain.len() + TAG);
        sealed.push(VERSION);
        sealed.extend_from_slice(&nonce);
        let mut body = plain.to_vec();
        let cipher = XChaCha20Poly1305::new(&key.into());
        let tag =
            cipher.encrypt_in_place_detached(XNonce::from_slice(&nonce), &[VERSION], &mut body);
        // Fails only for texts of many gigabytes.
        let tag = tag.map_err(|_| SealError::Sealer)?;
        sealed.append(&mut body);
        sealed.extend_from_slice(&tag);
        Ok(BASE64URL_NOPAD.encode(&sealed))
    }

    /// What was sealed, unless it was changed or is not ours.
    pub(crate) fn open(&self, hooks: &Hooks, text: &str) -> Option<Vec<u8>> {
        let sealed = BASE64URL_NOPAD.decode(text.as_bytes())?;
        if hooks.has_sealer() {
            return hooks.open(&sealed);
        }
        let rest = sealed.strip_prefix(&[VERSION])?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
        let (body, tag) = rest.split_last_chunk::<TAG>()?;
        let own = self.own_key.get().filter(|_| hooks.seal_keys.is_empty());
        hooks.seal_keys.iter().chain(own).find_map(|key| {
            let mut plain = body.to_vec();
            let cipher = XChaCha20Poly1305::new(key.into());
            let opened = cipher.decrypt_in_place_detached(
                XNonce::from_slice(nonce),
                &[VERSION],
                &mut plain,
                Tag::from_slice(tag),
            );
            opened.is_ok().then_some(plain)
        })
    }

    fn own_key(&self, hooks: &Hooks) -> Result<SealKey, SealError> {
        if let Some(key) = self.own_key.get() {
            return Ok(*key);
        }
        let mut key = [0; 32];
        if !hooks.draw(&mut key) {
            return Err(SealError::NoEntropy);
        }
        // Another thread may have been quicker; then its key is the one.
        Ok(*self.own_key.get_or_init(|| key))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU8, Ordering};

    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct Counting(AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, out: &mut [u8]) -> bool {
            out.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed));
            true
        }
    }

    fn hooks(keys: &[SealKey]) -> Hooks {
        Hooks {
            entropy: Some(Arc::new(Counting::default())),
            seal_keys: keys.into(),
            ..Hooks::default()
        }
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let seal = Seal::default();
        let old = seal.seal(&hooks(&[[1; 32]]), b"secret").unwrap();
        let both = hooks(&[[2; 32], [1; 32]]);
        assert_eq!(seal.open(&both, &old).as_deref(), Some(&b"secret"[..]));
        let new = seal.seal(&both, b"secret").unwrap();
        assert_eq!(seal.open(&hooks(&[[2; 32]]), &new).as_deref(), Some(&b"secret"[..]));
        assert_eq!(seal.open(&hooks(&[[1; 32]]), &new), None);
        assert_eq!(seal.open(&hooks(&[]), &new), None);
    }

    #[test]
    fn another_server_has_another_key_unless_told() {
        let (one, hooks) = (Seal::default(), hooks(&[]));
        let sealed = one.seal(&hooks, b"secret").unwrap();
        assert_eq!(one.open(&hooks, &sealed).as_deref(), Some(&b"secret"[..]));
        let two = Seal::default();
        two.seal(&hooks, b"").unwrap();
        assert_eq!(two.open(&hooks, &sealed), None);
    }

    #[test]
    fn nothing_is_sealed_without_entropy() {
        let dry = Hooks { seal_keys: [[1; 32]].into(), ..Hooks::default() };
        assert_eq!(Seal::default().seal(&dry, b"x"), Err(SealError::NoEntropy));
        assert_eq!(Seal::default().seal(&Hooks::default(), b"x"), Err(SealError::NoEntropy));
    }

    proptest! {
        #[test]
        fn what_was_sealed_is_opened_and_no_change_goes_unnoticed(
            plain in prop::collection::vec(any::<u8>(), 0..80),
            at: prop::sample::Index,
            flip in 1..=255u8,
        ) {
            let (seal, hooks) = (Seal::default(), hooks(&[[9; 32]]));
            let text = seal.seal(&hooks, &plain).unwrap();
            prop_assert_eq!(seal.open(&hooks, &text), Some(plain));
            let mut bytes = BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            prop_assert_eq!(seal.open(&hooks, &BASE64URL_NOPAD.encode(&bytes)), None);
            prop_assert_eq!(seal.open(&hooks, &BASE64URL_NOPAD.encode(&bytes[..at])), None);
        }

        #[test]
        fn arbitrary_text_is_refused(text in ".{0,120}") {
            prop_assert_eq!(Seal::default().open(&hooks(&[[9; 32]]), &text), None);
        }
    }
}
