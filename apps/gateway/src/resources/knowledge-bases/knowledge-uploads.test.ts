import { gatewayForTests } from '../../testing/test-gateway';

type Json = Readonly<Record<string, unknown>>;

const ROOT = '/api/v1/knowledge_bases';
const model = { embedding_provider: 'OpenAI', embedding_model: 'text-embedding-3-small' };

const gateway = gatewayForTests();
beforeAll(async () => {
  for (const name of ['base', 'deleted', 'failing', 'silent'])
    await gateway.call('POST', ROOT, { ...model, name });
}, 60_000);

/** Returns a form with these fields and files. */
function form(fields: Json = {}, files: Readonly<Record<string, string>> = { 'a.txt': 'hello' }): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, String(value));
  for (const [name, content] of Object.entries(files)) made.append('files', new Blob([content]), name);
  return made;
}

/** Returns metadata with this many keys. */
const keys = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const ingest = (body: unknown = form(), base = 'base') =>
  gateway.call('POST', `${ROOT}/${base}/ingest`, body);
const read = async (base: string): Promise<Json> => (await gateway.call('GET', `${ROOT}/${base}`)).json;
const cancel = (base: string) => gateway.call('POST', `${ROOT}/${base}/cancel`);
const idOf = async (base: string) => ((await ingest(form(), base)).json as { id: string }).id;

test('an upload is a background run of one flow, which gets the files and what the caller chose', async () => {
  const fields = {
    chunk_size: '500',
    chunk_overlap: '',
    separator: '---',
    source_name: 'manual',
    metadata: '{"team": "mill", "n": 1.5}',
    per_file_metadata: '{"b.md": {"team": "corn"}}',
    foo: 'ignored',
  };
  const answer = await ingest(form(fields, { 'a.txt': 'hello', 'b.md': 'there' }));
  const { id } = answer.json as { id: string };
  expect([answer.status, answer.json]).toEqual([200, { id, href: `/task/${id}` }]);
  const run = (await gateway.call('GET', `/api/v1/runs/${id}`)).json as Json;
  expect(run).toMatchObject({ session_id: 'knowledge:base', lane: 'background' });
  const flow = (await gateway.call('GET', `/api/v1/flows/${String(run['flow_id'])}`)).json as Json;
  expect(flow).toMatchObject({ name: 'Knowledge uploads', endpoint_name: 'knowledge-uploads' });
  const record = await gateway.runs.find(gateway.user.id, id);
  const [input] = record?.request?.inputs ?? [];
  const asked = JSON.parse(input?.inputValue ?? '') as Json & { files: { path: string }[] };
  expect(asked).toEqual({
    knowledge_base: 'base',
    files: [
      {
        path: `${String(flow['id'])}/a.txt`,
        name: 'a.txt',
        metadata: { team: 'mill', n: 1.5, source_name: 'manual' },
      },
      {
        path: `${String(flow['id'])}/b.md`,
        name: 'b.md',
        metadata: { team: 'corn', n: 1.5, source_name: 'manual' },
      },
    ],
    chunk_size: 500,
    chunk_overlap: 200,
    separator: '---',
    source_name: 'manual',
    metadata: { team: 'mill', n: 1.5 },
  });
  const again = (await ingest()).json as { id: string };
  expect((await gateway.call('GET', `/api/v1/runs/${again.id}`)).json).toMatchObject({ flow_id: flow['id'] });
  expect((await gateway.call('GET', `/api/v1/files/list/${String(flow['id'])}`)).json).toEqual({
    files: ['a.txt', 'b.md', 'a (1).txt'],
  });
});

test('a base says what became of its newest upload', async () => {
  expect(await read('silent')).toMatchObject({ status: 'empty', failure_reason: null, last_job_id: null });
  const id = await idOf('failing');
  expect(await read('failing')).toMatchObject({ status: 'ingesting', last_job_id: id });
  await gateway.runs.claim([{ runId: id, worker: 'test', redelivered: false }]);
  const failure = { code: 'component_failed', message: 'no key', vertex: null, problems: [] } as const;
  await gateway.runs.complete([
    { runId: id, attempt: 1, status: 'failed', result: null, failure, messages: [] },
  ]);
  const failed = { status: 'failed', failure_reason: 'no key', last_job_id: id };
  expect(await read('failing')).toMatchObject(failed);
  const listed = (await gateway.call('GET', ROOT)).json as Json[];
  expect(listed.find(({ name }) => name === 'failing')).toMatchObject(failed);
  expect(await cancel('failing')).toMatchObject({
    status: 400,
    json: { detail: "Cannot cancel job with status 'failed'" },
  });
});

