import type { ServerResponse } from 'node:http';
import type { Authenticator } from '../authentication/authenticator';
import { refuseEncodedBody } from './content-type';
import { parseJson } from './parse-json';
import { queryOf } from './query';
import { readBody } from './read-body';
import type { Route, RoutedRequest } from './route';
import { parseRunBody } from './run-body';
import type { RunBody } from './run-body';

export interface ServeOptions {
  readonly authenticator: Authenticator;
  readonly maximumBodyBytes: number;
}

/** Answers a request at the path of a route; rejects with what is to be answered instead. */
export type RouteHandler = (request: RoutedRequest, response: ServerResponse) => void | Promise<void>;

/** Makes a route a handler: read and parse the body, then see who calls, then do the route's work. */
export function serveRoute(route: Route, { authenticator, maximumBodyBytes }: ServeOptions): RouteHandler {
  return async (request, response) => {
    let body: unknown;
    let runBody: RunBody | null = null;
    if (route.body !== undefined) {
      const bytes = await readBody(request, maximumBodyBytes);
      if (route.body === 'run') {
        const parsed = parseRunBody(request, bytes);
        runBody = parsed instanceof Promise ? await parsed : parsed;
      } else if (route.body === 'form') runBody = { bytes };
      else if (bytes.length > 0) {
        refuseEncodedBody(request);
        body = parseJson(bytes);
      }
    }
    const call = new RequestCall(request, response, body, runBody);
    if (route.access === 'public') return route.handle(call);
    const found = authenticator.authenticate(request, route.access);
    const principal = found instanceof Promise ? await found : found;
    request.userId = principal.userId;
    return route.handle(Object.assign(call, { principal }));
  };
}

class RequestCall {
  readonly request: RoutedRequest;
  readonly response: ServerResponse;
  readonly body: unknown;
  readonly runBody: RunBody | null;
  #query: URLSearchParams | null = null;

  constructor(request: RoutedRequest, response: ServerResponse, body: unknown, runBody: RunBody | null) {
    this.request = request;
    this.response = response;
    this.body = body;
    this.runBody = runBody;
  }

  /** Taken apart when it is asked for: most runs have none. */
  get query(): URLSearchParams {
    return (this.#query ??= queryOf(this.request));
  }
}
