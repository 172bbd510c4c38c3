// Replays recorded cases against Millrace and fails when one that conformance-passed.json names fails:
// those of Langflow 1.11 with MILLRACE_COMPATIBILITY=1.11 and, without those in conformance-changed.json, by default;
// those of Langflow 1.13 by default.
// Usage: node .ci/replay.mjs [FOLDER OF conformance AND conformance-1.13] [--system standalone|scaled] [--update]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startSystem } from './start-system.mjs';

const PASSED = 'conformance-passed.json';
const CHANGED = 'conformance-changed.json';
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { system: { type: 'string', default: 'standalone' }, update: { type: 'boolean' } },
});
const folder = resolve(positionals[0] ?? '../shared');
const earlier = { directory: join(folder, 'conformance'), prefix: '' };
const current = { directory: join(folder, 'conformance-1.13'), prefix: '1.13/' };
if (!existsSync(join(earlier.directory, 'replay.mjs'))) {
  console.log(
    `conformance: ${earlier.directory} has no recorded cases, which are not in this repository: nothing is replayed`,
  );
  process.exit(0);
}

const promised = JSON.parse(readFileSync(PASSED, 'utf8'));
const changed = new Set(JSON.parse(readFileSync(CHANGED, 'utf8')).flatMap(({ cases }) => cases));
const temporary = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
const seen = new Set();
try {
  const broken = [
    ...(await withSystem('1.11', (system) => replay(system, earlier))),
    ...(await withSystem('1.13', (system) => [
      ...replay(system, earlier, changed),
      ...(existsSync(current.directory) ? replay(system, current) : []),
    ])),
  ];
  if (flags.update) {
    writeFileSync(PASSED, `${JSON.stringify([...new Set([...promised, ...seen])].sort(), null, 2)}\n`);
    console.log(`conformance: ${PASSED} written`);
  }
  process.exitCode = broken.length > 0 ? 1 : 0;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/** Starts a system that gives the answers of a release, and stops it when `use` has ended. */
async function withSystem(release, use) {
  const system = await startSystem(flags.system, {
    folder: join(temporary, release),
    environment: { MILLRACE_COMPATIBILITY: release },
  });
  try {
    return await use({ ...system, release });
  } finally {
    await system.stop();
  }
}

/** Replays the cases of a directory; returns what is wrong: promised cases that fail, and changed ones that pass. */
function replay({ url, key, release }, { directory, prefix }, excepted = new Set()) {
  const report = join(temporary, 'report.json');
  rmSync(report, { force: true });
  const words = [join(directory, 'replay.mjs'), '--base-url', url, '--key', key, '--json', report];
  const run = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 900_000 });
  if (!existsSync(report))
    throw new Error(`the replay ended without a report:\n${run.stdout}\n${run.stderr}`);
  const results = JSON.parse(readFileSync(report, 'utf8'));
  const named = results.map(({ group, id, passed }) => ({ name: `${prefix}${group}/${id}`, passed }));
  const passed = new Set(named.filter((result) => result.passed).map(({ name }) => name));
  const expected = promised.filter(
    (name) => (name.startsWith(current.prefix) ? current.prefix : '') === prefix && !excepted.has(name),
  );
  const failing = expected.filter((name) => !passed.has(name));
  const unchanged = [...excepted].filter((name) => passed.has(name));
  for (const name of passed) if (!excepted.has(name)) seen.add(name);
  console.log(run.stdout.split('\n').filter(isSummary).join('\n'));
  console.log(
    `conformance: ${flags.system}, ${prefix === '' ? 'cases of 1.11' : 'cases of 1.13'} with the answers of ${release}: ` +
      `${passed.size} of ${results.length} pass, ${expected.length} are promised, ${excepted.size} are listed as changed`,
  );
  if (failing.length > 0) console.log(`conformance: promised but failing:\n  ${failing.join('\n  ')}`);
  if (unchanged.length > 0)
    console.log(`conformance: listed in ${CHANGED}, but passing:\n  ${unchanged.join('\n  ')}`);
  if (failing.length > 0) console.log(run.stdout);
  return [...failing, ...unchanged];
}

function isSummary(line) {
  return /: \d+ passed, \d+ failed$/.test(line);
}
