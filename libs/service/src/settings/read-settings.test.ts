import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  boolean,
  bytes,
  choice,
  commonSettings,
  defineSettings,
  integer,
  list,
  readSettings,
  SettingsError,
  settingsList,
  text,
  url,
} from '../index';
import { milliseconds } from './kinds';

const definition = defineSettings({
  PORT: integer({ description: 'Port.', default: 7860, minimum: 0, maximum: 65535 }),
  NAME: text({ description: 'Name.', optional: true }),
  MILLRACE_DEADLINE: milliseconds({ description: 'Deadline.', default: 300_000 }),
  MILLRACE_BODY_LIMIT: bytes({ description: 'Body | limit.', default: 10 * 1024 * 1024 }),
  MILLRACE_WEBHOOK_AUTH: choice(['required', 'off'], { description: 'Auth.', default: 'required' }),
  MILLRACE_MIGRATE: boolean({ description: 'Migrate.', default: true }),
  MILLRACE_POOLS: list({ description: 'Pools.', default: [] }),
  INGEST_URL: url({ description: 'Ingest.', optional: true }),
  PASSWORD: integer({ description: 'A secret number.', optional: true, secret: true }),
});
const renamed = defineSettings({
  MILLRACE_LIMIT: integer({
    description: 'Limit.',
    formerly: ['MILLRACE_MOST_THINGS', 'MOST_THINGS'],
    default: 5,
  }),
});

function readWithWarnings(environment: Record<string, string>) {
  const warnings: string[] = [];
  const values = readSettings(renamed, environment, (sentence) => warnings.push(sentence));
  return { limit: values.MILLRACE_LIMIT, warnings };
}

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(definition, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
  }
  return [];
}

test('uses defaults for unset settings; an empty text counts as unset', () => {
  expect(readSettings(definition, { PORT: '' })).toEqual({
    PORT: 7860,
    NAME: undefined,
    MILLRACE_DEADLINE: 300_000,
    MILLRACE_BODY_LIMIT: 10_485_760,
    MILLRACE_WEBHOOK_AUTH: 'required',
    MILLRACE_MIGRATE: true,
    MILLRACE_POOLS: [],
    INGEST_URL: undefined,
    PASSWORD: undefined,
  });
});

test('accepts several addresses in one setting, and reports an invalid one by its position, without its password', () => {
  const read = (value: string) => {
    const { AMQP_URL } = readSettings(defineSettings({ AMQP_URL: commonSettings.AMQP_URL }), {
      AMQP_URL: value,
    });
    return AMQP_URL;
  };
  expect(read('amqp://a:5672/runs')).toBe('amqp://a:5672/runs');
  expect(read('amqp://a/runs, amqps://b/runs')).toBe('amqp://a/runs,amqps://b/runs');
  for (const [value, problem] of [
    [
      'amqp://ann:hunter22@a,http://b',
      /contains 2 addresses; number 2 must begin with amqp:\/\/ or amqps:\/\//,
    ],
    ['amqp://ann:hunter,22@a', /number 1 is not a URL; write a comma in a password as %2C/],
    ['amqp://a,', /number 2 is not a URL/],
  ] as const) {
    expect(() => read(value)).toThrow(problem);
    expect(() => read(value)).not.toThrow(/hunter/);
  }
});

test('parses texts to typed values', () => {
  const values = readSettings(definition, {
    PORT: '8080',
    MILLRACE_DEADLINE: '1.5s',
    MILLRACE_BODY_LIMIT: '2 MiB',
    MILLRACE_WEBHOOK_AUTH: 'off',
    MILLRACE_MIGRATE: 'no',
    MILLRACE_POOLS: 'default, large,,',
    INGEST_URL: 'http://127.0.0.1:1',
  });
  const port: number = values.PORT;
  const name: string | undefined = values.NAME;
  expect({ port, name }).toEqual({ port: 8080, name: undefined });
  expect(values).toMatchObject({
    MILLRACE_DEADLINE: 1500,
    MILLRACE_BODY_LIMIT: 2_097_152,
    MILLRACE_WEBHOOK_AUTH: 'off',
    MILLRACE_MIGRATE: false,
    MILLRACE_POOLS: ['default', 'large'],
    INGEST_URL: 'http://127.0.0.1:1',
  });
});

test('reports all faults together, without secrets', () => {
  expect(
    faultsOf({
      PORT: '70000',
      MILLRACE_DEADLINE: 'soon',
      MILLRACE_WEBHOOK_AUTH: 'maybe',
      MILLRACE_MIGRATE: 'perhaps',
      INGEST_URL: 'ftp://x',
      PASSWORD: 'hunter2',
      MILLRACE_WEBHOK_AUTH: 'off',
    }),
  ).toEqual([
    'PORT must be at most 65535, but is "70000"',
    'MILLRACE_DEADLINE must be a number, alone or with ms, s, m, h, but is "soon"',
    'MILLRACE_WEBHOOK_AUTH must be one of required, off, but is "maybe"',
    'MILLRACE_MIGRATE must be true or false, but is "perhaps"',
    'INGEST_URL must begin with http:// or https://, but is "ftp://x"',
    'PASSWORD must be a whole number',
    'MILLRACE_WEBHOK_AUTH is not a setting; did you mean MILLRACE_WEBHOOK_AUTH?',
  ]);
});

