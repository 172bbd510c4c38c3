/** A server-sent event whose data is an event of a run. */
export interface FollowedEvent {
  readonly id: number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Yields the events of `/api/v2/workflows` as they arrive; skips comments. */
export async function* followEvents(response: Response): AsyncGenerator<FollowedEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of response.body ?? []) {
    buffered += decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = buffered.split('\n\n');
    buffered = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(part) ?? [];
      if (data !== undefined) yield { id: Number(id), ...(JSON.parse(data) as Omit<FollowedEvent, 'id'>) };
    }
  }
}
