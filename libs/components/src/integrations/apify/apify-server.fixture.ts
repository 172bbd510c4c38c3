import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';

/** The only token that the fake accepts. */
export const apifyToken = 'apify_api_right';

interface FakeRun {
  readonly id: string;
  readonly query: string;
  statusRequests: number;
}

/** Apify with one actor, "apify~finder", whose runs finish at the second status request; a query "fail" fails. */
export function createApifyHandler(): FakeHandler {
  const runs: FakeRun[] = [];
  return fakeHandler(({ method, path, headers, json }) => {
    if (headers.authorization !== `Bearer ${apifyToken}`)
      return refusal(
        401,
        'user-or-token-not-found',
        'User was not found or authentication token is not valid',
      );
    if (path === '/v2/acts/apify~finder')
      return {
        json: {
          data: {
            id: 'a-1',
            description: 'Finds.',
            defaultRunOptions: { build: 'latest' },
            taggedBuilds: { latest: { buildId: 'b-1' } },
          },
        },
      };
    if (path === '/v2/actor-builds/b-1')
      return {
        json: {
          data: { id: 'b-1', readme: '# Finder', inputSchema: '{"properties":{"query":{"type":"string"}}}' },
        },
      };
    if (method === 'POST' && path === '/v2/acts/apify~finder/runs') {
      const { query } = (json ?? {}) as { readonly query?: unknown };
      if (typeof query !== 'string')
        return refusal(400, 'invalid-input', 'Input is not valid: Field input.query is required');
      runs.push({ id: `r-${runs.length + 1}`, query, statusRequests: 0 });
      return {
        status: 201,
        json: { data: { id: `r-${runs.length}`, status: 'RUNNING', defaultDatasetId: `d-${runs.length}` } },
      };
    }
    const [, kind, number] = /^\/v2\/(actor-runs\/r|datasets\/d)-(\d+)(?:\/items)?$/.exec(path) ?? [];
    const run = runs[Number(number) - 1];
    if (run === undefined) return refusal(404, 'record-not-found', 'Actor was not found');
    if (kind === 'actor-runs/r') return { json: { data: statusOf(run) } };
    return {
      json: [
        { title: `About ${run.query}`, metadata: { url: 'https://a.test/', depth: { level: 1 } } },
        { title: 'More', metadata: {} },
      ],
    };
  });
}

export function startApify(): Promise<FakeService> {
  return startFakeService(createApifyHandler());
}

function statusOf(run: FakeRun) {
  run.statusRequests += 1;
  const status = run.query === 'fail' ? 'FAILED' : run.statusRequests < 2 ? 'RUNNING' : 'SUCCEEDED';
  return { id: run.id, status, defaultDatasetId: run.id.replace('r', 'd') };
}

function refusal(status: number, type: string, message: string): FakeAnswer {
  return { status, json: { error: { type, message } } };
}
