import { TEST_KEY } from './test-gateway';

/** A server-sent event whose data is an event of a run. */
export interface ReadEvent {
  readonly id: number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Follow {
  /** Sent as JSON when there is one. */
  readonly body?: unknown;
  /** Id of the last event that the caller received. */
  readonly after?: number | undefined;
  /** Number of events after which to disconnect. */
  readonly until?: number;
}

/** Yields the events of an answer as they arrive; ignores comments. */
export async function* readEvents(response: Response): AsyncGenerator<ReadEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of response.body ?? []) {
    buffered += decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = buffered.split('\n\n');
    buffered = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(part) ?? [];
      if (data !== undefined) yield { id: Number(id), ...(JSON.parse(data) as Omit<ReadEvent, 'id'>) };
    }
  }
}

/** Follows a run with the first user's key, to its end or for a number of events. */
export async function followed(url: string, path: string, { body, after, until = Infinity }: Follow) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-api-key': TEST_KEY,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(after === undefined ? {} : { 'last-event-id': String(after) }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const events: ReadEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
    if (events.length >= until) break;
  }
  return { runId: response.headers.get('x-run-id') ?? '', status: response.status, events };
}
