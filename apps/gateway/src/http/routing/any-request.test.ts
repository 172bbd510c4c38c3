import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { propertyCases, testSeed } from '@millrace/service/testing';
import fc from 'fast-check';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { arbitraryRequest } from '../../testing/arbitrary-request';
import { closeConnections, sendRequest } from '../../testing/send-request';
import type { ReceivedAnswer, SentRequest } from '../../testing/send-request';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

const CASES = propertyCases(100, 2);
const DEADLINE_MILLISECONDS = 5_000;
const IDS_PER_REQUEST = 200;
/** Listing more of them takes long. */
const MANY_FLOWS = 20;
const MAXIMUM_ROUTES = 100;
const MILLISECONDS_PER_CASE = 20;

const documents = ['echo', 'chat', 'order-webhook'].map(
  (name) =>
    JSON.parse(readFileSync(join(__dirname, `../../../../../examples/${name}.json`), 'utf8')) as Record<
      string,
      unknown
    >,
);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    environment: { MILLRACE_RUN_DEADLINE_SECONDS: '1', MILLRACE_MAXIMUM_BODY_BYTES: '65536' },
  });
}, 60_000);
afterAll(async () => {
  closeConnections();
  await gateway.close();
});

test(
  'S9: every route answers any request as documented, and in time',
  async () => {
    const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
    const deviations: string[] = [];
    let known: readonly string[] | undefined;
    for (const [template, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const route = { method: method.toUpperCase(), template, operation };
        if (known === undefined || !(await areThere(known))) {
          await clear();
          known = await createResources();
        }
        const requests = arbitraryRequest({ ...route, key: TEST_KEY, known, documents });
        const result = await fc.check(fc.asyncProperty(requests, checkAnswer), {
          numRuns: CASES,
          seed: testSeed(),
        });
        if (result.failed)
          deviations.push(`${String(result.errorInstance)}\n${fc.defaultReportMessage(result) ?? ''}`);
      }
    }
    expect(deviations).toEqual([]);
  },
  Math.max(1_500_000, CASES * MAXIMUM_ROUTES * MILLISECONDS_PER_CASE),
);

/** Returns whether requests have deleted none of the resources and created few others. */
async function areThere(known: readonly string[]): Promise<boolean> {
  const [flows, messages] = await Promise.all([
    gateway.call('GET', '/api/v1/flows/?header_flows=true'),
    gateway.call('GET', '/api/v1/monitor/messages?session_id=known'),
  ]);
  const found = `${flows.text}${messages.text}`;
  const isFew = (flows.json as readonly unknown[]).length < MANY_FLOWS;
  return isFew && known.every((text) => text === 'default' || found.includes(text));
}

/** Deletes what earlier requests created, since the test checks answers and not long lists. */
async function clear(): Promise<void> {
  const flows = (await gateway.call('GET', '/api/v1/flows/?header_flows=true')).json as { id: string }[];
  for (let first = 0; first < flows.length; first += IDS_PER_REQUEST) {
    const ids = flows.slice(first, first + IDS_PER_REQUEST).map(({ id }) => id);
    const { status } = await gateway.call('DELETE', '/api/v1/flows/', ids);
    if (status !== 200) throw new Error(`flows were not deleted: ${status}`);
  }
  const variables = (await gateway.call('GET', '/api/v1/variables/')).json as { id: string }[];
  for (const { id } of variables) await gateway.call('DELETE', `/api/v1/variables/${id}`);
  const keys = (await gateway.call('GET', '/api/v1/api_key/')).json as { api_keys: { id: string }[] };
  // The oldest key is the one that the test uses.
  for (const { id } of keys.api_keys.slice(1)) await gateway.call('DELETE', `/api/v1/api_key/${id}`);
  // Users cannot be deleted by a route.
  await gateway.database.query({ text: 'DELETE FROM users WHERE id <> $1', values: [gateway.user.id] });
}

/** Creates the resources that requests can refer to. */
async function createResources(): Promise<string[]> {
  const names = documents.map((document) => ({
    ...document,
    endpoint_name: `f-${Math.random().toString(36).slice(2)}`,
  }));
  const ids: string[] = [];
  for (const flow of names) ids.push(await gateway.createFlow(flow));
  const run = await gateway.call('POST', `/api/v1/run/${ids[0]}`, { input_value: 'x', session_id: 'known' });
  const messages = (await gateway.call('GET', '/api/v1/monitor/messages?session_id=known')).json as {
    id: string;
  }[];
  const runId = run.headers.get('x-run-id') ?? '';
  return [
    ...ids,
    ...names.map((flow) => flow.endpoint_name),
    runId,
    messages[0]?.id ?? '',
    'known',
    'default',
  ];
}

async function checkAnswer(request: SentRequest): Promise<void> {
  const deviation = deviationOf(request, await sendRequest(gateway.url, request, DEADLINE_MILLISECONDS));
  if (deviation !== null) throw new Error(deviation);
}

function deviationOf(
  { method, path }: SentRequest,
  { status, headers, text }: ReceivedAnswer,
): string | null {
  const errorCode = headers['x-error-code'];
  const description = `${method} ${path} answered ${status} ${String(errorCode)}: ${text.slice(0, 300)}`;
  if (errorCode === 'internal') return `unexpected error: ${description}`;
  if (status === 503 && headers['retry-after'] === undefined) return `no Retry-After: ${description}`;
  // The two log routes answer 501 because they are disabled, as recorded from Langflow.
  if (status >= 500 && ![500, 501, 503, 504].includes(status)) return description;
  if (headers['x-request-id'] === undefined) return `no request id: ${description}`;
  return gateway.contract.deviation({
    method,
    path,
    status,
    contentType: headers['content-type'] ?? null,
    errorCode: typeof errorCode === 'string' ? errorCode : null,
    text,
  });
}
