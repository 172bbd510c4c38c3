import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Answer, MillraceClient } from '../client/millrace-client';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { readSecret } from '../terminal/read-secret';
import { reserveSecretFile } from '../terminal/secret-file';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';
import { addKeyCommands } from './key-commands';
import { addListCommand } from './list-command';

const USERS_AT_ONCE = 200;

type UserList = Answer<'GET /api/v1/users/'>;

/** Adds `keys`, `users` and `variables`. */
export function addAccountCommands(program: Command, host: CommandHost): void {
  addKeyCommands(addGroup(program, 'keys', 'List, create, replace and delete API keys'), host);
  const users = addGroup(program, 'users', 'List, create and delete users, for admins');
  addUserCommands(users, host);
  addUserDeletion(users, host);
  addVariableCommands(addGroup(program, 'variables', 'List, set and delete global variables'), host);
}

/** Reads all pages of the list of users as one. */
async function readUsers(api: MillraceClient): Promise<UserList> {
  const users: UserList['users'] = [];
  for (;;) {
    const page = await api.call('GET /api/v1/users/', {
      query: { limit: USERS_AT_ONCE, skip: users.length },
    });
    users.push(...page.users);
    if (users.length >= page.total_count || page.users.length === 0) return { ...page, users };
  }
}

function addUserCommands(users: Command, host: CommandHost): void {
  addListCommand(users, host, {
    summary: 'List users',
    example: 'millrace users list --json',
    read: readUsers,
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
      const user = await api().call('POST /api/v1/users/', { body });
      write(user.api_key);
      output.result({ id: user.id, username, key_file: file }, () =>
        output.line(`${user.id}; the key is in ${file}`),
      );
    },
  });
}

function addUserDeletion(users: Command, host: CommandHost): void {
  addCommand(users, host, {
    name: 'delete',
    summary: 'Delete a user with flows, runs, messages, keys, variables and files, for admins',
    arguments: [{ name: '<id>', description: 'id of the user' }],
    options: [option('--yes', 'do not ask')],
    examples: ['millrace users delete 5b0d3c0e-0d8f-4f9b-9a3c-1f9f3f0c2d11 --yes'],
    async run({ api, output, options, shell, arguments: [id = ''] }) {
      const isAllowed =
        options['yes'] === true ||
        (await readSecret(shell, `Delete the user ${id} with everything that they have? Type yes: `)) ===
          'yes';
      if (!isAllowed) throw new CliError('usage', 'Nothing was changed.');
      await api().call('DELETE /api/v1/users/{user_id}', { path: { user_id: id } });
      output.result({ deleted: id }, () => output.line(`${id} deleted`));
    },
  });
}

function addVariableCommands(variables: Command, host: CommandHost): void {
  addListCommand(variables, host, {
    summary: 'List the global variables of the user, without the values of credentials',
    example: 'millrace variables list',
    read: (api) => api.call('GET /api/v1/variables/'),
    headings: ['name', 'type', 'value'],
    rows: (found) =>
      found.map((one) => [one.name, one.type ?? '', one.validation_error ?? one.value ?? '(hidden)']),
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
      const found = await client.call('GET /api/v1/variables/');
      const chosen = names.map((name) => found.find((variable) => variable.name === name) ?? name);
      const unknown = chosen.find((variable) => typeof variable === 'string');
      if (unknown !== undefined) throw new CliError('refused', `There is no variable "${String(unknown)}"`);
      for (const variable of chosen)
        if (typeof variable !== 'string')
          await client.call('DELETE /api/v1/variables/{variable_id}', { path: { variable_id: variable.id } });
      output.result({ deleted: names }, () => output.line(`${names.length} variables deleted`));
    },
  });
}

async function setVariable({ api, output, shell, text, arguments: [name = ''] }: CommandCall): Promise<void> {
  const file = text('valueFile');
  const value = file === undefined ? await readSecret(shell, `Value of ${name}: `) : readText(file);
  if (value === '') throw new CliError('usage', 'The value is empty.');
  const client = api();
  const found = await client.call('GET /api/v1/variables/');
  const existing = found.find((variable) => variable.name === name);
  const type = text('type') ?? existing?.type ?? 'Credential';
  if (existing === undefined)
    await client.call('POST /api/v1/variables/', {
      body: { name, value, type, default_fields: [] },
    });
  else
    await client.call('PATCH /api/v1/variables/{variable_id}', {
      path: { variable_id: existing.id },
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
