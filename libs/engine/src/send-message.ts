import { messageToEventData } from '@millrace/flow';
import type { Message, PlanVertex, RunMoment } from '@millrace/flow';
import { addressMessage } from './address-message';
import type { OngoingRun } from './ongoing-run';
import { isUnfinished, wholeMessage } from './whole-message';
import type { UnfinishedMessage } from './whole-message';

/**
 * Stores a vertex's message in the run's session and shows it to a streaming caller. A message whose text is still being
 * made is shown as it comes: begun with its first chunk, then every chunk as a token, then whole; it is stored when it
 * is whole. Only what is said in the conversation is stored: a vertex that is neither an input nor an output, and feeds
 * no chat output, keeps its message to itself.
 */
export async function sendMessage(
  run: OngoingRun,
  { vertex, moment }: { readonly vertex: PlanVertex; readonly moment: RunMoment },
  message: Message,
): Promise<Message> {
  if (!speaksInConversation(run, vertex)) return isUnfinished(message) ? wholeMessage(run, message) : message;
  const addressed = addressMessage(run, message).with({
    sessionMetadata: { graph_run_id: run.environment.runId },
  });
  const complete = isUnfinished(addressed) ? await speak(run, addressed) : addressed;
  await run.store(complete, moment);
  if (run.request.stream) {
    await run.tell({ event: 'add_message', data: { ...messageToEventData(complete) } });
  }
  return complete;
}

function speaksInConversation(run: OngoingRun, vertex: PlanVertex): boolean {
  if (vertex.isInput || vertex.isOutput) return true;
  return vertex.outgoing.some((edge) => run.plan.vertices[edge.target]?.type === 'ChatOutput');
}

async function speak(run: OngoingRun, message: UnfinishedMessage): Promise<Message> {
  if (run.request.stream) await emitTokens(run, message, run.share(message.fields.stream));
  return wholeMessage(run, message);
}

async function emitTokens(run: OngoingRun, message: Message, text: AsyncIterable<string>): Promise<void> {
  const id = message.fields.id ?? '';
  let begun = false;
  for await (const chunk of text) {
    if (!begun) {
      begun = true;
      const properties = { ...message.fields.properties, state: 'partial' } as const;
      const partial = message.with({ text: chunk, stream: null, properties });
      await run.tell({ event: 'add_message', data: { ...messageToEventData(partial) } });
    }
    await run.tell({ event: 'token', data: { chunk, id } });
  }
}
