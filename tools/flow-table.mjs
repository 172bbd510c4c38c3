// `npm run flow-table -- <folder>`: what becomes of every flow file of a folder. Runs each with one input, with another,
// and with the first again, on a whole system in whose world every outside service is a fake on this machine. Needs
// Linux, its administrator and openssl.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { acceptCode } from './flow-table/accept-code.mjs';
import { makeCertificate } from './flow-table/certificates.mjs';
import { createClient } from './flow-table/client.mjs';
import { goodKey } from './flow-table/fill-in.mjs';
import { hostsIn } from './flow-table/flow-hosts.mjs';
import { loadFakes } from './flow-table/load-fakes.mjs';
import { runFlow } from './flow-table/run-flow.mjs';
import { serveFakes } from './flow-table/serve-fakes.mjs';
import { startSystem } from './flow-table/start-system.mjs';
import { summarize } from './flow-table/summarize.mjs';
import { modelHosts, wellKnownHosts } from './flow-table/vendor-hosts.mjs';
import { loadWorkspaceCode } from './load-workspace-code.mjs';
import { prepareWorkspace } from './prepare-workspace.mjs';

const { values: flags, positionals } = parseArgs({
  options: {
    system: { type: 'string', default: 'standalone' },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
    accept: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [source] = positionals;
if (source === undefined || !['standalone', 'scaled'].includes(flags.system)) {
  console.error(
    'usage: npm run flow-table -- <folder> [--system standalone|scaled] [--only <text>] [--accept] [--json <file>] [--keep]',
  );
  process.exit(64);
}

prepareWorkspace({ build: true });
const code = await loadWorkspaceCode(
  `export { componentRegistry } from '@millrace/components';
  export { compile, flowReport, parseFlowDocument } from '@millrace/flow';
  export { startModelServer } from '@millrace/model-server';`,
);
const folder = mkdtempSync(join(tmpdir(), 'flow-table-'));
const rows = readdirSync(source)
  .filter((file) => file.endsWith('.json') && file.includes(flags.only))
  .sort()
  .map((file) => readFlow(file))
  .filter((row) => row !== null);
const hosts = [...new Set([...modelHosts, ...wellKnownHosts, ...rows.flatMap(({ text }) => hostsIn(text))])];
const certificate = makeCertificate(hosts, folder);
const model = await code.startModelServer();
const fakes = await serveFakes({ makeFakes: await loadFakes(), modelUrl: model.url, certificate });
try {
  const system = await startSystem({
    system: flags.system,
    hosts,
    folder,
    authority: certificate.authority,
    environment: providerKeys(),
  });
  try {
    const client = createClient(system);
    for (const row of rows) {
      fakes.renew();
      if (flags.accept && row.state === 'refused') {
        const accepted = await acceptCode({ client, ...row, compile });
        if (accepted !== null)
          Object.assign(row, accepted, { state: undefined, reasons: undefined, isAccepted: true });
      }
      if (row.state === undefined) Object.assign(row, await runFlow({ client, fakes, ...row }));
      console.log(line(row));
    }
  } finally {
    await system.stop();
  }
} finally {
  await fakes.close();
  await model.close();
  if (flags.keep) console.log(`Kept: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
const kept = rows.map((row) => ({ ...row, text: undefined, document: undefined, plan: undefined }));
if (flags.json !== undefined) writeFileSync(flags.json, JSON.stringify(kept, null, 2));
console.log(summarize(kept, fakes.unanswered));

/** A row of the table, already decided when the flow cannot run; null for a file that is no flow and does not claim to be. */
function readFlow(file) {
  const text = readFileSync(join(source, file), 'utf8');
  const document = JSON.parse(text);
  if (Array.isArray(document)) return null;
  const row = { name: file, text, document };
  try {
    const plan = compile(document);
    const { vertices, verdict } = code.flowReport(plan, () => true);
    if (verdict !== 'refused') return { ...row, plan };
    const refused = plan.refusals.map(({ vertexId }) => vertices.find(({ id }) => id === vertexId));
    const reasons = refused.map(({ type, status }) =>
      ['edited_code', 'custom_code'].includes(status) ? "author's code" : `type ${type}`,
    );
    return { ...row, plan, state: 'refused', reasons: [...new Set(reasons)] };
  } catch (error) {
    return { ...row, state: 'no flow', reason: error.message };
  }
}

function compile(document) {
  const options = { flowId: 'table', version: 1, registry: code.componentRegistry };
  return code.compile(code.parseFlowDocument(document), options);
}

/** Keys of the providers that components look up when neither a field nor a variable holds one. */
function providerKeys() {
  const providers = [
    'OPENAI',
    'ANTHROPIC',
    'GOOGLE',
    'GROQ',
    'MISTRAL',
    'COHERE',
    'NVIDIA',
    'XAI',
    'DEEPSEEK',
    'SAMBANOVA',
    'PERPLEXITY',
    'OPENROUTER',
    'WATSONX',
    'TAVILY',
    'HUGGINGFACEHUB',
  ];
  return Object.fromEntries(providers.map((provider) => [`${provider}_API_KEY`, goodKey]));
}

function line({ name, state, reason, reasons, missed = [], dependsOnInput, isRepeatable, tools }) {
  const notes = [
    ...(reasons ?? []),
    ...(reason === undefined ? [] : [reason.slice(0, 300).replaceAll('\n', ' ')]),
    ...(missed.length > 0 ? [`not executed: ${missed.join(', ')}`] : []),
    ...(dependsOnInput === false ? ['the same for another input'] : []),
    ...(tools?.failed ?? []).map(({ tool, reason: text }) => `tool ${tool}: ${text.replaceAll('\n', ' ')}`),
    ...(isRepeatable === false ? ['another answer for the same input'] : []),
  ];
  return `${name.padEnd(24)} ${state.padEnd(8)} ${notes.join('; ')}`;
}
