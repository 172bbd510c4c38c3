import { elapsedText } from '@millrace/flow';
import type { PlanVertex } from '@millrace/flow';
import { errorLines } from '../messages/failure-message';
import { errorText } from '../run/error-text';
import type { OngoingRun } from '../run/ongoing-run';
import { resultData } from './result-data';
import type { VertexRecord } from '../run/vertex-record';
import type { BuiltVertex, VertexObserver } from '../run/vertex-observer';
import { isStreaming } from '../messages/send-message';

/** The effect of the end of a vertex on other vertices, by their ids, and its duration. */
export interface VertexEnd {
  readonly stopped: readonly string[];
  readonly next: readonly string[];
  readonly milliseconds: number;
}

/** Notifies the observer of a vertex's result; resolves immediately when a text of it is still streaming. */
export async function notifyVertexEnd(
  run: OngoingRun,
  vertex: PlanVertex,
  record: VertexRecord,
  end: VertexEnd,
  watch: VertexObserver | undefined,
): Promise<void> {
  const notification = notifyWhenComplete(run, vertex, record, end, watch);
  if ([...record.outputs.values()].some(isStreaming)) run.awaitAtEnd(notification);
  else await notification;
}

/** Notifies the observer of a vertex's failure, which stands in the place of its first output, as in Langflow. */
export async function notifyVertexFailure(
  run: OngoingRun,
  { id, displayName, outputs: [output = 'output'] }: PlanVertex,
  error: unknown,
  milliseconds: number,
): Promise<void> {
  const params = `Error building Component ${displayName}: \n\n${errorText(error)}`;
  // Clients expect text here; the real stack is not exposed.
  const message = { errorMessage: params, stackTrace: errorLines(error) };
  const outputs = { [output]: { message, type: 'error' } };
  const built: BuiltVertex = {
    ...notificationBase(run, id, { stopped: [], next: [], milliseconds }),
    valid: false,
    params,
    data: { results: {}, outputs, logs: {}, messages: [], duration: elapsedText(milliseconds) },
    artifacts: {},
    messages: [],
  };
  await run.environment.watch?.ended(built, { seconds: milliseconds / 1_000, reused: false, usage: null });
}

async function notifyWhenComplete(
  run: OngoingRun,
  vertex: PlanVertex,
  record: VertexRecord,
  end: VertexEnd,
  watch: VertexObserver | undefined,
): Promise<void> {
  const { results, outputs, logs, messages, artifacts, token_usage } = await run.lifetime.within(
    resultData(run, vertex, record, 'follower'),
  );
  // A failure to emit tokens is that of the vertex that sends them.
  for (const value of record.outputs.values())
    if (isStreaming(value)) await run.share(value.fields.stream).emission?.catch(() => undefined);
  const built: BuiltVertex = {
    ...notificationBase(run, vertex.id, end),
    valid: true,
    params: null,
    data: {
      results: truncated(results),
      outputs: truncated(outputs),
      logs: truncated(logs),
      messages: truncated(messages),
      duration: elapsedText(end.milliseconds),
    },
    artifacts: truncated(artifacts),
    messages: truncated(messages),
  };
  await watch?.ended(built, {
    seconds: end.milliseconds / 1_000,
    reused: record.reused,
    usage: token_usage ?? null,
  });
}

type NotificationBase = Omit<BuiltVertex, 'valid' | 'params' | 'data' | 'artifacts' | 'messages'>;

function notificationBase(run: OngoingRun, id: string, { stopped, next }: VertexEnd): NotificationBase {
  return {
    id,
    timestamp: new Date(run.environment.now?.() ?? Date.now()).toISOString(),
    inactivated_vertices: stopped,
    next_vertices_ids: next,
    top_level_vertices: [],
  };
}

const MAXIMUM_TEXT_LENGTH = 6_000;
const MAXIMUM_LIST_LENGTH = 1_000;

/** Returns a JSON value for observers, with long texts and long lists truncated. */
function truncated(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAXIMUM_TEXT_LENGTH ? `${value.slice(0, MAXIMUM_TEXT_LENGTH)}...` : value;
  if (Array.isArray(value)) return value.slice(0, MAXIMUM_LIST_LENGTH).map(truncated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, truncated(member)]));
}
