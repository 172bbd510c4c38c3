import { startModelServer } from '@millrace/model-server';
import type { ModelServer } from '@millrace/model-server';
import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { PythonPool } from '../index';
import { show } from './author-component.fixture';
import { readAuthors } from './authors.fixture';
import type { Author, AuthorVertex } from './authors.fixture';
import { firstOwner, give, runPythonFlow } from './python-flow.fixture';
import type { FlowRun, FlowRunOptions, TestVertex } from './python-flow.fixture';
import { openTestPool } from './test-pool.fixture';
import { testPython } from './test-python.fixture';

/** Imports of lfx on a busy machine, twice. */
const startMilliseconds = 240_000;

/** What the tests of authors' components share: a pool, a model server and the components. */
export interface AuthorSuite {
  author(name: string, more?: AuthorVertex): TestVertex;
  run(vertices: readonly TestVertex[], options?: FlowRunOptions): Promise<FlowRun>;
  /** Resolves to what arrives at `vertex.output`. */
  valueAt(output: string, vertices: readonly TestVertex[], options?: FlowRunOptions): Promise<unknown>;
  /** Resolves to the error of a run that fails. */
  failureOf(
    vertices: readonly TestVertex[],
    options?: FlowRunOptions,
  ): Promise<Error & { readonly cause?: unknown }>;
  /** `OpenAIModel-1`, a native model; it answers with the last message by default. */
  model(): TestVertex;
  /** `OpenAIEmbeddings-1`, a native embedding model. */
  embeddings(): TestVertex;
}

export const modelOutput = 'OpenAIModel-1.model_output';
export const embeddingsOutput = 'OpenAIEmbeddings-1.embeddings';
/** A vertex that gives the value of `giving`. */
export const given: TestVertex = { id: 'Given-1' };
export const giving = (value: PythonValue): FlowRunOptions => ({ components: [give('Given', value)] });

/** Opens the suite before the tests of a file. Call it once, at the top. */
export function openAuthorSuite(): AuthorSuite {
  jest.setTimeout(startMilliseconds);
  let pool: PythonPool;
  let author: Author;
  let models: ModelServer;
  beforeAll(async () => {
    models = await startModelServer();
    author = readAuthors(testPython());
    pool = await openTestPool(testPython());
    await (await pool.lease(firstOwner, new AbortController().signal)).release();
  }, startMilliseconds);
  afterAll(async () => {
    await pool.close();
    await models.close();
  });
  const run = (vertices: readonly TestVertex[], options: FlowRunOptions = {}): Promise<FlowRun> =>
    runPythonFlow(pool, vertices, { timeoutMilliseconds: 60_000, ...options });
  return {
    author: (name, more) => author(name, more),
    run,
    valueAt: async (output, vertices, options) => {
      const { shown } = await run([...vertices, show(output)], options);
      return plain(shown.get('Show-1') ?? null);
    },
    failureOf: async (vertices, options) => {
      try {
        await run(vertices, options);
      } catch (error) {
        return error as Error;
      }
      throw new Error('The run did not fail.');
    },
    model: () => ({
      id: 'OpenAIModel-1',
      fields: { api_key: 'a-key', openai_api_base: models.url, model_name: 'echo' },
    }),
    embeddings: () => ({
      id: 'OpenAIEmbeddings-1',
      fields: { openai_api_key: 'a-key', openai_api_base: models.url },
    }),
  };
}

/** Returns a value for comparisons: a Data as `{ data }`, a message as `{ text }`, a table as `{ rows }`. */
export function plain(value: PythonValue): unknown {
  if (value instanceof Data) return { data: plain(value.data) };
  if (value instanceof Message) return { text: value.text };
  if (value instanceof DataFrame) return { rows: plain(value.rows as readonly PythonValue[]) };
  if (value instanceof PythonFloat) return value.value;
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, plain(member as PythonValue)]),
  );
}

/** The chunks of the streamed texts of a run, in order. */
export const tokensOf = ({ events }: FlowRun): readonly string[] =>
  events.flatMap((event) =>
    event.event === 'token' ? [(event.data as { readonly chunk: string }).chunk] : [],
  );

/** The values that vertices of type `Show` received, by id. */
export const shownOf = ({ shown }: FlowRun): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...shown].map(([id, value]) => [id, plain(value)]));
