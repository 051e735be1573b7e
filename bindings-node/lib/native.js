'use strict';

// Finds the addon: beside this package while it is developed, else in the package for this platform.

const { join } = require('node:path');

/** The version of this package. A test keeps it equal to that of package.json, which would take longer to read. */
const VERSION = '0.1.0';

/** Names of builds that may run here. Which C library Linux has is found out by trying. */
function builds() {
  const { platform, arch } = process;
  if (platform === 'linux') return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  if (platform === 'win32') return [`win32-${arch}-msvc`];
  if (platform === 'darwin') return [`darwin-${arch}`, 'darwin-universal'];
  return [`${platform}-${arch}`];
}

function candidates() {
  const own = process.env.MCPLITE_NATIVE_LIBRARY;
  if (own) return [own];
  const names = builds();
  return [...names.map((name) => join(__dirname, '..', `mcplite.${name}.node`)), ...names.map((name) => `mcplite-${name}`)];
}

function load() {
  const attempts = [];
  for (const candidate of candidates()) {
    try {
      return require(candidate);
    } catch (error) {
      attempts.push({ candidate, error });
    }
  }
  const listed = attempts.map(({ candidate, error }) => `  ${candidate}: ${firstLine(error)}`);
  const text = [
    `mcplite has no native library for ${process.platform} ${process.arch} that could be loaded. Tried:`,
    ...listed,
    'The library comes as an optional dependency: install again without --omit=optional, and on the platform that it is to run on.',
  ];
  throw Object.assign(new Error(text.join('\n')), { code: 'ERR_MCPLITE_NATIVE', attempts });
}

function firstLine(error) {
  return String(error?.message ?? error).split('\n')[0];
}

const native = load();
if (native.version() !== VERSION) {
  throw Object.assign(
    new Error(`mcplite ${VERSION} has found a native library of version ${native.version()}; install both anew`),
    { code: 'ERR_MCPLITE_NATIVE' },
  );
}

module.exports = native;
