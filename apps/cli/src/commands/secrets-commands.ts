import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import {
  AuditLog,
  countEncryptedValues,
  Encryption,
  isFirstKeyInUse,
  reencryptValues,
  systemActor,
} from '@millrace/runs';
import type { EncryptedCounts, EncryptedPlace, ReencryptedCounts } from '@millrace/runs';
import { writeEncryptionKeys } from '@millrace/standalone';
import { asCliError, openPlace } from '../backup/place';
import type { Place } from '../backup/place';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import type { Output } from '../terminal/output';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';
import { keyHolders } from './processes-without-key';

const AT = option(
  '--at <place>',
  'PostgreSQL URL or data folder; default DATABASE_URL, or else the data folder',
);
const KEY_BYTES = 32;

const titles: Readonly<Record<EncryptedPlace, string>> = {
  variables: 'variables',
  mcp_servers: 'MCP servers',
  triggers: 'trigger secrets',
  runs: 'requests of runs',
  run_effects: 'steps of agents',
  effect_results: 'results of effects',
  run_checkpoints: 'suspended runs',
  human_requests: 'requests for human input',
  human_decisions: 'decisions of people',
  console_sessions: 'sessions by issuers',
};

/** Adds `secrets status` and `secrets rotate`. */
export function addSecretsCommands(program: Command, host: CommandHost): void {
  const secrets = addGroup(program, 'secrets', 'Examine encrypted values, and encrypt them with another key');
  addCommand(secrets, host, {
    name: 'status',
    summary: 'Decrypt each stored value, and count which key opens it',
    details: `Reads DATABASE_URL and MILLRACE_ENCRYPTION_KEY, or else the data folder, whose server must be stopped.
Ends with 1 when a value needs a key that is not the first one, or when no key opens it.`,
    options: [AT],
    usesServer: false,
    examples: ['millrace secrets status'],
    run: (call) => withPlace(call, status),
  });
  addCommand(secrets, host, {
    name: 'rotate',
    summary: 'Encrypt each stored value again with the first encryption key, while services run',
    details: `Set MILLRACE_ENCRYPTION_KEY to <new>,<old> for all services first: see docs/operate/upgrades.md. Without DATABASE_URL it works on the
data folder, whose server must be stopped. Values are written in pages; interrupted, the next call continues.
Ends with 1 when a value remains that the first key does not open.`,
    options: [
      AT,
      option(
        '--new-key',
        'data folder only: make a new key, and remove the old ones once no value needs them',
      ),
    ],
    usesServer: false,
    examples: ['millrace secrets rotate --at ./data --new-key'],
    run: (call) => withPlace(call, rotate),
  });
}

type SecretsWork = (call: CommandCall, place: Place, keys: readonly string[]) => Promise<number>;

async function withPlace(call: CommandCall, work: SecretsWork): Promise<number> {
  const { shell, output, text } = call;
  const place = await openPlace({
    at: text('at'),
    environment: shell.environment,
    mustExist: true,
    warn: (sentence) => output.note(sentence),
  });
  try {
    if (place.keys === undefined)
      throw new CliError('configuration', 'Set MILLRACE_ENCRYPTION_KEY to the keys that the services have.');
    return await work(call, place, place.keys);
  } catch (error) {
    throw shell.signal.aborted ? error : asCliError(error);
  } finally {
    await place.close();
  }
}

async function status(call: CommandCall, place: Place, keys: readonly string[]): Promise<number> {
  const encryption = Encryption.from(keys);
  const counts = await withProgress(call, (work) =>
    countEncryptedValues({ database: place.database, encryption, ...work }),
  );
  const first = Encryption.keyIdOf(encryption.encrypt(''));
  const isDone = isComplete(counts);
  call.output.result(
    { at: place.title, first_key: first, complete: isDone, places: counts.map(placeJson) },
    () => {
      call.output.line(`Key ${first} is the first one of ${keys.length}, in ${place.title}`);
      call.output.table(counts.map(countCells), ['', 'first key', 'other keys', 'no key']);
      printUnreadable(call.output, counts);
    },
  );
  return isDone ? exitCodes.success : exitCodes.negative;
}

