import { failureOf } from '../testing/flow-under-test.fixture';
import type { FakeService } from '../integrations/http/fake-service.fixture';
import { startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';
import { afterTranscript } from './speech.fixture';

let server: FakeService;
beforeEach(async () => {
  server = await startAssemblyAi();
});
afterEach(() => server.close());

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
  [{}, 'Error: No prompt specified for the task endpoint'],
  [{ endpoint: 'question-answer' }, 'Error: No Questions were provided'],
  [{ endpoint: 'poem' }, 'Endpoint not supported: poem'],
])('%j fails', async (values, reason) => {
  expect(await failureOf(read(values))).toContain(reason);
});
