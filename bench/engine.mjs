// What the engine adds to each vertex: runs of a chain of quick components, Chat Input → Text Inputs → Chat Output, in
// this process, without broker, database or HTTP.
// Usage: node bench/engine.mjs [--vertices 20] [--seconds 3] [--rounds 5]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { median } from './closed-loop.mjs';
import { packagesOutside } from '../tools/packages-outside.mjs';
import { workspaceRoot } from '../tools/workspace-root.mjs';

const { values: flags } = parseArgs({
  options: {
    vertices: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const vertices = Number(flags.vertices);

const { execute, noResources, compile, parseFlowDocument, componentRegistry } = await loadEngine();
const plan = compile(parseFlowDocument(chain(vertices)), {
  flowId: '11111111-1111-4111-8111-111111111111',
  version: 1,
  registry: componentRegistry,
});

await runFor(1);
const rounds = [];
for (let round = 0; round < Number(flags.rounds); round += 1) {
  const { runs, milliseconds } = await runFor(Number(flags.seconds));
  const microseconds = (milliseconds * 1_000) / (runs * vertices);
  rounds.push(microseconds);
  console.log(
    `${microseconds.toFixed(2).padStart(8)} µs per vertex  ${Math.round((runs / milliseconds) * 1_000)} runs/s`,
  );
}
console.log(
  `\n${vertices} vertices, Node ${process.version}: ${median(rounds).toFixed(2)} µs per vertex, ` +
    `${((median(rounds) * vertices) / 1_000).toFixed(3)} ms per run`,
);

/** One run after the other. */
async function runFor(seconds) {
  const started = performance.now();
  const end = started + seconds * 1_000;
  let runs = 0;
  while (performance.now() < end) {
    const text = `run ${runs}`;
    const { outputs } = await execute(plan, request(text), environment());
    const answer = outputs[0].outputs[0].outputs.message.message;
    if (answer !== text) throw new Error(`the run answered ${JSON.stringify(answer)} to ${text}`);
    runs += 1;
  }
  return { runs, milliseconds: performance.now() - started };
}

function request(inputValue) {
  return {
    form: 'simple',
    inputs: [{ components: [], inputValue, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 'bench',
    globalVariables: {},
  };
}

function environment() {
  return {
    runId: '22222222-2222-4222-8222-222222222222',
    attempt: 1,
    userId: 'bench',
    signal: new AbortController().signal,
    deadline: Date.now() + 10_000,
    limits: { maximumVertices: 10_000, maximumOutputBytes: 1_000_000 },
    messages: { store: async () => undefined, read: async () => [] },
    fetch,
    resources: noResources,
    variable: async () => undefined,
    emit: () => undefined,
  };
}

function chain(length) {
  const types = ['ChatInput', ...Array.from({ length: length - 2 }, () => 'TextInput'), 'ChatOutput'];
  const ids = types.map((type, index) => `${type}-${index}`);
  const output = (index) => (types[index] === 'TextInput' ? 'text' : 'message');
  const nodes = types.map((type, index) => ({
    id: ids[index],
    data: {
      id: ids[index],
      type,
      node: {
        display_name: ids[index],
        template: { input_value: { type: 'str', value: '', show: true } },
        outputs: [{ name: output(index), types: ['Message'] }],
      },
    },
  }));
  const edges = ids.slice(1).map((target, index) => ({
    source: ids[index],
    target,
    data: {
      sourceHandle: { id: ids[index], name: output(index) },
      targetHandle: { id: target, fieldName: 'input_value' },
    },
  }));
  return { name: 'chain', data: { nodes, edges } };
}

/** The engine with the components, bundled as the services are. */
async function loadEngine() {
  const folder = join(workspaceRoot, 'dist', 'bench');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'engine.cjs');
  await build({
    stdin: {
      contents: ['engine', 'flow', 'components']
        .map((name) => `export * from '@millrace/${name}';`)
        .join('\n'),
      resolveDir: workspaceRoot,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    plugins: [packagesOutside],
    logLevel: 'warning',
  });
  return createRequire(import.meta.url)(outfile);
}
