"""nginx as docs/http.md configures it, on this machine and for a short while."""

import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

DOCUMENT = Path(__file__).parents[3] / "docs" / "http.md"
NAME = "mcp.example.org"
PATIENCE = 30
# What the snippet stands in, and the places for what nginx writes.
AROUND = """daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{snippet}}}
"""


def program():
    """The path of nginx, or None."""
    return shutil.which("nginx", path="/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin:/bin")


def documented():
    """The snippet as it stands in the document."""
    (snippet,) = re.findall(r"```nginx\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    return snippet


def replaced(text, old, new):
    if text.count(old) != 1:
        raise ValueError(f"{DOCUMENT.name} has {old!r} {text.count(old)} times")
    return text.replace(old, new)


def certify(folder):
    """A key and a certificate for an hour or so."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key, "-out",
         certificate],
        check=True, capture_output=True)
    return key, certificate


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, proxy):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if proxy.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"nginx does not listen: {proxy.poll()}") from None
            time.sleep(0.02)


@contextmanager
def in_front_of(upstream, folder):
    """Runs the documented proxy; gives its port and the certificate to trust."""
    key, certificate = certify(folder)
    port = free_port()
    snippet = documented()
    for old, new in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("/etc/ssl/certs/mcp.example.org.pem", str(certificate)),
        ("/etc/ssl/private/mcp.example.org.pem", str(key)),
        ("127.0.0.1:8080", upstream),
    ):
        snippet = replaced(snippet, old, new)
    configuration = folder / "nginx.conf"
    configuration.write_text(AROUND.format(folder=folder, snippet=snippet))
    with subprocess.Popen([program(), "-e", "stderr", "-p", folder, "-c", configuration]) as proxy:
        try:
            await_port(port, proxy)
            yield port, certificate
        finally:
            proxy.terminate()
