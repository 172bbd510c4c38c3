import { randomUUID } from 'node:crypto';
import { messageToEventData, messageToResult } from '@millrace/flow';
import type { PlanVertex, RunMoment } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { PythonValue, TextStream } from '@millrace/python-text';
import type { OngoingRun } from '../run/ongoing-run';
import { contentGroups, flatContents, textContent, withoutOutput } from './content-groups';

/**
 * Stores a vertex's message in the run's session and emits it to a streaming caller. A message with a stream is emitted
 * in parts: with its first chunk, then every chunk as a token, then complete; it is stored when it is complete. Only
 * messages of the conversation are stored: the message of a vertex that is neither an input nor an output, and has no
 * edge to a chat output, is neither stored nor emitted.
 */
export async function sendMessage(
  run: OngoingRun,
  { vertex, moment }: { readonly vertex: PlanVertex; readonly moment: RunMoment },
  message: Message,
): Promise<Message> {
  if (!belongsToConversation(run, vertex))
    return isStreaming(message) ? completeMessage(run, message) : message;
  const addressed = assignMessageIdentity(run, message).with({
    sessionMetadata: { graph_run_id: run.environment.runId },
  });
  const whole = isStreaming(addressed) ? await streamMessage(run, addressed) : addressed;
  const texts = isChatOutput(vertex) ? run.textsBefore(vertex) : null;
  if (texts !== null) await texts;
  const complete = isChatOutput(vertex) ? run.tokens.withUsageBefore(run.plan, vertex, whole) : whole;
  await run.store(complete, moment);
  await emitMessage(run, whole);
  // As in Langflow, what all models used is known when the message has been sent.
  if (complete !== whole) await emitMessage(run, complete);
  return complete;
}

/**
 * Emits a message of a model or an agent as Langflow does before a chat output shows it: a streamed one empty, then every chunk as a
 * token, then complete. Stores it at a moment, else lets the chat output send its own message under the same id.
 */
export async function speakMessage(
  run: OngoingRun,
  message: Message,
  moment: RunMoment | null,
): Promise<Message> {
  if (!isStreaming(message)) return spokenWhole(run, message, moment);
  const stream = run.share(message.fields.stream);
  // Two chat outputs can show the message of one model.
  stream.spoken ??= speakOnce(run, message.with({ stream }) as StreamingMessage);
  stream.emission = stream.spoken.then(
    () => undefined,
    () => undefined,
  );
  const whole = await stream.spoken;
  if (moment !== null) return storeOwn(run, ownMessage(whole), moment);
  return whole;
}

/** The first chat output that stores the message of a model takes its id. */
async function speakOnce(run: OngoingRun, message: StreamingMessage): Promise<Message> {
  const whole = await speak(run, message);
  const { id } = whole.fields;
  if (id !== null && !run.isPartial(id)) run.addOfModel(id);
  return whole;
}

/** Two chat outputs can show the message of one agent. */
function spokenWhole(run: OngoingRun, message: Message, moment: RunMoment | null): Promise<Message> {
  if (moment === null) return Promise.resolve(message);
  // One that has not begun in this attempt has no id that both know.
  const spoken = run.spoken.get(message) ?? storeWhole(run, message, moment);
  run.spoken.set(message, spoken);
  return spoken;
}

async function storeWhole(run: OngoingRun, message: Message, moment: RunMoment): Promise<Message> {
  const addressed = assignMessageIdentity(run, ownMessage(message)).with({
    sessionMetadata: { graph_run_id: run.environment.runId },
  });
  if (!run.isStored(addressed)) await emitMessage(run, await storeOwn(run, addressed, moment));
  return addressed;
}

async function storeOwn(run: OngoingRun, message: Message, moment: RunMoment): Promise<Message> {
  if (!run.isStored(message)) await run.store(message, moment);
  return message;
}

/** Returns a message as it is where no chat output stores it. */
function ownMessage(message: Message): Message {
  return message.with({ contentBlocks: withoutOutput(message.fields.contentBlocks) });
}

async function speak(run: OngoingRun, { fields }: StreamingMessage): Promise<Message> {
  const { stream, ...others } = fields;
  const isBegun = run.isPartial(fields.id);
  const addressed = assignMessageIdentity(run, new Message(others)).with({
    sessionMetadata: { graph_run_id: run.environment.runId },
  });
  if (!isBegun) await emitMessage(run, asPartial(addressed));
  const { id } = addressed.fields;
  const started = performance.now();
  const token = (chunk: string) => run.emit({ event: 'token', data: { chunk, id: id ?? '' } });
  for await (const chunk of stream) await token(chunk);
  const whole = await completeMessage(run, addressed.with({ stream }) as StreamingMessage);
  if (isBegun) {
    const own = ownMessage(whole);
    const { usage } = own.fields.properties;
    const uncounted = own.with({ properties: { ...own.fields.properties, usage: null } });
    // Followers get a text without steps as a content, too.
    const alone =
      own.fields.contentBlocks.length > 0
        ? undefined
        : [{ ...textContent(own.text), duration: Math.round(performance.now() - started) }];
    await emitMessage(run, asPartial(uncounted), alone);
    await emitMessage(run, uncounted);
    if (usage !== null) await emitMessage(run, own);
    return whole;
  }
  // A model that gives no text sends empty tokens.
  if (whole.text === '') await token('');
  const shown = whole.text === '' ? asPartial(whole) : whole;
  await emitMessage(run, shown);
  return shown;
}

