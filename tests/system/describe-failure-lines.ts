import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import type { ExampleFlow } from './test-system';

const ROOT = join(__dirname, '..', '..');
const FAILS = '[[status=400]]';
const VERTEX = {
  id: 'LanguageModelComponent-chat3',
  displayName: 'Language Model',
  type: 'LanguageModelComponent',
};

/** A running installation, and the output of its processes. */
export interface WatchedInstallation {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
  stop(): Promise<unknown>;
}

interface Line {
  /** The service that wrote it. */
  readonly name: string;
  readonly level: string;
  readonly msg: string;
  readonly requestId?: string;
  readonly runId?: string;
  readonly flowId?: string;
  readonly reason?: string;
  readonly suppressed?: number;
}

/** Returns the chat example with another prompt. */
function chatFlow(prompt: string): object {
  const flow = JSON.parse(readFileSync(join(ROOT, 'examples', 'chat.json'), 'utf8')) as ExampleFlow;
  type Fields = { data: { node: { template: Record<string, { value: unknown }> } } };
  for (const { data } of flow.data.nodes as Fields[])
    if (data.node.template['template']) data.node.template['template'].value = prompt;
  return flow;
}

/** The services whose lines have the id of a failed request, in the order of their lines. */
export interface ExpectedServices {
  readonly run: readonly string[];
  readonly webhook: readonly string[];
}

