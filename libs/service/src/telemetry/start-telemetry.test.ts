import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetry } from '../index';
import { startProgram } from '../testing/start-program';

const traced = `
  async function main() {
    const telemetry = await service.startTelemetry({ serviceName: 'mill', version: '1', environment: process.env });
    const { trace } = require('@opentelemetry/api');
    const inSpan = (name, work) => trace.getTracer('test').startActiveSpan(name, (span) => {
      const result = work();
      span.end();
      return result;
    });
    const http = require('node:http');
    const server = http.createServer((request, response) => {
      const headers = {};
      const traceparent = inSpan('work', () => {
        service.injectTraceContext(headers);
        return service.activeTraceparent();
      });
      response.end(JSON.stringify({ headers, traceparent }));
    }).listen(0, '127.0.0.1', async () => {
      const answer = await fetch('http://127.0.0.1:' + server.address().port + '/run');
      const { headers, traceparent } = await answer.json();
      service.inTraceOf(traceparent, () => inSpan('later', () => undefined));
      service.inTraceOfMessage(headers, () => inSpan('delivered', () => undefined));
      await fetch('http://127.0.0.1:' + server.address().port + '/healthz');
      server.close();
      server.closeAllConnections();
      await telemetry.close();
      console.log(JSON.stringify({ enabled: telemetry.enabled, headers, traceparent }));
    });
  }
  void main();`;

const directory = mkdtempSync(join(tmpdir(), 'millrace-trace-'));
let files = 0;

afterAll(() => rmSync(directory, { recursive: true }));

/** Runs the program with the exporter to a file; resolves to its result and its spans. */
async function run(environment: NodeJS.ProcessEnv = {}) {
  const file = join(directory, `spans-${++files}.jsonl`);
  const program = startProgram(traced, {
    OTEL_TRACES_EXPORTER: 'file',
    MILLRACE_TRACE_FILE: file,
    ...environment,
  });
  const { code, output } = await program.ended;
  expect(code).toBe(0);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const spans = lines.map((line) => JSON.parse(line));
  return {
    result: JSON.parse(output),
    spans,
    named: (name: string) => spans.find((span) => span.name === name),
    server: spans.find((span) => span.kind === 'server'),
  };
}

test('loads nothing unless the environment enables tracing', async () => {
  const telemetry = await startTelemetry({ serviceName: 'mill', version: '1', environment: {} });
  expect(telemetry.enabled).toBe(false);
  await telemetry.close();
});

test('writes one trace to a file, from an HTTP call through its work to later continuations', async () => {
  const { named, server, spans } = await run();
  const { traceId } = server;
  expect(named('work')).toMatchObject({ service: 'mill', traceId, parentSpanId: server.spanId });
  expect(named('later')).toMatchObject({ traceId, parentSpanId: named('work').spanId });
  expect(named('delivered')).toMatchObject({ traceId, parentSpanId: named('work').spanId });
  expect(spans.filter((span) => span.kind === 'server')).toHaveLength(1);
});

test('uses the sampler that the environment names', async () => {
  const { result, spans } = await run({ OTEL_TRACES_SAMPLER: 'always_off' });
  expect(result).toMatchObject({ enabled: true });
  expect(spans).toEqual([]);
});

test('uses the propagators that the environment names; rows keep their traceparent', async () => {
  const { result, named, server } = await run({ OTEL_PROPAGATORS: 'b3' });
  expect(Object.keys(result.headers)).toEqual(['b3']);
  expect(result.traceparent).toBe(`00-${server.traceId}-${named('work').spanId}-01`);
  expect(named('later').traceId).toBe(server.traceId);
  expect(named('delivered').traceId).toBe(server.traceId);
});

test('without tracing, work runs and no headers are written', async () => {
  const { result } = await run({ OTEL_TRACES_EXPORTER: 'none' });
  expect(result).toEqual({ enabled: false, headers: {}, traceparent: null });
});

test.each([
  [
    { OTEL_TRACES_EXPORTER: 'carrier-pigeon' },
    'OTEL_TRACES_EXPORTER can be otlp, console, file and none, not "carrier-pigeon"',
  ],
  [
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'smoke' },
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL can be http/protobuf, http/json, grpc, not "smoke"',
  ],
])('the error names what is unknown in %j', async (environment, message) => {
  await expect(startTelemetry({ serviceName: 'mill', version: '1', environment })).rejects.toThrow(message);
});
