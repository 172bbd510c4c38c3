import { appendFileSync, copyFileSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** @typedef {{ readonly environment: Readonly<Record<string, string>>, readonly mounts: readonly [string, string][] }} PythonSystem */

/** The lists of authorities that Python's HTTP clients trust: the package certifi's and the system's. */
const authorityLists = ['lib/python*/site-packages/certifi/cacert.pem', '/etc/ssl/certs/ca-certificates.crt'];

/**
 * Returns the settings of a system that runs components in Python in the environment of a folder, and the files to put
 * in place of others, as [file, place], so that Python trusts an authority.
 * @param {string} pythonFolder
 * @param {{ readonly folder: string, readonly authority: string }} options
 * @returns {PythonSystem}
 */
export function pythonSystem(pythonFolder, { folder, authority }) {
  const places = authorityLists.flatMap((pattern) => globSync(resolve(pythonFolder, pattern)));
  const mounts = places.map((place, index) => {
    const file = join(folder, `authorities-${index}.pem`);
    copyFileSync(place, file);
    appendFileSync(file, `\n${readFileSync(authority, 'utf8')}`);
    return /** @type {[string, string]} */ ([file, place]);
  });
  return {
    environment: {
      MILLRACE_PYTHON: 'all',
      MILLRACE_PYTHON_ALL_ALLOWED: 'true',
      MILLRACE_PYTHON_ENVIRONMENT: resolve(pythonFolder),
      MILLRACE_PYTHON_SEAL: 'required',
      MILLRACE_PYTHON_POOL: 'default',
    },
    mounts,
  };
}
