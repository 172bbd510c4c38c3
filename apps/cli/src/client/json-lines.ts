/** Longest event of a stream. */
const MAXIMUM_CHARACTERS = 67_108_864;

/** Yields the JSON objects of a stream that writes each in one line; skips blank lines. */
export async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    if (rest.length > MAXIMUM_CHARACTERS) throw new Error('an event of the stream is too large');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Record<string, unknown>;
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as Record<string, unknown>;
}
