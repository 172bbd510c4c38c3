import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';
import { afterTranscript } from './speech.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startAssemblyAi);

const read = (values: Readonly<Record<string, unknown>>) =>
  afterTranscript(server, { audio_file_url: 'https://a.test/' }, { type: 'AssemblyAILeMUR', values });

test.each([
  [{ prompt: 'What is said?' }, 'task: What is said?'],
  [{ endpoint: 'summary' }, 'summary: all'],
  [
    { endpoint: 'question-answer', questions: 'Who?, Why?' },
    [
      { question: 'Who?', answer: 'About t-1' },
      { question: 'Why?', answer: 'About t-1' },
    ],
  ],
])('%j', async (values, response) => {
  expect(await read(values)).toMatchObject({ request_id: 'r-1', response });
});

test.each([
  [{}, 'No prompt specified'],
  [{ endpoint: 'question-answer' }, 'No Questions were provided for the question-answer endpoint'],
])('%j gives data with the error', async (values, error) => {
  expect(await read(values)).toEqual({ error });
});

test('another endpoint gives data with the error', async () => {
  expect(await read({ endpoint: 'poem' })).toEqual({
    error: 'An Error happened: Endpoint not supported: poem',
  });
});

test('gives data with the error where there is no transcript', async () => {
  const document = flow(
    [node('AssemblyAILeMUR-l', 'AssemblyAILeMUR', { prompt: 'What?' }), node('ChatOutput-z', 'ChatOutput')],
    [edge('AssemblyAILeMUR-l', 'lemur_response', 'ChatOutput-z', 'input_value')],
  );
  expect((await runFlow(document, {})).text).toContain(
    'Either a valid Transcription Result or valid Transcript IDs must be provided',
  );
});