function asPartial(message: Message): Message {
  return message.with({ properties: { ...message.fields.properties, state: 'partial' } });
}

/** As stored: a message of a model that gave no text stays a partial one, also in the nested data. */
function emitMessage(run: OngoingRun, message: Message, alone?: readonly object[]): Promise<void> {
  return run.emit({ event: 'add_message', data: messageEventData(run, message, alone) });
}

/**
 * Returns the data of the event of a message. The blocks of one that is not complete are not in `data`; those of a followed
 * workflow are groups, or, before the message is complete, contents beside each other.
 */
function messageEventData(
  run: OngoingRun,
  message: Message,
  alone?: readonly object[],
): Readonly<Record<string, unknown>> {
  const { id, contentBlocks, properties } = message.fields;
  const shown = { ...messageToResult(message), id };
  if (run.environment.langflow === '1.11') return shown;
  const contents = alone ?? flatContents(contentBlocks);
  if (contents.length === 0) return shown;
  const isPartial = properties.state === 'partial';
  const data = isPartial ? { ...shown.data, content_blocks: [] } : shown.data;
  if (run.request.vertexEvents !== true) return { ...shown, data };
  const content_blocks = isPartial ? contents : contentGroups(contentBlocks);
  return { ...shown, data, content_blocks };
}

/**
 * Gives a message that a chat output will show its id, and the sender's name of the flow's first chat output: each chat output
 * sends the same message.
 */
export function beginSpoken(run: OngoingRun, { displayName }: PlanVertex, message: Message): Message {
  const { runId } = run.environment;
  const id = randomUUID();
  run.addPartial(id);
  const first = run.plan.vertices.find(isChatOutput);
  const changes = first && run.overrides.get(first.index);
  const name =
    changes?.values.get('sender_name') ??
    (changes?.fields.get('sender_name') ?? first?.fields.get('sender_name'))?.value;
  return message.with({
    id,
    runId,
    flowId: run.plan.flowId,
    senderName: typeof name === 'string' && name !== '' ? name : displayName,
    sessionMetadata: { graph_run_id: runId },
  });
}

/** Emits the part of a message that is known, under the id that the whole message will have. */
export function emitPartial(run: OngoingRun, message: Message): void {
  if (!run.request.stream) return;
  const partial = assignMessageIdentity(run, message).with({
    sessionMetadata: { graph_run_id: run.environment.runId },
    properties: { ...message.fields.properties, state: 'partial' },
  });
  run.emitLater({ event: 'add_message', data: messageEventData(run, partial) });
}

/** The message of a chat output shows what all models before it used. */
function isChatOutput({ component, type }: PlanVertex): boolean {
  return (component?.type ?? type) === 'ChatOutput';
}

function belongsToConversation(run: OngoingRun, vertex: PlanVertex): boolean {
  if (vertex.isInput || vertex.isOutput) return true;
  return vertex.outgoing.some((edge) => run.plan.vertices[edge.target]?.type === 'ChatOutput');
}

/** The stream of a component can be readable only once: it is shared by the caller's reader and the store's. */
async function streamMessage(run: OngoingRun, message: StreamingMessage): Promise<Message> {
  const stream = run.share(message.fields.stream);
  if (run.request.stream) await (stream.emission = emitTokens(run, message, stream));
  return completeMessage(run, message.with({ stream }) as StreamingMessage);
}

async function emitTokens(run: OngoingRun, message: Message, text: AsyncIterable<string>): Promise<void> {
  const id = message.fields.id ?? '';
  let begun = false;
  for await (const chunk of text) {
    if (!begun) {
      begun = true;
      const properties = { ...message.fields.properties, state: 'partial' } as const;
      const partial = message.with({ text: chunk, stream: null, properties });
      await run.emit({ event: 'add_message', data: { ...messageToEventData(partial) } });
    }
    await run.emit({ event: 'token', data: { chunk, id } });
  }
}

/** A message whose text is still streaming. */
export type StreamingMessage = Message & { readonly fields: { readonly stream: TextStream } };

export function isStreaming(value: PythonValue): value is StreamingMessage {
  return value instanceof Message && value.fields.stream !== null;
}

/**
 * Returns the message with its complete text, and with the usage if the source reports it. A final content from the
 * source takes precedence over the streamed text.
 */
export async function completeMessage(run: OngoingRun, message: StreamingMessage): Promise<Message> {
  const { stream, properties } = message.fields;
  const shared = run.share(stream);
  const text = await shared.text();
  const { usage, ending } = shared;
  return message.with({
    text,
    stream: null,
    ...ending,
    ...(usage && { properties: { ...properties, usage } }),
  });
}

/** Returns a message with the fields of every stored one: id, run, session, sender and timestamp. One that has begun keeps its id. */
export function assignMessageIdentity(run: OngoingRun, message: Message): Message {
  const { fields } = message;
  return message.with({
    id: run.takeBegun(fields.id) ?? randomUUID(),
    runId: run.environment.runId,
    flowId: run.plan.flowId,
    sessionId: fields.sessionId || run.request.sessionId,
    sender: fields.sender || 'Machine',
    senderName: fields.senderName || 'AI',
    timestamp: fields.timestamp || run.timestamp(),
    extra: {},
  });
}
