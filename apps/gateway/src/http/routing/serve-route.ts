import type { ServerResponse } from 'node:http';
import { factsOf, HttpError, readBody } from '@millrace/http';
import type { BodyBudget, OpenBody } from '@millrace/http';
import { openAiError } from '../answers/open-ai-error';
import { refuseEncodedBody } from '../bodies/content-type';
import { parseJson } from '../bodies/parse-json';
import { parseRunBody } from '../bodies/run-body';
import type { RunBody } from '../bodies/run-body';
import { queryOf } from '../validation/query';
import type { CallerAuthentication } from './access';
import { memberRefusal } from './refuse-unknown-members';
import type { Route, RoutedRequest } from './route';

export interface ServeOptions {
  readonly authenticator: CallerAuthentication;
  readonly bodies: BodyBudget;
  /** False where the executor is in this process, so that the body stays in memory during the run. */
  readonly releasesSentBodies: boolean;
  readonly maximumBodyBytes: number;
  /** Limit for any body; `maximumFlowMembers` applies to a body with flows once its key has been accepted. */
  readonly maximumBodyMembers: number;
  readonly maximumFlowMembers: number;
}

/** Answers a request at the path of a route; rejects with the error to answer instead. */
export type RouteHandler = (request: RoutedRequest, response: ServerResponse) => void | Promise<void>;

/** Creates the handler of a route: reads and parses the body, authenticates the caller, then calls the route. */
export function serveRoute(route: Route, options: ServeOptions): RouteHandler {
  const serve = serveInShape(route, options);
  if (route.errors !== 'openai') return serve;
  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      throw openAiError(error);
    }
  };
}

/** As `serveRoute`, with errors as they are. */
function serveInShape(route: Route, options: ServeOptions): RouteHandler {
  const { authenticator, bodies, releasesSentBodies } = options;
  const refuseUnknownMembers = memberRefusal(route);
  const serve = async (request: RoutedRequest, response: ServerResponse, share: OpenBody | null) => {
    factsOf(request).route = route.path;
    const call = new RequestCall(request, response, releasesSentBodies ? share : null);
    if (share !== null) await call.takeBody(route, options, share);
    if (route.access === 'public') {
      refuseUnknownMembers(call);
      return route.handle(call);
    }
    const found = authenticator.authenticate(request, route.access);
    const principal = found instanceof Promise ? await found : found;
    factsOf(request).userId = principal.userId;
    refuseUnknownMembers(call);
    call.takeLargeBody(options);
    // Not awaited here, since this suspended function would keep the body in memory during the run.
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

  /** Parsed on first use, since most runs have no query. */
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
    const bytes = await readBody(request, {
      maximumBytes: maximumBodyBytes,
      share,
      overBudget: tooManyBodies,
    });
    if (kind === 'run') {
      const parsed = parseRunBody(request, bytes, maximumBodyMembers);
      this.runBody = parsed instanceof Promise ? await parsed : parsed;
    } else if (kind === 'form') this.runBody = { bytes, maximumMembers: maximumFlowMembers };
    else if (bytes.length > 0) {
      refuseEncodedBody(request);
      try {
        this.body = parseJson(bytes, maximumBodyMembers);
      } catch (error) {
        if (!takesFlows || !(error instanceof HttpError) || error.code !== 'body_too_large') throw error;
        this.#large = bytes;
      }
    }
  }

  /** Parses a body with flows that exceeds the limit for requests whose key has not been accepted. */
  takeLargeBody({ maximumFlowMembers }: ServeOptions): void {
    if (this.#large === null) return;
    this.body = parseJson(this.#large, maximumFlowMembers);
    this.#large = null;
  }
}

function tooManyBodies(): HttpError {
  const text = 'Too many large requests at this gateway. Try again soon.';
  return new HttpError('too_many_bodies', text, { headers: { 'retry-after': '1' } });
}
