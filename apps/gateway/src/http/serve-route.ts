import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../authentication/authenticator';
import { refuseEncodedBody } from './content-type';
import { parseJson } from './parse-json';
import { queryOf } from './query';
import { readBody } from './read-body';
import type { Route } from './route';
import { parseRunBody } from './run-body';
import type { RunBody } from './run-body';

export interface ServeOptions {
  readonly authenticator: Authenticator;
  readonly maximumBodyBytes: number;
}

/** Makes a route an Express handler: read and parse the body, then see who calls, then do the route's work. */
export function serveRoute(route: Route, { authenticator, maximumBodyBytes }: ServeOptions): RequestHandler {
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
    const found = authenticator.authenticate(request, route.access.door, route.access.scope);
    const principal = found instanceof Promise ? await found : found;
    return route.handle(Object.assign(call, { principal }));
  };
}

class RequestCall {
  readonly request: Request;
  readonly response: Response;
  readonly body: unknown;
  readonly runBody: RunBody | null;
  #query: URLSearchParams | null = null;

  constructor(request: Request, response: Response, body: unknown, runBody: RunBody | null) {
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
