import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom } from '../integrations/http/fake-service.fixture';
import type { FakeHandler, FakeService } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { engineKey, startEngine } from '../integrations/search-engines/search-engines-server.fixture';
import { outputOf } from '../testing/node-output.fixture';

export interface EngineUnderTest {
  readonly type: string;
  readonly host: string;
  readonly handler: () => FakeHandler;
  /** The field with its key. */
  readonly keyField: string;
  /** Other required fields. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** The field with the number of results. */
  readonly limitField: string;
  readonly output?: string;
  /** An earlier name of the type; in files with that name it is a tool. */
  readonly formerType: string;
  readonly toolName: string;
  /** The error text for a wrong key. */
  readonly refusal: string;
  /** The row for a missing key; the run fails unless given. */
  readonly withoutKey?: string;
}

/** What every search engine with a key must do. */
export function describeSearchEngine(engine: EngineUnderTest): void {
  const { type, host, handler, keyField, values = {}, limitField, output = 'dataframe' } = engine;
  let service: FakeService;
  beforeEach(async () => {
    service = await startEngine(handler);
  });
  afterEach(() => service.close());
  const search = (further: Readonly<Record<string, unknown>>, name = output) =>
    outputOf(type, { [keyField]: engineKey, ...values, ...further }, { [host]: service }, name);

  test('returns title, link and snippet of matching pages', async () => {
    const titles = async (input_value: string) =>
      ((await search({ input_value })) as readonly { readonly title: string }[]).map(({ title }) => title);
    expect(await titles('grinds grain')).toEqual(['Water mills', 'Wind mills']);
    expect(await titles('river')).toEqual(['Water mills', 'Rivers']);
    expect(await titles('nothing like it')).toEqual([]);
    expect(await search({ input_value: 'danube' })).toMatchObject([
      { title: 'Rivers', link: 'https://rivers.test/', snippet: 'The Danube is a river of ten countries.' },
    ]);
  });

  test('returns no more results than requested', async () => {
    expect(await search({ input_value: 'mill', [limitField]: 1 })).toHaveLength(1);
  });

  test('returns data and text under the output names of earlier versions', async () => {
    expect(await search({ input_value: 'danube' }, 'api_run_model')).toMatchObject([
      { data: { title: 'Rivers' } },
    ]);
    expect(await search({ input_value: 'danube' }, 'data')).toMatchObject([{ data: { title: 'Rivers' } }]);
    expect(await search({ input_value: 'danube' }, 'text')).toBe('The Danube is a river of ten countries.');
  });

  test('is a tool in files of earlier versions', async () => {
    const { tools, result } = await callToolOf(
      node('Engine-a', engine.formerType, { [keyField]: engineKey, ...values }),
      { input_value: 'danube' },
      { output: 'api_build_tool', fetch: fetchFrom({ [host]: service }) },
    );
    expect(tools.map(({ name }) => name)).toEqual([engine.toolName]);
    expect(result).toContain('https://rivers.test/');
  });

  test('reports the error of the engine for a wrong key, without the key, and a missing key', async () => {
    const reason = await failureOf(search({ [keyField]: 'key-wrong', input_value: 'mill' }));
    expect(reason).toContain(engine.refusal);
    expect(reason).not.toContain('key-wrong');
    if (engine.withoutKey === undefined)
      expect(await failureOf(search({ [keyField]: ' ', input_value: 'mill' }))).toContain('is required');
    else
      expect(await search({ [keyField]: '', input_value: 'mill' })).toEqual([{ error: engine.withoutKey }]);
  });
}
