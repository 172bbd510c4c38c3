import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { OpenApiDocument } from './openapi/openapi-document';
import { arbitraryRequest } from './testing/arbitrary-request';
import { closeConnections, sendRequest } from './testing/send-request';
import type { ReceivedAnswer, SentRequest } from './testing/send-request';
import { openTestGateway, TEST_KEY } from './testing/test-gateway';
import type { TestGateway } from './testing/test-gateway';

const CASES = Number(process.env['MILLRACE_FUZZ_CASES'] ?? 100);
const SEED = process.env['MILLRACE_FUZZ_SEED'];
const DEADLINE_MILLISECONDS = 5_000;
const IDS_AT_ONCE = 200;
const ROUTES_AT_MOST = 100;
const MILLISECONDS_A_CASE = 20;

const documents = ['echo', 'chat', 'order-webhook'].map(
  (name) =>
    JSON.parse(readFileSync(join(__dirname, `../../../examples/${name}.json`), 'utf8')) as Record<
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
  'every route answers any request as documented, and in time',
  async () => {
    const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
    const faults: string[] = [];
    for (const [template, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const route = { method: method.toUpperCase(), template, operation };
        await clear();
        const known = await file();
        const requests = arbitraryRequest({ ...route, key: TEST_KEY, known, documents });
        const result = await fc.check(fc.asyncProperty(requests, holds), {
          numRuns: CASES,
          ...(SEED === undefined ? {} : { seed: Number(SEED) }),
        });
        if (result.failed)
          faults.push(`${String(result.errorInstance)}\n${fc.defaultReportMessage(result) ?? ''}`);
      }
    }
    expect(faults).toEqual([]);
  },
  Math.max(300_000, CASES * ROUTES_AT_MOST * MILLISECONDS_A_CASE),
);

/** Takes away what requests before have made: it is answers that are looked at, not how long lists become. */
async function clear(): Promise<void> {
  const flows = (await gateway.call('GET', '/api/v1/flows/?header_flows=true')).json as { id: string }[];
  for (let first = 0; first < flows.length; first += IDS_AT_ONCE) {
    const ids = flows.slice(first, first + IDS_AT_ONCE).map(({ id }) => id);
    const { status } = await gateway.call('DELETE', '/api/v1/flows/', ids);
    if (status !== 200) throw new Error(`flows were not deleted: ${status}`);
  }
  const variables = (await gateway.call('GET', '/api/v1/variables/')).json as { id: string }[];
  for (const { id } of variables) await gateway.call('DELETE', `/api/v1/variables/${id}`);
  const keys = (await gateway.call('GET', '/api/v1/api_key/')).json as { api_keys: { id: string }[] };
  // The oldest is the one that is used here.
  for (const { id } of keys.api_keys.slice(1)) await gateway.call('DELETE', `/api/v1/api_key/${id}`);
  // No route deletes users.
  await gateway.database.query({ text: 'DELETE FROM users WHERE id <> $1', values: [gateway.user.id] });
}

/** What the requests may hit; filed anew, since requests before may have deleted it. */
async function file(): Promise<string[]> {
  const names = documents.map((document) => ({
    ...document,
    endpoint_name: `f-${Math.random().toString(36).slice(2)}`,
  }));
  const ids: string[] = [];
  for (const flow of names) ids.push(await gateway.file(flow));
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

async function holds(request: SentRequest): Promise<void> {
  const fault = faultOf(request, await sendRequest(gateway.url, request, DEADLINE_MILLISECONDS));
  if (fault !== null) throw new Error(fault);
}

function faultOf({ method, path }: SentRequest, { status, headers, text }: ReceivedAnswer): string | null {
  const errorCode = headers['x-error-code'];
  const told = `${method} ${path} answered ${status} ${String(errorCode)}: ${text.slice(0, 300)}`;
  if (errorCode === 'internal') return `nobody foresaw this: ${told}`;
  if (status === 503 && headers['retry-after'] === undefined) return `no Retry-After: ${told}`;
  // 501 says of the two routes of logs that they are switched off, as recorded.
  if (status >= 500 && ![500, 501, 503, 504].includes(status)) return told;
  if (headers['x-request-id'] === undefined) return `no request id: ${told}`;
  return gateway.contract.fault({
    method,
    path,
    status,
    contentType: headers['content-type'] ?? null,
    errorCode: typeof errorCode === 'string' ? errorCode : null,
    text,
  });
}
