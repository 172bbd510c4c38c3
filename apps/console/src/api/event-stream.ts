import { ApiError, open } from './client';

export interface ServerEvent {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

export type StreamState = 'connecting' | 'open' | 'waiting' | 'ended';

export interface Follow {
  readonly signal: AbortSignal;
  onEvent(event: ServerEvent): void;
  onState?(state: StreamState): void;
  /** Whether the stream is complete when the server closes it. */
  isComplete?(): boolean;
}

const FIRST_PAUSE = 500;
const MAXIMUM_PAUSE = 15_000;
/**
 * A page that is hidden this long closes its stream until it is shown: browsers open few connections to a server, and all tabs share
 * them.
 */
const HIDDEN_MILLISECONDS = 5_000;
/** An event of more characters ends the connection. */
const MAXIMUM_EVENT = 8_000_000;

/**
 * Follows server-sent events by fetch, because EventSource sends no headers. Connects again after the last received id, with
 * pauses that double, until the signal aborts, the stream is complete, or the server refuses the request. A hidden page has no
 * connection.
 */
export async function followEvents(path: string, follow: Follow): Promise<void> {
  let lastId = '';
  let pause = FIRST_PAUSE;
  while (!follow.signal.aborted) {
    await untilShown(follow.signal);
    if (follow.signal.aborted) return;
    follow.onState?.('connecting');
    const hidden = abortWhenHidden();
    try {
      const response = await open(path, {
        signal: AbortSignal.any([follow.signal, hidden.signal]),
        headers: { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
      });
      follow.onState?.('open');
      await readEvents(response, (event) => {
        if (event.id !== '') lastId = event.id;
        pause = FIRST_PAUSE;
        follow.onEvent(event);
      });
    } catch (error) {
      if (follow.signal.aborted) return;
      if (hidden.signal.aborted) continue;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        follow.onState?.('ended');
        return;
      }
    } finally {
      hidden.stop();
    }
    if (follow.signal.aborted) return;
    if (follow.isComplete?.() === true) {
      follow.onState?.('ended');
      return;
    }
    follow.onState?.('waiting');
    await delay(pause * (0.75 + Math.random() / 2), follow.signal);
    pause = Math.min(pause * 2, MAXIMUM_PAUSE);
  }
}

/** Reads the events of one response until it ends. */
export async function readEvents(response: Response, onEvent: (event: ServerEvent) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value.replaceAll('\r\n', '\n');
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const event = parseEvent(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event !== undefined) onEvent(event);
    }
    if (rest.length > MAXIMUM_EVENT) {
      await reader.cancel();
      return;
    }
  }
}

function parseEvent(block: string): ServerEvent | undefined {
  let id = '';
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'id') id = value;
    else if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { id, name, data: data.join('\n') };
}

/** Resolves when the page is visible or the signal aborts. */
function untilShown(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    document.addEventListener('visibilitychange', end);
    signal.addEventListener('abort', end);
  });
}

/** Returns a signal that aborts when the page has been hidden for a while. */
function abortWhenHidden(): { readonly signal: AbortSignal; stop(): void } {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => abort.abort(), HIDDEN_MILLISECONDS);
  };
  document.addEventListener('visibilitychange', onChange);
  onChange();
  return {
    signal: abort.signal,
    stop() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    },
  };
}

function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
