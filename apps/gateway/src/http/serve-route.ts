import type { ServerResponse } from 'node:http';
import type { BodyBudget, OpenBody } from '@millrace/service';
import type { Authenticator } from '../authentication/authenticator';
import { refuseEncodedBody } from './content-type';
import { parseJson } from './parse-json';
import { queryOf } from './query';
import { readBody } from './read-body';
import { RequestError } from './request-error';
import type { Route, RoutedRequest } from './route';
import { parseRunBody } from './run-body';
import type { RunBody } from './run-body';

export interface ServeOptions {
  readonly authenticator: Authenticator;
  readonly bodies: BodyBudget;
  /** False where the executor of a run that was sent is this process, which holds the body on. */
  readonly releasesSentBodies: boolean;
  readonly maximumBodyBytes: number;
  /** Of any body, and of one with flows once its key was found good. */
  readonly maximumBodyMembers: number;
  readonly maximumFlowMembers: number;
}

/** Answers a request at the path of a route; rejects with what is to be answered instead. */
export type RouteHandler = (request: RoutedRequest, response: ServerResponse) => void | Promise<void>;

/** Makes a route a handler: read and parse the body, then see who calls, then do the route's work. */
export function serveRoute(route: Route, options: ServeOptions): RouteHandler {
  const { authenticator, bodies, releasesSentBodies } = options;
  const serve = async (request: RoutedRequest, response: ServerResponse, share: OpenBody | null) => {
    const call = new RequestCall(request, response, releasesSentBodies ? share : null);
    if (share !== null) await call.takeBody(route, options, share);
    if (route.access === 'public') return route.handle(call);
    const found = authenticator.authenticate(request, route.access);
    const principal = found instanceof Promise ? await found : found;
    request.userId = principal.userId;
    call.takeLargeBody(options);
    // Not awaited here: this frame would hold the body for as long as its run takes.
    return route.handle(Object.assign(call, { principal }));
  };
  if (route.body === undefined) return (request, response) => serve(request, response, null);
  return (request, response) => {
    const share = bodies.open();
    return serve(request, response, share).finally(() => share.close());
  };
}

class RequestCall {
  readonly request: RoutedRequest;
  readonly response: ServerResponse;
  body: unknown = undefined;
  runBody: RunBody | null = null;
  readonly #share: OpenBody | null;
  #large: Buffer | null = null;
  #query: URLSearchParams | null = null;

  constructor(request: RoutedRequest, response: ServerResponse, share: OpenBody | null) {
    this.request = request;
    this.response = response;
    this.#share = share;
  }

  /** Taken apart when it is asked for: most runs have none. */
  get query(): URLSearchParams {
    return (this.#query ??= queryOf(this.request));
  }

  releaseBody(): void {
    this.#share?.close();
  }

  async takeBody(
    { body: kind, takesFlows }: Route,
    { maximumBodyBytes, maximumBodyMembers, maximumFlowMembers }: ServeOptions,
    share: OpenBody,
  ): Promise<void> {
    const { request } = this;
    const bytes = await readBody(request, maximumBodyBytes, share);
    if (kind === 'run') {
      const parsed = parseRunBody(request, bytes, maximumBodyMembers);
      this.runBody = parsed instanceof Promise ? await parsed : parsed;
    } else if (kind === 'form') this.runBody = { bytes, maximumMembers: maximumFlowMembers };
    else if (bytes.length > 0) {
      refuseEncodedBody(request);
      try {
        this.body = parseJson(bytes, maximumBodyMembers);
      } catch (error) {
        if (!takesFlows || !(error instanceof RequestError) || error.code !== 'body_too_large') throw error;
        this.#large = bytes;
      }
    }
  }

  /** Parses the flows that were too many members to be parsed for just anybody. */
  takeLargeBody({ maximumFlowMembers }: ServeOptions): void {
    if (this.#large === null) return;
    this.body = parseJson(this.#large, maximumFlowMembers);
    this.#large = null;
  }
}
