export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

export type ProxyRequest =
  | ({ readonly kind: 'tunnel' } & ProxyTarget)
  /** `head` is the request's head as the server receives it, with the empty line. */
  | ({ readonly kind: 'forward'; readonly head: string } & ProxyTarget)
  | { readonly kind: 'invalid'; readonly reason: string };

const REQUEST_LINE = /^([!#$%&'*+.^_`|~\w-]{1,64}) (\S+) (HTTP\/1\.[01])$/;
const AUTHORITY = /^(\[[\da-fA-F:.]+\]|[^:\s/@[\]]+):(\d{1,5})$/;
// No control characters, and no line that continues the one before.
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):([\t\x20-\x7e\x80-\uffff]*)$/;
/** Headers between the client and the proxy, and those that are set anew. */
const OWN_HEADERS = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'upgrade',
]);

/**
 * Reads the head of a request to an HTTP proxy, without its empty line: CONNECT, or any method with an address that
 * begins with http://. A forwarded request asks the server to close the connection after its answer.
 */
export function parseProxyRequest(head: string): ProxyRequest {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [, method = '', target = '', version = ''] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === '') return invalid('The request line is not one of HTTP/1.1.');
  const headers = lines.map((line) => HEADER_LINE.exec(line));
  if (!headers.every((header) => header !== null)) return invalid('A header is not valid.');
  if (method === 'CONNECT') return tunnel(target);
  if (!target.startsWith('http://') || !URL.canParse(target))
    return invalid('Only CONNECT and addresses that begin with http:// are supported.');
  const { hostname, port, host, pathname, search, username, password } = new URL(target);
  if (username !== '' || password !== '')
    return invalid('An address that contains credentials cannot be called.');
  const named = headers.flatMap(([, name = '', value = '']) =>
    name.toLowerCase() === 'connection' ? value.toLowerCase().split(',') : [],
  );
  const dropped = new Set([...OWN_HEADERS, ...named.map((name) => name.trim())]);
  const kept = headers.filter(([, name = '']) => !dropped.has(name.toLowerCase())).map(([line]) => line);
  return {
    kind: 'forward',
    host: hostname,
    port: port === '' ? 80 : Number(port),
    head: [
      `${method} ${pathname}${search} ${version}`,
      `Host: ${host}`,
      'Connection: close',
      ...kept,
      '',
      '',
    ].join('\r\n'),
  };
}

function tunnel(target: string): ProxyRequest {
  const [, host = '', digits = ''] = AUTHORITY.exec(target) ?? [];
  const port = Number(digits);
  if (host === '' || port < 1 || port > 65_535) return invalid('CONNECT needs a host and a port.');
  return { kind: 'tunnel', host, port };
}

function invalid(reason: string): ProxyRequest {
  return { kind: 'invalid', reason };
}
