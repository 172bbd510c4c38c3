import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { textMember } from '../http/json-members';
import { pause } from '../http/pause';
import { callAssemblyAi } from './call-assemblyai';

const minimumMilliseconds = 50;

/**
 * Polls until a transcript has ended and returns it, its text first, or the `error` of one that failed. Throws when the time
 * limit is reached.
 */
export async function pollTranscript(
  apiKey: string,
  id: string,
  wait: { readonly intervalMilliseconds: number; readonly limitMilliseconds: number },
  context: ComponentContext,
): Promise<PythonObject> {
  const until = Date.now() + wait.limitMilliseconds;
  for (;;) {
    const answer = await callAssemblyAi(apiKey, `v2/transcript/${encodeURIComponent(id)}`, {}, context);
    const status = textMember(answer, 'status');
    if (status === 'error') return { error: textMember(answer, 'error') };
    if (status === 'completed' && isDict(answer)) {
      const { text = null, utterances = null, id: found = id, ...rest } = answer;
      return { text, utterances, id: found, ...rest };
    }
    const interval = Math.max(minimumMilliseconds, wait.intervalMilliseconds);
    if (Date.now() + interval > until)
      throw new ComponentError(`AssemblyAI: transcript ${id} was not ready in time.`);
    await pause(interval, context.signal);
  }
}
