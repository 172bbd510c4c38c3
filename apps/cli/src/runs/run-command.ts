import { readFileSync } from 'node:fs';
import { option } from '../terminal/add-command';
import type { CommandDescription } from '../terminal/add-command';
import type { Schemas } from '../client/calls.generated';
import { refusalOf } from '../client/millrace-client';
import type { CallRequest, MillraceClient } from '../client/millrace-client';
import { errorBodyText, errorText } from '../client/error-text';
import { jsonLines } from '../client/json-lines';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import type { Output } from '../terminal/output';
import { readJson } from '../flows/flow-files';
import { resolveFlow } from '../flows/resolve-flow';

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
    { name: '<flow>', description: 'id, endpoint name or name' },
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
      ...(tweaks === undefined
        ? {}
        : { tweaks: (readJson(tweaks) as Schemas['RunRequest']['tweaks']) ?? null }),
      ...(session === undefined ? {} : { session_id: session }),
    };
    const streams = call.options['stream'] !== false && !call.output.json;
    const response = await sendRun(call.api(), flow, { body, query: streams ? { stream: true } : {} });
    return streams ? streamRun(call.output, response) : wholeRun(call.output, response);
  },
};

/** The server knows a flow by its id and its endpoint name; a name is looked up when it knows neither. */
async function sendRun(
  api: MillraceClient,
  flow: string,
  request: Pick<CallRequest<'POST /api/v1/run/{flow}'>, 'body' | 'query'>,
): Promise<Response> {
  const send = (reference: string) =>
    api.respond('POST /api/v1/run/{flow}', {
      path: { flow: reference },
      ...request,
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
    });
  const response = await send(flow);
  if (response.headers.get('x-error-code') !== 'flow_unknown') return response;
  return send((await resolveFlow(api, flow)).id);
}

async function wholeRun(output: Output, response: Response): Promise<number> {
  if (response.status >= 300) return failedRun(output, response);
  const answer = (await response.json()) as object;
  output.result(answer, () => output.line(answerText(answer)));
  return exitCodes.success;
}

async function streamRun(output: Output, response: Response): Promise<number> {
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
async function failedRun(output: Output, response: Response): Promise<number> {
  const text = await response.text();
  const detail = errorBodyText(text);
  if (response.headers.get('x-run-id') === null) throw refusalOf(response, text);
  output.result({ status: response.status, error: detail }, () => output.note(detail));
  return exitCodes.negative;
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
