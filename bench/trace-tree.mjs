// `node tools/node/run.cjs bench/trace-tree.mjs`: asks one run of an agent with a model and a tool, with a `traceparent`,
// and prints what is seen of it: the headers of the answer, the tree of its trace, its log lines and its vertex records.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { flowData, node } from '@millrace/testing';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { loadWorkspaceCode } from '../tools/workspace/load-workspace-code.mjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';
import { BenchEnvironment } from './bench-environment.mjs';
import { exampleFlow, upload } from './flows.mjs';

/** @import { ServiceProcess } from '@millrace/scaled-system' */
/** @import { OtlpReceiver, ReceivedSpan } from '../apps/standalone/src/system/otlp-receiver.ts' */

const usage = `node tools/node/run.cjs bench/trace-tree.mjs [options]
  --all              one process, then a scaled installation with --webhook, then with --kill
  --standalone       one process in place of a scaled installation
  --kill             kills the executor of the first attempt (scaled)
  --webhook          then sends a webhook whose run fails, and prints the log lines with its request id
  --collector <url>  sends the traces to this collector and prints no tree; such as http://127.0.0.1:4318
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --help`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    all: { type: 'boolean' },
    standalone: { type: 'boolean' },
    kill: { type: 'boolean' },
    webhook: { type: 'boolean' },
    collector: { type: 'string' },
    services: servicesOption,
  },
});
const QUESTION = 'What is 6 * 7? [[call=evaluate_expression with="expression=6*7"]]';
const LAST_SPANS_MILLISECONDS = 3_000;
/** The tool has been called after this many pauses of 100 ms. */
const TRIES_TO_COLLECTOR = 45;
const HEADERS = ['x-run-id', 'x-request-id', 'traceparent', 'server-timing'];
/** Clients of the servers have spans too; these are the steps of the run. */
const STEPS = /^(?:POST|invoke_workflow|queue$|vertex|chat|embeddings|execute_tool|retrieval)/;

prepareWorkspace({ build: true });
/** @type {{ startOtlpReceiver(): Promise<OtlpReceiver> }} */
const code = await loadWorkspaceCode(
  `export { startOtlpReceiver } from './otlp-receiver';`,
  'apps/standalone/src/system',
);
const benchEnvironment = new BenchEnvironment({ services: flags.services, seconds: 1 });
const receiver = await code.startOtlpReceiver();
/** @typedef {{ readonly standalone?: boolean | undefined, readonly kill?: boolean | undefined, readonly webhook?: boolean | undefined }} Way */
/** @type {readonly Way[]} */
const ways = flags.all ? [{ standalone: true }, { webhook: true }, { kill: true }] : [flags];
/** @type {string[]} */
const lines = [];
try {
  for (const way of ways) {
    if (flags.all)
      console.log(`\n== ${way.standalone ? 'standalone' : `scaled${way.kill ? ', executor killed' : ''}`}`);
    const model = await benchEnvironment.startModel();
    const system = await start(model.url, way);
    await ask(system, way);
    if (way.webhook) await failWebhook(system);
    await benchEnvironment.closeScenario();
  }
} finally {
  await benchEnvironment.close();
  await receiver.close();
}

/**
 * @param {string} modelUrl
 * @param {Way} way
 */
