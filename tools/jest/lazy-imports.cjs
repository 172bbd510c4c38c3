// Transforms TypeScript through swc, with imports that load a module when its binding is first used: a test file loads a
// few hundred modules instead of a few thousand. Types are checked by `tsc`.
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
