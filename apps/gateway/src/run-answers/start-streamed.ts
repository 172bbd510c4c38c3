import type { ServerResponse } from 'node:http';
import type { PendingRun } from '../runs/pending-run';
import type { RunOrder } from '../runs/run-order';
import type { RunAnswer } from './run-answer';

/** A stream of an answer in another interface than Langflow's. */
export interface AnswerStream {
  open(headers: Readonly<Record<string, string>>): void;
  /** Takes lines of events, as executors write them. */
  events(lines: Buffer, attempt: number): void;
}

/**
 * Starts a run and opens its stream, which gets the events of the run. A run that cannot start rejects before the stream
 * is open, so that its error has its status.
 */
export async function startStreamed(
  answer: RunAnswer,
  response: ServerResponse,
  order: RunOrder,
  stream: AnswerStream,
): Promise<PendingRun> {
  const earlyEvents: [Buffer, number][] = [];
  let isOpen = false;
  const onEvents = (lines: Buffer, attempt: number) => {
    if (isOpen) stream.events(lines, attempt);
    else earlyEvents.push([lines, attempt]);
  };
  const run = await answer.start(response, { ...order, onEvents }, null);
  stream.open({ 'x-run-id': run.options.runId });
  isOpen = true;
  for (const [lines, attempt] of earlyEvents) stream.events(lines, attempt);
  return run;
}