describe('the uploads of a base', () => {
  const uploads = (query = '', base = 'listed') => gateway.call('GET', `${ROOT}/${base}/runs${query}`);

  test('are listed newest first, and read with their files', async () => {
    await gateway.call('POST', ROOT, { ...model, name: 'listed' });
    expect((await uploads()).json).toEqual({ runs: [], total: 0, page: 1, limit: 50, total_pages: 0 });
    const made = await ingest(form({ source_name: 's', metadata: '{"team":"mill"}' }), 'listed');
    const { id } = made.json as { id: string };
    const pending = {
      id,
      kb_name: 'listed',
      kb_id: (await read('listed'))['id'],
      job_id: id,
      source_type: 'file_upload',
      source_name: 's',
      status: 'pending',
      error_message: null,
      total_items: 0,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      total_bytes: 0,
      chunks_created: 0,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+$/),
      finished_at: null,
      user_metadata: { team: 'mill' },
    };
    expect((await uploads()).json).toMatchObject({ runs: [pending], total: 1, total_pages: 1 });
    const items = [
      { name: 'a.txt', bytes: 5, chunks: 2 },
      { name: 'b.txt', bytes: 1, chunks: 0 },
    ];
    const message = { kb_name: 'listed', files: 2, chunks: 2, items };
    const outputs = [{ inputs: {}, outputs: [{ outputs: { summary: { message, type: 'object' } } }] }];
    await gateway.runs.claim([{ runId: id, worker: 'test', redelivered: false }]);
    await gateway.runs.complete([
      {
        runId: id,
        attempt: 1,
        status: 'succeeded',
        result: JSON.stringify({ session_id: 's', outputs }),
        failure: null,
        messages: [],
      },
    ]);
    const detail = (await gateway.call('GET', `${ROOT}/listed/runs/${id}`)).json;
    expect(detail).toEqual({
      ...pending,
      status: 'partial',
      total_items: 2,
      succeeded: 1,
      skipped: 1,
      total_bytes: 6,
      chunks_created: 2,
      finished_at: pending.started_at,
      source_config: { source_name: 's', file_count: 1, file_names: ['a.txt'], total_bytes: 6 },
      items: [
        {
          item_id: '0:a.txt',
          display_name: 'a.txt',
          status: 'succeeded',
          chunks_created: 2,
          error_message: null,
        },
        {
          item_id: '1:b.txt',
          display_name: 'b.txt',
          status: 'skipped',
          chunks_created: 0,
          error_message: 'no extractable text',
        },
      ],
    });
    const newest = await idOf('listed');
    expect((await uploads('?limit=1')).json).toMatchObject({
      runs: [{ id: newest }],
      total: 2,
      total_pages: 2,
    });
    expect((await uploads('?limit=1&page=2')).json).toMatchObject({ runs: [{ id, status: 'partial' }] });
  });

  test('are those of this base alone', async () => {
    const foreign = await idOf('base');
    for (const id of [foreign, '11111111-1111-4111-8111-111111111111'])
      expect(await gateway.call('GET', `${ROOT}/listed/runs/${id}`)).toMatchObject({
        status: 404,
        json: { detail: 'Ingestion run not found.' },
      });
    expect((await gateway.call('GET', `${ROOT}/listed/runs/x`)).status).toBe(422);
    expect((await uploads('', 'nothing')).status).toBe(404);
    expect((await uploads('?limit=101')).status).toBe(422);
  });
});

test('an upload is cancelled once, and when its base is deleted', async () => {
  expect(await cancel('silent')).toMatchObject({
    status: 404,
    json: { detail: 'No ingestion job found for the knowledge base silent' },
  });
  const id = await idOf('base');
  expect(await cancel('base')).toMatchObject({
    status: 200,
    json: { message: `Ingestion job for ${id} cancelled successfully.` },
  });
  expect(await read('base')).toMatchObject({ status: 'empty', failure_reason: null });
  expect((await gateway.call('GET', '/api/v1/audit?action=run.cancelled')).text).toContain(id);
  expect(await cancel('base')).toMatchObject({
    status: 400,
    json: { detail: "Cannot cancel job with status 'cancelled'" },
  });
  const left = await idOf('deleted');
  expect((await gateway.call('DELETE', `${ROOT}/deleted`)).status).toBe(200);
  expect((await gateway.call('GET', `/api/v1/runs/${left}`)).json).toMatchObject({ status: 'cancelled' });
});