async function start(modelUrl, way) {
  const environment = {
    LOG_LEVEL: 'debug',
    MILLRACE_VERTEX_RECORD_SAMPLE_RATE: '1',
    MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    ...{ OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'sk-example' },
    OTEL_EXPORTER_OTLP_ENDPOINT: flags.collector ?? receiver.url,
    ...(flags.collector === undefined ? { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' } : {}),
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const print = (/** @type {string} */ line) => void lines.push(line);
  if (way.standalone) return benchEnvironment.startStandalone({ environment, print });
  return benchEnvironment.startSystem({ environment, print, pools: { default: way.kill ? 2 : 1 } });
}

/**
 * @param {{ url: string, headers: Readonly<Record<string, string>>, executors?: readonly ServiceProcess[] }} system
 * @param {Way} way
 */
async function ask(system, way) {
  const { endpoint } = await upload(system, exampleFlow('agent-with-tools', 'traced-agent'));
  const traceId = randomBytes(16).toString('hex');
  const requestId = `request-${randomBytes(4).toString('hex')}`;
  const headers = {
    ...system.headers,
    'content-type': 'application/json',
    'x-request-id': requestId,
    traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
  };
  const answering = fetch(`${system.url}/api/v1/run/${endpoint}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ input_value: way.kill ? `[[delay=3000]] ${QUESTION}` : QUESTION }),
  });
  if (way.kill) await killBusy(system.executors ?? [], traceId);
  const answer = await answering;
  await answer.text();
  console.log(`asked with traceparent ${headers.traceparent}\nanswered with status ${answer.status}`);
  for (const name of HEADERS) console.log(`  ${name}: ${answer.headers.get(name)}`);
  await pause(LAST_SPANS_MILLISECONDS);
  if (flags.collector === undefined) printTree(receiver.spansOf(traceId));
  printLines(requestId);
  await printRecords(system, answer.headers.get('x-run-id') ?? '');
}

/**
 * Kills the executor after it has exported a call of the model and of the tool, while it waits for the model again.
 * @param {readonly ServiceProcess[]} executors
 * @param {string} traceId
 */
async function killBusy(executors, traceId) {
  for (let tries = 0; tries < 100; tries += 1) {
    await pause(100);
    for (const executor of executors) {
      const metrics = await fetch(`http://127.0.0.1:${executor.ready.healthPort}/metrics`);
      if (!/^millrace_executor_runs_in_hand(?:\{[^}]*\})? [1-9]/m.test(await metrics.text())) continue;
      const hasTool = receiver.spansOf(traceId).some(({ name }) => name.startsWith('execute_tool'));
      if (flags.collector === undefined ? !hasTool : tries < TRIES_TO_COLLECTOR) continue;
      executor.kill();
      console.log(`${executor.name} was killed during the run`);
      return;
    }
  }
  throw new Error('no executor began the run');
}

/** @param {{ url: string, headers: Readonly<Record<string, string>> }} system */
async function failWebhook(system) {
  const nodes = [
    node('Webhook-w', { data: '' }, 'output_data'),
    node('JavaScriptFunction-s', { script: 'throw new Error("no such order")' }, 'message'),
  ];
  const data = flowData(nodes, ['Webhook-w.output_data > JavaScriptFunction-s.input_value']);
  const { endpoint } = await upload(system, { name: 'failing', endpoint_name: 'failing-webhook', data });
  const requestId = `request-${randomBytes(4).toString('hex')}`;
  const answer = await fetch(`${system.url}/api/v1/webhook/${endpoint}`, {
    method: 'POST',
    headers: { ...system.headers, 'content-type': 'application/json', 'x-request-id': requestId },
    body: '{"order":7}',
  });
  console.log(`a webhook with the request id ${requestId} was answered with status ${answer.status}`);
  await pause(LAST_SPANS_MILLISECONDS);
  printLines(requestId);
}

/** @param {readonly ReceivedSpan[]} spans */
function printTree(spans) {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const shown = spans.filter(({ name, kind }) => kind === 2 || STEPS.test(name));
  const shownIds = new Set(shown.map(({ spanId }) => spanId));
  const begin = Math.min(...spans.map(({ startedAt }) => startedAt));
  /** @param {ReceivedSpan} span @returns {string} */
  const parentOf = ({ parentSpanId }) => {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    return parent === undefined || shownIds.has(parentSpanId) ? parentSpanId : parentOf(parent);
  };
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
  console.log(`trace: ${spans.length} spans, ${roots.length} root, ${shown.length} shown`);
  /** @param {string | null} parent @param {number} depth */
  const print = (parent, depth) => {
    const children = shown
      .filter((span) => (parent === null ? !ids.has(parentOf(span)) : parentOf(span) === parent))
      .sort((one, other) => one.startedAt - other.startedAt);
    for (const span of children) {
      const at = `+${(span.startedAt - begin).toFixed(1)} ms, ${span.milliseconds.toFixed(1)} ms`;
      console.log(
        `  ${'  '.repeat(depth)}${span.name}  [${span.service.replace('millrace-', '')}]  ${at}${detail(span)}`,
      );
      print(span.spanId, depth + 1);
    }
  };
  print(null, 0);
}

/** @param {ReceivedSpan} span */
function detail({ attributes, failed }) {
  const shown = {
    attempt: attributes['millrace.run.attempt'],
    model: attributes['gen_ai.response.model'],
    'input tokens': attributes['gen_ai.usage.input_tokens'],
    'output tokens': attributes['gen_ai.usage.output_tokens'],
    tool: attributes['gen_ai.tool.name'],
    error: failed ? attributes['error.type'] : undefined,
  };
  const parts = Object.entries(shown).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return parts.length === 0 ? '' : `  (${parts.join(', ')})`;
}

/** @param {string} requestId */
function printLines(requestId) {
  console.log(`log lines with the request id ${requestId}:`);
  for (const line of lines.filter((one) => one.includes(requestId))) {
    const fields = JSON.parse(line.slice(line.indexOf('{')));
    const { msg, level, name, runId, trace_id: traceId, attempt, status, reason } = fields;
    const shown = { runId, trace_id: traceId, attempt, status, reason };
    console.log(
      `  ${line.slice(0, line.indexOf('{')).trim()} ${name} ${level} ${msg} ${JSON.stringify(shown)}`,
    );
  }
}

/**
 * @param {{ url: string, headers: Readonly<Record<string, string>> }} system
 * @param {string} runId
 */
async function printRecords({ url, headers }, runId) {
  const answer = await fetch(`${url}/api/v1/runs/${runId}/trace`, { headers });
  /** @type {any} */
  const trace = await answer.json();
  const { attempt, status, usage, vertices = [] } = trace;
  console.log(`vertex records of run ${runId}: attempt ${attempt}, ${status}, ${JSON.stringify(usage)}`);
  for (const vertex of vertices) {
    const {
      id,
      state,
      milliseconds,
      input_bytes: inputBytes,
      output_bytes: outputBytes,
      tool_calls: calls,
    } = vertex;
    console.log(
      `  ${id}: ${state}, ${milliseconds} ms, ${inputBytes} bytes in, ${outputBytes} bytes out, ${calls ?? 0} tool calls`,
    );
  }
}
