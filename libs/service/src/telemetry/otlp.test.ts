import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:net';
import { startProgram } from '../testing/start-program';

const program = `
  async function main() {
    const identity = { serviceName: 'mill', version: '1', environment: process.env };
    const telemetry = await service.startTelemetry(identity);
    const metrics = service.createMetrics(identity);
    metrics.counter('millrace_turns', 'Turns of the wheel').add(1);
    require('@opentelemetry/api').trace.getTracer('test').startSpan('turn').end();
    await telemetry.close();
    await metrics.close();
  }
  void main();`;

interface Received {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Runs the program with a receiver at its endpoint; resolves to what arrived, by path. */
async function received(
  environment: NodeJS.ProcessEnv,
  start = (listener: RequestListener): Server => createServer(listener),
): Promise<ReadonlyMap<string, Received>> {
  const all = new Map<string, Received>();
  const server = start((request, response) => {
    void read(request).then((found) => {
      all.set(found.path, found);
      response.writeHead(200, { 'content-type': found.type }).end(found.type.includes('json') ? '{}' : '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, faults } = await startProgram(program, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_METRICS_EXPORTER: 'otlp',
    ...environment,
  }).ended;
  server.close();
  expect({ code, faults }).toEqual({ code: 0, faults: '' });
  return all;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { url = '', headers } = request;
  return { path: url, type: headers['content-type'] ?? '', body: Buffer.concat(chunks).toString('latin1') };
}

test('sends spans and metrics as protobuf unless the environment names another protocol', async () => {
  const all = await received({ OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=mills' });
  for (const path of ['/v1/traces', '/v1/metrics']) {
    expect(all.get(path)?.type).toBe('application/x-protobuf');
    // Texts are readable in protobuf.
    for (const text of ['service.name', 'mill', 'service.namespace', 'mills', 'service.instance.id'])
      expect(all.get(path)?.body).toContain(text);
  }
  expect(all.get('/v1/traces')?.body).toContain('turn');
  expect(all.get('/v1/metrics')?.body).toContain('millrace_turns');
});

test('sends JSON, and the name of the service that the environment gives', async () => {
  const all = await received({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_SERVICE_NAME: 'weir' });
  const { resourceSpans } = JSON.parse(all.get('/v1/traces')?.body ?? '{}');
  expect(resourceSpans[0].resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'weir' },
  });
  expect(resourceSpans[0].scopeSpans[0].spans[0].name).toBe('turn');
  const { resourceMetrics } = JSON.parse(all.get('/v1/metrics')?.body ?? '{}');
  expect(resourceMetrics[0].scopeMetrics[0].metrics[0].name).toBe('millrace_turns');
});

test('sends gRPC', async () => {
  const all = await received({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, () => {
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        grpc.set(String(headers[':path']), Buffer.concat(chunks).toString('latin1'));
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        // An empty message: not compressed, no bytes.
        stream.end(Buffer.alloc(5));
      });
    });
    return server;
  });
  expect(all.size).toBe(0);
  const service = 'opentelemetry.proto.collector';
  expect(grpc.get(`/${service}.trace.v1.TraceService/Export`)).toContain('turn');
  expect(grpc.get(`/${service}.metrics.v1.MetricsService/Export`)).toContain('millrace_turns');
});

const grpc = new Map<string, string>();