test('ignores settings of other services, also similar ones, and variables that Kubernetes sets', () => {
  const environment = {
    // Of an executor, beside MILLRACE_POOLS.
    MILLRACE_POOL: 'large',
    MILLRACE_MEMORY_CEILING: '1GiB',
    MILLRACE_ENCRYPTION_KEY_FILE: '/run/key',
    MILLRACE_POOLS_PORT: 'tcp://10.0.0.1:7860',
    MILLRACE_POOLS_SERVICE_HOST: '10.0.0.1',
    MILLRACE_POOLS_PORT_7860_TCP_ADDR: '10.0.0.1',
    MILLRACE_TRACE_FILE: 'trace.jsonl',
  };
  expect(faultsOf(environment)).toEqual([]);
  expect(readWithWarnings(environment).warnings).toEqual([]);
});

test('warns of a variable that no service has', () => {
  expect(readWithWarnings({ MILLRACE_CONCURENCY: '8', MILLRACE_MOST_OF_ALL: '1' }).warnings).toEqual([
    'MILLRACE_CONCURENCY is not a setting; did you mean MILLRACE_CONCURRENCY?',
    'MILLRACE_MOST_OF_ALL is not a setting',
  ]);
});

test('reads a former name, with a warning that names the present one', () => {
  expect(readWithWarnings({ MILLRACE_LIMIT: '7' })).toEqual({ limit: 7, warnings: [] });
  expect(readWithWarnings({ MILLRACE_MOST_THINGS: '7' })).toEqual({
    limit: 7,
    warnings: ['MILLRACE_MOST_THINGS is the former name of MILLRACE_LIMIT; set MILLRACE_LIMIT instead'],
  });
  const directory = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
  writeFileSync(join(directory, 'limit'), '8\n');
  expect(readWithWarnings({ MOST_THINGS_FILE: join(directory, 'limit') })).toEqual({
    limit: 8,
    warnings: ['MOST_THINGS is the former name of MILLRACE_LIMIT; set MILLRACE_LIMIT instead'],
  });
  rmSync(directory, { recursive: true });
});

test('the present name takes precedence over a former one, and a warning says so', () => {
  expect(readWithWarnings({ MILLRACE_LIMIT: '7', MILLRACE_MOST_THINGS: '9' })).toEqual({
    limit: 7,
    warnings: [
      'MILLRACE_MOST_THINGS is the former name of MILLRACE_LIMIT and is ignored: MILLRACE_LIMIT is set',
    ],
  });
});

test('a fault names the variable that was read', () => {
  expect(() => readWithWarnings({ MILLRACE_MOST_THINGS: 'many' })).toThrow(
    /MILLRACE_MOST_THINGS must be a whole number, but is "many"$/,
  );
});

test('NAME_FILE provides the value of NAME, and only one of the two can be set', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
  const file = join(directory, 'name');
  writeFileSync(file, 'from a file\n');
  expect(readSettings(definition, { NAME_FILE: file }).NAME).toBe('from a file');
  expect(faultsOf({ NAME_FILE: file, NAME: 'direct' })).toEqual([
    'NAME and NAME_FILE are both set; set only one',
  ]);
  rmSync(directory, { recursive: true });
  expect(faultsOf({ NAME_FILE: file })[0]).toMatch(/^NAME cannot be read from NAME_FILE: ENOENT/);
});

test('common settings refuse an invalid range and a key of the wrong length', () => {
  expect(() =>
    readSettings(commonSettings, {
      MILLRACE_OUTGOING_ALLOW: '10.0.0.0/8,home',
      MILLRACE_ENCRYPTION_KEY: 'c2hvcnQ=',
    }),
  ).toThrow(
    /"home" is not one[^]*MILLRACE_ENCRYPTION_KEY must contain keys of 32 bytes, each in base64 or hex$/,
  );
  const key = randomBytes(32);
  const MILLRACE_ENCRYPTION_KEY = `${key.toString('base64')},${key.toString('hex')}`;
  expect(readSettings(commonSettings, { MILLRACE_ENCRYPTION_KEY }).MILLRACE_ENCRYPTION_KEY).toHaveLength(2);
});

test('the table contains a row for each setting', () => {
  expect(settingsList(definition).split('\n').slice(0, 4)).toEqual([
    '- `PORT` (integer, default `7860`): Port.',
    '- `NAME` (text, unset): Name.',
    '- `MILLRACE_DEADLINE` (duration, default `300000ms`): Deadline.',
    '- `MILLRACE_BODY_LIMIT` (bytes, default `10MiB`): Body | limit.',
  ]);
  expect(settingsList(renamed)).toContain('Limit. Formerly `MILLRACE_MOST_THINGS`, `MOST_THINGS`.');
});
