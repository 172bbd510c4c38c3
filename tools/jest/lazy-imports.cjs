// Transforms TypeScript through swc, with imports that load a module when its binding is first used: a test file loads a
// few hundred modules instead of a few thousand. Types are checked by `tsc`.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createTransformer } = require('@swc/jest');

const IMPORTED = /\bfrom\s+['"]([^'"]+)['"]/g;
const ownHash = createHash('sha256').update(readFileSync(__filename)).digest('hex');

/** @param {false | string[]} lazy */
const options = (lazy) => ({
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs', lazy },
  swcrc: false,
});
const base = createTransformer(options(false));

/** @typedef {ReturnType<typeof createTransformer>} Transformer */

module.exports = {
  /** @type {Transformer['process']} */
  process: (source, filename, jestOptions) => {
    // The list names each module, because `true` leaves out relative paths.
    const imported = [...source.matchAll(IMPORTED)].map(([, name]) => name);
    return createTransformer(options(imported)).process(source, filename, jestOptions);
  },
  /** @type {NonNullable<Transformer['getCacheKey']>} */
  getCacheKey: (...given) =>
    createHash('sha256')
      .update(base.getCacheKey(...given))
      .update(ownHash)
      .digest('hex'),
};
