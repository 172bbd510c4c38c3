import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';

const root = join(__dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The programs of this repository that npm scripts start; `build`, `lint` and others start external programs. */
const commands = Object.values(scripts).flatMap(
  (line) => /^(?:exec )?node tools\/node\/run\.cjs (\S+\.mjs)$/.exec(line)?.[1] ?? [],
);
const apps = readdirSync(join(root, 'apps')).filter((app) =>
  existsSync(join(root, 'apps', app, 'src', 'main.ts')),
);
const roles = ['gateway', 'ingest', 'executor', 'standalone', 'migrate', 'cli'];
const programs = [
  ...commands.map((path) => [path]),
  ...apps.map((app) => [`dist/apps/${app}/main.cjs`]),
  ['tools/build.mjs'],
  ['deploy/entrypoint.mjs'],
  ...roles.map((role) => ['deploy/entrypoint.mjs', role]),
];

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly faults: string;
}

const run = (words: readonly string[], environment: Record<string, string> = {}) =>
  new Promise<Ended>((resolve) => {
    const options = { cwd: root, timeout: 600_000, env: { ...process.env, ...environment } };
    const child = execFile(process.execPath, words, options, (_, output, faults) =>
      resolve({ code: child.exitCode, output, faults }),
    );
  });

const stack = /^\s+at /m;

test('covers all programs', () => {
  expect(commands).toEqual(
    expect.arrayContaining([
      'tools/start.mjs',
      'tools/scaled.mjs',
      'tools/test.mjs',
      'tools/check.mjs',
      'tools/millrace.mjs',
      'chaos/chaos.mjs',
      'bench/bench.mjs',
      'tools/interop.mjs',
    ]),
  );
  expect(apps).toEqual(expect.arrayContaining(['gateway', 'ingest', 'executor', 'standalone']));
});

describe.each(programs.map((words) => [words.join(' '), words] as const))('%s', (_, words) => {
  test('--help prints the usage and exits with 0', async () => {
    const { code, output, faults } = await run([...words, '--help']);
    expect({ code, faults }).toEqual({ code: 0, faults: '' });
    expect(output).toMatch(/^ {2}--help/m);
  }, 60_000);

  test('names a mistyped option, prints the usage and exits with 64', async () => {
    const { code, output, faults } = await run([...words, '--hlep']);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(faults).toMatch(/^"?--hlep"? is not an option/);
    expect(faults).toMatch(/^ {2}--help/m);
    expect(faults).not.toMatch(stack);
  }, 60_000);
});

test.each([
  [['tools/start.mjs', '--prot', '1'], '--prot is not an option; did you mean --port?'],
  [['tools/start.mjs', '--port', '99999'], '--port must be at most 65535, but is "99999"'],
  [['tools/scaled.mjs', '--executors', 'many'], '--executors must be a whole number, but is "many"'],
  [
    ['tools/test.mjs', '--services', 'locale'],
    '--services must be one of env, local, private, compose, apt (did you mean local?), but is "locale"',
  ],
  [['tools/millrace.mjs', 'flows', 'check'], "missing required argument 'path'"],
  [['tools/millrace.mjs', 'up', '--prot', '1'], '--prot is not an option; did you mean --port?'],
  [['tools/millrace.mjs', 'flow'], "unknown command 'flow'"],
  [
    ['tools/generate.mjs', 'componnet'],
    'the generator must be one of api, client, component, pages, registry (did you mean component?), but is "componnet"',
  ],
  [['tools/interop.mjs', '--times', '0'], '--times must be at least 1, but is "0"'],
  [['bench/bench.mjs', 'results.json'], '"results.json" is expected with --report only'],
  [['chaos/chaos.mjs', '--minutes', 'ten'], '--minutes must be a number, but is "ten"'],
  [['deploy/entrypoint.mjs', 'gatway'], '"gatway" is not a role'],
  [
    ['dist/apps/gateway/main.cjs', '--workers', 'all'],
    '--workers must be auto or a whole number up to 256, but is "all"',
  ],
  [['dist/apps/executor/main.cjs', '--concurrency', '0'], '--concurrency must be at least 1, but is "0"'],
])(
  '%j prints the reason and exits with 64',
  async (words, sentence) => {
    const { code, output, faults } = await run(words);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(faults.slice(0, sentence.length)).toBe(sentence);
    expect(faults).not.toMatch(stack);
  },
  60_000,
);

test('a scaled system without servers prints what is missing and what to set', async () => {
  const nowhere = { DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '' };
  const { code, faults } = await run(['tools/scaled.mjs', '--port', '0', '--services', 'env'], nowhere);
  expect(code).toBe(1);
  expect(faults).toMatch(/^RabbitMQ, Redis, PostgreSQL not found \(tried: env\)\.\nSet AMQP_URL, /);
  expect(faults).not.toMatch(stack);
}, 60_000);

test('commands read their options without packages, which can be missing at that time', () => {
  const seen = new Set<string>();
  const packages: string[] = [];
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, imported, required] of text.matchAll(
      /^(?:import|export)\b[^'(;]*'([^'\n]+)';$|\brequire\('([^'\n]+)'\)/gm,
    )) {
      const name = imported ?? required ?? '';
      if (isBuiltin(name)) continue;
      if (name.startsWith('.')) visit(join(dirname(file), name));
      else packages.push(`${relative(root, file)}: ${name}`);
    }
  };
  for (const command of commands) visit(join(root, command));
  expect([...seen].map((file) => relative(root, file))).toEqual(
    expect.arrayContaining([
      'libs/service/src/options/command-line.cjs',
      'tools/workspace/prepare-workspace.mjs',
    ]),
  );
  expect(packages).toEqual([]);
});
