/** One event of a streamed run. */
export interface StreamEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Yields the events of a streamed response as they arrive. */
export async function* streamEvents(response: Response): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of response.body ?? []) {
    buffered += decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = buffered.split('\n\n');
    buffered = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part) as StreamEvent;
  }
}
