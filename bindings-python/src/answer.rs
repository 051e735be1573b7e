//! Answering a call.

use mcplite_core::{Failure, Role};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::call::Call;
use crate::error::{OrRaise, kind, raised};
use crate::input::Input;
use crate::read::value_of;
use crate::run;
use crate::write::json_of;

#[pymethods]
impl Call {
    #[pyo3(signature = (text, /))]
    fn add_text(&self, text: &str) -> PyResult<()> {
        self.call()?.add_text(text).or_raise()
    }

    #[pyo3(signature = (mime_type, data, /))]
    fn add_media(&self, mime_type: &str, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = Input::new(data, "media is bytes")?;
        self.call()?.add_media(mime_type, data.bytes()).or_raise()
    }

    #[pyo3(signature = (data, /))]
    fn add_contents(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = Input::new(data, "contents are bytes")?;
        self.call()?.add_contents(data.bytes()).or_raise()
    }

    #[pyo3(signature = (uri, mime_type, data, /))]
    fn add_resource(
        &self,
        uri: &str,
        mime_type: Option<&str>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let data = Input::new(data, "contents are bytes")?;
        self.call()?.add_resource(uri, mime_type, data.bytes()).or_raise()
    }

    #[pyo3(signature = (uri, name, mime_type=None, /))]
    fn add_link(&self, uri: &str, name: &str, mime_type: Option<&str>) -> PyResult<()> {
        self.call()?.add_link(uri, name, mime_type).or_raise()
    }

    #[pyo3(signature = (block, /))]
    fn add_block(&self, block: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call()?.add_json(&json_of(block)?).or_raise()
    }

    #[pyo3(signature = (value, /))]
    fn set_structured(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call()?.set_structured(&json_of(value)?).or_raise()
    }

    #[pyo3(signature = (meta, /))]
    fn set_meta(&self, meta: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call()?.set_meta(&json_of(meta)?).or_raise()
    }

    #[pyo3(signature = (role, /))]
    fn set_role(&self, role: &str) -> PyResult<()> {
        let role = match role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return Err(PyValueError::new_err("a role is \"user\" or \"assistant\"")),
        };
        self.call()?.set_role(role).or_raise()
    }

    #[pyo3(signature = (text, /))]
    fn set_description(&self, text: &str) -> PyResult<()> {
        self.call()?.set_description(text).or_raise()
    }

    #[pyo3(signature = (total, /))]
    fn set_total(&self, total: u64) -> PyResult<()> {
        self.call()?.set_total(total).or_raise()
    }

    #[pyo3(signature = (has_more, /))]
    fn set_has_more(&self, has_more: bool) -> PyResult<()> {
        self.call()?.set_has_more(has_more).or_raise()
    }

    fn reply(&self) -> PyResult<()> {
        self.call()?.reply().or_raise()
    }

    #[pyo3(signature = (text, /))]
    fn reply_text(&self, text: &str) -> PyResult<()> {
        self.call()?.reply_text(text).or_raise()
    }

    #[pyo3(signature = (value, /))]
    fn reply_structured(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call()?.reply_json(&json_of(value)?).or_raise()
    }

    #[pyo3(signature = (result, /))]
    fn reply_result(&self, result: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call()?.reply_result(&json_of(result)?).or_raise()
    }

    /// What the engine would answer, of calls that came to `register_around`.
    fn engine_answer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let call = self.call()?;
        match call.engine_answer() {
            Ok(json) => value_of(py, &json),
            Err(failure) => Err(raised(py, &failure, call.revision())),
        }
    }

    /// Fails with a kind of error, by its name, or with a code.
    #[pyo3(signature = (cause, text, data=None, stacktrace=None, /))]
    fn fail(
        &self,
        cause: &Bound<'_, PyAny>,
        text: &str,
        data: Option<&Bound<'_, PyAny>>,
        stacktrace: Option<&str>,
    ) -> PyResult<()> {
        let mut failure = match cause.cast::<PyInt>() {
            Ok(code) => Failure::code(code.extract()?, text),
            Err(_) => Failure::new(kind(&cause.extract::<String>()?)?, text),
        };
        if let Some(data) = data {
            failure = failure.with_data(json_of(data)?);
        }
        if let Some(stacktrace) = stacktrace {
            failure = failure.with_stacktrace(stacktrace);
        }
        self.call()?.fail(failure).or_raise()
    }

    /// Answers with an exception, as if the handler had raised it.
    #[pyo3(signature = (raised, /))]
    fn fail_with(&self, py: Python<'_>, raised: Bound<'_, PyAny>) -> PyResult<()> {
        let call = self.call()?;
        let raised = PyErr::from_value(raised);
        if let Err(failure) = run::fail(py, self.shared(), &call, &raised) {
            // If it was answered before it failed, that answer stands.
            drop(call.fail(failure));
        }
        Ok(())
    }
}
