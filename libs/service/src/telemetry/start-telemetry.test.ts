import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetry } from '../index';
import { startProgram } from '../testing/start-program';

const traced = `
  async function main() {
    const telemetry = await service.startTelemetry({ serviceName: 'mill', version: '1', environment: process.env });
    const http = require('node:http');
    const server = http.createServer((request, response) => {
      const headers = {};
      service.withSpan('work', { kind: 'internal', attributes: { 'run.id': 'r1' } }, async () => {
        service.injectTraceContext(headers);
      }).then(() => response.end(JSON.stringify(headers)));
    }).listen(0, '127.0.0.1', async () => {
      const answer = await fetch('http://127.0.0.1:' + server.address().port + '/run');
      const headers = await answer.json();
      await service.withSpan('later', { kind: 'consumer', parent: service.extractTraceContext(headers) }, async () => {
        throw new Error('went wrong');
      }).catch(() => {});
      await fetch('http://127.0.0.1:' + server.address().port + '/healthz');
      server.close();
      server.closeAllConnections();
      await telemetry.close();
      console.log(JSON.stringify({ enabled: telemetry.enabled, headers }));
    });
  }
  void main();`;

test('loads nothing unless the environment enables tracing', async () => {
  const telemetry = await startTelemetry({ serviceName: 'mill', version: '1', environment: {} });
  expect(telemetry.enabled).toBe(false);
  await telemetry.close();
});

test('writes one trace to a file, from an HTTP call through its work to a later continuation', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-trace-'));
  const file = join(directory, 'spans.jsonl');
  const program = startProgram(traced, { OTEL_TRACES_EXPORTER: 'file', MILLRACE_TRACE_FILE: file });
  expect((await program.ended).code).toBe(0);
  const spans = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  rmSync(directory, { recursive: true });
  const named = (name: string) => spans.find((span) => span.name === name);
  const server = spans.find((span) => span.kind === 'server');
  expect(named('work')).toMatchObject({
    service: 'mill',
    kind: 'internal',
    traceId: server.traceId,
    parentSpanId: server.spanId,
    attributes: { 'run.id': 'r1' },
  });
  expect(named('later')).toMatchObject({
    kind: 'consumer',
    traceId: server.traceId,
    parentSpanId: named('work').spanId,
    status: { code: 2, message: 'went wrong' },
  });
  expect(spans.filter((span) => span.kind === 'server')).toHaveLength(1);
});

test('uses the sampler that the environment names', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-trace-'));
  const file = join(directory, 'spans.jsonl');
  const environment = { OTEL_TRACES_EXPORTER: 'file', MILLRACE_TRACE_FILE: file };
  const program = startProgram(traced, { ...environment, OTEL_TRACES_SAMPLER: 'always_off' });
  expect(JSON.parse((await program.ended).output)).toMatchObject({ enabled: true });
  expect(existsSync(file)).toBe(false);
  rmSync(directory, { recursive: true });
});

test('without tracing, work in spans runs and no headers are written', async () => {
  const program = startProgram(traced, { OTEL_TRACES_EXPORTER: 'none' });
  const { output } = await program.ended;
  expect(JSON.parse(output)).toEqual({ enabled: false, headers: {} });
});

test('the error names an unknown exporter', async () => {
  const environment = { OTEL_TRACES_EXPORTER: 'carrier-pigeon' };
  await expect(startTelemetry({ serviceName: 'mill', version: '1', environment })).rejects.toThrow(
    'OTEL_TRACES_EXPORTER can be otlp, console, file and none, not "carrier-pigeon"',
  );
});
