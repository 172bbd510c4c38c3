import type { ServerResponse } from 'node:http';
import type { RunResponse } from '@millrace/flow';
import { eventsIn, EventWriter } from './event-writer';
import type { RunEvent } from './event-writer';
import { currentUnixSeconds, usageOf } from './response-object';
import type { ResponseRequest } from './response-request';
import { ResponseText } from './response-text';
import { ToolCallEvents } from './tool-call-events';

/**
 * Writes the text of a run's tokens and messages as the chunks of a response, in server-sent events. Tool calls of agents are
 * events of their own.
 */
export class ResponseStream {
  readonly #writer: EventWriter;
  readonly #request: ResponseRequest;
  readonly #toolCalls: ToolCallEvents;
  readonly #text: ResponseText;
  readonly #created = currentUnixSeconds();
  #attempt = 1;
  #error: string | null = null;

  constructor(response: ServerResponse, request: ResponseRequest, onOverflow: () => void) {
    this.#writer = new EventWriter(response, onOverflow);
    this.#request = request;
    this.#toolCalls = new ToolCallEvents(request.showsResults);
    this.#text = new ResponseText(request.input);
  }

  open(headers: Readonly<Record<string, string>>): void {
    // Langflow sets this on the route for every caller.
    this.#writer.open({ ...headers, 'access-control-allow-origin': '*' });
    this.#chunk({ content: '' });
  }

  /** Writes events, one JSON object a line. Text cannot be withdrawn, so that of a new attempt follows a line break. */
  events(lines: Buffer, attempt: number): void {
    if (attempt > this.#attempt) {
      this.#chunk({ content: '\n' });
      this.#text.reset();
    }
    this.#attempt = Math.max(attempt, this.#attempt);
    for (const event of eventsIn(lines)) this.#event(event);
  }

  #event(event: RunEvent): void {
    const { text, content_blocks: blocks } = event.data;
    if (event.event === 'error' && typeof text === 'string') this.#error = text;
    if (event.event === 'add_message' && Array.isArray(blocks))
      for (const block of blocks)
        for (const call of this.#toolCalls.eventsOf(block)) this.#writer.write(call.type, call);
    const content = this.#text.newText(event);
    if (content !== '') this.#chunk({ content });
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
