import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';

/** A running installation whose model server is the value of OPENAI_BASE_URL. */
export interface RecordingInstallation {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<unknown>;
}

interface Vertex {
  readonly id: string;
  readonly state: string;
  readonly error: string | null;
  readonly inputs: Readonly<Record<string, unknown>> | null;
}
interface Trace {
  readonly status: string;
  readonly reason: string;
  readonly vertices: readonly Vertex[];
}

/** Chat Input → OpenAI → JavaScript Function → Chat Output. */
function flowWith(script: string): object {
  return flowData(
    [
      node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
      node('OpenAIModel-m', { input_value: '', model_name: 'gpt-4o' }, 'text_output'),
      node('JavaScriptFunction-s', { script }, 'message'),
      node('ChatOutput-o', { input_value: '', session_id: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > JavaScriptFunction-s.input_value',
      'JavaScriptFunction-s.message > ChatOutput-o.input_value',
    ],
  );
}

/** Tests what an installation keeps of the vertices of its runs. */
export function describeVertexRecords(name: string, start: () => Promise<RecordingInstallation>): void {
  describe(`vertex records (${name})`, () => {
    let installation: RecordingInstallation;
    beforeAll(async () => {
      installation = await start();
    }, 180_000);
    afterAll(() => installation?.stop(), 60_000);

    async function send(method: string, path: string, body?: unknown) {
      const response = await fetch(installation.url + path, {
        method,
        headers: installation.headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text };
    }
    const read = async <T>(path: string): Promise<T> => JSON.parse((await send('GET', path)).text) as T;
    const addFlow = async (endpoint: string, data: object, records: object) => {
      const flow = { name: endpoint, endpoint_name: endpoint, data, settings: { records } };
      const { status, text } = await send('POST', '/api/v1/flows/', flow);
      expect([status, text]).toEqual([201, text]);
      return (JSON.parse(text) as { id: string }).id;
    };

    test('a failing flow leaves the vertex that failed, with its input and its error', async () => {
      const failing = flowWith('throw new Error("cannot use " + input)');
      const id = await addFlow('failing', failing, {});
      const { status, headers } = await send('POST', '/api/v1/run/failing', { input_value: 'this text' });
      expect(status).toBe(500);
      const runId = headers.get('x-run-id') ?? '';
      const trace = await read<Trace>(`/api/v1/runs/${runId}/trace`);
      expect(trace).toMatchObject({ status: 'failed', reason: 'failed' });
      const failed = trace.vertices.find(({ id: vertex }) => vertex === 'JavaScriptFunction-s');
      expect(failed).toMatchObject({ state: 'failed' });
      expect(failed?.error).toContain('cannot use');
      expect(failed?.inputs).toHaveProperty('input_value');
      expect(trace.vertices[0]).toMatchObject({ id: 'ChatInput-i', inputs: { input_value: 'this text' } });

      const { traces } = await read<{ traces: object[] }>(`/api/v1/monitor/traces?flow_id=${id}`);
      expect(traces).toMatchObject([{ id: runId, status: 'error', input: { input_value: 'this text' } }]);
      const builds = await read<{ vertex_builds: object }>(`/api/v1/monitor/builds?flow_id=${id}`);
      expect(builds.vertex_builds).toMatchObject({
        'JavaScriptFunction-s': [{ valid: false, job_id: runId }],
      });
      const page = await read<{ items: object[] }>(`/api/v1/monitor/transactions?flow_id=${id}`);
      expect(page.items[0]).toMatchObject({ vertex_id: 'JavaScriptFunction-s', status: 'error' });
      expect(await read(`/api/v1/runs/${runId}`)).toMatchObject({
        usage: { model_calls: 1, models: [{ model: 'gpt-4o' }] },
      });
    }, 60_000);

    test('a webhook that fails leaves its vertices, too', async () => {
      const data = flowData(
        [
          node('Webhook-w', { data: '' }, 'output_data'),
          node('JavaScriptFunction-s', { script: 'throw new Error("no")' }, 'message'),
        ],
        ['Webhook-w.output_data > JavaScriptFunction-s.input_value'],
      );
      await addFlow('failing-webhook', data, {});
      const { text } = await send('POST', '/api/v1/webhook/failing-webhook', { order: 7 });
      const { run_id: runId } = JSON.parse(text) as { run_id: string };
      const trace = () => send('GET', `/api/v1/runs/${runId}/trace`);
      await until(async () => (await trace()).status === 200, 'the trace');
      const answer = await trace();
      const { vertices } = JSON.parse(answer.text) as Trace;
      expect(vertices.map(({ id, state }) => [id, state])).toEqual([
        ['Webhook-w', 'succeeded'],
        ['JavaScriptFunction-s', 'failed'],
      ]);
    }, 60_000);

    test('an answer says how long it waited, and which vertex was the slowest', async () => {
      await addFlow('timed', flowWith('input'), {});
      const { headers } = await send('POST', '/api/v1/run/timed', { input_value: 'x' });
      expect(headers.get('server-timing')).toMatch(
        /^run;dur=[\d.]+, queue;dur=[\d.]+, vertex;dur=[\d.]+;desc="[A-Za-z]+-[a-z]"$/,
      );
    });
  });
}
