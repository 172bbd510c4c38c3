import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

function run(words: readonly string[]) {
  const { status, stdout } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 600_000,
  });
  return { status, stdout };
}

test('sources and documentation use no word of the list', () => {
  expect(run(['tools/prose/check-prose.mjs'])).toEqual({ status: 0, stdout: '' });
}, 60_000);

test('words are found in texts and in identifiers, and nowhere else', () => {
  const program = `
    import { findWords } from './tools/prose/check-prose.mjs';
    const lines = ['The caller is ' + 'to' + 'ld.', 'const is' + 'Go' + 'ne = 1;', 'an unto' + 'ld status 410 Gone'];
    console.log(JSON.stringify(findWords(lines.join('\\n')).map(({ line, word }) => [line, word])));`;
  const { stdout } = run(['--input-type=module', '-e', program]);
  expect(
    (JSON.parse(stdout) as [number, string][]).map(([line, word]) => [line, word.toLowerCase()]),
  ).toEqual([
    [1, ['to', 'ld'].join('')],
    [2, ['go', 'ne'].join('')],
  ]);
}, 60_000);
