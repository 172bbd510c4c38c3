/** What the bench uses of autocannon, which has no types. */
declare module 'autocannon' {
  interface Request {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  interface Client {
    setRequests(requests: readonly Request[]): void;
    on(event: 'response', listen: (status: number, bytes: number, milliseconds: number) => void): void;
  }

  interface Options extends Request {
    readonly url: string;
    readonly body: string;
    readonly connections: number;
    /** Seconds. */
    readonly timeout: number;
    /** Seconds. */
    readonly duration?: number | undefined;
    /** Requests. */
    readonly amount?: number;
    readonly verifyBody?: (text: string) => boolean;
    readonly setupClient?: (client: Client) => void;
  }

  interface Result {
    readonly requests: { readonly total: number };
    /** Seconds. */
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly mismatches: number;
    readonly non2xx: number;
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  }

  export default function autocannon(options: Options): Promise<Result>;
}
