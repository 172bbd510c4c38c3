import type { Command } from 'commander';
import { CliError } from '../cli-error';
import type { Schemas } from '../client/calls.generated';
import type { Answer, MillraceClient } from '../client/millrace-client';
import { reserveSecretFile } from '../terminal/secret-file';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';
import { addListCommand } from './list-command';

type Scopes = NonNullable<Schemas['NewApiKey']['scopes']>;
type Bounds = Pick<Schemas['KeyChanges'], 'access' | 'flows' | 'projects' | 'addresses' | 'end_users'>;
type CreatedKey = Answer<'POST /api/v1/api_key/'> | Answer<'POST /api/v1/api_key/{api_key_id}/rotate'>;

/** Adds `keys list`, `create`, `rotate`, `change` and `delete`. */
export function addKeyCommands(keys: Command, host: CommandHost): void {
  addListCommand(keys, host, {
    summary: 'List the API keys of the user',
    example: 'millrace keys list',
    read: (api) => api.call('GET /api/v1/api_key/'),
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
      ...boundOptions,
    ],
    examples: ['millrace keys create ci --scopes run --output ./ci.key'],
    async run(call) {
      const {
        text,
        arguments: [name = ''],
      } = call;
      const body = {
        name,
        ...(text('scopes') === undefined ? {} : { scopes: text('scopes')?.split(',') as Scopes }),
        ...(text('expires') === undefined ? {} : { expires_at: text('expires') ?? null }),
        ...boundsOf(call),
      };
      await requestKey(call, (client) => client.call('POST /api/v1/api_key/', { body }));
    },
  });
  addKeyRotation(keys, host);
  addKeyChange(keys, host);
  addCommand(keys, host, {
    name: 'delete',
    summary: 'Delete API keys',
    arguments: [{ name: '<id...>', description: 'ids of keys' }],
    examples: ['millrace keys delete 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11'],
    async run({ api, output, arguments: ids }) {
      for (const id of ids)
        await api().call('DELETE /api/v1/api_key/{api_key_id}', { path: { api_key_id: id } });
      output.result({ deleted: ids }, () => output.line(`${ids.length} keys deleted`));
    },
  });
}

const boundOptions = [
  option('--access <access>', 'read_only or run_only'),
  option('--flows <ids>', 'the only flows that the key reaches, by ids with commas'),
  option('--projects <ids>', 'the same for projects'),
  option('--addresses <ranges>', 'the only addresses and subnets that may use the key'),
  option('--end-users <by>', 'act for end users: the header or the token of each request names one'),
];

function boundsOf({ text }: CommandCall): Bounds {
  const access = text('access') as 'read_only' | 'run_only' | undefined;
  const endUsers = text('endUsers') as 'header' | 'token' | undefined;
  const lists = ['flows', 'projects', 'addresses'].flatMap((name) => {
    const given = text(name);
    return given === undefined ? [] : [[name, given.split(',')]];
  });
  return {
    ...(access === undefined ? {} : { access }),
    ...(endUsers === undefined ? {} : { end_users: endUsers }),
    ...Object.fromEntries(lists),
  };
}

function addKeyChange(keys: Command, host: CommandHost): void {
  addCommand(keys, host, {
    name: 'change',
    summary: 'Change the bounds or the expiry of an API key, disable or enable it',
    arguments: [{ name: '<id>', description: 'id of the key' }],
    options: [
      option('--disable', 'refuse the key until it is enabled'),
      option('--enable', 'accept the key again'),
      option('--expires <time>', 'end of validity, in ISO 8601'),
      ...boundOptions,
      option('--unbound', 'remove all bounds that no other option gives'),
    ],
    examples: ['millrace keys change 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11 --disable'],
    async run(call) {
      const {
        api,
        output,
        options,
        text,
        arguments: [id = ''],
      } = call;
      const unbound = { access: null, flows: null, projects: null, addresses: null, end_users: null };
      const body = {
        ...(options['unbound'] === true ? unbound : {}),
        ...boundsOf(call),
        ...(options['disable'] === true ? { is_active: false } : {}),
        ...(options['enable'] === true ? { is_active: true } : {}),
        ...(text('expires') === undefined ? {} : { expires_at: text('expires') ?? null }),
      };
      if (Object.keys(body).length === 0) throw new CliError('usage', 'Name at least one change.');
      const path = { api_key_id: id };
      const changed = await api().call('PATCH /api/v1/api_key/{api_key_id}', { path, body });
      output.result(changed, () => output.line(`${id} was changed`));
    },
  });
}

function addKeyRotation(keys: Command, host: CommandHost): void {
  addCommand(keys, host, {
    name: 'rotate',
    summary: 'Replace an API key: create a new one, and let the old one expire after an overlap',
    details: `Both keys are valid during the overlap. The new key has the name, the scopes and the bounds of the old one.
An overlap of 0 ends the old key at once, with its sessions of the console.`,
    arguments: [{ name: '<id>', description: 'id of the old key' }],
    options: [
      option('--output <file>', 'new file for the key'),
      option('--show', 'print the key to standard output'),
      option('--overlap-seconds <n>', 'how long the old key stays valid: 0 to 2592000').default('86400'),
      option('--expires <time>', 'end of validity of the new key, in ISO 8601'),
    ],
    examples: ['millrace keys rotate 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11 --overlap-seconds 3600 --show'],
    async run(call) {
      const {
        text,
        arguments: [id = ''],
      } = call;
      const body = {
        overlap_seconds: Number(text('overlapSeconds')),
        ...(text('expires') === undefined ? {} : { expires_at: text('expires') ?? null }),
      };
      const path = { api_key_id: id };
      await requestKey(call, (client) =>
        client.call('POST /api/v1/api_key/{api_key_id}/rotate', { path, body }),
      );
    },
  });
}

/** Requests a new key, and writes it to the file or standard output that the options name. */
async function requestKey(
  { api, output, options, text }: CommandCall,
  request: (client: MillraceClient) => Promise<CreatedKey>,
): Promise<void> {
  const file = text('output');
  const isShown = options['show'] === true;
  if (file === undefined && !isShown)
    throw new CliError('usage', 'Choose where the key goes: --output <file> or --show');
  const write = file === undefined ? undefined : reserveSecretFile(file);
  const created = await request(api());
  write?.(created.api_key);
  const replaces = 'replaces' in created ? created.replaces : undefined;
  output.result(isShown ? created : { ...created, api_key: `${created.api_key.slice(0, 10)}…` }, () => {
    if (isShown) output.line(created.api_key);
    else output.line(`${created.id} is in ${file}`);
    if (replaces) output.note(`${replaces.id} is valid until ${replaces.expires_at}`);
  });
}
