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

const canaries = {
  variable: 'canary-variable-0123456789',
  headerVariable: 'canary-header-variable-0123456789',
  tweak: 'canary-tweak-0123456789',
  address: 'canary-of-an-address-0123456789',
  header: 'canary-of-a-header-0123456789',
};
const keyField = { type: 'str', password: true, value: '' };
const fromVariable = (name: string) => ({ type: 'str', load_from_db: true, value: name });

/** Chat Input → OpenAI → JavaScript Function → Chat Output, with a secret in each place that can have one. */
function flowWith(script: string, apiKey: Readonly<Record<string, unknown>>): object {
  return flowData(
    [
      node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
      node(
        'OpenAIModel-m',
        {
          input_value: '',
          model_name: 'gpt-4o',
          api_key: apiKey,
          system_message: fromVariable('FROM_HEADER'),
        },
        'text_output',
      ),
      node('JavaScriptFunction-s', { script }, 'message'),
      node('ChatOutput-o', { input_value: '', session_id: '' }, 'message'),
      node(
        'APIRequest-a',
        {
          url_input: { type: 'str', value: `http://user:${canaries.address}@127.0.0.1:1/` },
          headers: { type: 'table', value: [{ key: 'X-Key', value: canaries.header }] },
        },
        'data',
      ),
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
      await send('POST', '/api/v1/variables/', {
        ...{ name: 'CANARY', value: canaries.variable, type: 'Credential', default_fields: [] },
      });
    }, 180_000);
    afterAll(() => installation?.stop(), 60_000);

    async function send(
      method: string,
      path: string,
      body?: unknown,
      headers: Readonly<Record<string, string>> = {},
    ) {
      const response = await fetch(installation.url + path, {
        method,
        headers: { ...installation.headers, ...headers },
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
      const failing = flowWith('throw new Error("cannot use " + input)', keyField);
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
        [node('Webhook-w', { data: '' }, 'output_data'), node('JavaScriptFunction-s', { script: 'throw new Error("no")' }, 'message')], // prettier-ignore
        ['Webhook-w.output_data > JavaScriptFunction-s.input_value'],
      );
      await addFlow('failing-webhook', data, {});
      const { text } = await send('POST', '/api/v1/webhook/failing-webhook', { order: 7 });
      const { run_id: runId } = JSON.parse(text) as { run_id: string };
      let answer = await send('GET', `/api/v1/runs/${runId}/trace`);
      for (let tries = 0; tries < 600 && answer.status !== 200; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        answer = await send('GET', `/api/v1/runs/${runId}/trace`);
      }
      const { vertices } = JSON.parse(answer.text) as Trace;
      expect(vertices.map(({ id, state }) => [id, state])).toEqual([
        ['Webhook-w', 'succeeded'],
        ['JavaScriptFunction-s', 'failed'],
      ]);
    }, 60_000);

    test('an answer says how long it waited, and which vertex was the slowest', async () => {
      await addFlow('timed', flowWith('input', keyField), {});
      const { headers } = await send('POST', '/api/v1/run/timed', { input_value: 'x' });
      expect(headers.get('server-timing')).toMatch(
        /^run;dur=[\d.]+, queue;dur=[\d.]+, vertex;dur=[\d.]+;desc="[A-Za-z]+-[a-z]"$/,
      );
    });

    test.each(['off', 'failed', 'all'] as const)(
      'secrets are in no record, wherever they come from and whatever repeats them, with values %s',
      async (values) => {
        const echo = Object.values(canaries).join(' ');
        const answers: string[] = [];
        for (const [what, script] of [
          ['throws', 'throw new Error(input + " " + input)'],
          ['passes', 'input + input'],
        ] as const) {
          const endpoint = `${what}-${values}`;
          const settings = { sampleRate: 1, values };
          const id = await addFlow(endpoint, flowWith(script, fromVariable('CANARY')), settings);
          const tweaked = await addFlow(`${endpoint}-tweaked`, flowWith(script, keyField), settings);
          const headers = { 'x-langflow-global-var-from_header': canaries.headerVariable };
          const tweaks = { 'OpenAIModel-m': { api_key: canaries.tweak } };
          const plain = Object.values(canaries).filter((canary) => canary !== canaries.tweak);
          await send('POST', `/api/v1/run/${endpoint}`, { input_value: plain.join(' ') }, headers);
          const body = { input_value: echo.replace(canaries.variable, ''), tweaks };
          await send('POST', `/api/v1/run/${endpoint}-tweaked`, body, headers);
          for (const flowId of [id, tweaked])
            for (const path of ['traces', 'builds', 'transactions']) {
              const { status, text } = await send('GET', `/api/v1/monitor/${path}?flow_id=${flowId}`);
              expect(status).toBe(200);
              answers.push(text);
              if (path !== 'traces') continue;
              const { traces } = JSON.parse(text) as { traces: readonly { id: string }[] };
              expect(traces).toHaveLength(1);
              for (const trace of traces) {
                answers.push((await send('GET', `/api/v1/monitor/traces/${trace.id}`)).text);
                answers.push((await send('GET', `/api/v1/runs/${trace.id}/trace`)).text);
              }
            }
        }
        const all = answers.join('\n');
        for (const [where, canary] of Object.entries(canaries))
          expect([where, all.includes(canary)]).toEqual([where, false]);
        if (values !== 'off') expect(all).toContain('[hidden]');
      },
      120_000,
    );
  });
}
