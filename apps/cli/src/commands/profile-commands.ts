import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { clientFor } from '../profiles/client-for';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { baseUrl } from '../profiles/choose-server';
import { signInByDevice } from '../profiles/device-sign-on';
import { ProfileStore } from '../profiles/profile-store';
import { readSecret } from '../terminal/read-secret';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';
import type { Shell } from '../terminal/shell';

/** Adds `login` and `profile`. */
export function addProfileCommands(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'login',
    summary: 'Store a server and its API key as a profile, in a file of mode 0600',
    details: 'The key is asked for, or read from standard input or a file; it is never an argument.',
    options: [
      option('--url <url>', 'server; default http://127.0.0.1:7860'),
      option('--profile <name>', 'name of the profile; default "default"'),
      option('--key-file <file>', 'read the key from this file'),
      option('--sign-on [issuer]', 'sign in at an issuer of the server, by a code that a browser confirms'),
    ],
    usesServer: false,
    examples: [
      'millrace login --url https://millrace.example.com --profile production',
      'millrace login --url https://millrace.example.com --sign-on',
    ],
    run: login,
  });
  const profile = addGroup(program, 'profile', 'List, show and delete profiles');
  addCommand(profile, host, {
    name: 'list',
    summary: 'List the profiles, without their keys',
    usesServer: false,
    examples: ['millrace profile list'],
    run({ output, shell }) {
      const store = new ProfileStore(shell.environment);
      const profiles = store.names().map((name) => ({ name, url: store.read(name)?.url ?? '' }));
      output.result({ folder: store.folder, profiles }, () =>
        output.table(
          profiles.map(({ name, url }) => [name, url]),
          ['name', 'server'],
        ),
      );
      return undefined;
    },
  });
  addCommand(profile, host, {
    name: 'show',
    summary: 'Show the server and the user of a profile',
    examples: ['millrace profile show --profile production'],
    async run({ api, output }) {
      const client = api();
      const { id, username } = await client.call('GET /api/v1/users/whoami');
      output.result({ url: client.url, user: { id, username } }, () =>
        output.line(`${client.url}, user ${username}`),
      );
    },
  });
  addCommand(profile, host, {
    name: 'delete',
    summary: 'Delete a profile; its key stays valid',
    arguments: [{ name: '<name>', description: 'name of the profile' }],
    usesServer: false,
    examples: ['millrace profile delete production'],
    run({ output, shell, arguments: [name = ''] }) {
      if (!new ProfileStore(shell.environment).remove(name))
        throw new CliError('input', `There is no profile "${name}"`);
      output.result({ deleted: name }, () => output.line(`${name} deleted`));
      return undefined;
    },
  });
}

async function login({ output, shell, options, text }: CommandCall): Promise<void> {
  const url = baseUrl(text('url') ?? 'http://127.0.0.1:7860');
  const name = text('profile') ?? 'default';
  const file = text('keyFile');
  if (file !== undefined && options['signOn'] !== undefined)
    throw new CliError('usage', 'Give --key-file or --sign-on, not both.');
  const credentials =
    options['signOn'] === undefined
      ? { key: await keyOf(shell, url, file) }
      : await signInByDevice({
          url,
          issuer: text('signOn'),
          show: (address, code) => output.note(`Open ${address} and confirm the code ${code}`),
          signal: shell.signal,
        });
  const client = clientFor({ url, key: credentials.key }, shell.signal);
  const { username } = await client.call('GET /api/v1/users/whoami');
  new ProfileStore(shell.environment).write(name, { url, ...credentials });
  output.result({ profile: name, url, username }, () =>
    output.line(`Profile ${name}: ${url}, user ${username}`),
  );
}

async function keyOf(shell: Shell, url: string, file: string | undefined): Promise<string> {
  const key = file === undefined ? await readSecret(shell, `API key of ${url}: `) : readKey(file);
  if (key === '') throw new CliError('usage', 'The key is empty.');
  return key;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CliError('input', `${file} cannot be read: ${reasonOf(error)}`, error);
  }
}
