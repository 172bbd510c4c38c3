import type { ServerResponse } from 'node:http';
import type { RunResponse } from '@millrace/flow';
import { contentBlocksIn, errorsIn, EventWriter, tokensIn } from './event-writer';
import { currentUnixSeconds, usageOf } from './response-object';
import type { ResponseRequest } from './response-request';
import { ToolCallEvents } from './tool-call-events';

/**
 * Writes a run's tokens as the chunks of a response, in server-sent events. Langflow sends the first token twice; here
 * each is sent once. A run without token events has no text in its chunks, as in Langflow. Tool calls of agents are events of
 * their own.
 */
export class ResponseStream {
  readonly #writer: EventWriter;
  readonly #request: ResponseRequest;
  readonly #toolCalls: ToolCallEvents;
  readonly #created = currentUnixSeconds();
  #attempt = 1;
  #error: string | null = null;

  constructor(response: ServerResponse, request: ResponseRequest, onOverflow: () => void) {
    this.#writer = new EventWriter(response, onOverflow);
    this.#request = request;
    this.#toolCalls = new ToolCallEvents(request.showsResults);
  }

  open(headers: Readonly<Record<string, string>>): void {
    // Langflow sets this on the route for every caller.
    this.#writer.open({ ...headers, 'access-control-allow-origin': '*' });
    this.#chunk({ content: '' });
  }

  /** Writes events, one JSON object a line. Text cannot be withdrawn, so that of a new attempt follows a line break. */
  events(lines: Buffer, attempt: number): void {
    if (attempt > this.#attempt) this.#chunk({ content: '\n' });
    this.#attempt = Math.max(attempt, this.#attempt);
    for (const block of contentBlocksIn(lines))
      for (const event of this.#toolCalls.eventsOf(block)) this.#writer.write(event.type, event);
    for (const content of tokensIn(lines)) this.#chunk({ content });
    for (const text of errorsIn(lines)) this.#error = text;
  }

  succeed(run: RunResponse): void {
    const { id, model } = this.#request;
    this.#chunk({}, 'completed', 'stop');
    const response = {
      id,
      object: 'response',
      created_at: this.#created,
      status: 'completed',
      model,
      usage: usageOf(run),
    };
    this.#writer.write('response.completed', { type: 'response.completed', response });
    this.#writer.finish();
  }

  /** Ends with the text of the run's last error, or with `message` for a run that reported none. */
  fail(message: string): void {
    this.#chunk({ content: this.#error ?? message }, 'failed', 'error');
    this.#writer.finish();
  }

  #chunk(delta: object, status: string | null = null, reason: string | null = null): void {
    const { id, model } = this.#request;
    this.#writer.write(null, {
      id,
      object: 'response.chunk',
      created: this.#created,
      model,
      delta,
      status,
      finish_reason: reason,
    });
  }
}
