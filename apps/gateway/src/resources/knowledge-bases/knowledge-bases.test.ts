import { VectorStore } from '@millrace/runs';
import { gatewayForTests } from '../../testing/test-gateway';

type Json = Readonly<Record<string, unknown>>;

const ROOT = '/api/v1/knowledge_bases';
const UUID = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown;
const model = { embedding_provider: 'OpenAI', embedding_model: 'text-embedding-3-small' };

const gateway = gatewayForTests();

const create = (body: Json) => gateway.call('POST', ROOT, { ...model, ...body });
const remove = (names: unknown) => gateway.call('DELETE', ROOT, { kb_names: names });

/** The members that Langflow answers with, with their kinds. */
const shape = {
  id: UUID,
  dir_name: expect.any(String),
  name: expect.any(String),
  embedding_provider: expect.any(String),
  embedding_model: expect.any(String),
  size: expect.any(Number),
  words: expect.any(Number),
  characters: expect.any(Number),
  chunks: expect.any(Number),
  avg_chunk_size: expect.any(Number),
  chunk_size: 1000,
  chunk_overlap: 200,
  separator: null,
  status: 'empty',
  failure_reason: null,
  last_job_id: null,
  source_types: [],
  column_config: [],
  backend_type: 'sqlite',
  backend_config: {},
  storage_state: 'ready',
  storage_generation: 1,
  active_migration_id: null,
};

/** Writes texts as the component Knowledge does. */
async function write(name: string, texts: readonly { id: string; text: string; metadata?: Json }[]) {
  const vectors = new VectorStore({ database: gateway.database });
  const records = texts.map(({ id, text, metadata = {} }) => ({
    id,
    text,
    metadata: JSON.stringify(metadata),
    vector: Float32Array.from([1, 0]),
  }));
  await vectors.write(gateway.user.id, `knowledge:${name}`, records);
}

