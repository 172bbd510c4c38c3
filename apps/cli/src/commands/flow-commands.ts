import { diffFlows } from '@millrace/gateway';
import type { Command } from 'commander';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { flowCheckCommand } from '../flows/check-command';
import { exportFlows } from '../flows/export-flows';
import { flowFiles, readFlows } from '../flows/flow-files';
import type { FlowJson } from '../flows/flow-files';
import { importFlows } from '../flows/import-flows';
import { listFlows } from '../flows/list-flows';
import { resolveFlow } from '../flows/resolve-flow';
import { flowWatchCommand } from '../flows/watch-flows';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandHost } from '../terminal/add-command';

/** Adds `flows pause` and `resume`. */
function addPauseCommands(flows: Command, host: CommandHost): void {
  const arguments_ = [{ name: '<flow>', description: 'id, endpoint name or name' }];
  addCommand(flows, host, {
    name: 'pause',
    summary: 'Refuse runs of a flow with 503, and let its background runs wait',
    arguments: arguments_,
    options: [option('--reason <text>', 'the text for callers')],
    examples: ["millrace flows pause echo --reason 'The provider is down.'"],
    async run({ api, output, text, arguments: [reference = ''] }) {
      const client = api();
      const path = { flow_id: (await resolveFlow(client, reference)).id };
      const body = { reason: text('reason') ?? null };
      const state = await client.call('POST /api/v1/flows/{flow_id}/pause', { path, body });
      output.result(state, () => output.line(`${state.id} is paused: ${state.reason}`));
    },
  });
  addCommand(flows, host, {
    name: 'resume',
    summary: 'End the pause of a flow',
    arguments: arguments_,
    examples: ['millrace flows resume echo'],
    async run({ api, output, arguments: [reference = ''] }) {
      const client = api();
      const path = { flow_id: (await resolveFlow(client, reference)).id };
      const state = await client.call('POST /api/v1/flows/{flow_id}/resume', { path });
      output.result(state, () => output.line(`${state.id} is not paused`));
    },
  });
}

/** Adds `flows` and its commands. */
export function addFlowCommands(program: Command, host: CommandHost): void {
  const flows = addGroup(program, 'flows', 'Import, watch, export, compare, check and pause flows');
  addCommand(flows, host, {
    name: 'list',
    summary: 'List the flows of the user',
    examples: ['millrace flows list'],
    async run({ api, output }) {
      const found = await listFlows(api());
      output.result(found, () =>
        output.table(
          found.map(({ id, name, endpoint_name: endpoint }) => [id ?? '', name, endpoint ?? '']),
          ['id', 'name', 'endpoint name'],
        ),
      );
    },
  });
  addCommand(flows, host, {
    name: 'import',
    summary: 'Create flows from export files, or change the flows that they mean',
    details:
      'A file means the flow of the user with its id, else with its endpoint name; a file without both, that with its name.\n' +
      'This flow is replaced by the file, in a new version; other flows are created.\n' +
      'A file contains one export, a list of exports or {"flows": [...]}, or is a ZIP archive of such files; a folder, its JSON files.',
    arguments: [{ name: '<path...>', description: 'export files and folders' }],
    options: [option('--dry-run', 'print what would be created and changed, and change nothing')],
    examples: ['millrace flows import ./flows --dry-run'],
    run: (call) => importFlows(call),
  });
  addCommand(flows, host, {
    name: 'export',
    summary: 'Write flows as export files, without the values of secret fields',
    arguments: [{ name: '[flow...]', description: 'ids, endpoint names or names; all flows unless given' }],
    options: [option('--output <folder>', 'folder for one file for each flow; default: standard output')],
    examples: ['millrace flows export --output ./flows'],
    run: (call) => exportFlows(call),
  });
  addCommand(flows, host, {
    name: 'diff',
    summary: 'Compare a flow of the server with an export file',
    details:
      'Vertices are compared by id and fields by name; positions and values of secret fields are not compared.',
    arguments: [
      { name: '<flow>', description: 'id, endpoint name or name' },
      { name: '<file>', description: 'export file' },
    ],
    examples: ['millrace flows diff echo echo.json && echo same'],
    async run({ api, output, arguments: [reference = '', path = ''] }) {
      const client = api();
      const { id } = await resolveFlow(client, reference);
      const stored = await client.json<FlowJson>(`/api/v1/flows/${id}`);
      const [given, ...more] = readFlows(path);
      if (given === undefined || more.length > 0)
        throw new CliError('input', `${path} must contain one flow`);
      const changes = diffFlows(stored, given);
      output.result({ flow_id: id, changes }, () => {
        if (changes.length === 0) output.line('No difference.');
        for (const { kind, place } of changes) output.line(`${kind.padEnd(8)} ${place}`);
      });
      return changes.length === 0 ? exitCodes.success : exitCodes.negative;
    },
  });
  addPauseCommands(flows, host);
  addCommand(flows, host, flowWatchCommand);
  addCommand(flows, host, flowCheckCommand(flowFiles));
}
