import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

/** The only key that the fake accepts. */
export const assemblyAiKey = 'assembly-right';

const transcriptSchema = {
  type: 'object',
  required: ['audio_url'],
  properties: {
    audio_url: { type: 'string', pattern: '^https?://' },
    speech_model: { enum: ['best', 'nano'] },
    language_detection: { type: 'boolean' },
    language_code: { type: 'string', minLength: 2 },
    speaker_labels: { type: 'boolean' },
    speakers_expected: { type: 'integer', minimum: 1 },
    punctuate: { type: 'boolean' },
    format_text: { type: 'boolean' },
  },
  additionalProperties: false,
};
const ids = { type: 'array', items: { type: 'string' }, minItems: 1 };
const model = {
  transcript_ids: ids,
  final_model: { type: 'string', pattern: '^anthropic/' },
  temperature: { type: 'number' },
  max_output_size: { type: 'integer' },
  context: { type: 'string' },
};
const lemurSchemas: Readonly<Record<string, object>> = {
  task: {
    type: 'object',
    required: ['prompt', 'transcript_ids', 'final_model'],
    properties: { ...model, prompt: { type: 'string' } },
    additionalProperties: false,
  },
  summary: {
    type: 'object',
    required: ['transcript_ids', 'final_model'],
    properties: model,
    additionalProperties: false,
  },
  'question-answer': {
    type: 'object',
    required: ['questions', 'transcript_ids', 'final_model'],
    properties: {
      ...model,
      questions: { type: 'array', items: { type: 'object', required: ['question'] }, minItems: 1 },
    },
    additionalProperties: false,
  },
};

interface Transcript {
  readonly id: string;
  readonly audio_url: string;
  statusRequests: number;
}

/** AssemblyAI: uploads, transcripts that finish at the second status request, subtitles, lists and LeMUR. */
export function createAssemblyAiHandler(): FakeHandler {
  const uploads: string[] = [];
  const transcripts: Transcript[] = [];
  return fakeHandler((request) => {
    if (request.headers.authorization !== assemblyAiKey)
      return refusal(
        401,
        `Authentication error, API token ${String(request.headers.authorization)} missing/invalid`,
      );
    const { method, path } = request;
    if (method === 'POST' && path === '/v2/upload') return upload(request, uploads);
    if (method === 'POST' && path === '/v2/transcript') return order(request, transcripts, uploads);
    if (method === 'GET' && path === '/v2/transcript') return list(request, transcripts);
    const [, id, format] = /^\/v2\/transcript\/([\w-]+)(?:\/(srt|vtt))?$/.exec(path) ?? [];
    const found = transcripts.find((transcript) => transcript.id === id);
    if (method === 'GET' && id !== undefined)
      return found === undefined ? refusal(400, `Transcript ${id} not found`) : read(found, format, request);
    const kind = /^\/lemur\/v3\/generate\/([\w-]+)$/.exec(path)?.[1];
    return method === 'POST' && kind !== undefined
      ? lemur(request, kind, transcripts)
      : refusal(404, 'Not found');
  });
}

export function startAssemblyAi(): Promise<FakeService> {
  return startFakeService(createAssemblyAiHandler());
}

function upload({ headers, text }: FakeRequest, uploads: string[]): FakeAnswer {
  if (headers['content-type'] !== 'application/octet-stream' || text === '')
    return refusal(422, 'Upload failed');
  uploads.push(text);
  return { json: { upload_url: `https://cdn.assemblyai.com/upload/${uploads.length}` } };
}

function order({ json }: FakeRequest, transcripts: Transcript[], uploads: readonly string[]): FakeAnswer {
  const wrong = violation(transcriptSchema, json);
  if (wrong !== null) return refusal(400, wrong);
  const { audio_url } = json as { readonly audio_url: string };
  const number = Number(/upload\/(\d+)$/.exec(audio_url)?.[1] ?? 0);
  if (number > uploads.length) return refusal(400, 'File does not appear to be uploaded');
  transcripts.push({ id: `t-${transcripts.length + 1}`, audio_url, statusRequests: 0 });
  return { json: { id: `t-${transcripts.length}`, status: 'queued', audio_url, text: null, error: null } };
}

function read(transcript: Transcript, format: string | undefined, { query }: FakeRequest): FakeAnswer {
  transcript.statusRequests += 1;
  const { id, audio_url } = transcript;
  const text = `Words of ${audio_url}`;
  if (format !== undefined) {
    const caption = text.slice(0, Number(query.get('chars_per_caption') ?? text.length));
    return {
      text:
        format === 'vtt'
          ? `WEBVTT\n\n00:00.000 --> 00:01.000\n${caption}`
          : `1\n00:00:00,000 --> 00:00:01,000\n${caption}`,
    };
  }
  if (audio_url.includes('broken'))
    return { json: { id, status: 'error', error: 'Download error, unable to download' } };
  if (transcript.statusRequests < 2) return { json: { id, status: 'processing', text: null, error: null } };
  return {
    json: { id, status: 'completed', audio_url, text, utterances: null, confidence: 0.9, error: null },
  };
}

function list({ query }: FakeRequest, transcripts: readonly Transcript[]): FakeAnswer {
  const limit = Number(query.get('limit') ?? 10);
  if (limit < 1 || limit > 200) return refusal(400, 'limit must be between 1 and 200');
  const found = transcripts
    .slice(0, limit)
    .map(({ id, audio_url }) => ({ id, audio_url, status: 'completed' }));
  return { json: { page_details: { limit, result_count: found.length }, transcripts: found } };
}

function lemur({ json }: FakeRequest, kind: string, transcripts: readonly Transcript[]): FakeAnswer {
  const schema = lemurSchemas[kind];
  if (schema === undefined) return refusal(404, 'Not found');
  const wrong = violation(schema, json);
  if (wrong !== null) return refusal(400, wrong);
  const { transcript_ids, prompt, questions } = json as {
    readonly transcript_ids: readonly string[];
    readonly prompt?: string;
    readonly questions?: readonly { readonly question: string }[];
  };
  const unknown = transcript_ids.find((id) => !transcripts.some((transcript) => transcript.id === id));
  if (unknown !== undefined) return refusal(400, `transcript ${unknown} not found`);
  const response =
    questions?.map(({ question }) => ({ question, answer: `About ${transcript_ids.join()}` })) ??
    `${kind}: ${prompt ?? 'all'}`;
  return { json: { request_id: 'r-1', response, usage: { input_tokens: 1, output_tokens: 1 } } };
}

function refusal(status: number, error: string): FakeAnswer {
  return { status, json: { error } };
}
