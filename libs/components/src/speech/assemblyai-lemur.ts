import {
  ComponentError,
  data,
  defineComponent,
  dropdown,
  float,
  integer,
  isDict,
  secret,
  text,
} from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';
import { textMember } from '../integrations/http/json-members';
import { splitCommas } from '../parsing/split-commas';
import { callAssemblyAi } from '../integrations/assemblyai/call-assemblyai';

const models: Readonly<Record<string, string>> = {
  claude3_5_sonnet: 'anthropic/claude-3-5-sonnet',
  claude3_opus: 'anthropic/claude-3-opus',
  claude3_haiku: 'anthropic/claude-3-haiku',
  claude3_sonnet: 'anthropic/claude-3-sonnet',
};

export default defineComponent({
  type: 'AssemblyAILeMUR',
  displayName: 'AssemblyAI LeMUR',
  description: 'Applies the language models of AssemblyAI to transcripts.',
  inputs: {
    api_key: secret({ displayName: 'Assembly API Key', required: true }),
    transcription_result: data({ displayName: 'Transcription Result' }),
    prompt: text({ displayName: 'Input Prompt', multiline: true }),
    final_model: dropdown({
      displayName: 'Final Model',
      options: Object.keys(models),
      default: 'claude3_5_sonnet',
      advanced: true,
    }),
    temperature: float({ displayName: 'Temperature', default: 0, advanced: true }),
    max_output_size: integer({ displayName: 'Max Output Size', default: 2000, advanced: true }),
    endpoint: dropdown({
      displayName: 'Endpoint',
      options: ['task', 'summary', 'question-answer'],
      default: 'task',
      advanced: true,
    }),
    questions: text({ displayName: 'Questions', multiline: true, advanced: true }),
    transcript_ids: text({ displayName: 'Transcript IDs', multiline: true, advanced: true }),
  },
  outputs: {
    lemur_response: { types: ['Data', 'JSON'], displayName: 'LeMUR Response', method: 'run_lemur' },
  },
  deterministic: false,
  run: async ({ api_key, endpoint, ...inputs }, context) => {
    const problem = problemOf(endpoint, inputs);
    if (problem !== null) {
      context.status(problem.status);
      return { lemur_response: problem.answer };
    }
    const connectedId = textMember(inputs.transcription_result.data, 'id');
    const transcript_ids = connectedId === '' ? splitCommas(inputs.transcript_ids) : [connectedId];
    const ask = async (): Promise<Data> => {
      const json = {
        transcript_ids,
        final_model: models[inputs.final_model] ?? inputs.final_model,
        temperature: inputs.temperature,
        max_output_size: inputs.max_output_size,
        ...work(endpoint, inputs),
      };
      const path = `lemur/v3/generate/${endpoint}`;
      const answer = await callAssemblyAi(api_key, path, { method: 'POST', json }, context);
      return new Data(isDict(answer) ? answer : {});
    };
    const result = await errorsAsData(ask, (error) => new Data({ error: `An Error happened: ${error}` }));
    context.status(result.data['error'] ?? result);
    return { lemur_response: result };
  },
});

interface Problem {
  readonly status: PythonValue;
  readonly answer: Data;
}

/** Returns why there is nothing to ask for: data for the vertices behind, as in Langflow, instead of a failure. */
function problemOf(
  endpoint: string,
  inputs: {
    readonly transcription_result: Data;
    readonly transcript_ids: string;
    readonly prompt: string;
    readonly questions: string;
  },
): Problem | null {
  const transcript = inputs.transcription_result.data;
  const failed = (error: string, status = error): Problem => ({ status, answer: new Data({ error }) });
  const { error = null } = transcript;
  if (error !== null && error !== '') return { status: error, answer: inputs.transcription_result };
  if (endpoint === 'task' && inputs.prompt === '')
    return failed('No prompt specified', 'No prompt specified for the task endpoint');
  if (endpoint === 'question-answer' && inputs.questions === '')
    return failed('No Questions were provided for the question-answer endpoint');
  const hasTranscript = 'id' in transcript || splitCommas(inputs.transcript_ids).length > 0;
  return hasTranscript
    ? null
    : failed('Either a valid Transcription Result or valid Transcript IDs must be provided');
}

/** Returns the request body for each kind of task. */
function work(
  endpoint: string,
  { prompt, questions }: { readonly prompt: string; readonly questions: string },
) {
  switch (endpoint) {
    case 'task':
      return { prompt };
    case 'summary':
      return prompt === '' ? {} : { context: prompt };
    case 'question-answer':
      return {
        questions: splitCommas(questions).map((question) => ({ question })),
        ...(prompt === '' ? {} : { context: prompt }),
      };
    default:
      throw new ComponentError(`Endpoint not supported: ${endpoint}`);
  }
}
