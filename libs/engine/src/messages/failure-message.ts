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
  const exception = pythonError(error);
  const { displayName } = vertex;
  const { runId } = run.environment;
  return new Message({
    id: randomUUID(),
    text: `${exception.said ?? exception.text}\n`,
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
    contentBlocks: [
      errorBlock(displayName, exception, errorLines(error), run.environment.langflow ?? '1.13'),
    ],
  });
}

/** Returns the data of an `error` event: in a followed workflow its flattened blocks are groups, unlike those in `data`. */
export function failureEventData(run: OngoingRun, message: Message): Readonly<Record<string, unknown>> {
  const data = messageToEventData(message);
  if (run.environment.langflow === '1.11' || run.request.vertexEvents !== true) return { ...data };
  return { ...data, content_blocks: contentGroups(data.content_blocks) };
}

interface ErrorBlock extends ContentBlock {
  readonly allow_markdown: boolean;
  readonly media_url: null;
}

interface PythonError {
  readonly kind: string;
  readonly text: string;
  readonly said?: string | undefined;
  readonly exceptionCode?: string | null | undefined;
}

/** Returns Python's error, with its argument as the text: that of a KeyError is the key, without the quotes of its text. */
function pythonError(error: unknown): PythonError {
  if (error instanceof ComponentError) {
    const { kind, said, exceptionCode } = error.shown;
    return { kind, said, exceptionCode, text: argumentOf(error.shown) };
  }
  if (error instanceof PythonFormatError) return { kind: error.kind, text: argumentOf(error) };
  return { kind: 'ValueError', text: errorText(error) };
}

function argumentOf({ kind, message }: ComponentError | PythonFormatError): string {
  return kind === 'KeyError' ? message.replace(/^(['"])(.*)\1$/su, '$2') : message;
}

/** Returns the lines of Python's traceback without its places: that of an error which stands for another follows it. */
export function errorLines(error: unknown): string {
  const { kind, text } = pythonError(error);
  const cause = error instanceof ComponentError ? error.shown.cause : undefined;
  return [...(cause instanceof ComponentError ? [errorLines(cause)] : []), `${kind}: ${text}`].join('\n');
}

/** Returns the reason in Markdown, by what the exception has: the message of a service, a code, or an argument. */
function reasonOf({ kind, said, exceptionCode, text }: PythonError): string {
  if (said !== undefined) return `**${kind}**\n - **${said}**\n`;
  if (exceptionCode !== undefined) return `**${text}**\n - **Code: ${exceptionCode ?? 'None'}**\n`;
  return `**${kind}**\n - **Details: ${text}**\n`;
}

function errorBlock(
  component: string,
  exception: PythonError,
  traceback: string,
  release: LangflowRelease,
): ErrorBlock {
  const content = {
    type: 'error',
    duration: null,
    header: {},
    component,
    field: null,
    reason: reasonOf(exception),
    solution: null,
    ...(release === '1.11' ? {} : { code: null }),
    // Clients expect text here; the real stack is not exposed.
    traceback,
  };
  return { title: 'Error', contents: [content], allow_markdown: true, media_url: null };
}
