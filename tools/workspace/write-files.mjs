import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';

/**
 * Formats and writes generated files, those of a type that prettier does not know as they are; with `check` it only compares them. Resolves to the exit code: 1 when a file is out
 * of date.
 * @param {readonly { path: string, text: string }[]} files
 * @param {{ readonly check: boolean, readonly name: string }} options
 * @returns {Promise<number>}
 */
export async function writeFiles(files, { check, name }) {
  const stale = [];
  for (const { path, text } of files) {
    const { inferredParser } = await getFileInfo(path);
    const formatted =
      inferredParser === null ? text : await format(text, { ...(await resolveConfig(path)), filepath: path });
    if (existsSync(path) && readFileSync(path, 'utf8') === formatted) continue;
    stale.push(path);
    if (check) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, formatted);
    console.log(`wrote ${path}`);
  }
  if (!check || stale.length === 0) return 0;
  console.error(`Out of date: ${stale.join(', ')}. Run: npm run generate -- ${name}`);
  return 1;
}
