/** A fake HTTP interface of a model that answers when the test calls `answer`. */
export interface SlowModel {
  readonly fetch: typeof fetch;
  /** Number of requests that wait for their answer. */
  readonly waiting: number;
  /** Number of all requests. */
  readonly requestCount: number;
  /** The headers of each request, in order. */
  readonly headers: readonly Headers[];
  /** The last message of each request. */
  readonly prompts: readonly string[];
  /** Answers waiting requests, the oldest first: all, or `count` of them. */
  answer(text: string, count?: number, usage?: CompletionUsage): void;
  /** Answers waiting requests with calls of tools: their names and arguments. */
  callTools(...calls: readonly (readonly [string, object])[]): void;
  /** As `callTools`, with a text before the calls. */
  callToolsAfter(text: string, ...calls: readonly (readonly [string, object])[]): void;
  /** Refuses all waiting requests. */
  refuse(): void;
}

/** The tokens of a completion, as OpenAI reports them. */
export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Returns a response, streamed or whole. */
type Answer = (streams: boolean) => Response;

export function slowModel(): SlowModel {
  const waiting = new Set<(answer: Answer) => void>();
  const headers: Headers[] = [];
  const prompts: string[] = [];
  return {
    headers,
    prompts,
    fetch: (_address, init) => {
      headers.push(new Headers(init?.headers));
      prompts.push(promptIn(init?.body));
      return new Promise<Response>((resolve, reject) => {
        const respond = (answer: Answer) => {
          waiting.delete(respond);
          resolve(answer(isStreamed(init?.body)));
        };
        waiting.add(respond);
        init?.signal?.addEventListener('abort', () => {
          waiting.delete(respond);
          reject(new DOMException('aborted', 'AbortError'));
        });
      });
    },
    get waiting() {
      return waiting.size;
    },
    get requestCount() {
      return headers.length;
    },
    answer(text, count = waiting.size, usage) {
      const message = { role: 'assistant', content: text };
      for (const respond of [...waiting].slice(0, count)) respond(completionOf(message, usage));
    },
    callTools(...calls) {
      this.callToolsAfter('', ...calls);
    },
    callToolsAfter(text, ...calls) {
      const tool_calls = calls.map(([name, given], index) => ({
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(given) },
      }));
      const message = { role: 'assistant', content: text || null, tool_calls };
      for (const respond of [...waiting]) respond(completionOf(message, undefined));
    },
    refuse() {
      const error = { message: 'The model refuses the request.', type: 'invalid_request_error' };
      for (const respond of [...waiting]) respond(() => Response.json({ error }, { status: 400 }));
    },
  };
}

function completionOf(message: object, usage: CompletionUsage | undefined): Answer {
  return (streams) => {
    const choice = { index: 0, [streams ? 'delta' : 'message']: message, finish_reason: 'stop' };
    const completion = {
      id: 'completion',
      object: 'chat.completion',
      choices: [choice],
      ...(usage && { usage }),
    };
    if (!streams) return Response.json(completion);
    const headers = { 'content-type': 'text/event-stream' };
    return new Response(`data: ${JSON.stringify(completion)}\n\ndata: [DONE]\n\n`, { headers });
  };
}

function isStreamed(body: unknown): boolean {
  return typeof body === 'string' && (JSON.parse(body) as { readonly stream?: unknown }).stream === true;
}

function promptIn(body: unknown): string {
  if (typeof body !== 'string') return '';
  const { messages } = JSON.parse(body) as { readonly messages?: readonly { readonly content: string }[] };
  return messages?.at(-1)?.content ?? '';
}
