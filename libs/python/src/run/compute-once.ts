import { isDict } from '@millrace/flow';
import type { ComponentContext, VertexOutcome } from '@millrace/flow';
import { Message, nowWithMicroseconds, timestamp } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { listOf, memberOf, objectOf, textOf } from '../frames/members';
import { someTagged, withTexts } from '../values/tagged-values';

import { VertexRecording, contextChangeOf } from './vertex-recording';
import type { ContextChange } from './vertex-recording';

/** A computed vertex: its `done` frame and what it printed. */
export interface ComputedVertex {
  readonly done: PythonObject;
  readonly printed: string;
}

/** What the computation of one vertex needs of its run. */
export interface VertexWork {
  /** Computes the vertex in the process of the run. */
  compute(recording: VertexRecording): Promise<ComputedVertex>;
  decode(computed: ComputedVertex): VertexOutcome;
  decodeMessage(message: PythonValue): PythonValue;
  /** Changes the context that the vertices of the run share. */
  restore(change: ContextChange): void;
}

/**
 * Computes a vertex of a run whose effects are recorded. The whole vertex is one effect: a later attempt replays its
 * outputs, stopped outputs, status, logs, messages and changes of the context, and does not compute it.
 *
 * A vertex is computed in each attempt when its outputs or the context contain live objects or unread streams, when it
 * received an object of Python that can change, called a native tool, or left files in its folder: the next attempt has
 * another process. What a text keeps outside of its context, such as global variables, is not recorded.
 */
export async function computeOnce(context: ComponentContext, work: VertexWork): Promise<VertexOutcome> {
  const computed: ComputedVertex[] = [];
  const compute = async (): Promise<PythonObject | null> => {
    const recording = new VertexRecording();
    const result = await work.compute(recording);
    computed.push(result);
    return recording.record(result.done, result.printed);
  };
  const record = await context.effect<PythonValue>('python', compute);
  const [first] = computed;
  if (first !== undefined) return work.decode(first);
  return isDict(record)
    ? replay(record, context, work)
    : work.decode(await work.compute(new VertexRecording()));
}

async function replay(
  record: PythonObject,
  context: ComponentContext,
  work: VertexWork,
): Promise<VertexOutcome> {
  const texts = renewedTimestamps(record);
  for (const stored of listOf(record, 'messages')) {
    if (isDict(stored)) await replayMessage(stored, context, work, texts);
  }
  const done = withTexts(objectOf(record, 'done'), texts);
  work.restore(contextChangeOf(withTexts(memberOf(record, 'context') ?? null, texts)));
  return work.decode({ done: isDict(done) ? done : {}, printed: textOf(record, 'printed') });
}

/** Stores a message again. It has another id in this attempt, which also replaces the id in the outputs. */
async function replayMessage(
  stored: PythonObject,
  context: ComponentContext,
  work: VertexWork,
  texts: Map<string, string>,
): Promise<void> {
  const message = work.decodeMessage(withTexts(memberOf(stored, 'message') ?? null, texts));
  if (!(message instanceof Message)) return;
  const isSent = textOf(stored, 'method') === 'messages.send';
  const again = await (isSent ? context.sendMessage(message) : context.storeMessage(message));
  const { id } = message.fields;
  if (id !== null && again.fields.id !== null) texts.set(id, again.fields.id);
}

/**
 * Returns new timestamps, in the same order, for the messages that the vertex made: messages of the run that this
 * attempt stored before are older.
 */
function renewedTimestamps(record: PythonObject): Map<string, string> {
  const began = textOf(record, 'began');
  const found = new Set<string>();
  someTagged(record, (tag, content) => {
    const made =
      tag === '$message' && isDict(content) ? textOf(objectOf(content, 'fields'), 'timestamp') : '';
    if (made >= began && made !== '') found.add(made);
    return false;
  });
  return new Map([...found].toSorted().map((made) => [made, timestamp(nowWithMicroseconds())]));
}