/** Tests how an installation logs requests and failed runs. */
export function describeFailureLines(
  name: string,
  services: ExpectedServices,
  start: () => Promise<WatchedInstallation>,
): void {
  describe(`failures in the log (${name})`, () => {
    let installation: WatchedInstallation;
    let stopping: Promise<unknown> | undefined;
    const stop = () => (stopping ??= installation?.stop());
    afterAll(stop, 60_000);
    const all: Line[] = [];
    /** Ids of flows by purpose. */
    const flows: Record<string, string> = {};
    /** Responses by request name. */
    const seen: Record<string, { status: number; requestId: string; runId: string }> = {};

    const send = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(installation.url + path, {
        method: 'POST',
        headers: { ...installation.headers, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await response.text();
      const [requestId = '', runId = ''] = ['x-request-id', 'x-run-id'].map(
        (id) => response.headers.get(id) ?? '',
      );
      return { status: response.status, requestId, runId, text };
    };
    const ask = async (what: string, ...request: Parameters<typeof send>) => {
      seen[what] = await send(...request);
    };
    const addFlow = async (what: string, flow: object) => {
      const { status, text } = await send('/api/v1/flows/', { ...flow, name: what, endpoint_name: what });
      expect([status, text]).toEqual([201, text]);
      flows[what] = (JSON.parse(text) as { id: string }).id;
    };
    const ended = async (runId: string) => {
      await until(async () => {
        const response = await fetch(`${installation.url}/api/v1/runs/${runId}`, {
          headers: installation.headers,
        });
        const { status } = (await response.json()) as { status?: string };
        return ['failed', 'timed_out', 'dead'].includes(status ?? '');
      }, `the end of the run ${runId}`);
    };
    const linesOf = (what: string) => all.filter(({ requestId }) => requestId === seen[what]?.requestId);
    const isAccessLine = ({ msg }: Line) => msg === 'request answered';
    const about = (what: string) => linesOf(what).filter((line) => !isAccessLine(line));

    beforeAll(async () => {
      installation = await start();
      const asking = chatFlow('{question}');
      await addFlow('asking', asking);
      const failing = chatFlow(FAILS);
      await addFlow('failing', failing);
      await addFlow('failing-twice', { ...failing, settings: { retry: { attempts: 2, backoffSeconds: 1 } } });
      await addFlow('flooded', asking);
      const refused = flowData(
        [
          node('ChatInput-a', { input_value: '' }, 'message'),
          node('MissingComponent-u', { input_value: '' }, 'message'),
        ],
        ['ChatInput-a.message > MissingComponent-u.input_value'],
      );
      await addFlow('refused', { data: refused });

      await ask('whole', '/api/v1/run/asking', { input_value: FAILS });
      await ask('streamed', '/api/v1/run/asking?stream=true', { input_value: FAILS });
      await ask('response', '/api/v1/responses', { model: 'asking', input: FAILS });
      await ask('workflow', '/api/v2/workflows', {
        flow_id: flows['asking'],
        mode: 'sync',
        input_value: FAILS,
      });
      await ask(
        'named',
        '/api/v1/run/asking',
        { input_value: FAILS },
        { 'x-request-id': 'my-own-request-1' },
      );
      await ask('refused flow', '/api/v1/run/refused', { input_value: 'x' });
      await ask('late', '/api/v1/run/asking', { input_value: '[[hang]]' }, { 'x-deadline-seconds': '5' });
      const key = { 'idempotency-key': 'twice' };
      await ask('durable', '/api/v1/run/asking', { input_value: FAILS }, key);
      await ask('durable again', '/api/v1/run/asking', { input_value: FAILS }, key);
      await ask('background', '/api/v1/run/asking', { input_value: FAILS }, { prefer: 'respond-async' });
      await ask('webhook', '/api/v1/webhook/failing', { a: 1 });
      await ask('retried', '/api/v1/webhook/failing-twice', { a: 1 });
      for (const what of ['background', 'webhook', 'retried']) await ended(seen[what]?.runId ?? '');

      await ask('unknown flow', '/api/v1/run/none', {});
      await ask('unknown model', '/api/v1/responses', { model: 'none', input: 'x' });
      await ask('wrong body', '/api/v1/run/asking', { input_value: 1 });
      await ask('no JSON', '/api/v1/run/asking', '{');
      await ask(
        'wrong key',
        '/api/v1/run/asking?x-api-key=sk-wrong-key-in-the-query',
        {},
        { 'x-api-key': '' },
      );
      await ask('unknown webhook', '/api/v1/webhook/none', {});
      await Promise.all(
        Array.from({ length: 40 }, () => send('/api/v1/run/flooded', { input_value: FAILS })),
      );
      await stop();
      for (const line of installation.lines) {
        const json = line.slice(line.indexOf('{'));
        try {
          all.push(JSON.parse(json) as Line);
        } catch {
          // Not a log line: the banner.
        }
      }
    }, 180_000);

    test.each([
      ['whole', 500, 'asking'],
      ['streamed', 200, 'asking'],
      ['response', 200, 'asking'],
      ['workflow', 200, 'asking'],
      ['named', 500, 'asking'],
      ['durable', 500, 'asking'],
      ['background', 202, 'asking'],
      ['webhook', 202, 'failing'],
    ])('%s: logs one line for a failed run, with the vertex and the reason', (what, status, flow) => {
      expect(seen[what]).toMatchObject({ status });
      const fields = { code: 'component_failed', status: 'failed', vertex: VERTEX, attempt: 1 };
      const reason = expect.stringContaining('400') as string;
      const runId = seen[what]?.runId === '' ? expect.any(String) : seen[what]?.runId;
      const line = {
        level: 'warn',
        msg: 'run failed',
        flowId: flows[flow],
        runId,
        userId: expect.any(String),
        reason,
      };
      expect(about(what)).toEqual([expect.objectContaining({ ...line, ...fields })]);
      const ofRun = all.filter((other) => other.runId === about(what)[0]?.runId);
      expect(ofRun.filter(({ msg }) => msg.startsWith('run '))).toHaveLength(1);
    });

    test.each([
      ['whole', services.run],
      ['webhook', services.webhook],
    ])('%s: the request id finds the lines of each service', (what, expected) => {
      const names = linesOf(what).map((line) => line.name);
      expect([...names].sort()).toEqual([...expected].sort());
    });

    test.each([
      ['whole', 500, '/api/v1/run/:flow', 'asking'],
      ['streamed', 200, '/api/v1/run/:flow', 'asking'],
      ['response', 200, '/api/v1/responses', 'asking'],
      ['workflow', 200, '/api/v2/workflows', 'asking'],
      ['background', 202, '/api/v1/run/:flow', 'asking'],
      ['webhook', 202, '/api/v1/webhook/:flow', 'failing'],
      ['unknown flow', 404, '/api/v1/run/:flow', null],
      ['wrong key', 403, '/api/v1/run/:flow', null],
    ])('%s: logs one line for the request in the service that serves it', (what, status, route, flow) => {
      // The line of the service that forwards a webhook has less.
      const answered = linesOf(what).filter(isAccessLine);
      const serving = answered.find(({ flowId }) => flowId !== undefined) ?? answered[0];
      const run =
        flow === null ? {} : { flowId: flows[flow], userId: expect.any(String), runId: expect.any(String) };
      const numbers = {
        milliseconds: expect.any(Number),
        bytesIn: expect.any(Number),
        bytesOut: expect.any(Number),
      };
      expect(serving).toMatchObject({ level: 'info', method: 'POST', route, status, ...run, ...numbers });
      expect(JSON.stringify(serving)).not.toContain('wrong-key');
    });

    test('logs the request id that the caller gave', () => {
      expect(seen['named']?.requestId).toBe('my-own-request-1');
      expect(about('named')).toHaveLength(1);
    });

    test('logs one line for each failed attempt that is retried, and one for the end of the run', () => {
      const again = { msg: 'run attempt failed; another one follows', attempt: 1 };
      expect(about('retried')).toMatchObject([
        { ...again, level: 'warn', retryInMilliseconds: expect.any(Number), vertex: VERTEX },
        { msg: 'run begins another attempt', level: 'info', attempt: 2 },
        { msg: 'run failed', level: 'warn', attempt: 2, vertex: VERTEX },
      ]);
    });

    test('logs one line for a refused flow, with the vertex', () => {
      expect(seen['refused flow']?.status).toBe(422);
      const vertex = { id: 'MissingComponent-u', type: 'MissingComponent' };
      expect(about('refused flow')).toMatchObject([
        { level: 'warn', msg: 'run refused', code: 'flow_refused', flowId: flows['refused'], vertex },
      ]);
    });

    test('logs one line for a run that exceeds its deadline', () => {
      expect(seen['late']?.status).toBe(504);
      const late = {
        level: 'warn',
        msg: 'run timed out',
        code: 'deadline_exceeded',
        flowId: flows['asking'],
      };
      expect(about('late')).toMatchObject([{ ...late, runId: seen['late']?.runId }]);
      const ofRun = all.filter(({ runId }) => runId === seen['late']?.runId);
      expect(ofRun.filter((line) => !isAccessLine(line))).toHaveLength(1);
    });

    test('logs a separate line for a request that is answered with the failure of an earlier one', () => {
      const { runId } = seen['durable'] ?? {};
      const again = { level: 'info', msg: 'request refused', code: 'component_failed', runId };
      expect(about('durable again')).toMatchObject([again]);
    });

    test.each([
      ['unknown flow', 404, 'flow_unknown', '/api/v1/run/none', 'Flow identifier none not found'],
      ['unknown model', 200, 'flow_unknown', '/api/v1/responses', "Flow with id 'none' not found"],
      ['wrong body', 422, 'invalid_request', '/api/v1/run/asking', 'body.input_value: '],
      ['no JSON', 422, 'invalid_json', '/api/v1/run/asking', 'body.'],
      ['wrong key', 403, 'key_invalid', '/api/v1/run/asking', 'Invalid or missing API key'],
      ['unknown webhook', 404, 'flow_unknown', '/api/v1/webhook/none', 'Flow identifier none not found'],
    ])('%s: logs one line for a refused request', (what, status, code, path, reason) => {
      expect(seen[what]).toMatchObject({ status });
      const msg = what === 'unknown webhook' ? 'webhook refused' : 'request refused';
      expect(about(what)).toMatchObject([{ level: 'info', msg, status, code, path }]);
      expect(about(what)[0]?.reason).toContain(reason);
      expect(JSON.stringify(about(what))).not.toContain('wrong-key');
    });

    test('logs only some of many failed runs, and counts the suppressed lines', () => {
      const lines = all.filter(({ flowId, msg }) => flowId === flows['flooded'] && msg === 'run failed');
      const suppressed = all.filter(({ msg }) => msg === 'lines about failed runs suppressed');
      const count = suppressed.reduce((sum, line) => sum + (line.suppressed ?? 0), 0);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length + count).toBe(40);
    });
  });
}
