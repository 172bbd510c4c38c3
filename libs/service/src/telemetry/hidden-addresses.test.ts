import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { HiddenAddresses } from './hidden-addresses';

/** Returns the attributes of a span after its start. */
function started(kind: SpanKind, given: Attributes): Attributes {
  const attributes = { ...given };
  const span = {
    attributes,
    kind,
    setAttribute: (name: string, value: string) => Object.assign(attributes, { [name]: value }),
  };
  new HiddenAddresses().onStart(span as unknown as Parameters<HiddenAddresses['onStart']>[0]);
  return attributes;
}

test('the query of an incoming request is hidden, its path is shown', () => {
  const given = {
    'url.path': '/api/v1/run/a',
    'url.query': 'x-api-key=sk-1',
    'http.target': '/api/v1/run/a?x-api-key=sk-1',
    'http.request.method': 'POST',
  };
  expect(started(SpanKind.SERVER, given)).toEqual({
    ...given,
    'url.query': '[hidden]',
    'http.target': '/api/v1/run/a',
  });
});

test('of the address of an outgoing request, the origin is shown', () => {
  const given = {
    'url.full': 'https://user:password@host.test:8443/bot123:key/send?token=1',
    'url.path': '/bot123:key/send',
    'url.query': '?token=1',
    'server.address': 'host.test',
  };
  expect(started(SpanKind.CLIENT, given)).toEqual({
    'url.full': 'https://host.test:8443/',
    'url.path': '[hidden]',
    'url.query': '[hidden]',
    'server.address': 'host.test',
  });
});