test('an upload to a base that is not there is refused, after its form', async () => {
  for (const answer of [await ingest(form(), 'nothing'), await cancel('nothing')])
    expect(answer).toMatchObject({ status: 404, json: { detail: "Knowledge base 'nothing' not found" } });
  expect((await ingest(form({ chunk_size: '0' }), 'nothing')).status).toBe(422);
});

test('a flow of the user with the name of that of uploads is left as it is', async () => {
  const user = await gateway.call('POST', '/api/v1/users', { username: 'second' });
  const headers = { 'x-api-key': (user.json as { api_key: string }).api_key };
  const body = { name: 'mine', endpoint_name: 'knowledge-uploads', data: { nodes: [], edges: [] } };
  await gateway.call('POST', '/api/v1/flows/', body, headers);
  await gateway.call('POST', ROOT, { ...model, name: 'base' }, headers);
  expect(await gateway.call('POST', `${ROOT}/base/ingest`, form(), headers)).toMatchObject({
    status: 409,
    json: { detail: expect.stringContaining('knowledge-uploads') },
  });
});

describe('a form', () => {
  test.each([
    [form({}, {}), 'missing', 'files'],
    [{ files: [] }, 'missing', 'files'],
    [form({ chunk_size: '0' }), 'greater_than_equal', 'chunk_size'],
    [form({ chunk_size: '10001' }), 'less_than_equal', 'chunk_size'],
    [form({ chunk_size: 'x' }), 'int_parsing', 'chunk_size'],
    [form({ chunk_overlap: '-1' }), 'greater_than_equal', 'chunk_overlap'],
    [form({ chunk_overlap: '5001' }), 'less_than_equal', 'chunk_overlap'],
  ])('is refused: case %#, %s', async (body, type, name) => {
    expect(await ingest(body)).toMatchObject({
      status: 422,
      json: { detail: [{ type, loc: ['body', name] }] },
    });
  });

  test('with a text in the place of a file is refused', async () => {
    expect(await ingest(form({ files: 'text' }, {}))).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'value_error', loc: ['body', 'files', 0] }] },
    });
  });

  test.each([
    [{ chunk_overlap: '1001' }, "Chunk overlap (1001) can't be larger than chunk size (1000)."],
    [{ metadata: 'x' }, 'Metadata is not valid JSON: Expecting value'],
    [{ metadata: '[]' }, 'Metadata must be a JSON object.'],
    [{ metadata: '{"A":1}' }, /^Metadata key 'A' is invalid/],
    [{ metadata: '{"source":1}' }, "Metadata key 'source' is reserved for ingestion-internal use."],
    [{ metadata: '{"a":null}' }, /got NoneType\.$/],
    [{ metadata: '{"a":{}}' }, /got dict\.$/],
    [{ metadata: '{"a":[1]}' }, "Metadata array 'a' must contain only strings."],
    [{ metadata: JSON.stringify({ a: 'x'.repeat(257) }) }, "Metadata value for 'a' exceeds 256 characters."],
    [{ metadata: JSON.stringify({ a: Array(17).fill('x') }) }, "Metadata array 'a' exceeds 16 items."],
    [{ metadata: JSON.stringify(keys(17)) }, 'Metadata exceeds the 16 key limit.'],
    [{ metadata: JSON.stringify({ ['k'.repeat(33)]: 1 }) }, /: must be 1-32 lowercase/],
    [{ per_file_metadata: JSON.stringify(keys(17, {})) }, 'Per-file metadata exceeds the 16 file limit.'],
    [{ per_file_metadata: 'x' }, 'Per-file metadata is not valid JSON: Expecting value'],
    [{ per_file_metadata: '[]' }, 'Per-file metadata must be a JSON object keyed by filename.'],
    [{ per_file_metadata: '{"a.txt":1}' }, "Per-file metadata for 'a.txt' must be a JSON object."],
    [{ separator: 'x'.repeat(1001) }, 'separator exceeds 1000 characters.'],
  ])('with %j is refused', async (fields, text) => {
    const answer = await ingest(form(fields));
    expect(answer.status).toBe(422);
    expect((answer.json as { detail: string }).detail).toMatch(text);
  });

  test('with as much as a form can have is accepted', async () => {
    const metadata = { ...keys(15), ['k'.repeat(32)]: Array(16).fill('x'.repeat(256)) };
    const most = { metadata: JSON.stringify(metadata), per_file_metadata: JSON.stringify(keys(16, {})) };
    expect((await ingest(form({ ...most, separator: 'x'.repeat(1_000) }))).status).toBe(200);
  });
});
