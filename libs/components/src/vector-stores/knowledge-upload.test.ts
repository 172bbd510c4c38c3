import { makePdf } from '@millrace/documents/testing';
import type { RunResources, VectorDocument } from '@millrace/flow';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';
import { serviceForAllTests, startFakeService } from '../integrations/http/fake-service.fixture';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { resourcesWithVectors } from '../testing/local-vectors.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';

type Contents = Readonly<Record<string, string | Uint8Array>>;

let vectors: RunResources;
const letters = serviceForAllTests(() => startFakeService(createLettersHandler()));
beforeEach(() => {
  vectors = resourcesWithVectors();
});

/** Runs the flow of uploads. */
async function upload(contents: Contents, asked: object): Promise<unknown> {
  const { resources } = filesUnderTest(contents);
  const files = Object.keys(contents).map((path) => ({
    path,
    name: path.slice('flow/'.length),
    metadata: {},
  }));
  const input = JSON.stringify({ knowledge_base: 'library', files, ...asked });
  const { result } = await runFlow(
    flow(
      [
        node('TextInput-a', 'TextInput', { input_value: input }),
        node('KnowledgeUpload-b', 'KnowledgeUpload'),
      ],
      [edge('TextInput-a', 'text', 'KnowledgeUpload-b', 'upload')],
    ),
    {
      show: 'KnowledgeUpload-b',
      resources: Object.create(resources, { vectors: { value: vectors.vectors } }) as RunResources,
      variables: {
        OPENAI_API_KEY: 'embedding-key',
        OPENAI_BASE_URL: `${letters.url}/v1`,
        KNOWLEDGE_EMBEDDING_MODEL: 'letters',
      },
    },
  );
  return result?.outputs['summary']?.message;
}

const written = (): Promise<readonly VectorDocument[]> => vectors.vectors.list('knowledge:library', 1_000);

test('writes the chunks of each file, with where they come from', async () => {
  const metadata = { team: 'mill', n: 1.5, tags: ['a'] };
  const files = [
    { path: 'flow/a.txt', name: 'a.txt', metadata },
    { path: 'flow/b.pdf', name: 'b.pdf', metadata: {} },
    { path: 'flow/empty.txt', name: 'empty.txt', metadata: {} },
  ];
  const contents = {
    'flow/a.txt': 'one two three',
    'flow/b.pdf': makePdf([['Page']]),
    'flow/empty.txt': ' ',
  };
  const summary = await upload(contents, { files, chunk_size: 8, chunk_overlap: 0 });
  expect(summary).toEqual({
    kb_name: 'library',
    files: 3,
    chunks: 3,
    items: [
      { name: 'a.txt', bytes: 13, chunks: 2 },
      { name: 'b.pdf', bytes: expect.any(Number), chunks: 1 },
      { name: 'empty.txt', bytes: 1, chunks: 0 },
    ],
  });
  const documents = await written();
  expect(documents.map(({ text }) => text)).toEqual(['one two', 'three', 'Page']);
  expect(documents[1]).toMatchObject({
    metadata: {
      source: 'a.txt',
      file_name: 'a.txt',
      chunk_index: 1,
      total_chunks: 2,
      ingested_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      job_id: expect.any(String),
      source_type: 'file_upload',
      source_metadata: '{"team": "mill", "n": 1.5, "tags": ["a"]}',
    },
    vector: expect.arrayContaining([1]),
  });
  expect(documents[2]?.metadata).toMatchObject({ file_name: 'b.pdf', source_metadata: '' });
  expect(new Set(documents.map(({ id }) => id)).size).toBe(3);
});

test('splits at the separator of the caller first, and names the source as the caller does', async () => {
  await upload(
    { 'flow/a.txt': 'one--two words--three' },
    { chunk_size: 12, chunk_overlap: 0, separator: '--', source_name: 's' },
  );
  const documents = await written();
  expect(documents.map(({ text }) => text)).toEqual(['one', '--two words', '--three']);
  expect(documents.every(({ metadata }) => metadata['source'] === 's')).toBe(true);
});

test('writes nothing when a file is missing, is broken, or has too many chunks', async () => {
  const missing = upload({ 'flow/a.txt': 'x' }, { files: [{ path: 'flow/absent.txt', name: 'absent.txt' }] });
  expect(await failureOf(missing)).toContain("File not found: 'flow/absent.txt'");
  const broken = upload({ 'flow/a.txt': 'fine', 'flow/b.pdf': 'no PDF' }, {});
  expect(await failureOf(broken)).not.toBe('');
  const many = upload({ 'flow/a.txt': 'x '.repeat(5_001) }, { chunk_size: 1, chunk_overlap: 0 });
  expect(await failureOf(many)).toContain('more than 5000 chunks');
  expect(await written()).toEqual([]);
});

test.each(['', 'x', '[]', '{"files": []}'])('refuses the upload %j', async (input) => {
  const run = runFlow(flow([node('KnowledgeUpload-b', 'KnowledgeUpload', { upload: input })]), {
    resources: vectors,
  });
  expect(await failureOf(run)).toContain('The upload must be a JSON object');
});
