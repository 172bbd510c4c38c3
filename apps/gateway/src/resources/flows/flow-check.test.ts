import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

const node = (id: string, type: string, body: object = {}) => ({
  id,
  type: 'genericNode',
  data: { id, type, node: { display_name: type, template: {}, outputs: [{ name: 'message' }], ...body } },
});
const flow = (name: string, ...nodes: object[]) => ({ name, data: { nodes, edges: [] } });
const edited = { edited: true, metadata: { code_hash: '0123456789ab' } };

interface Report {
  readonly name: string;
  readonly verdict: string;
  readonly vertices: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason: string | null;
  }[];
}

test('reports in order how flows would run, and creates none', async () => {
  const answer = await gateway.call('POST', '/api/v1/flows/check', {
    flows: [
      flow('fine', node('TextInput-1', 'TextInput')),
      flow('keyless', node('AzureOpenAIModel-1', 'AzureOpenAIModel'), node('OpenAIModel-1', 'OpenAIModel')),
      flow('own', node('TextInput-1', 'TextInput', edited), node('Mine-1', 'Mine', edited)),
    ],
  });
  expect(answer.status).toBe(200);
  const [fine, keyless, own] = answer.json as Report[];
  expect(fine).toMatchObject({
    name: 'fine',
    verdict: 'runnable',
    runnable: true,
    vertices: [{ status: 'native' }],
  });
  // The key of OpenAI is in the environment of the test; the other key is missing.
  expect(keyless).toMatchObject({
    verdict: 'needs_credentials',
    vertices: [{ status: 'needs_credentials' }, { id: 'OpenAIModel-1', status: 'native' }],
  });
  expect(own).toMatchObject({
    verdict: 'refused',
    vertices: [
      { status: 'refused', acceptable: true },
      { status: 'refused', acceptable: false },
    ],
  });
  expect((await gateway.call('GET', '/api/v1/flows/')).json).toEqual([]);
});

test('a variable of the user counts as a key', async () => {
  const secret = {
    api_key: { type: 'str', value: 'MY_KEY', show: true, password: true, load_from_db: true },
  };
  const keyed = flow('keyed', node('OpenAIModel-1', 'OpenAIModel', { template: secret }));
  const verdict = async () =>
    ((await gateway.call('POST', '/api/v1/flows/check', keyed)).json as Report[])[0]?.verdict;
  expect(await verdict()).toBe('needs_credentials');
  await gateway.call('POST', '/api/v1/variables/', { name: 'MY_KEY', value: 'x', type: 'Credential' });
  expect(await verdict()).toBe('runnable');
});

test('a flow with a memory says that callers without a session share one history, unless each gets its own', async () => {
  const memory = flow('memory', node('Memory-1', 'Memory'), node('TextInput-1', 'TextInput'));
  const problems = async (body: unknown) =>
    (await gateway.call('POST', '/api/v1/flows/check', body)).json as readonly {
      readonly verdict: string;
      readonly problems: readonly { readonly code: string }[];
    }[];
  const [shared] = await problems(memory);
  expect(shared).toMatchObject({
    verdict: 'runnable',
    problems: [{ code: 'shared_history', blocks: false, vertex_id: 'Memory-1', component_type: 'Memory' }],
  });
  expect((await problems({ ...memory, settings: { sessions: 'own' } }))[0]?.problems).toEqual([]);
  expect((await problems(flow('none', node('TextInput-1', 'TextInput'))))[0]?.problems).toEqual([]);
});

test('a document that is not a flow is refused', async () => {
  expect(await gateway.call('POST', '/api/v1/flows/check', '[')).toMatchObject({ status: 400 });
  expect(await gateway.call('POST', '/api/v1/flows/check', { name: 'x', data: { nodes: [] } })).toMatchObject(
    {
      status: 422,
    },
  );
});

