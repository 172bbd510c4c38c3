import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes } from '../exit-codes';
import { resolveFlow } from '../flows/resolve-flow';
import { runCommand } from '../runs/run-command';
import type { Answer, CallRequest } from '../client/millrace-client';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

const POLL_MILLISECONDS = 1_000;
const RUNNING: readonly string[] = ['accepted', 'queued', 'running', 'suspended'];
const replayOptions = [
  option('--version <version>', 'same or current; default current').choices(['same', 'current']),
];

/** Adds `run` and `runs` and its commands. */
export function addRunCommands(program: Command, host: CommandHost): void {
  addCommand(program, host, runCommand);
  const runs = addGroup(program, 'runs', 'Find, follow, cancel and replay runs');
  addCommand(runs, host, {
    name: 'list',
    summary: 'List runs, newest first',
    details: 'An interactive run has no record while its caller waits.',
    options: [
      option('--flow <flow>', 'only runs of this flow: id, endpoint name or name'),
      option('--status <statuses>', 'only runs with one of these statuses, separated by commas'),
      option('--session <id>', 'only runs of this session'),
      option('--error-code <code>', 'only runs that failed with this code'),
      option('--from <time>', 'only runs accepted at this time or later, in ISO 8601'),
      option('--before <time>', 'only runs accepted before this time'),
      option('--all-users', 'runs of all users, for admins'),
      option('--limit <number>', 'at most 200; default 50'),
      option('--cursor <cursor>', 'the next page, from an earlier answer with --json'),
    ],
    examples: ['millrace runs list --flow echo --status failed,dead'],
    run: (call) => listRuns(call, call.text('status')),
  });
  addCommand(runs, host, {
    name: 'show',
    summary: 'Show a run with its result',
    arguments: [{ name: '<run>', description: 'id of the run' }],
    examples: ['millrace runs show 0199d0b2-7c1e-7000-8000-0242ac120002'],
    async run({ api, output, arguments: [id = ''] }) {
      const run = await api().call('GET /api/v1/runs/{run_id}', runOf(id));
      output.result(run, () => {
        for (const [name, value] of Object.entries(run))
          output.line(`${name.padEnd(14)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
      });
    },
  });
  addCommand(runs, host, {
    name: 'tail',
    summary: 'Wait for a run and print each change of its status',
    details: 'Exits with 0 when the run succeeded, else with 1.',
    arguments: [{ name: '<run>', description: 'id of the run' }],
    examples: ['millrace runs tail 0199d0b2-7c1e-7000-8000-0242ac120002'],
    run: tailRun,
  });
  addCommand(runs, host, {
    name: 'cancel',
    summary: 'Cancel runs',
    arguments: [{ name: '<run...>', description: 'ids of runs' }],
    examples: ['millrace runs cancel 0199d0b2-7c1e-7000-8000-0242ac120002'],
    async run({ api, output, arguments: ids }) {
      const cancelled: Answer<'POST /api/v1/runs/{run_id}/cancel'>[] = [];
      for (const id of ids) cancelled.push(await api().call('POST /api/v1/runs/{run_id}/cancel', runOf(id)));
      output.result({ runs: cancelled }, () =>
        output.table(
          cancelled.map(({ id, status }) => [id, status]),
          ['run', 'status'],
        ),
      );
    },
  });
  addCommand(runs, host, {
    name: 'replay',
    summary: 'Replay runs that are dead, failed or timed out',
    arguments: [{ name: '<run...>', description: 'ids of runs' }],
    options: replayOptions,
    examples: ['millrace runs replay 0199d0b2-7c1e-7000-8000-0242ac120002 --version same'],
    run: (call) => replayRuns(call, call.arguments),
  });
  addDeadCommands(program, host);
}

function addDeadCommands(program: Command, host: CommandHost): void {
  const dead = addGroup(program, 'dead', 'List, replay and delete dead runs');
  addCommand(dead, host, {
    name: 'list',
    summary: 'List dead runs, newest first',
    options: [
      option('--flow <flow>', 'only runs of this flow'),
      option('--limit <number>', 'at most 200; default 50'),
    ],
    examples: ['millrace dead list'],
    run: (call) => listRuns(call, 'dead'),
  });
  addCommand(dead, host, {
    name: 'replay',
    summary: 'Replay dead runs',
    details: 'Without ids, counts them; with --all, replays them, at most 10,000.',
    arguments: [{ name: '[run...]', description: 'ids of runs' }],
    options: [
      option('--flow <flow>', 'only runs of this flow'),
      option('--all', 'replay all dead runs of the filter'),
      ...replayOptions,
    ],
    examples: ['millrace dead replay --flow orders --all'],
    run: (call) => (call.arguments.length > 0 ? replayRuns(call, call.arguments) : replayDead(call)),
  });
  addCommand(dead, host, {
    name: 'delete',
    summary: 'Delete the records of dead runs',
    arguments: [{ name: '[run...]', description: 'ids of runs' }],
    options: [
      option('--flow <flow>', 'only runs of this flow'),
      option('--all', 'delete all dead runs of the filter'),
    ],
    examples: ['millrace dead delete --all'],
    run: deleteDead,
  });
}

const runOf = (id: string) => ({ path: { run_id: id } });

async function listRuns(
  { api, output, options, text }: CommandCall,
  status: string | undefined,
): Promise<void> {
  const client = api();
  const flow = text('flow');
  const list = await client.call('GET /api/v1/runs', {
    query: {
      flow_id: flow === undefined ? undefined : (await resolveFlow(client, flow)).id,
      status,
      session_id: text('session'),
      error_code: text('errorCode'),
      accepted_from: text('from'),
      accepted_before: text('before'),
      all_users: options['allUsers'] === true ? true : undefined,
      limit: text('limit') === undefined ? undefined : Number(text('limit')),
      cursor: text('cursor'),
    },
  });
  output.result(list, () =>
    output.table(
      list.runs.map(({ id, status: state, flow_id: flowId, accepted_at: at, error }) => [
        id,
        state,
        flowId,
        at,
        String(error?.['code'] ?? ''),
      ]),
      ['run', 'status', 'flow', 'accepted at', 'error'],
    ),
  );
}

async function tailRun({ api, output, shell, arguments: [id = ''] }: CommandCall): Promise<number> {
  const client = api();
  let last = '';
  for (;;) {
    const run = await client.call('GET /api/v1/runs/{run_id}', runOf(id));
    const state = `${run.status}, attempt ${run.attempt}`;
    if (state !== last && !output.json) output.line(`${run.id} ${state}`);
    last = state;
    if (!RUNNING.includes(run.status)) {
      output.result(run, () => {
        if (run.error) output.line(`${run.error.code ?? ''}: ${run.error.message ?? ''}`);
      });
      return run.status === 'succeeded' ? exitCodes.success : exitCodes.negative;
    }
    // An interruption rejects the next request.
    await sleep(POLL_MILLISECONDS, undefined, { signal: shell.signal }).catch(() => undefined);
  }
}

async function replayRuns({ api, output, text }: CommandCall, ids: readonly string[]): Promise<number> {
  const { runs } = await api().call('POST /api/v1/runs/replay', {
    body: { runs: [...ids], version: versionOf(text('version')) },
  });
  output.result({ runs }, () =>
    output.table(
      runs.map(({ id, replayed_as: replay }) => [id, replay ?? 'cannot be replayed']),
      ['run', 'replayed as'],
    ),
  );
  return runs.every(({ replayed_as: replay }) => replay !== null) ? exitCodes.success : exitCodes.negative;
}

const versionOf = (text: string | undefined) => (text === 'same' ? 'same' : 'current');

async function replayDead({ api, output, options, text, now }: CommandCall): Promise<void> {
  const client = api();
  const flow = text('flow');
  const filter: CallRequest<'POST /api/v1/runs/bulk'>['body']['filter'] = {
    status: ['dead'],
    ...(flow === undefined ? {} : { flow_id: (await resolveFlow(client, flow)).id }),
  };
  const body = { action: 'replay', filter, version: versionOf(text('version')) } as const;
  const bulk = (rest: object) => client.call('POST /api/v1/runs/bulk', { body: { ...body, ...rest } });
  const counted = await bulk({ dry_run: true });
  if (options['all'] !== true || counted.token === null)
    return output.result({ count: counted.count, replayed: 0 }, () =>
      output.line(`${counted.count} dead runs${counted.count === 0 ? '' : '; replay them with --all'}`),
    );
  const progress = output.progress(now);
  let replayed = 0;
  for (let token: string | null = counted.token; token !== null;) {
    const batch: Answer<'POST /api/v1/runs/bulk'> = await bulk({ token });
    replayed += batch.count;
    token = batch.token;
    progress.show(`${replayed} of ${counted.count}`);
  }
  progress.end();
  output.result({ count: counted.count, replayed }, () => output.line(`${replayed} runs replayed`));
}

async function deleteDead({
  api,
  output,
  options,
  text,
  arguments: ids,
}: CommandCall): Promise<number | undefined> {
  const client = api();
  if (ids.length === 0 && options['all'] !== true) {
    output.note('Name the runs, or delete all dead runs with --all.');
    return exitCodes.usage;
  }
  let deleted = 0;
  for (const id of ids) {
    await client.call('DELETE /api/v1/runs/{run_id}', runOf(id));
    deleted += 1;
  }
  if (ids.length === 0) {
    const flow = text('flow');
    const flowId = flow === undefined ? undefined : (await resolveFlow(client, flow)).id;
    const query = { status: 'dead', flow_id: flowId } as const;
    const answer = await client.call('DELETE /api/v1/runs', { query });
    deleted = answer.deleted;
  }
  output.result({ deleted }, () => output.line(`${deleted} records deleted`));
  return exitCodes.success;
}
