// npm run generate -- <generator> [arguments]; with --check nothing is written, and what is out of date is an error.
import './require-node-version.mjs';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeFiles } from './write-files.mjs';

const tools = dirname(fileURLToPath(import.meta.url));
const generators = join(tools, 'generators');
process.chdir(resolve(tools, '..'));

/** Runs one generator, and those that bring up to date what depends on it. Gives the exit code. */
async function run(name, given, check) {
  const { generate, then = [] } = await import(pathToFileURL(join(generators, `${name}.mjs`)).href);
  let code = await writeFiles(await generate(given), { check, name });
  for (const next of then) code = Math.max(code, await run(next, [], check));
  return code;
}

const names = readdirSync(generators)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.replace(/\.mjs$/, ''));
const [name, ...given] = process.argv.slice(2);
if (names.includes(name)) {
  try {
    process.exitCode = await run(
      name,
      given.filter((argument) => argument !== '--check'),
      given.includes('--check'),
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
} else {
  console.error(`npm run generate -- <${names.join('|')}> [--check]`);
  process.exitCode = 64;
}
