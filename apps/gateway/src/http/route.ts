import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@millrace/runs';
import type { Access } from '../authentication/authenticator';
import type { Operation } from '../openapi/operation';
import type { RunBody } from './run-body';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request at the path of a route, whether Express found that out or we did. */
export interface RoutedRequest extends IncomingMessage {
  readonly params: Readonly<Record<string, string | string[]>>;
  /** Who calls, from when the key was found good. */
  userId?: string;
}

/** One request at a route. */
export interface Call {
  readonly request: RoutedRequest;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** The parsed JSON body of a route that takes one; undefined when the body is empty. */
  readonly body: unknown;
  /** The body as a run endpoint or an upload gets it. */
  readonly runBody: RunBody | null;
  /** Gives the body's share of the budget back before the call has been answered; for who no longer holds the body. */
  releaseBody(): void;
}

/** A request whose key was found good. */
export interface KeyedCall extends Call {
  readonly principal: Principal;
}

interface RouteBase {
  readonly method: Method;
  /** `:name` stands for one segment. The routes of a path are listed in the order in which `Allow` prefers them. */
  readonly path: string;
  /** Called so often that it is served ahead of Express; its path ends with its only parameter. */
  readonly isDirect?: true;
  /** Whether a body is read, and how; its syntax is checked before the key, as in Langflow. */
  readonly body?: 'json' | 'run' | 'form';
  /** Set where the body may hold flows, which have more members than other bodies. */
  readonly takesFlows?: true;
  /** What callers are promised; becomes the route's part of the OpenAPI document. */
  readonly operation: Operation;
}

/** A route for anybody. */
export interface PublicRoute extends RouteBase {
  readonly access: 'public';
  handle(call: Call): void | Promise<void>;
}

/** A route for a key with this scope. */
export interface KeyedRoute extends RouteBase {
  readonly access: Access;
  handle(call: KeyedCall): void | Promise<void>;
}

export type Route = PublicRoute | KeyedRoute;

/** What the documentation needs to know of a route. */
export type DocumentedRoute = Pick<Route, 'method' | 'path' | 'access' | 'body' | 'operation'>;

/** What keys of people and programs that run flows may do. */
export const forRuns = { door: 'run', scope: 'run' } as const;
/** Runs on routes in OpenAI's shape: its clients send their key as a bearer token. */
export const forOpenAiClients = { ...forRuns, takesBearer: true } as const;
/** Reading runs and their messages: for the keys that run flows, in the words of the management endpoints. */
export const forReading = { door: 'management', scope: 'run' } as const;
export const forManagement = { door: 'management', scope: 'manage' } as const;
export const forAdmins = { door: 'management', scope: 'admin' } as const;

/** A page or a record for anybody to read. */
export function publicPage(path: string, operation: Operation, handle: PublicRoute['handle']): PublicRoute {
  return { method: 'GET', path, access: 'public', operation, handle };
}

/** The text of a path parameter. */
export function pathParameter(request: RoutedRequest, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}
