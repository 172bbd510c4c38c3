import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { textMember } from '../http/json-members';
import { callAssemblyAi } from './call-assemblyai';

const maximumBytes = 100 * 1_048_576;

/** The source of speech: a stored file of the user's, or an address. */
export interface Audio {
  readonly file?: string | undefined;
  readonly url: string;
}

/** Starts a transcript and returns its id. */
export async function createTranscript(
  apiKey: string,
  audio: Audio,
  options: Readonly<Record<string, unknown>>,
  context: ComponentContext,
): Promise<string> {
  const audio_url = audio.file === undefined ? audio.url.trim() : await upload(apiKey, audio.file, context);
  if (audio_url === '')
    throw new ComponentError('Error: Either an audio file or an audio URL must be specified');
  const json = { audio_url, ...options };
  const answer = await callAssemblyAi(apiKey, 'v2/transcript', { method: 'POST', json }, context);
  const failure = textMember(answer, 'error');
  if (failure !== '') throw new ComponentError(`AssemblyAI: ${failure}`);
  return textMember(answer, 'id');
}

async function upload(apiKey: string, path: string, context: ComponentContext): Promise<string> {
  const { files } = context.resources;
  const file = await files.find(path);
  if (file === null) throw new ComponentError('Error: Audio file not found');
  const body = await files.read(file, maximumBytes);
  const headers = { 'content-type': 'application/octet-stream' };
  const call = { method: 'POST', headers, body, repeatable: true, timeoutMilliseconds: 600_000 };
  return textMember(await callAssemblyAi(apiKey, 'v2/upload', call, context), 'upload_url');
}