describe('a knowledge base', () => {
  test('is created empty, read, listed and deleted', async () => {
    expect((await gateway.call('GET', ROOT)).json).toEqual([]);
    const made = await create({ name: ' My docs ' });
    expect(made.status).toBe(201);
    const own = { dir_name: 'My_docs', name: 'My docs', ...model };
    expect(made.json).toEqual({
      ...shape,
      ...own,
      chunk_size: null,
      chunk_overlap: null,
      column_config: null,
    });
    const read = await gateway.call('GET', `${ROOT}/My_docs`);
    expect(read.json).toEqual({ ...shape, ...own });
    await gateway.call('POST', `${ROOT}/`, { ...model, name: 'newer' });
    expect((await gateway.call('GET', `${ROOT}/`)).json).toMatchObject([{ name: 'newer' }, own]);
    expect(await gateway.call('DELETE', `${ROOT}/My_docs`)).toMatchObject({
      status: 200,
      json: { message: "Knowledge base 'My_docs' deleted successfully" },
    });
    for (const method of ['GET', 'DELETE'])
      expect(await gateway.call(method, `${ROOT}/My_docs`)).toMatchObject({
        status: 404,
        json: { detail: "Knowledge base 'My_docs' not found" },
      });
    expect((await remove(['newer'])).json).toEqual({
      message: 'Successfully deleted 1 knowledge base(s)',
      deleted_count: 1,
    });
  });

  test('counts what flows have written', async () => {
    await create({ name: 'counted' });
    const texts = ['one two', 'drei vier fünf', ''].map((text, index) => ({ id: String(index), text }));
    await write('counted', texts);
    expect((await gateway.call('GET', `${ROOT}/counted`)).json).toMatchObject({
      chunks: 3,
      characters: 21,
      words: 5,
      avg_chunk_size: 7,
      status: 'ready',
    });
    await remove(['counted']);
    await write('counted', texts);
    expect((await gateway.call('GET', ROOT)).json).toMatchObject([
      { name: 'counted', embedding_provider: 'Unknown', embedding_model: 'Unknown', chunks: 3 },
    ]);
    await remove(['counted']);
  });

  test('keeps the model and the columns that its user chose', async () => {
    const column_config = [{ column_name: 'text', vectorize: true, identifier: 'no' }];
    const selection = { name: 'nomic', provider: 'ollama', icon: 'x' };
    const made = await create({
      name: 'chosen',
      embedding_provider: 'Ollama',
      model_selection: [selection],
      column_config,
    });
    const columns = [{ column_name: 'text', vectorize: true, identifier: false }];
    expect(made.json).toMatchObject({ embedding_provider: 'Ollama', column_config: columns });
    expect((await gateway.call('GET', `${ROOT}/chosen`)).json).toMatchObject({
      embedding_provider: 'Ollama',
      embedding_model: 'nomic',
      column_config: columns,
    });
    const vectors = new VectorStore({ database: gateway.database });
    expect(await vectors.model(gateway.user.id, 'knowledge:chosen')).toEqual({
      provider: 'Ollama',
      model: 'nomic',
    });
    await remove(['chosen']);
  });

  test('has a name of its own', async () => {
    await create({ name: 'same name' });
    expect(await create({ name: 'same_name' })).toMatchObject({
      status: 409,
      json: { detail: "Knowledge base 'same_name' already exists" },
    });
    await remove(['same_name']);
  });

  test.each([
    [{ name: 'ab' }, 400, 'Knowledge base name must be at least 3 characters'],
    [{ name: '   ' }, 400, 'Knowledge base name must be at least 3 characters'],
    [{ name: '../x/y' }, 403, "Access denied for knowledge base '../x/y'."],
    [{ name: 'a\\b\\c' }, 403, "Access denied for knowledge base 'a\\b\\c'."],
    [{ name: 'x'.repeat(401) }, 400, 'Knowledge base name must be at most 400 characters'],
    [{ name: 'no model', embedding_provider: '' }, 404, 'Model provider not found'],
    [{ name: 'other', model_selection: { name: 'm', provider: 'Ollama' } }, 404, 'Model provider not found'],
  ])('with %j is refused with %i', async (body, status, detail) => {
    expect(await create(body)).toMatchObject({ status, json: { detail } });
  });

  test.each([
    [{ name: undefined }, 'missing', ['body', 'name']],
    [{ name: null }, 'string_type', ['body', 'name']],
    [{ name: 5 }, 'string_type', ['body', 'name']],
    [{ name: 'abc', embedding_provider: undefined }, 'missing', ['body', 'embedding_provider']],
    [{ name: 'abc', embedding_model: undefined }, 'missing', ['body', 'embedding_model']],
    [{ name: 'abc', column_config: 'x' }, 'list_type', ['body', 'column_config']],
    [{ name: 'abc', column_config: [{ x: 1 }] }, 'missing', ['body', 'column_config', 0, 'column_name']],
    [{ name: 'abc', backend_type: 'chroma' }, 'value_error', ['body', 'backend_type']],
    [{ name: 'abc', backend_config: { a: 1 } }, 'value_error', ['body', 'backend_config']],
  ])('with %j is refused as %s at %j', async (body, type, loc) => {
    expect(await create(body)).toMatchObject({ status: 422, json: { detail: [{ type, loc }] } });
  });

  test('above the limit of a user is refused', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `many_${index}`);
    for (const name of names) await create({ name });
    const refused = await create({ name: 'one more' });
    expect([refused.status, refused.json]).toMatchObject([
      400,
      { detail: expect.stringContaining('at most 100') },
    ]);
    expect((await remove(names)).json).toMatchObject({ deleted_count: 100 });
  }, 60_000);
});

describe('the deletion of several', () => {
  test('says which ones are missing', async () => {
    await create({ name: 'there' });
    expect((await remove(['there', 'not there'])).json).toEqual({
      message: 'Successfully deleted 1 knowledge base(s)',
      deleted_count: 1,
      not_found: 'not there',
    });
    expect(await remove(['one', 'two'])).toMatchObject({
      status: 404,
      json: { detail: 'Knowledge bases not found: one, two' },
    });
    expect((await remove([])).json).toMatchObject({ deleted_count: 0 });
    expect(await remove('x')).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'list_type', loc: ['body', 'kb_names'] }] },
    });
    expect(await remove([1])).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'string_type', loc: ['body', 'kb_names', 0] }] },
    });
  });
});

