import { randomUUID } from 'node:crypto';
import { ComponentError, messageToEventData } from '@millrace/flow';
import type { LangflowRelease, PlanVertex } from '@millrace/flow';
import { Message, PythonFormatError } from '@millrace/python-text';
import { errorText } from '../run/error-text';
import type { OngoingRun } from '../run/ongoing-run';
import { contentGroups } from './content-groups';
import type { ContentBlock } from './content-groups';

/** Returns the message that a failed vertex stores in the session, in the shape that clients expect. */
export function failureMessage(run: OngoingRun, vertex: PlanVertex, error: unknown): Message {
  const { kind, text } = pythonError(error);
  const { displayName } = vertex;
  const { runId } = run.environment;
  return new Message({
    id: randomUUID(),
    text: `${text}\n`,
    sender: displayName,
    senderName: displayName,
    sessionId: run.request.sessionId,
    contextId: null,
    flowId: run.plan.flowId,
    runId,
    sessionMetadata: { graph_run_id: runId },
    timestamp: run.timestamp(),
    category: 'error',
    properties: {
      text_color: 'red',
      background_color: 'red',
      edited: false,
      source: { id: vertex.id, display_name: displayName, source: displayName },
      icon: 'error',
      allow_markdown: false,
      positive_feedback: null,
      state: 'complete',
      targets: [],
      usage: null,
      build_duration: null,
    },
    contentBlocks: [errorBlock(displayName, { kind, text }, run.environment.langflow ?? '1.13')],
  });
}

/** Returns the data of an `error` event: its flattened blocks are groups, unlike those in `data`. */
export function failureEventData(run: OngoingRun, message: Message): Readonly<Record<string, unknown>> {
  const data = messageToEventData(message);
  if (run.environment.langflow === '1.11') return { ...data };
  return { ...data, content_blocks: contentGroups(data.content_blocks) };
}

interface ErrorBlock extends ContentBlock {
  readonly allow_markdown: boolean;
  readonly media_url: null;
}

/** Returns the class of Python's error, and its argument: that of a KeyError is the key, without the quotes of its text. */
function pythonError(error: unknown): { readonly kind: string; readonly text: string } {
  const text = errorText(error);
  if (!(error instanceof PythonFormatError || error instanceof ComponentError))
    return { kind: 'ValueError', text };
  const { kind } = error;
  return { kind, text: kind === 'KeyError' ? text.replace(/^(['"])(.*)\1$/su, '$2') : text };
}

/** Returns an error as the last line of Python's traceback. */
export function errorLine(error: unknown): string {
  const { kind, text } = pythonError(error);
  return `${kind}: ${text}`;
}

function errorBlock(
  component: string,
  { kind, text }: ReturnType<typeof pythonError>,
  release: LangflowRelease,
): ErrorBlock {
  const content = {
    type: 'error',
    duration: null,
    header: {},
    component,
    field: null,
    reason: `**${kind}**\n - **Details: ${text}**\n`,
    solution: null,
    ...(release === '1.11' ? {} : { code: null }),
    // Clients expect text here; the real stack is not exposed.
    traceback: `${kind}: ${text}`,
  };
  return { title: 'Error', contents: [content], allow_markdown: true, media_url: null };
}
