import type { Command } from 'commander';
import { CliError } from '../cli-error';
import { reserveSecretFile } from '../terminal/secret-file';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';
import { addListCommand } from './list-command';

interface KeyJson {
  readonly id: string;
  readonly name: string | null;
  readonly api_key: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  /** The old key, of a key that replaces one. */
  readonly replaces?: { readonly id: string; readonly expires_at: string };
}

/** Adds `keys list`, `create`, `rotate` and `delete`. */
export function addKeyCommands(keys: Command, host: CommandHost): void {
  addListCommand<{ api_keys: readonly KeyJson[] }>(keys, host, {
    summary: 'List the API keys of the user',
    example: 'millrace keys list',
    path: '/api/v1/api_key/',
    headings: ['id', 'name', 'key', 'last used', 'expires'],
    rows: ({ api_keys: found }) =>
      found.map((key) => [key.id, key.name ?? '', key.api_key, key.last_used_at ?? '', key.expires_at ?? '']),
  });
  addCommand(keys, host, {
    name: 'create',
    summary: 'Create an API key and write it to a file of mode 0600',
    details: 'The server shows a key only once. It is printed only with --show.',
    arguments: [{ name: '<name>', description: 'name of the key' }],
    options: [
      option('--output <file>', 'new file for the key'),
      option('--show', 'print the key to standard output'),
      option(
        '--scopes <scopes>',
        'run, manage, admin, separated by commas; default: those of the calling key',
      ),
      option('--expires <time>', 'end of validity, in ISO 8601'),
    ],
    examples: [
      'millrace keys create deploy --output ./deploy.key',
      'millrace keys create ci --scopes run --show',
    ],
    async run(call) {
      const {
        text,
        arguments: [name = ''],
      } = call;
      await requestKey(call, '/api/v1/api_key/', {
        name,
        ...(text('scopes') === undefined ? {} : { scopes: text('scopes')?.split(',') }),
        ...(text('expires') === undefined ? {} : { expires_at: text('expires') }),
      });
    },
  });
  addCommand(keys, host, {
    name: 'rotate',
    summary: 'Replace an API key: create a new one, and let the old one expire after an overlap',
    details: `Both keys are valid during the overlap. The new key has the name and the scopes of the old one.
An overlap of 0 ends the old key at once, with its sessions of the console.`,
    arguments: [{ name: '<id>', description: 'id of the old key' }],
    options: [
      option('--output <file>', 'new file for the key'),
      option('--show', 'print the key to standard output'),
      option('--overlap-seconds <n>', 'how long the old key stays valid: 0 to 2592000').default('86400'),
      option('--expires <time>', 'end of validity of the new key, in ISO 8601'),
    ],
    examples: [
      'millrace keys rotate 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11 --output ./deploy.key',
      'millrace keys rotate 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11 --overlap-seconds 3600 --show --json',
    ],
    async run(call) {
      const {
        text,
        arguments: [id = ''],
      } = call;
      await requestKey(call, `/api/v1/api_key/${encodeURIComponent(id)}/rotate`, {
        overlap_seconds: Number(text('overlapSeconds')),
        ...(text('expires') === undefined ? {} : { expires_at: text('expires') }),
      });
    },
  });
  addCommand(keys, host, {
    name: 'delete',
    summary: 'Delete API keys',
    arguments: [{ name: '<id...>', description: 'ids of keys' }],
    examples: ['millrace keys delete 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11'],
    async run({ api, output, arguments: ids }) {
      for (const id of ids)
        await api().json<object>(`/api/v1/api_key/${encodeURIComponent(id)}`, { method: 'DELETE' });
      output.result({ deleted: ids }, () => output.line(`${ids.length} keys deleted`));
    },
  });
}

/** Requests a new key, and writes it to the file or standard output that the options name. */
async function requestKey(call: CommandCall, path: string, body: object): Promise<void> {
  const { api, output, options, text } = call;
  const file = text('output');
  const isShown = options['show'] === true;
  if (file === undefined && !isShown)
    throw new CliError('usage', 'Choose where the key goes: --output <file> or --show');
  const write = file === undefined ? undefined : reserveSecretFile(file);
  const created = await api().json<KeyJson>(path, { method: 'POST', body });
  write?.(created.api_key);
  const { replaces } = created;
  output.result(isShown ? created : { ...created, api_key: `${created.api_key.slice(0, 10)}…` }, () => {
    if (isShown) output.line(created.api_key);
    else output.line(`${created.id} is in ${file}`);
    if (replaces) output.note(`${replaces.id} is valid until ${replaces.expires_at}`);
  });
}