describe('the texts of a base', () => {
  const read = (query: string) => gateway.call('GET', `${ROOT}/texts/chunks${query}`);
  const ids = async (query: string) =>
    ((await read(query)).json as { chunks: { id: string }[] }).chunks.map(({ id }) => id);

  beforeAll(async () => {
    await create({ name: 'texts' });
    const tags = (more: Json) => ({ source_metadata: JSON.stringify(more) });
    await write('texts', [
      {
        id: 'a',
        text: 'The mill Öffnet',
        metadata: { file_name: 'a.txt', job_id: 'j1', ...tags({ n: 1, on: true }) },
      },
      {
        id: 'b',
        text: 'grinds 😀',
        metadata: { file_name: 'b.txt', source_type: 'folder', ...tags({ n: [1, 'x'] }) },
      },
      { id: 'c', text: 'corn', metadata: tags({ n: 2, file_name: 'reserved', none: null }) },
      ...Array.from({ length: 60 }, (_, index) => ({
        id: `n${index}`,
        text: `text ${index}`,
        metadata: tags({ many: index }),
      })),
    ]);
  });
  afterAll(() => remove(['texts']));

  test('come in pages, in the order in which they were written', async () => {
    const first = await read('?limit=2');
    expect(first.json).toEqual({
      chunks: [
        {
          id: 'a',
          content: 'The mill Öffnet',
          char_count: 15,
          metadata: { file_name: 'a.txt', job_id: 'j1', source_metadata: '{"n":1,"on":true}' },
        },
        { id: 'b', content: 'grinds 😀', char_count: 8, metadata: expect.any(Object) },
      ],
      total: 63,
      page: 1,
      limit: 2,
      total_pages: 32,
    });
    expect(await ids('?page=2&limit=2')).toEqual(['c', 'n0']);
    expect((await read('')).json).toMatchObject({ page: 1, limit: 50, total_pages: 2 });
    expect((await read('?page=9')).json).toMatchObject({ chunks: [], total: 63, page: 9 });
  });

  test.each([
    ['?search=%20ÖFFNET', ['a']],
    ['?search=GRI', ['b']],
    ['?search=nothing', []],
    ['?file_name=a.txt', ['a']],
    ['?source_type=folder', ['b']],
    ['?job_id=j1', ['a']],
    ['?meta_n=1', ['a', 'b']],
    ['?meta_n=x&meta_n=2', ['b', 'c']],
    ['?meta_on=True', ['a']],
    ['?meta_n=1&meta_on=True', ['a']],
    ['?meta_other=1', []],
    ['?search=text&page=2&limit=58', ['n58', 'n59']],
  ])('are filtered by %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test.each([
    ['page=0', 'greater_than_equal'],
    ['limit=0', 'greater_than_equal'],
    ['limit=101', 'less_than_equal'],
    ['page=x', 'int_parsing'],
  ])('are not read with %s', async (query, type) => {
    const loc = ['query', query.split('=')[0]];
    expect(await read(`?${query}`)).toMatchObject({ status: 422, json: { detail: [{ type, loc }] } });
  });

  test('give the base the types of their files', async () => {
    expect((await gateway.call('GET', `${ROOT}/texts`)).json).toMatchObject({ source_types: ['txt'] });
  });

  test('have names of metadata, with a bounded number of values', async () => {
    const { json } = await gateway.call('GET', `${ROOT}/texts/metadata/keys`);
    const { keys, truncated } = json as { keys: Record<string, string[]>; truncated: boolean };
    expect(Object.keys(keys)).toEqual(['many', 'n', 'none', 'on']);
    expect(keys).toMatchObject({ n: ['1', 'x', '2'], none: [], on: ['True'] });
    expect([keys['many']?.length, truncated]).toEqual([50, true]);
  });
});
