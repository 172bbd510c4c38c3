import type { Command } from 'commander';
import { CliError } from '../cli-error';
import type { Schemas } from '../client/calls.generated';
import { resolveFlow } from '../flows/resolve-flow';
import { addCommand, addGroup, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';
import { readJson } from '../flows/flow-files';

/** Adds `pending` and its commands. */
export function addPendingCommands(program: Command, host: CommandHost): void {
  const pending = addGroup(program, 'pending', 'List and answer what suspended runs ask a person');
  addCommand(pending, host, {
    name: 'list',
    summary: 'List the requests that wait, the oldest first',
    options: [option('--flow <flow>', 'only runs of this flow: id, endpoint name or name')],
    examples: ['millrace pending list --flow approvals'],
    async run({ api, output, text }) {
      const client = api();
      const flow = text('flow');
      const filter = flow === undefined ? {} : { flow_id: (await resolveFlow(client, flow)).id };
      const requests: Schemas['OpenHumanRequest'][] = [];
      let cursor: string | null | undefined;
      do {
        const query = { ...filter, ...(cursor && { cursor }) };
        const page = await client.call('GET /api/v1/pending', { query });
        requests.push(...page.requests);
        cursor = page.next_cursor;
      } while (cursor);
      output.result({ requests }, () =>
        output.table(
          requests.map((one) => [
            one.run_id,
            one.paused_at,
            one.due_at ?? '',
            one.allowed_decisions.join(','),
            askedOf(one),
            questionOf(one),
          ]),
          ['run', 'since', 'until', 'decisions', 'asked', 'question'],
        ),
      );
    },
  });
  addCommand(pending, host, {
    name: 'answer',
    summary: 'Answer what a suspended run asks; the run goes on',
    arguments: [
      { name: '<run>', description: 'id of the run' },
      { name: '<decision>', description: 'one of the decisions that the request allows' },
    ],
    options: [
      option('--request <id>', 'the request, when the run has several'),
      option('--calls <numbers>', 'the calls of tools that it decides about, such as 1,3; all unless given'),
      option(
        '--values <file>',
        'JSON file with the values of the decision, such as {"message": "too risky"}',
      ),
    ],
    examples: ['millrace pending answer 0199d0b2-7c1e-7000-8000-0242ac120002 approve'],
    run: answerRequest,
  });
}

async function answerRequest({
  api,
  output,
  text,
  arguments: [id = '', action_id = ''],
}: CommandCall): Promise<void> {
  const client = api();
  const { requests } = await client.call('GET /api/v1/pending', { query: { run_id: id } });
  const [only, ...others] = requests;
  const request = text('request') ?? (others.length === 0 ? only?.request_id : undefined);
  if (only === undefined) throw new CliError('refused', `Run ${id} waits for no answer.`);
  if (request === undefined) {
    const lines = requests.map((one) => `  ${one.request_id}   ${questionOf(one)}`);
    throw new CliError(
      'refused',
      `Run ${id} asks several questions: name one with --request.\n${lines.join('\n')}`,
    );
  }
  const asked = requests.find((one) => one.request_id === request);
  if (asked === undefined)
    throw new CliError('refused', `Run ${id} has no request ${request} that waits for an answer.`);
  const { allowed_decisions: allowed } = asked;
  if (!allowed.includes(action_id))
    throw new CliError('refused', `The request allows ${allowed.join(', ')}: not ${action_id}.`);
  const calls = callsOf(text('calls'));
  const file = text('values');
  const values = file === undefined ? {} : readJson(file);
  const answer = await client.call('POST /api/v2/workflows/{job_id}/resume', {
    path: { job_id: id },
    body: { request_id: request, decision: { action_id, values, ...(calls && { calls }) } },
  });
  output.result(answer, () => output.line(`${id} goes on`));
}

/** Who answers: the user of the key, others that the flow names, or both. */
function askedOf({ may_answer: mayAnswer, answered_by: names }: Schemas['OpenHumanRequest']): string {
  const named = names?.join(',') || 'others';
  if (!mayAnswer) return named;
  return names === undefined ? 'you' : `you (${named})`;
}

/** A person who approves calls sees all of them, with the numbers of `--calls`. */
function questionOf({ prompt, action_requests: calls = [] }: Schemas['OpenHumanRequest']): string {
  if (calls.length === 0) return prompt;
  return calls.map(({ name, args }, index) => `${index + 1}: ${name} ${JSON.stringify(args)}`).join('  ');
}

/** The API counts calls from 0. */
function callsOf(numbers: string | undefined): readonly number[] | undefined {
  if (numbers === undefined) return undefined;
  const calls = numbers.split(',').map((number) => Number(number) - 1);
  if (calls.every((call) => Number.isInteger(call) && call >= 0)) return calls;
  throw new CliError('usage', `--calls is not a list of numbers such as 1,3: ${numbers}`);
}
