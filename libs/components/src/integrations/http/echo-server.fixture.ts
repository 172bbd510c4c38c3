import { fakeHandler, startFakeService } from './fake-service.fixture';
import type { FakeHandler, FakeService } from './fake-service.fixture';

/** Echoes the request; a few paths respond otherwise. */
export function createEchoHandler(): FakeHandler {
  return fakeHandler(({ method, path, query, headers, json, text }) => {
    if (path === '/text') return { text: 'just text' };
    if (path === '/bytes')
      return { bytes: Buffer.from([0, 255]), headers: { 'content-type': 'application/octet-stream' } };
    if (path === '/missing') return { status: 404, json: { error: 'no such thing' } };
    if (path.startsWith('/hop'))
      return { status: 302, headers: { location: path === '/hop2' ? '/hop' : '/end' } };
    return { json: { method, path, query: query.toString(), headers, json: json ?? null, text } };
  });
}

export function startEchoServer(): Promise<FakeService> {
  return startFakeService(createEchoHandler());
}
