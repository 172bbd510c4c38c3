import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bindsFlows } from '@millrace/runs';
import type { Principal } from '@millrace/runs';

/** What a stream ends with. */
type Streaming = Pick<Principal, 'keyHash' | 'session' | 'member'>;
/** Who is bound to flows or projects, and whose. */
type Bound = Pick<Principal, 'userId' | 'bounds'>;

/** Before each try. */
const PAUSES_MILLISECONDS = [0, 200, 500];

/** Tracks long-lived streams by API key, session and membership, so that they end when one of these is revoked. */
export class KeyedStreams {
  readonly #streams = new Map<string, Set<ServerResponse>>();
  /** Streams of runs that are cancelled when their callers disconnect. */
  readonly #runs = new WeakSet<ServerResponse>();
  /** The callers of streams of flows that are tracked by the flow, too. */
  readonly #bound = new WeakMap<ServerResponse, Bound>();
  /** The hashes that are of sessions. */
  readonly #sessions = new Set<string>();

  /** Tracks a stream until it closes. */
  track({ keyHash, session, member }: Streaming, response: ServerResponse): void {
    // The caller has left while the stream was prepared.
    if (response.destroyed) return;
    this.#track(keyHash, response);
    if (member !== undefined) this.#track(member.name, response);
    if (session === undefined) return;
    this.#sessions.add(session.tokenHash);
    this.#track(session.tokenHash, response);
  }

  /** Tracks a stream of a flow until it closes. */
  trackFlow(principal: Streaming & Bound, flowId: string | undefined, response: ServerResponse): void {
    this.track(principal, response);
    if (response.destroyed || flowId === undefined || !bindsFlows(principal.bounds)) return;
    this.#bound.set(response, principal);
    this.#track(flowId, response);
  }

  /** Ends the streams of a flow that has changed whose callers do not reach it any more. */
  async endOutside(flowId: string, reaches: (bound: Bound) => Promise<boolean>): Promise<void> {
    const check = async (response: ServerResponse) => {
      const bound = this.#bound.get(response);
      if (bound === undefined || !(await isReached(() => reaches(bound)))) this.#close(response);
    };
    await Promise.all([...(this.#streams.get(flowId) ?? [])].map(check));
  }

  /** The hashes of the sessions that have streams. */
  sessions(): readonly string[] {
    return [...this.#sessions];
  }

  /** Tracks the stream of a run of a flow, which is cancelled with the stream. */
  trackRun(principal: Streaming & Bound, flowId: string, response: ServerResponse): void {
    this.#runs.add(response);
    this.trackFlow(principal, flowId, response);
  }

  /** Ends all streams of a revoked key or session, by its hash. */
  end(hash: string): void {
    for (const response of this.#streams.get(hash) ?? []) this.#close(response);
  }

  #close(response: ServerResponse): void {
    if (response.headersSent && !this.#runs.has(response)) response.end();
    else response.destroy();
  }

  #track(keyHash: string, response: ServerResponse): void {
    const streams = this.#streams.get(keyHash) ?? new Set();
    this.#streams.set(keyHash, streams.add(response));
    response.once('close', () => {
      streams.delete(response);
      if (streams.size > 0 || this.#streams.get(keyHash) !== streams) return;
      this.#streams.delete(keyHash);
      this.#sessions.delete(keyHash);
    });
  }
}

/** Tries again after an error: the end of its stream cancels a run. Resolves to false when it stays unknown. */
async function isReached(reaches: () => Promise<boolean>): Promise<boolean> {
  for (const pause of PAUSES_MILLISECONDS) {
    try {
      if (pause > 0) await sleep(pause);
      return await reaches();
    } catch {
      // The database can be away for a moment.
    }
  }
  return false;
}
