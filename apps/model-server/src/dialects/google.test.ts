import { startModelServer } from '../index';
import type { ModelServer } from '../index';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ apiKey: 'right' });
});
afterAll(() => server.close());

const declaration = {
  name: 'weather',
  parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' }, days: { type: 'INTEGER' } } },
};
const tools = [{ functionDeclarations: [declaration] }];
const post = (body: object, method = 'generateContent', key = 'right') =>
  fetch(`${server.origin}/v1beta/models/echo:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key },
    body: JSON.stringify(body),
  });
const user = (text: string) => ({ role: 'user', parts: [{ text }] });
const call = { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} } }] };
const result = {
  role: 'user',
  parts: [{ functionResponse: { name: 'weather', response: { result: 'Rain.' } } }],
};

test('answers in one response, with usage', async () => {
  const systemInstruction = { parts: [{ text: 'Be brief.' }] };
  const answer = await (await post({ systemInstruction, contents: [user('one two three')] })).json();
  expect(answer).toMatchObject({
    candidates: [{ content: { role: 'model', parts: [{ text: 'one two three' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
    modelVersion: 'echo',
  });
  const generationConfig = { maxOutputTokens: 2 };
  const cut = await (await post({ contents: [user('one two three')], generationConfig })).json();
  expect(cut).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
});

test('streams one token per event', async () => {
  const text = await (await post({ contents: [user('one two')] }, 'streamGenerateContent?alt=sse')).text();
  const texts = [...text.matchAll(/"parts":\[\{"text":"(.*?)"/g)].map(([, piece]) => piece);
  expect(texts).toEqual(['one', ' two', '']);
  expect(text.match(/finishReason/g)).toHaveLength(1);
});

test('calls a function, uses its result, and calls a required one', async () => {
  const question = user('Oslo for 3 days [[call=weather]]');
  const first = await (await post({ contents: [question], tools })).json();
  expect(first).toMatchObject({
    candidates: [
      {
        content: {
          parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo for 3 days', days: 3 } } }],
        },
      },
    ],
  });
  const second = await (await post({ contents: [question, call, result], tools })).json();
  expect(second).toMatchObject({ candidates: [{ content: { parts: [{ text: 'Rain.' }] } }] });
  const toolConfig = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } };
  const streamed = await post({ contents: [user('7')], tools, toolConfig }, 'streamGenerateContent?alt=sse');
  expect(await streamed.text()).toContain('"args":{"city":"7","days":7}');
});

test('follows a schema, in either notation', async () => {
  const responseMimeType = 'application/json';
  const inCapitals = { type: 'OBJECT', properties: { days: { type: 'INTEGER' } } };
  const plain = { type: 'object', properties: { days: { type: 'integer' } } };
  for (const schema of [{ responseSchema: inCapitals }, { responseJsonSchema: plain }]) {
    const generationConfig = { responseMimeType, ...schema };
    const answer = await (await post({ contents: [user('4 days')], generationConfig })).json();
    expect(answer).toMatchObject({ candidates: [{ content: { parts: [{ text: '{"days":4}' }] } }] });
  }
});

test('embeds texts in the requested number of dimensions', async () => {
  const request = (text: string) => ({
    model: 'models/echo',
    content: { parts: [{ text }] },
    outputDimensionality: 48,
  });
  const answer = await post({ requests: ['a', 'b', 'a'].map(request) }, 'batchEmbedContents');
  const { embeddings } = (await answer.json()) as { embeddings: { values: number[] }[] };
  expect(embeddings.map(({ values }) => values.length)).toEqual([48, 48, 48]);
  expect(embeddings[0]).toEqual(embeddings[2]);
  expect(embeddings[0]).not.toEqual(embeddings[1]);
});

test.each([
  [{ contents: [] }, 'contents'],
  [{ contents: [user('q')], generationConfg: {} }, 'Extra inputs'],
  [{ contents: [{ role: 'assistant', parts: [{ text: 'q' }] }] }, 'valid role'],
  [{ contents: [{ role: 'user', parts: [{}] }] }, 'oneof'],
  [{ contents: [user('q'), call, user('and?')], tools }, 'number of function response parts'],
  [{ contents: [user('q')], toolConfig: { functionCallingConfig: { mode: 'ANY' } } }, 'without functions'],
  [{ contents: [user('q')], generationConfig: { responseSchema: {} } }, 'mime type'],
])('refuses %j', async (body, reason) => {
  const response = await post(body);
  const answer: unknown = await response.json();
  expect([response.status, answer]).toMatchObject([
    400,
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ]);
  expect(JSON.stringify(answer)).toContain(reason);
});

test('checks its key, and refuses with the requested status', async () => {
  const wrong = await post({ contents: [user('q')] }, 'generateContent', 'wrong');
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('API key not valid')]);
  const busy = await post({ contents: [user('[[status=429]]')] });
  expect([busy.status, await busy.json()]).toMatchObject([429, { error: { status: 'RESOURCE_EXHAUSTED' } }]);
  expect((await post({}, 'countTokens')).status).toBe(404);
});
