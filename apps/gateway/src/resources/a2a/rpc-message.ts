import { isRecord } from '../../http/bodies/parse-json';
import { invalidMessage, RpcError } from './rpc-error';

/** A request of JSON-RPC 2.0. */
export interface RpcMessage {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** The id of a request, which its answer repeats; null when the request has no usable one. */
export type RpcId = string | number | null;

const MEMBERS = ['jsonrpc', 'method'];
const KNOWN = new Set([...MEMBERS, 'params', 'id']);

/** Returns the id of a body that may be invalid otherwise. */
export function rpcIdOf(body: unknown): RpcId {
  const id = isRecord(body) ? body['id'] : null;
  return typeof id === 'string' || isInteger(id) ? id : null;
}

/** Reads a request. Throws an RpcError. */
export function readRpcMessage(body: unknown): RpcMessage {
  if (Array.isArray(body) && body.length > 0) throw invalidMessage('Batch requests are not supported');
  if (!isRecord(body)) throw invalid('Each request should be an object (dict)');
  const missing = MEMBERS.filter((name) => !(name in body));
  const extra = Object.keys(body).filter((name) => !KNOWN.has(name));
  if (missing.length + extra.length > 0)
    throw invalid(`Extra fields: ${listed(extra)}, missed fields: ${listed(missing)}`);
  const { jsonrpc, method, params, id = null } = body;
  if (typeof method !== 'string') throw invalid('Method should be string');
  if (method.startsWith('rpc.')) throw invalid('Method names that begin with rpc. are reserved');
  if (params !== undefined && params !== null && typeof params !== 'object')
    throw invalid('Params should be an object, an array or null');
  if (typeof id !== 'boolean' && typeof id !== 'string' && !isInteger(id) && id !== null)
    throw invalid('id should be string or integer');
  if (jsonrpc !== '2.0') throw invalidMessage("Invalid request: 'jsonrpc' must be exactly '2.0'");
  if (typeof id === 'boolean') throw invalidMessage('Invalid request: id must be a string, integer, or null');
  if (method === '') throw invalidMessage('Method is required');
  return { id, method, params };
}

/** Returns the params of a request that must have an id. Throws an RpcError. */
export function paramsOf({ id, params }: RpcMessage): unknown {
  if (id === null)
    throw new RpcError('invalidRequest', 'Invalid Request', 'id: Input should be a valid string');
  if (params === undefined) throw new RpcError('invalidRequest', 'Invalid Request', 'params: Field required');
  return params;
}

function invalid(reason: string): RpcError {
  return invalidMessage('Invalid Request', reason);
}

function isInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 20).join(', ').slice(0, 1_000);
}
