import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followEvents } from '../api/event-stream';
import type { StreamState } from '../api/event-stream';

export interface LiveMessage {
  readonly id: string;
  readonly sender: string;
  readonly text: string;
  /** Whether the user sent it. */
  readonly isMine: boolean;
  /** Content blocks, such as calls of tools. */
  readonly blocks: readonly unknown[];
}

export interface LiveRun {
  readonly stream: StreamState;
  /** Messages in the order of their first event; the text grows with each token. */
  readonly messages: readonly LiveMessage[];
  /** States of vertices so far: `running`, `succeeded`, `failed`. */
  readonly vertices: ReadonlyMap<string, string>;
}

interface Event {
  readonly event: string;
  readonly data: {
    readonly id?: string;
    readonly chunk?: string;
    readonly to_run?: readonly string[];
    readonly ids?: readonly string[];
    readonly data?: {
      readonly id?: string;
      readonly sender?: string;
      readonly sender_name?: string;
      readonly text?: string;
    };
    readonly content_blocks?: readonly unknown[];
    readonly build_data?: {
      readonly id?: string;
      readonly valid?: boolean;
      readonly next_vertices_ids?: readonly string[];
    };
  };
}

const NOTHING: LiveRun = { stream: 'connecting', messages: [], vertices: new Map() };
/** The page is drawn at most this often while tokens arrive. */
const DRAW_MILLISECONDS = 60;
const MAXIMUM_DRAW_MILLISECONDS = 1_000;
/** A text that takes long to draw is drawn less often, so that drawing takes about this part of the time. */
const DRAW_SHARE = 1 / 4;

/** Follows the events of a run that goes on. They can be read again from any event, so a lost connection loses none. */
export function useLiveRun(id: string, isActive: boolean): LiveRun | undefined {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveRun>();
  useEffect(() => {
    if (!isActive) return;
    const abort = new AbortController();
    const state = new LiveState();
    let stream: StreamState = 'connecting';
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = DRAW_MILLISECONDS;
    const draw = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLive({ stream, ...state.snapshot() });
        const began = performance.now();
        // The task after the frame begins when the frame has been drawn.
        requestAnimationFrame(() => setTimeout(() => (pause = pauseAfter(performance.now() - began))));
      }, pause);
    };
    void followEvents(`/api/v2/workflows/${id}/events`, {
      signal: abort.signal,
      isComplete: () => state.hasEnded,
      onState: (next) => {
        stream = next;
        draw();
      },
      onEvent: ({ data }) => {
        state.apply(JSON.parse(data) as Event);
        draw();
      },
    }).then(() => {
      void client.invalidateQueries({ queryKey: ['run', id] });
    });
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, id, isActive]);
  return isActive ? (live ?? NOTHING) : live;
}

function pauseAfter(drawMilliseconds: number): number {
  const wanted = drawMilliseconds / DRAW_SHARE;
  return Math.min(Math.max(wanted, DRAW_MILLISECONDS), MAXIMUM_DRAW_MILLISECONDS);
}

/** What the events of a run add up to. */
export class LiveState {
  private readonly messages = new Map<string, LiveMessage>();
  private readonly vertices = new Map<string, string>();
  hasEnded = false;

  apply({ event, data }: Event): void {
    if (event === 'vertices_sorted') {
      // A further attempt begins anew.
      this.vertices.clear();
      this.start(data.ids);
    } else if (event === 'add_message') this.addMessage(data);
    else if (event === 'token') this.addToken(data.id, data.chunk);
    else if (event === 'end_vertex') this.endVertex(data.build_data);
    else if (event === 'end') this.hasEnded = true;
  }

  snapshot(): Pick<LiveRun, 'messages' | 'vertices'> {
    return { messages: [...this.messages.values()], vertices: new Map(this.vertices) };
  }

  private start(ids: readonly string[] = []): void {
    for (const id of ids) if (!this.vertices.has(id)) this.vertices.set(id, 'running');
  }

  private addMessage({ data: message, content_blocks: blocks = [] }: Event['data']): void {
    if (message?.id === undefined) return;
    this.messages.set(message.id, {
      id: message.id,
      sender: message.sender_name ?? '',
      text: message.text ?? '',
      isMine: message.sender === 'User',
      blocks,
    });
  }

  private addToken(id = '', chunk = ''): void {
    const before = this.messages.get(id);
    // The message of a stream begins with the first token, which is then sent as a token as well.
    const isFirst = before === undefined || (before.text === chunk && !this.started.has(id));
    this.started.add(id);
    this.messages.set(id, {
      id,
      sender: before?.sender ?? '',
      text: isFirst ? chunk : before.text + chunk,
      isMine: before?.isMine ?? false,
      blocks: before?.blocks ?? [],
    });
  }

  private readonly started = new Set<string>();

  private endVertex(build: Event['data']['build_data']): void {
    if (build?.id === undefined) return;
    this.vertices.set(build.id, build.valid === false ? 'failed' : 'succeeded');
    this.start(build.next_vertices_ids);
  }
}
