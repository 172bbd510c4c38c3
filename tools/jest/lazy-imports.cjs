// Transforms TypeScript through swc, with imports that load a module when its binding is first used: a test file loads a
// few hundred modules instead of a few thousand. Types are checked by `tsc`. Measured with 46 files without servers in two
// workers: 69 to 77 s of processor time, and 95 s with imports that load at once. A runtime that kept compiled modules for the
// files of a process saved nothing (61 to 75 s without it) and needed a private part of jest, so jest's own runs.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createTransformer } = require('@swc/jest');

const IMPORTED = /\bfrom\s+['"]([^'"]+)['"]/g;
const ownHash = createHash('sha256').update(readFileSync(__filename)).digest('hex');

/** @typedef {Required<ReturnType<typeof createTransformer>>} Transformer */

/** @param {string[]} lazy the modules that are loaded when they are used */
function transformer(lazy) {
  const transforming = createTransformer({
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs', lazy },
    swcrc: false,
  });
  return /** @type {Transformer} */ (transforming);
}

const base = transformer([]);

module.exports = {
  /** @type {Transformer['process']} */
  process: (source, filename, jestOptions) => {
    // The list names each module, because `true` leaves out relative paths.
    const imported = [...source.matchAll(IMPORTED)].map(([, name]) => name);
    return transformer(imported).process(source, filename, jestOptions);
  },
  /** @type {Transformer['getCacheKey']} */
  getCacheKey: (...given) =>
    createHash('sha256')
      .update(base.getCacheKey(...given))
      .update(ownHash)
      .digest('hex'),
};
