import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { MillraceClient } from '../client/millrace-client';
import { clientFor } from '../profiles/client-for';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { differences } from '../compare/differences';
import type { AnswerDifference } from '../compare/differences';
import { exitCodes } from '../exit-codes';
import type { FlowJson } from '../flows/flow-files';
import { baseUrl } from '../profiles/choose-server';
import { ProfileStore } from '../profiles/profile-store';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

const DEADLINE_MILLISECONDS = 600_000;

/** A request that is sent to both servers. */
interface MirroredRequest {
  readonly flow: string;
  readonly body: object;
}

interface Answer {
  readonly status: number;
  readonly milliseconds: number;
  readonly json: unknown;
}

interface Comparison {
  readonly flow: string;
  readonly statuses: readonly [number, number];
  readonly milliseconds: readonly [number, number];
  readonly differences: readonly AnswerDifference[];
}

/** Adds `compare`. */
export function addCompareCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'compare',
    summary: 'Send the same requests to two servers and compare their answers',
    details:
      'Each request runs a flow on both servers, with its effects. Without --requests, every flow of the first server\n' +
      'runs once with --input. Ids, times and durations are not compared; texts of a language model differ by nature.\n' +
      'A base is an address, with the key MILLRACE_API_KEY, or the name of a profile. Exits with 1 when an answer differs.',
    options: [
      option('--base <base>', 'address or profile; twice').argParser(collect).makeOptionMandatory(),
      option('--requests <file>', 'a JSON object a line: {"flow": "echo", "body": {"input_value": "Hello"}}'),
      option('--input <text>', 'input of every flow without --requests; default "Hello"'),
    ],
    usesServer: false,
    examples: ['millrace compare --base old --base new --requests requests.jsonl --json'],
    run: runCompare,
  });
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

async function runCompare(call: CommandCall): Promise<number> {
  const { shell, options, output, text, now } = call;
  const bases = (options['base'] ?? []) as readonly string[];
  const [left, right] = bases.map((base) => clientOf(base, call));
  if (left === undefined || right === undefined || bases.length > 2)
    throw new CliError('usage', 'Name two servers: --base <base> --base <base>');
  const file = text('requests');
  const requests = file === undefined ? flowRequests(left, text('input') ?? 'Hello') : fileRequests(file);
  const compared: Comparison[] = [];
  const progress = output.progress(now);
  for await (const { flow, body } of requests) {
    shell.signal.throwIfAborted();
    progress.show(`${compared.length + 1}: ${flow}`);
    const [first, second] = await Promise.all([ask(left, flow, body, now), ask(right, flow, body, now)]);
    compared.push({
      flow,
      statuses: [first.status, second.status],
      milliseconds: [first.milliseconds, second.milliseconds],
      differences: differences(
        { status: first.status, answer: first.json },
        { status: second.status, answer: second.json },
      ),
    });
  }
  progress.end();
  const same = compared.filter((row) => row.differences.length === 0).length;
  output.result({ same, different: compared.length - same, requests: compared }, () => {
    output.table(
      compared.map(({ flow, statuses, milliseconds, differences: [difference] }) => [
        flow,
        ...statuses.map(String),
        ...milliseconds.map(String),
        difference === undefined
          ? 'same'
          : `${difference.path}: ${difference.left} | ${difference.right}`.slice(0, 160),
      ]),
      ['flow', 'status A', 'status B', 'ms A', 'ms B', 'answer'],
    );
    output.line(`${same} of ${compared.length} answers are the same.`);
  });
  return same === compared.length ? exitCodes.success : exitCodes.negative;
}

function clientOf(base: string, { shell }: CommandCall): MillraceClient {
  const { environment, signal } = shell;
  if (!base.includes('://')) {
    const profile = new ProfileStore(environment).read(base);
    if (profile === undefined) throw new CliError('configuration', `There is no profile "${base}"`);
    return clientFor(profile, signal);
  }
  const key = environment['MILLRACE_API_KEY'];
  if (!key)
    throw new CliError('configuration', `MILLRACE_API_KEY must be set for ${base}, or name a profile`);
  return clientFor({ url: baseUrl(base), key }, signal);
}

async function ask(api: MillraceClient, flow: string, body: object, now: () => number): Promise<Answer> {
  const began = now();
  const response = await api.send(`/api/v1/run/${encodeURIComponent(flow)}`, {
    method: 'POST',
    body,
    deadlineMilliseconds: DEADLINE_MILLISECONDS,
  });
  const answer = await response.text();
  const { status } = response;
  return { status, milliseconds: Math.round(now() - began), json: parsed(answer) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function* flowRequests(api: MillraceClient, input: string): AsyncGenerator<MirroredRequest> {
  const flows = await api.json<readonly FlowJson[]>('/api/v1/flows/', {
    query: { get_all: true, header_flows: true, remove_example_flows: true },
  });
  for (const { id, is_component: isComponent } of flows)
    if (id !== undefined && isComponent !== true)
      yield { flow: id, body: { input_value: input, session_id: 'millrace-compare' } };
}

async function* fileRequests(file: string): AsyncGenerator<MirroredRequest> {
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      number += 1;
      if (line.trim() === '') continue;
      const { flow, body = {} } = JSON.parse(line) as Partial<MirroredRequest>;
      if (typeof flow !== 'string') throw new Error('it names no flow');
      yield { flow, body };
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('input', `${file}, line ${number}: ${reasonOf(error)}`, error);
  }
}
