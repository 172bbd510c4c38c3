import { parseProxyRequest } from './proxy-request';

const parse = (...lines: string[]) => parseProxyRequest(lines.join('\r\n'));

test('CONNECT names a host and a port', () => {
  expect(parse('CONNECT api.test:443 HTTP/1.1', 'Host: api.test:443')).toEqual({
    kind: 'tunnel',
    host: 'api.test',
    port: 443,
  });
  expect(parse('CONNECT [2001:db8::1]:8443 HTTP/1.1')).toEqual({
    kind: 'tunnel',
    host: '[2001:db8::1]',
    port: 8443,
  });
});

test('a forwarded request keeps its headers, but not those of the connection to the proxy', () => {
  const request = parse(
    'POST http://api.test:8080/a%20b?c=d HTTP/1.1',
    'Host: other.test',
    'Authorization: Bearer key',
    'Proxy-Authorization: Basic abc',
    'Proxy-Connection: keep-alive',
    'Connection: keep-alive, X-Hop',
    'X-Hop: 1',
    'Content-Length: 3',
  );
  expect(request).toEqual({
    kind: 'forward',
    host: 'api.test',
    port: 8080,
    head: 'POST /a%20b?c=d HTTP/1.1\r\nHost: api.test:8080\r\nConnection: close\r\nAuthorization: Bearer key\r\nContent-Length: 3\r\n\r\n',
  });
});

test.each([
  ['no request line', ['']],
  ['another protocol', ['GET http://a.test/ HTTP/2']],
  ['a path alone', ['GET /etc/passwd HTTP/1.1']],
  ['https without a tunnel', ['GET https://a.test/ HTTP/1.1']],
  ['another scheme', ['GET file:///etc/passwd HTTP/1.1']],
  ['credentials in the address', ['GET http://user:word@a.test/ HTTP/1.1']],
  ['a tunnel without a port', ['CONNECT a.test HTTP/1.1']],
  ['a tunnel to port 0', ['CONNECT a.test:0 HTTP/1.1']],
  ['a tunnel to port 65536', ['CONNECT a.test:65536 HTTP/1.1']],
  ['a tunnel with credentials', ['CONNECT user@a.test:443 HTTP/1.1']],
  ['a header without a name', ['GET http://a.test/ HTTP/1.1', ': value']],
  ['a header that continues', ['GET http://a.test/ HTTP/1.1', 'A: b', ' c']],
  ['a line feed in a header', ['GET http://a.test/ HTTP/1.1', 'A: b\nHost: other.test']],
])('%s is invalid', (_, lines) => {
  expect(parse(...lines).kind).toBe('invalid');
});
