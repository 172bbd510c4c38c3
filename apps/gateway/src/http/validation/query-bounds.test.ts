import { gatewayForTests } from '../../testing/test-gateway';

/** The least value, and the greatest where a greater one is refused. */
interface Bounds {
  readonly minimum: number;
  readonly maximum?: number;
}

let flowId: string;
let projectId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({ name: 'bounded', data: { nodes: [], edges: [] } });
  const flow = await gateway.call('GET', `/api/v1/flows/${flowId}`);
  projectId = (flow.json as { folder_id: string }).folder_id;
  const base = { name: 'bounded', embedding_provider: 'OpenAI', embedding_model: 'text-embedding-3-small' };
  expect((await gateway.call('POST', '/api/v1/knowledge_bases', base)).status).toBe(201);
}, 60_000);

/** Paths up to the value of their last parameter. */
const BOUNDS: readonly (readonly [path: string, bounds: Bounds])[] = [
  ['/api/v1/flows/?get_all=false&page=', { minimum: 1 }],
  ['/api/v1/flows/?get_all=false&size=', { minimum: 1, maximum: 100 }],
  ['/api/v1/flows/FLOW/versions?cursor=', { minimum: 1 }],
  ['/api/v1/flows/FLOW/versions?limit=', { minimum: 1 }],
  ['/api/v1/projects/PROJECT?size=1&page=', { minimum: 1 }],
  ['/api/v1/projects/PROJECT?page=1&size=', { minimum: 1, maximum: 100 }],
  ['/api/v1/users/?skip=', { minimum: 0 }],
  ['/api/v1/users/?limit=', { minimum: 1, maximum: 200 }],
  ['/api/v1/audit?before=', { minimum: 1 }],
  ['/api/v1/audit?limit=', { minimum: 1 }],
  ['/api/v1/author-code?limit=', { minimum: 1 }],
  ['/api/v1/callbacks?flow_id=FLOW&limit=', { minimum: 1, maximum: 200 }],
  ['/api/v1/callbacks?flow_id=FLOW&offset=', { minimum: 0 }],
  ['/api/v1/monitor/messages?limit=', { minimum: 0 }],
  ['/api/v1/monitor/messages?offset=', { minimum: 0 }],
  ['/api/v1/monitor/messages?text_limit=', { minimum: 1 }],
  ['/api/v1/monitor/messages/sessions?limit=', { minimum: 0 }],
  ['/api/v1/monitor/messages/sessions?offset=', { minimum: 0 }],
  ['/api/v1/monitor/transactions?flow_id=FLOW&page=', { minimum: 1 }],
  ['/api/v1/monitor/transactions?flow_id=FLOW&size=', { minimum: 1 }],
  ['/api/v1/monitor/traces?page=', { minimum: 0 }],
  ['/api/v1/monitor/traces?size=', { minimum: 1, maximum: 200 }],
  ['/api/v1/runs?limit=', { minimum: 1 }],
  ['/api/v1/runs?flow_id=FLOW&flow_version=', { minimum: 1 }],
  ['/api/v1/runs/history?hours=', { minimum: 1 }],
  ['/api/v1/runs/history?hours=1&interval=', { minimum: 60 }],
  ['/api/v1/triggers?flow_id=FLOW&limit=', { minimum: 1, maximum: 200 }],
  ['/api/v1/triggers?flow_id=FLOW&offset=', { minimum: 0 }],
  ['/api/v1/knowledge_bases/bounded/runs?page=', { minimum: 1 }],
  ['/api/v1/knowledge_bases/bounded/runs?limit=', { minimum: 1, maximum: 100 }],
  ['/api/v1/knowledge_bases/bounded/chunks?page=', { minimum: 1 }],
  ['/api/v1/knowledge_bases/bounded/chunks?limit=', { minimum: 1, maximum: 100 }],
];

test.each(BOUNDS)('%s takes values within %j', async (template, { minimum, maximum }) => {
  const path = template.replace('FLOW', flowId).replace('PROJECT', projectId);
  const name = /(\w+)=$/.exec(path)?.[1];
  const status = async (value: number) => (await gateway.call('GET', `${path}${value}`)).status;
  expect(await status(minimum)).toBe(200);
  const { json } = await gateway.call('GET', `${path}${minimum - 1}`);
  const [refusal] = (json as { detail: readonly unknown[] }).detail;
  expect(refusal).toMatchObject({ type: 'greater_than_equal', loc: ['query', name] });
  if (maximum === undefined) expect(await status(1_000_000_000)).toBe(200);
  else expect([await status(maximum), await status(maximum + 1)]).toEqual([200, 422]);
});

test.each([
  ['/api/v1/flows/?get_all=false', 1_000_000],
  ['/api/v1/monitor/transactions?flow_id=FLOW', 1_000_000],
])('%s has %d pages at most', async (template, last) => {
  const path = template.replace('FLOW', flowId);
  expect((await gateway.call('GET', `${path}&page=${last + 1}`)).json).toMatchObject({ page: last });
});