describe('edited code', () => {
  const inGroup = {
    id: 'Group-1',
    type: 'genericNode',
    data: {
      type: 'GroupNode',
      node: {
        template: {},
        flow: { data: { nodes: [node('TextInput-2', 'TextInput', edited)], edges: [] } },
      },
    },
  };
  const accept = (id: string, vertices: unknown) =>
    gateway.call('POST', `/api/v1/flows/${id}/accepted-code`, { vertices });

  test('runs as the stock component once its owner accepts it, until the code changes', async () => {
    const body = flow('accepted', node('TextInput-1', 'TextInput', edited), inGroup);
    const id = await gateway.createFlow(body);
    const path = `/api/v1/flows/${id}`;
    expect(await accept(id, ['TextInput-1'])).toMatchObject({ status: 200, json: { verdict: 'refused' } });
    expect(await accept(id, ['TextInput-1', 'TextInput-2'])).toMatchObject({
      status: 200,
      json: { verdict: 'approximated', vertices: [{ status: 'approximated' }, { status: 'approximated' }] },
    });
    const kept = (await gateway.call('GET', path)).json as { data: object; version: number };
    expect(kept.version).toBe(3);
    expect((await gateway.call('PATCH', path, { data: kept.data })).json).toMatchObject({
      report: { verdict: 'approximated' },
    });
    const changed = JSON.parse(
      JSON.stringify(kept.data).replace('"code_hash":"0123456789ab"', '"code_hash":"ba9876543210"'),
    );
    expect((await gateway.call('PATCH', path, { data: changed })).json).toMatchObject({
      report: { verdict: 'refused', vertices: [{ status: 'refused' }, { status: 'approximated' }] },
    });
  });

  const text = node('TextInput-1', 'TextInput', edited);
  const verdictOf = (answer: { readonly json: unknown }) =>
    (answer.json as { readonly report: { readonly verdict: string } }).report.verdict;

  test('can be accepted in all vertices at once', async () => {
    const id = await gateway.createFlow(flow('all at once', text, inGroup, node('Mine-1', 'Mine', edited)));
    const accepted = await accept(id, 'all');
    expect(accepted).toMatchObject({
      status: 200,
      json: {
        verdict: 'refused',
        vertices: [
          { id: 'TextInput-1', status: 'approximated', acceptable: true },
          { id: 'Mine-1', status: 'refused', acceptable: false },
          { id: 'TextInput-2', status: 'approximated', acceptable: true },
        ],
      },
    });
    const [entry] = await gateway.audit.list({ limit: 1 });
    expect(entry).toMatchObject({ action: 'flow.code_accepted', objectId: id });
    expect(entry?.detail).toContain('"vertices":["all"]');
    expect(await accept(id, 'some')).toMatchObject({ status: 422 });
    expect(await accept(id, [])).toMatchObject({ status: 422 });
  });

  test('can be accepted by an import, until the code changes', async () => {
    const body = flow('imported', text);
    const check = await gateway.call('POST', '/api/v1/flows/check?code=stock', body);
    expect(check.json).toMatchObject([{ verdict: 'approximated' }]);
    expect(verdictOf(await gateway.call('POST', '/api/v1/flows/', body))).toBe('refused');
    const stored = await gateway.call('POST', '/api/v1/flows/?code=stock', body);
    expect(verdictOf(stored)).toBe('approximated');
    for (const path of ['/api/v1/flows/upload/?code=stock', '/api/v1/flows/batch/?code=stock']) {
      const answer = await gateway.call('POST', path, { flows: [body] });
      expect(answer.json).toMatchObject([{ report: { verdict: 'approximated' } }]);
    }
    const { id } = stored.json as { readonly id: string };
    const other = node('TextInput-1', 'TextInput', { edited: true, metadata: { code_hash: 'ba9876543210' } });
    const changed = await gateway.call('PATCH', `/api/v1/flows/${id}`, {
      data: { nodes: [other], edges: [] },
    });
    expect(verdictOf(changed)).toBe('refused');
  });

  test('has one rule for each flow, which applies to all versions until it changes', async () => {
    const body = { ...flow('ruled', text), settings: { editedCode: 'stock' } };
    const stored = await gateway.call('POST', '/api/v1/flows/', body);
    expect(verdictOf(stored)).toBe('approximated');
    const { id } = stored.json as { readonly id: string };
    const other = node('TextInput-1', 'TextInput', { edited: true, metadata: { code_hash: 'ba9876543210' } });
    const data = { nodes: [other], edges: [] };
    expect(verdictOf(await gateway.call('PATCH', `/api/v1/flows/${id}`, { data }))).toBe('approximated');
    const refusing = await gateway.call('PATCH', `/api/v1/flows/${id}`, {
      settings: { editedCode: 'refuse' },
    });
    expect(verdictOf(refusing)).toBe('refused');
    expect(refusing.json).toMatchObject({ version: 3 });
    const wrong = await gateway.call('PATCH', `/api/v1/flows/${id}`, { settings: { editedCode: 'python' } });
    expect(wrong.status).toBe(422);
  });

  test('is refused regardless of the rule in the file', async () => {
    const body = { name: 'smuggled', data: { nodes: [text], edges: [], edited_code: 'stock' } };
    expect(verdictOf(await gateway.call('POST', '/api/v1/flows/', body))).toBe('refused');
  });

  test('is refused with an unknown rule for the import', async () => {
    expect(await gateway.call('POST', '/api/v1/flows/?code=all', flow('odd', text))).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'literal_error', loc: ['query', 'code'] }] },
    });
  });

  test('cannot be accepted for an unknown component type, nor can unedited code', async () => {
    const id = await gateway.createFlow(
      flow('own', node('Mine-1', 'Mine', edited), node('TextInput-1', 'TextInput')),
    );
    for (const vertex of ['Mine-1', 'TextInput-1', 'Unknown-1']) {
      expect(await accept(id, [vertex])).toMatchObject({
        status: 400,
        json: { detail: `The vertex "${vertex}" has no edited code of a stock component.` },
      });
    }
    expect(await accept(id, 'Mine-1')).toMatchObject({ status: 422 });
    expect(await accept('00000000-0000-4000-8000-000000000009', ['x'])).toMatchObject({ status: 404 });
  });
});
