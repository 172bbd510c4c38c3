import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { canaries } from './canaries';
import { leakingFlows } from './leaking-flows';

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface RunList {
  readonly runs: readonly { readonly id: string }[];
}

type Headers = Readonly<Record<string, string>>;

const INPUTS = ['hello', 'please fail', 'please refuse'];

/** Requests that give secrets to an installation, and requests that could show them. */
export class SecretSteps {
  /** Answers to callers that must not see secrets. */
  readonly answersToOthers: string[] = [];
  readonly #url: string;
  readonly #key: string;
  /** The address of echoing services. */
  readonly #services: string;
  /** Flow ids by endpoint. */
  readonly #flows = new Map<string, string>();

  constructor({ url, key }: { readonly url: string; readonly key: string }, services: string) {
    this.#url = url;
    this.#key = key;
    this.#services = services;
  }

  async storeSecrets(): Promise<void> {
    for (const [name, value, type] of [
      ['CANARY', canaries.credentialVariable, 'Credential'],
      ['PLAIN', canaries.plainVariable, 'Generic'],
      ['SIGNING', canaries.signingSecret, 'Credential'],
    ])
      await this.expect(201, 'POST', '/api/v1/variables/', { name, value, type, default_fields: [] });
    const { mcpHeader, mcpQuery, mcpEnvironment, mcpArgument } = canaries;
    await this.expect(200, 'POST', '/api/v2/mcp/servers/canary-remote', {
      url: `${this.#services}/mcp?key=${mcpQuery}`,
      headers: { authorization: `Bearer ${mcpHeader}` },
    });
    await this.expect(200, 'POST', '/api/v2/mcp/servers/canary-local', {
      command: process.execPath,
      args: [join(__dirname, 'echoing-mcp.fixture.cjs'), mcpArgument],
      env: { TOKEN: mcpEnvironment },
    });
  }

  async storeFlows(): Promise<void> {
    for (const [endpoint, data] of Object.entries(leakingFlows(this.#services))) {
      const signature = { scheme: 'github', secrets: ['SIGNING'] };
      const settings = endpoint === 'webhook' ? { webhook: { signature } } : {};
      const flow = { name: endpoint, endpoint_name: endpoint, data, settings };
      const { id } = JSON.parse(await this.expect(201, 'POST', '/api/v1/flows/', flow)) as { id: string };
      this.#flows.set(endpoint, id);
    }
    const forged = { name: 'a\r\n{"level":"fatal","msg":"forged"}', data: { nodes: [], edges: [] } };
    await this.expect(201, 'POST', '/api/v1/flows/', forged);
  }

  /**
   * Runs every flow with an input that succeeds, one that fails in the flow and one that the model refuses; flows without such
   * a vertex succeed. Resolves to the answers.
   */
  async runFlows(): Promise<string> {
    const headers = {
      'x-api-key': this.#key,
      'x-langflow-global-var-from_header': canaries.headerVariable,
    };
    const answers: Answer[] = [];
    for (const endpoint of this.#flows.keys()) {
      if (endpoint === 'webhook') continue;
      for (const input_value of INPUTS)
        for (const query of ['', '?stream=true'])
          answers.push(await this.call('POST', `/api/v1/run/${endpoint}${query}`, { input_value }, headers));
    }
    const tweaks = { 'OpenAIModel-m': { api_key: canaries.tweak } };
    for (const input_value of INPUTS)
      answers.push(await this.call('POST', '/api/v1/run/saved', { input_value, tweaks }, headers));
    return answers.map(({ text }) => text).join('\n');
  }

  async runWebhook(): Promise<void> {
    const body = { order: canaries.webhookBody };
    const signed = (secret: string): Headers => {
      const digest = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
      return { 'x-hub-signature-256': `sha256=${digest}` };
    };
    await this.#refuse(401, 'POST', '/api/v1/webhook/webhook', body, signed('another'));
    await this.expect(202, 'POST', '/api/v1/webhook/webhook', body, signed(canaries.signingSecret));
  }

  async refuseCallers(): Promise<void> {
    const wrong = {
      'x-api-key': canaries.wrongKey,
      authorization: `Bearer ${canaries.bearer}`,
      cookie: `c=${canaries.cookie}`,
    };
    const inQuery = `?x-api-key=${canaries.wrongKeyInQuery}`;
    await this.#refuse(403, 'POST', '/api/v1/run/saved', {}, wrong);
    await this.#refuse(401, 'GET', '/api/v1/flows/', undefined, wrong);
    await this.#refuse(403, 'POST', '/api/v1/responses', {}, { authorization: wrong.authorization });
    await this.#refuse(403, 'GET', '/api/v1/flows/', undefined, { cookie: wrong.cookie });
    await this.#refuse(403, 'POST', `/api/v1/run/saved${inQuery}`, {}, {});
    await this.#refuse(403, 'POST', `/api/v1/webhook/variable${inQuery}`, { a: 1 }, {});
  }

  /** Requests the runs, flows and variables of the owner as another user who knows their ids. */
  async askAsAnother(): Promise<void> {
    const created = await this.expect(201, 'POST', '/api/v1/users/', { username: 'another' });
    const { api_key: key } = JSON.parse(created) as { api_key: string };
    const headers = { 'x-api-key': key };
    for (const id of (await this.#runs()).slice(0, 20))
      for (const path of [`runs/${id}`, `runs/${id}/trace`, `monitor/traces/${id}`])
        await this.#refuse(404, 'GET', `/api/v1/${path}`, undefined, headers);
    const answers: Answer[] = [];
    for (const [endpoint, id] of this.#flows) {
      answers.push(await this.call('POST', `/api/v1/run/${endpoint}`, { input_value: 'x' }, headers));
      answers.push(await this.call('GET', `/api/v1/flows/${id}`, undefined, headers));
    }
    for (const path of ['/api/v1/variables/', '/api/v2/mcp/servers', '/api/v1/runs', '/api/v1/config'])
      answers.push(await this.call('GET', path, undefined, headers));
    this.answersToOthers.push(...answers.map(({ text }) => text));
  }

  /** Reads the vertex records of all runs, by each route that has them. */
  async readRecords(): Promise<readonly string[]> {
    const webhook = `/api/v1/monitor/traces?flow_id=${this.#flows.get('webhook')}`;
    const isRecorded = async () => (await this.call('GET', webhook)).text.includes('"error"');
    await until(isRecorded, 'the record of the webhook', 30_000);
    const records: string[] = [];
    for (const flowId of this.#flows.values())
      for (const path of ['traces', 'builds', 'transactions'])
        records.push(await this.expect(200, 'GET', `/api/v1/monitor/${path}?flow_id=${flowId}`));
    for (const id of await this.#runs())
      for (const path of [`runs/${id}/trace`, `monitor/traces/${id}`])
        records.push(await this.expect(200, 'GET', `/api/v1/${path}`));
    return records;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Headers = { 'x-api-key': this.#key },
  ): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Resolves to the text of an answer with this status; rejects for another one. */
  async expect(expected: number, ...request: Parameters<SecretSteps['call']>): Promise<string> {
    const { status, text } = await this.call(...request);
    if (status !== expected)
      throw new Error(`${request[0]} ${request[1]} was answered with ${status}: ${text}`);
    return text;
  }

  async #refuse(expected: number, ...request: Parameters<SecretSteps['call']>): Promise<void> {
    this.answersToOthers.push(await this.expect(expected, ...request));
  }

  async #runs(): Promise<readonly string[]> {
    const { runs } = JSON.parse(await this.expect(200, 'GET', '/api/v1/runs?limit=100')) as RunList;
    return runs.map(({ id }) => id);
  }
}
