import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

export interface CompatibleModelCase {
  /** The field with the address. It gets the server's address without `/v1` when the component appends a path. */
  readonly baseUrlField: string;
  readonly apiKeyField: string;
  /** The path that the component appends to the address. */
  readonly path: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What every component of a provider with the OpenAI protocol must do. */
export function describeCompatibleModel(type: string, given: CompatibleModelCase): void {
  describe(`the model component ${type}`, () => {
    let server: ModelServerUnderTest;
    beforeAll(async () => {
      server = await startModelServerUnderTest();
    });
    afterAll(() => server.close());

    const document = (): unknown => {
      const values = {
        model_name: 'some-model',
        [given.baseUrlField]: server.url.replace(/\/v1$/, '') + (given.path === '' ? '/api' : ''),
        [given.apiKeyField]: 'key-of-a-field',
        max_tokens: 9,
        ...given.values,
      };
      return flow(
        [node('ChatInput-a', 'ChatInput'), node('Model-m', type, values), node('ChatOutput-z', 'ChatOutput')],
        [
          edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
          edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
        ],
      );
    };

    test('calls its provider', async () => {
      expect((await runFlow(document(), { input: 'q' })).text).toBe('Hello big world');
      expect(server.requests.at(-1)).toMatchObject({
        path: `${given.path === '' ? '/api' : given.path}/chat/completions`,
        headers: { authorization: 'Bearer key-of-a-field', ...given.headers },
        body: { model: 'some-model', max_tokens: 9, messages: [{ role: 'user', content: 'q' }] },
      });
    });

    test('streams', async () => {
      const { events } = await runFlow(document(), { input: 'q', stream: true });
      expect(events.filter(({ event }) => event === 'token')).toHaveLength(3);
    });
  });
}
