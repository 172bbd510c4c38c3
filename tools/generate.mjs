// npm run generate -- <generator> [arguments]; with --check it writes nothing, and a file that is out of date is an error.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { choiceText } from '../libs/service/src/text/choice-text.cjs';
import { readCommandLine, refuseCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';

/**
 * @typedef {object} Generator
 * @property {(given: readonly string[]) => GeneratedFiles | Promise<GeneratedFiles>} generate
 * @property {readonly string[]} [then] generators that depend on it
 *
 * @typedef {readonly { readonly path: string, readonly text: string }[]} GeneratedFiles
 */

const tools = dirname(fileURLToPath(import.meta.url));
const generators = join(tools, 'generators');
process.chdir(resolve(tools, '..'));

/**
 * Runs a generator, then those that depend on it (`then`). Resolves to the exit code.
 * @param {string} name
 * @param {readonly string[]} given
 * @param {boolean} check
 * @returns {Promise<number>}
 */
async function run(name, given, check) {
  const { writeFiles } = await import('./workspace/write-files.mjs');
  /** @type {Generator} */
  const { generate, then = [] } = await import(pathToFileURL(join(generators, `${name}.mjs`)).href);
  let code = await writeFiles(await generate(given), { check, name });
  for (const next of then) code = Math.max(code, await run(next, [], check));
  return code;
}

const names = readdirSync(generators)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.replace(/\.mjs$/, ''));
const usage = `npm run generate -- <${names.join('|')}> [arguments] [options]
  --check  writes nothing; a file that is out of date is an error
  --help`;
const { values, positionals } = readCommandLine({
  usage,
  options: { check: { type: 'boolean' } },
  positionals: { minimum: 1, maximum: Infinity },
});
const [name, ...given] = positionals;
try {
  choiceText(names)(name);
} catch (error) {
  refuseCommandLine(`the generator ${messageOf(error)}, but is "${name}"`, usage);
}
installIfNeeded();
process.exitCode = await run(name, given, values.check);
