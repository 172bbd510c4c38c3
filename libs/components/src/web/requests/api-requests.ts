import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { parseCurl } from '../../parsing/curl/curl-command';
import { headerRows } from './header-rows';
import { requestAddress } from './request-address';
import { requestBody } from './request-body';
import type { ApiRequest } from './send-request';

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']);
const maximumAddresses = 50;

interface Settings {
  readonly url_input: string;
  readonly curl_input: string;
  readonly method: string;
  readonly query_params: PythonValue;
  readonly body: readonly PythonObject[];
  readonly headers: readonly PythonObject[];
}

/**
 * Returns the requests of a node. Nodes of 1.1 to 1.3 have a list of addresses, and their output is a list; all others
 * make one request. A curl command is used when no address is given.
 */
export function apiRequests(
  settings: Settings,
  { fields }: ComponentContext,
): { readonly requests: readonly ApiRequest[]; readonly single: boolean } {
  const { urls = null, curl = null, headers = null } = fields;
  const addresses = listOfTexts(urls);
  const command = settings.curl_input.trim() || (typeof curl === 'string' ? curl.trim() : '');
  if (settings.url_input.trim() === '' && addresses.length === 0 && command !== '')
    return { requests: [curlRequest(command)], single: urls === null };
  if (urls === null) {
    const rows = headers instanceof Data ? [] : settings.headers;
    return { requests: [request(settings.url_input, headerRows(rows), settings)], single: true };
  }
  if (addresses.length > maximumAddresses)
    throw new ComponentError(`At most ${maximumAddresses} URLs at once.`);
  const named = headerEntries(settings.headers);
  return { requests: addresses.map((address) => request(address, named, settings)), single: false };
}

function request(address: string, headers: Readonly<Record<string, string>>, settings: Settings): ApiRequest {
  const target = requestAddress(address, settings.query_params);
  const method = settings.method.toUpperCase();
  if (!methods.has(method)) throw new ComponentError(`Unsupported method: ${method}`);
  if (method === 'GET') return { ...target, method, headers, body: null };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type = hasType ? {} : { 'Content-Type': 'application/json' };
  return { ...target, method, headers: { ...headers, ...type }, body: requestBody(settings.body) };
}

function curlRequest(command: string): ApiRequest {
  const { url, ...parsed } = parseCurl(command);
  return { ...parsed, ...requestAddress(url, null) };
}

/** Returns headers as an object, from rows or from an object of an older node. */
function headerEntries(rows: readonly PythonObject[]): Readonly<Record<string, string>> {
  const [only] = rows;
  if (rows.length !== 1 || only === undefined || 'key' in only) return headerRows(rows);
  return Object.fromEntries(Object.entries(only).map(([name, value]) => [name, str(value)]));
}

function listOfTexts(value: PythonValue): readonly string[] {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  return items
    .map((item) => (isDict(item) ? (item['text'] ?? null) : item))
    .filter((item) => typeof item === 'string')
    .filter((item) => item.trim() !== '');
}
