import { readFileSync } from 'node:fs';
import { option } from '../commands/add-command';
import type { CommandCall, CommandDescription } from '../commands/add-command';
import { jsonLines } from '../client/json-lines';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { readJson } from '../flows/flow-files';

/** Longer than any run with default settings. */
const DEADLINE_MILLISECONDS = 3_600_000;

interface RunEvent {
  readonly event?: string;
  readonly data?: Record<string, unknown>;
}

/** The command `run`. */
export const runCommand: CommandDescription = {
  name: 'run',
  summary: 'Run a flow and print its answer as it arrives',
  details: 'Exits with 1 when the run fails. With --json, prints the whole answer of the server.',
  arguments: [
    { name: '<flow>', description: 'id or endpoint name' },
    { name: '[input]', description: 'the input value; - reads it from standard input' },
  ],
  options: [
    option('--session <id>', 'session of the run; default: the id of the flow'),
    option('--tweaks <file>', 'JSON file with tweaks'),
    option('--no-stream', 'wait for the whole answer'),
  ],
  examples: [
    'millrace run echo "Hello"',
    'millrace run summary - < letter.txt',
    'millrace run echo "Hello" --json',
  ],
  async run(call) {
    const [flow = '', input] = call.arguments;
    const tweaks = call.text('tweaks');
    const session = call.text('session');
    const body = {
      ...(input === undefined ? {} : { input_value: input === '-' ? readFileSync(0, 'utf8') : input }),
      ...(tweaks === undefined ? {} : { tweaks: readJson(tweaks) }),
      ...(session === undefined ? {} : { session_id: session }),
    };
    const streams = call.options['stream'] !== false && !call.output.json;
    const path = `/api/v1/run/${encodeURIComponent(flow)}`;
    return streams ? streamRun(call, path, body) : wholeRun(call, path, body);
  },
};

async function wholeRun({ api, output }: CommandCall, path: string, body: object): Promise<number> {
  const response = await api().send(path, {
    method: 'POST',
    body,
    deadlineMilliseconds: DEADLINE_MILLISECONDS,
  });
  if (response.status >= 300) return failedRun(output, response);
  const answer = (await response.json()) as object;
  output.result(answer, () => output.line(answerText(answer)));
  return exitCodes.success;
}

async function streamRun({ api, output }: CommandCall, path: string, body: object): Promise<number> {
  const request = {
    method: 'POST',
    body,
    query: { stream: true },
    deadlineMilliseconds: DEADLINE_MILLISECONDS,
  } as const;
  const response = await api().send(path, request);
  if (response.status >= 300) return failedRun(output, response);
  if (response.body === null) throw new CliError('unavailable', 'The answer has no body.');
  let shown = '';
  let failure: string | undefined;
  let end: object | undefined;
  try {
    for await (const { event, data = {} } of jsonLines(response.body) as AsyncIterable<RunEvent>) {
      if (event === 'token') {
        const chunk = String(data['chunk'] ?? '');
        shown += chunk;
        output.part(chunk);
      }
      if (event === 'error') failure = errorText(data);
      if (event === 'end') end = (data['result'] as object | undefined) ?? {};
    }
  } catch (error) {
    throw new CliError('unavailable', `The stream ended before the run: ${reasonOf(error)}`, error);
  }
  if (failure !== undefined || end === undefined) {
    if (shown !== '') output.line('');
    output.note(failure ?? 'The stream ended before the run.');
    return failure === undefined ? exitCodes.unavailable : exitCodes.negative;
  }
  const text = answerText(end);
  // The rest of the answer, or all of it when the flow streams no tokens.
  output.line(text.startsWith(shown) ? text.slice(shown.length) : shown === '' ? text : '');
  return exitCodes.success;
}

/** A run that failed exits with 1; a request that was refused throws. */
async function failedRun(output: CommandCall['output'], response: Response): Promise<number> {
  const text = await response.text();
  const detail = detailOf(text);
  if (response.headers.get('x-run-id') === null)
    throw new CliError(
      [408, 429, 502, 503, 504].includes(response.status) ? 'unavailable' : 'refused',
      `The server answered ${response.status}: ${detail}`,
    );
  output.result({ status: response.status, error: detail }, () => output.note(detail));
  return exitCodes.negative;
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail !== 'string') return JSON.stringify(detail).slice(0, 2_000);
    const nested = detail.startsWith('{')
      ? (JSON.parse(detail) as { readonly message?: unknown }).message
      : undefined;
    return typeof nested === 'string' ? nested : detail;
  } catch {
    return text.slice(0, 2_000);
  }
}

function errorText(data: Record<string, unknown>): string {
  const text = data['text'] ?? data['error'] ?? data['message'];
  return typeof text === 'string' ? text : JSON.stringify(data).slice(0, 2_000);
}

/** Returns the texts of the outputs, one a line; JSON for an output that is no message. */
function answerText(answer: object): string {
  const { outputs = [] } = answer as {
    readonly outputs?: readonly { readonly outputs?: readonly unknown[] }[];
  };
  return outputs
    .flatMap(({ outputs: results = [] }) => results)
    .map((result) => {
      const { results = {} } = (result ?? {}) as {
        readonly results?: { readonly message?: { readonly text?: unknown } };
      };
      const text = results.message?.text;
      return typeof text === 'string' ? text : JSON.stringify(results);
    })
    .join('\n');
}
