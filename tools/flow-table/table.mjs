import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptCode } from './accept-code.mjs';
import { makeCertificate } from './certificates.mjs';
import { createClient } from './client.mjs';
import { validKey } from './fill-in.mjs';
import { hostsIn } from './flow-hosts.mjs';
import { loadFakes } from './load-fakes.mjs';
import { runFlow } from './run-flow.mjs';
import { serveFakes } from './serve-fakes.mjs';
import { startSystem } from './start-system.mjs';
import { summarize } from './summarize.mjs';
import { modelHosts, implicitHosts } from './vendor-hosts.mjs';
import { loadWorkspaceCode } from '../load-workspace-code.mjs';

/**
 * Runs every flow file of the folder `source` and prints how each ends. `system` is standalone or scaled; `only` is a part
 * of the file names, `json` the file for the table as JSON; `accept` accepts the stock code of refused vertices, `keep`
 * keeps the scratch folder.
 */
export async function makeTable({ source, system, json, only = '', accept, keep }) {
  const code = await loadWorkspaceCode(
    `export { componentRegistry } from '@millrace/components';
    export { compile, flowReport, parseFlowDocument } from '@millrace/flow';
    export { startModelServer } from '@millrace/model-server';`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'flow-table-'));
  const rows = readdirSync(source)
    .filter((file) => file.endsWith('.json') && file.includes(only))
    .sort()
    .map((file) => readFlow(join(source, file), file, code))
    .filter((row) => row !== null);
  const hosts = [...new Set([...modelHosts, ...implicitHosts, ...rows.flatMap(({ text }) => hostsIn(text))])];
  const certificate = makeCertificate(hosts, folder);
  const model = await code.startModelServer();
  const fakes = await serveFakes({ makeFakes: await loadFakes(), modelUrl: model.url, certificate });
  try {
    const running = await startSystem({
      system,
      hosts,
      folder,
      authority: certificate.authority,
      environment: providerKeys(),
    });
    try {
      const client = createClient(running);
      for (const row of rows) {
        fakes.renew();
        if (accept && row.state === 'refused') {
          const accepted = await acceptCode({
            client,
            ...row,
            compile: (document) => compile(document, code),
          });
          if (accepted !== null)
            Object.assign(row, accepted, { state: undefined, reasons: undefined, isAccepted: true });
        }
        if (row.state === undefined) Object.assign(row, await runFlow({ client, fakes, ...row }));
        console.log(line(row));
      }
    } finally {
      await running.stop();
    }
  } finally {
    await fakes.close();
    await model.close();
    if (keep) console.log(`Kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  const kept = rows.map((row) => ({ ...row, text: undefined, document: undefined, plan: undefined }));
  if (json !== undefined) writeFileSync(json, JSON.stringify(kept, null, 2));
  console.log(summarize(kept, fakes.unanswered));
}

/** Returns a row of the table, with a state if the flow cannot run; null for a file whose JSON is an array. */
function readFlow(path, name, code) {
  const text = readFileSync(path, 'utf8');
  const document = JSON.parse(text);
  if (Array.isArray(document)) return null;
  const row = { name, text, document };
  try {
    const plan = compile(document, code);
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

function compile(document, code) {
  const options = { flowId: 'table', version: 1, registry: code.componentRegistry };
  return code.compile(code.parseFlowDocument(document), options);
}

/** Returns API keys of providers for the environment, where components look when no field or variable has a key. */
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
  return Object.fromEntries(providers.map((provider) => [`${provider}_API_KEY`, validKey]));
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
