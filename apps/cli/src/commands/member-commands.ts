import type { Command } from 'commander';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { MillraceError } from '../client/millrace-error';
import type { Schemas } from '../client/calls.generated';
import type { MillraceClient } from '../client/millrace-client';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandHost } from '../terminal/add-command';

type Role = Schemas['Member']['role'];

const roles: readonly Role[] = ['viewer', 'operator', 'editor', 'owner'];
const project = { name: '<project>', description: 'id or name of a project' };
const user = { name: '<user>', description: 'id or name' };

/** Adds `members list`, `set` and `remove`. */
export function addMemberCommands(program: Command, host: CommandHost): void {
  const members = addGroup(program, 'members', 'List, set and remove the members of a project');
  addCommand(members, host, {
    name: 'list',
    summary: 'List the members of a project',
    arguments: [project],
    examples: ['millrace members list shop'],
    async run({ api, output, arguments: [name = ''] }) {
      const client = api();
      const path = { project_id: await projectId(client, name) };
      const answer = await client.call('GET /api/v1/members/{project_id}', { path });
      const rows = answer.members.map((one) => [one.user_id, one.username, one.role, sees(one)]);
      output.result(answer, () => output.table(rows, ['id', 'username', 'role', 'payloads']));
    },
  });
  addCommand(members, host, {
    name: 'set',
    summary: 'Make a user a member of a project, or change the role',
    arguments: [project, user, { name: '<role>', description: 'role', choices: roles }],
    options: [option('--payloads', 'let a viewer see inputs, outputs and messages')],
    examples: ['millrace members set shop ann viewer --payloads'],
    async run({ api, output, options, arguments: [name = '', of = '', role = ''] }) {
      const client = api();
      const path = { project_id: await projectId(client, name), user: of };
      const body = { role: role as Role, ...(options['payloads'] === true ? { payloads: true } : {}) };
      const member = await client.call('PUT /api/v1/members/{project_id}/{user}', { path, body });
      output.result(member, () => output.line(`${member.username} is ${member.role}`));
    },
  });
  addCommand(members, host, {
    name: 'remove',
    summary: 'Remove members from a project',
    arguments: [project, { name: '<user...>', description: 'ids or names' }],
    examples: ['millrace members remove shop ann'],
    async run({ api, output, arguments: [name = '', ...users] }) {
      const client = api();
      const id = await projectId(client, name);
      const outcomes: { readonly user: string; readonly removed: boolean }[] = [];
      for (const each of users) outcomes.push({ user: each, removed: await remove(client, id, each) });
      const removed = outcomes.filter((one) => one.removed).map((one) => one.user);
      output.result({ removed }, () => removed.forEach((one) => output.line(`${one} removed`)));
      for (const one of outcomes) if (!one.removed) output.note(`${one.user}: Member not found`);
      return removed.length === users.length ? exitCodes.success : exitCodes.negative;
    },
  });
}

/** False when the user is no member. */
async function remove(client: MillraceClient, from: string, member: string): Promise<boolean> {
  try {
    await client.call('DELETE /api/v1/members/{project_id}/{user}', {
      path: { project_id: from, user: member },
    });
    return true;
  } catch (error) {
    if (error instanceof MillraceError && error.status === 404) return false;
    throw error;
  }
}

const sees = ({ payloads }: Schemas['Member']) => (payloads ? 'yes' : 'no');

/** Finds a project of the user by id or name. */
async function projectId(api: MillraceClient, reference: string): Promise<string> {
  const projects = await api.call('GET /api/v1/projects/');
  const found =
    projects.find(({ id }) => id === reference.toLowerCase()) ??
    projects.find(({ name }) => name === reference);
  if (found !== undefined) return found.id;
  const names = projects.map(({ id, name }) => `\n  ${id}   ${name}`).join('');
  throw new CliError('refused', `No project has the id or name "${reference}". The projects:${names}`);
}