async function rotate(call: CommandCall, place: Place, given: readonly string[]): Promise<number> {
  const { output, options } = call;
  const isNewKey = options['newKey'] === true;
  const keys = isNewKey ? withNewKey(call, place, given) : given;
  const encryption = Encryption.from(keys);
  // The server of a data folder is stopped, and reads its keys when it starts.
  if (place.folder === undefined) await requireKeyOfServices(call, place, encryption);
  const counts = await withProgress(call, (work) =>
    reencryptValues({ database: place.database, encryption, ...work }),
  );
  const first = Encryption.keyIdOf(encryption.encrypt(''));
  await recordRotation(place, counts, first);
  const isDone = isComplete(counts);
  if (isNewKey && isDone && place.folder !== undefined)
    writeEncryptionKeys(place.folder, keys.slice(0, 1), { replace: true });
  const places = counts.map((one) => ({ ...placeJson(one), reencrypted: one.reencrypted }));
  output.result({ at: place.title, first_key: first, complete: isDone, places }, () => {
    output.line(`Key ${first} encrypts the values in ${place.title}`);
    output.table(
      counts.map((one) => [...countCells(one), String(one.reencrypted)]),
      ['', 'first key', 'other keys', 'no key', 'encrypted again'],
    );
    printUnreadable(output, counts);
    output.line(isDone ? doneSentence(keys, isNewKey) : 'Values remain that the first key does not open.');
  });
  return isDone ? exitCodes.success : exitCodes.negative;
}

/** Throws unless all processes of the services can read what the first key encrypts, as far as that is known. */
async function requireKeyOfServices(
  { shell, output }: CommandCall,
  { database }: Place,
  encryption: Encryption,
): Promise<void> {
  if (!(await isFirstKeyInUse(database, encryption)))
    throw new CliError(
      'refused',
      'No service has started with this first key: services would not read what it encrypts. Restart all of them with both keys first.',
    );
  const holders = await keyHolders(encryption.keyIds[0] ?? '', shell.environment);
  if (holders === null)
    return output.note('REDIS_URL is not set: it is not checked that each process has the key.');
  const { all, without } = holders;
  if (without.length > 0)
    throw new CliError(
      'refused',
      `${without.length} of ${all} processes do not have this first key, such as ${without[0]}: they would not read what it encrypts. Restart them with both keys first.`,
    );
}

function doneSentence(keys: readonly string[], isNewKey: boolean): string {
  if (isNewKey) return 'The data folder has the new key only.';
  if (keys.length === 1) return 'No other key is configured.';
  return 'The other keys are not needed for stored values. Remove them once the runs that began before have ended.';
}

/** Puts a new key in front of those of a data folder, before anything is encrypted with it. */
function withNewKey({ shell }: CommandCall, { folder }: Place, keys: readonly string[]): readonly string[] {
  if (folder === undefined || shell.environment['MILLRACE_ENCRYPTION_KEY'])
    throw new CliError(
      'usage',
      '--new-key works on the key file of a data folder; put a new key in front of MILLRACE_ENCRYPTION_KEY instead.',
    );
  const all = [randomBytes(KEY_BYTES).toString('base64'), ...keys];
  writeEncryptionKeys(folder, all, { replace: true });
  return all;
}

async function recordRotation(
  { database, logger }: Place,
  counts: readonly ReencryptedCounts[],
  firstKey: string,
): Promise<void> {
  if (counts.every(({ reencrypted }) => reencrypted === 0)) return;
  const detail = Object.fromEntries(counts.map(({ place, reencrypted }) => [place, reencrypted]));
  await new AuditLog({ database, logger }).record([
    { actor: systemActor, action: 'secrets.reencrypted', detail: { ...detail, key: firstKey } },
  ]);
}

type Progressing = { readonly signal: AbortSignal; onProgress(place: EncryptedPlace, rows: number): void };

async function withProgress<T>(
  { shell, output, now }: CommandCall,
  work: (progressing: Progressing) => Promise<T>,
) {
  const progress = output.progress(now);
  try {
    return await work({
      signal: shell.signal,
      onProgress: (place, rows) => progress.show(`${titles[place]}: ${rows} rows`),
    });
  } finally {
    progress.end();
  }
}

const isComplete = (counts: readonly EncryptedCounts[]) =>
  counts.every(({ older, unreadable }) => older === 0 && unreadable === 0);

const countCells = ({ place, current, older, unreadable }: EncryptedCounts) => [
  titles[place],
  ...[current, older, unreadable].map(String),
];

function placeJson({ place, current, older, unreadable, byKey, named }: EncryptedCounts) {
  return {
    place,
    first_key: current,
    other_keys: older,
    no_key: unreadable,
    by_key: byKey,
    unreadable: named,
  };
}

function printUnreadable(output: Output, counts: readonly EncryptedCounts[]): void {
  for (const { place, unreadable, named } of counts) {
    for (const { label, id } of named)
      output.line(`No key opens ${titles[place]}: ${label}${label === id ? '' : ` (${id})`}`);
    if (unreadable > named.length)
      output.line(`No key opens ${unreadable - named.length} more ${titles[place]}.`);
  }
}
