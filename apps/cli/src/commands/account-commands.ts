import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { readSecret } from '../terminal/read-secret';
import { reserveSecretFile } from '../terminal/secret-file';
import { addCommand, addGroup, option } from './add-command';
import type { CommandCall, CommandHost } from './add-command';

interface KeyJson {
  readonly id: string;
  readonly name: string | null;
  readonly api_key: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

interface UserJson {
  readonly id: string;
  readonly username: string;
  readonly is_superuser: boolean;
}

interface VariableJson {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly value: string | null;
}

/** Adds `keys`, `users` and `variables`. */
export function addAccountCommands(program: Command, host: CommandHost): void {
  addKeyCommands(addGroup(program, 'keys', 'List, create and delete API keys'), host);
  addUserCommands(addGroup(program, 'users', 'List and create users, for admins'), host);
  addVariableCommands(addGroup(program, 'variables', 'List, set and delete global variables'), host);
}

interface ListDescription<Answer> {
  readonly summary: string;
  readonly example: string;
  readonly path: string;
  readonly headings: readonly string[];
  rows(answer: Answer): readonly (readonly string[])[];
}

/** Adds `list`: prints what a path of the server answers as a table, or the answer itself with `--json`. */
function addListCommand<Answer>(
  parent: Command,
  host: CommandHost,
  { summary, example, path, headings, rows }: ListDescription<Answer>,
): void {
  addCommand(parent, host, {
    name: 'list',
    summary,
    examples: [example],
    async run({ api, output }) {
      const answer = await api().json<Answer>(path);
      output.result(answer, () => output.table(rows(answer), headings));
    },
  });
}

function addKeyCommands(keys: Command, host: CommandHost): void {
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
        api,
        output,
        options,
        text,
        arguments: [name = ''],
      } = call;
      const file = text('output');
      if (file === undefined && options['show'] !== true)
        throw new CliError('usage', 'Choose where the key goes: --output <file> or --show');
      const body = {
        name,
        ...(text('scopes') === undefined ? {} : { scopes: text('scopes')?.split(',') }),
        ...(text('expires') === undefined ? {} : { expires_at: text('expires') }),
      };
      const write = file === undefined ? undefined : reserveSecretFile(file);
      const created = await api().json<KeyJson>('/api/v1/api_key/', { method: 'POST', body });
      write?.(created.api_key);
      const shown =
        options['show'] === true ? created : { ...created, api_key: `${created.api_key.slice(0, 10)}…` };
      output.result(shown, () => {
        if (options['show'] === true) output.line(created.api_key);
        else output.line(`${created.id} is in ${file}`);
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

function addUserCommands(users: Command, host: CommandHost): void {
  addListCommand<{ users: readonly UserJson[] }>(users, host, {
    summary: 'List users',
    example: 'millrace users list --json',
    path: '/api/v1/users/',
    headings: ['id', 'username', 'role'],
    rows: ({ users: found }) =>
      found.map((user) => [user.id, user.username, user.is_superuser ? 'admin' : '']),
  });
  addCommand(users, host, {
    name: 'create',
    summary: 'Create a user, and write its first API key to a file of mode 0600',
    arguments: [{ name: '<username>', description: 'name of the user' }],
    options: [
      option('--admin', 'make the user an admin'),
      option('--output <file>', 'new file for the key').makeOptionMandatory(),
    ],
    examples: ['millrace users create ann --output ./ann.key'],
    async run({ api, output, options, text, arguments: [username = ''] }) {
      const file = text('output') ?? '';
      const write = reserveSecretFile(file);
      const body = { username, is_superuser: options['admin'] === true };
      const user = await api().json<{ id: string; api_key: string }>('/api/v1/users/', {
        method: 'POST',
        body,
      });
      write(user.api_key);
      output.result({ id: user.id, username, key_file: file }, () =>
        output.line(`${user.id}; the key is in ${file}`),
      );
    },
  });
}

function addVariableCommands(variables: Command, host: CommandHost): void {
  addListCommand<readonly VariableJson[]>(variables, host, {
    summary: 'List the global variables of the user, without the values of credentials',
    example: 'millrace variables list',
    path: '/api/v1/variables/',
    headings: ['name', 'type', 'value'],
    rows: (found) => found.map(({ name, type, value }) => [name, type ?? '', value ?? '(hidden)']),
  });
  addCommand(variables, host, {
    name: 'set',
    summary: 'Create or change a variable; the value is read from standard input or a file',
    arguments: [{ name: '<name>', description: 'name of the variable' }],
    options: [
      option('--type <type>', 'Credential or Generic; default Credential').choices(['Credential', 'Generic']),
      option('--value-file <file>', 'read the value from this file'),
    ],
    examples: [
      'millrace variables set OPENAI_API_KEY < ./openai.key',
      'millrace variables set REGION --type Generic',
    ],
    run: setVariable,
  });
  addCommand(variables, host, {
    name: 'delete',
    summary: 'Delete variables',
    arguments: [{ name: '<name...>', description: 'names of variables' }],
    examples: ['millrace variables delete REGION'],
    async run({ api, output, arguments: names }) {
      const client = api();
      const found = await client.json<readonly VariableJson[]>('/api/v1/variables/');
      const chosen = names.map((name) => found.find((variable) => variable.name === name) ?? name);
      const unknown = chosen.find((variable) => typeof variable === 'string');
      if (unknown !== undefined) throw new CliError('refused', `There is no variable "${String(unknown)}"`);
      for (const variable of chosen)
        if (typeof variable !== 'string')
          await client.json<null>(`/api/v1/variables/${variable.id}`, { method: 'DELETE' });
      output.result({ deleted: names }, () => output.line(`${names.length} variables deleted`));
    },
  });
}

async function setVariable({ api, output, shell, text, arguments: [name = ''] }: CommandCall): Promise<void> {
  const file = text('valueFile');
  const value = file === undefined ? await readSecret(shell, `Value of ${name}: `) : readText(file);
  if (value === '') throw new CliError('usage', 'The value is empty.');
  const client = api();
  const found = await client.json<readonly VariableJson[]>('/api/v1/variables/');
  const existing = found.find((variable) => variable.name === name);
  const type = text('type') ?? existing?.type ?? 'Credential';
  if (existing === undefined)
    await client.json<VariableJson>('/api/v1/variables/', {
      method: 'POST',
      body: { name, value, type, default_fields: [] },
    });
  else
    await client.json<VariableJson>(`/api/v1/variables/${existing.id}`, {
      method: 'PATCH',
      body: { id: existing.id, value, type },
    });
  const action = existing === undefined ? 'created' : 'changed';
  output.result({ name, type, action }, () => output.line(`${name} ${action}`));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CliError('input', `${file} cannot be read: ${reasonOf(error)}`, error);
  }
}
