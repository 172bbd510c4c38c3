import type { IncomingMessage, ServerResponse } from 'node:http';
import { factsOf } from '@millrace/http';
import type { HttpError } from '@millrace/http';
import type { FlowReference, Principal } from '@millrace/runs';
import type { EndUser } from '../../end-users/end-user-sessions';
import type { RunBody } from '../bodies/parse-body';
import type { Access } from './access';
import type { Operation } from './operation';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

/** A request at the path of a route, matched by Express or by the direct routes. */
export interface RoutedRequest extends IncomingMessage {
  readonly params: Readonly<Record<string, string | string[]>>;
}

/** One request at a route. */
export interface Call {
  readonly request: RoutedRequest;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** The parsed JSON body of a route that accepts one; undefined when the body is empty. */
  readonly body: unknown;
  /** The body of a run endpoint or an upload. */
  readonly runBody: RunBody | null;
  /** Releases the body's share of the budget before the call is answered, once the body is no longer in memory. */
  releaseBody(): void;
}

/** A request whose key has been accepted. */
export interface KeyedCall extends Call {
  readonly principal: Principal;
  readonly endUser: EndUser;
  /** The flow of this caller that a route which runs flows names; null where there is none. */
  readonly flow: FlowReference | null;
}

interface RouteBase {
  readonly method: Method;
  /** `:name` matches one segment. `Allow` names the method of the route that is listed first for a path. */
  readonly path: string;
  /** Set for frequently called routes, which are served without Express. The path ends with its only parameter. */
  readonly isDirect?: true;
  /**
   * How a body is read, if at all. Its syntax is checked before the key, as in Langflow, unless it is large; that of a `raw` body by the
   * route, which answers with errors of its own.
   */
  readonly body?: 'json' | 'run' | 'form' | 'raw';
  /**
   * Set where errors have another shape: that of OpenAI's interface, or for requests that are no message of JSON-RPC its
   * shape.
   */
  readonly errors?: 'openai' | 'jsonrpc';
  /** Set where a body that is no JSON has another answer; gets the usual one. */
  readonly refuseSyntax?: (fault: HttpError) => HttpError;
  /** Set where the body can contain flows, which have more members than other bodies. */
  readonly takesFlows?: true;
  /** Set where the body uses up nothing of the bytes of a day, so that a used up limit can be changed. */
  readonly countsNoBytes?: true;
  /** The documented behavior; becomes the route's part of the OpenAPI document. */
  readonly operation: Operation;
}

/** A route without authentication. */
export interface PublicRoute extends RouteBase {
  readonly access: 'public';
  handle(call: Call): void | Promise<void>;
}

/** A route that requires a key with this scope. */
export interface KeyedRoute extends RouteBase {
  readonly access: Access;
  handle(call: KeyedCall): void | Promise<void>;
}

export type Route = PublicRoute | KeyedRoute;

/** A route without its handler, as the documentation needs it. */
export type DocumentedRoute = Pick<
  Route,
  'method' | 'path' | 'isDirect' | 'access' | 'body' | 'errors' | 'operation'
>;

/** Creates a GET route without authentication. */
export function publicPage(path: string, operation: Operation, handle: PublicRoute['handle']): PublicRoute {
  return { method: 'GET', path, access: 'public', operation, handle };
}

/** A method and a path: `GET /api/v1/runs/:run_id`. */
type RouteName = `${Method} ${string}`;

/** Returns the names of listed routes, each of which has one or several methods before its path: `GET POST /api/v1/runs`. */
export function namesOf(listed: readonly string[]): readonly string[] {
  return listed.flatMap((text) => {
    const [path, ...methods] = text.split(' ').reverse();
    return methods.reverse().map((method) => `${method} ${path}`);
  });
}

/** Creates a route that requires a key. */
export function keyedRoute(
  name: RouteName,
  access: Access,
  operation: Operation,
  handle: KeyedRoute['handle'],
): KeyedRoute {
  const [method, path] = name.split(' ') as [Method, string];
  return { method, path, access, operation, handle };
}

/** Creates a route that requires a key and reads its body as JSON. */
export function jsonRoute(...route: Parameters<typeof keyedRoute>): KeyedRoute {
  return { ...keyedRoute(...route), body: 'json' };
}

/** Returns the text of a path parameter. */
export function pathParameter(request: RoutedRequest, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the id that was assigned to the request. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader('x-request-id') ?? '');
}

/** Returns who asks for a run: the request, and its key. */
export function askedBy(response: ServerResponse): {
  readonly requestId: string;
  readonly keyId: string | null;
} {
  return { requestId: requestIdOf(response), keyId: factsOf(response.req).keyId };
}
