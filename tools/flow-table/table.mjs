import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../error-fields.mjs';
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
 * @typedef {typeof import('@millrace/components') & typeof import('@millrace/flow') & typeof import('@millrace/model-server')} Code
 * @typedef {import('@millrace/flow').Plan} Plan
 * @typedef {Plan['vertices'][number]} PlannedVertex
 * @typedef {PlannedVertex['fields'] extends ReadonlyMap<string, infer Field> ? Field : never} PlannedField
 *
 * @typedef {object} DocumentNode
 * @property {string} id
 * @property {{ readonly node?: { readonly template?: Record<string, DocumentField | undefined> } }} [data]
 *
 * @typedef {{ readonly required?: boolean, readonly show?: boolean, readonly value?: unknown }} DocumentField
 * @typedef {{ readonly source: string, readonly target: string }} DocumentEdge
 *
 * @typedef {object} FlowDocument A flow file, or its member `data`.
 * @property {FlowDocument} [data]
 * @property {readonly DocumentNode[]} [nodes]
 * @property {readonly DocumentEdge[]} [edges]
 *
 * @typedef {object} Result How a flow ends.
 * @property {'ran' | 'failed' | 'refused' | 'no flow'} state
 * @property {string} [reason]
 * @property {readonly string[]} [reasons]
 * @property {readonly string[]} [missed]
 * @property {boolean | null} [dependsOnInput]
 * @property {boolean | null} [isRepeatable]
 * @property {{ readonly called: readonly string[], readonly failed: readonly { readonly tool: string, readonly reason: string }[] }} [tools]
 * @property {readonly string[]} [shown]
 *
 * @typedef {Partial<Result> & { readonly name: string, readonly isAccepted?: boolean }} Row
 * @typedef {Row & { readonly text: string, readonly document: FlowDocument, readonly plan?: Plan }} FlowRow
 *
 * @typedef {object} TableOptions
 * @property {string} source
 * @property {string} system
 * @property {string} [json]
 * @property {string} [only]
 * @property {boolean} accept
 * @property {boolean} keep
 */

/**
 * Runs every flow file of the folder `source` and prints how each ends. `system` is standalone or scaled; `only` is a part
 * of the file names, `json` the file for the table as JSON; `accept` accepts the stock code of refused vertices, `keep`
 * keeps the scratch folder.
 * @param {TableOptions} options
 */
export async function makeTable({ source, system, json, only = '', accept, keep }) {
  /** @type {Code} */
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
        const { name, document, plan } = row;
        if (accept && row.state === 'refused' && plan !== undefined) {
          const accepted = await acceptCode({
            client,
            name,
            document,
            plan,
            compile: (changed) => compile(changed, code),
          });
          if (accepted !== null)
            Object.assign(row, accepted, { state: undefined, reasons: undefined, isAccepted: true });
        }
        if (row.state === undefined && row.plan !== undefined)
          Object.assign(row, await runFlow({ client, fakes, name, document: row.document, plan: row.plan }));
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

/**
 * Returns a row of the table, with a state if the flow cannot run; null for a file whose JSON is an array.
 * @param {string} path
 * @param {string} name
 * @param {Code} code
 * @returns {FlowRow | null}
 */
function readFlow(path, name, code) {
  const text = readFileSync(path, 'utf8');
  const document = JSON.parse(text);
  if (Array.isArray(document)) return null;
  const row = { name, text, document };
  try {
    const plan = compile(document, code);
    if (plan.refusals.length === 0) return { ...row, plan };
    const refused = plan.refusals.flatMap(({ vertexId }) =>
      plan.vertices.filter(({ id }) => id === vertexId),
    );
    const reasons = refused.map(({ type, codeOrigin }) =>
      codeOrigin === 'edited' ? "author's code" : `type ${type}`,
    );
    return { ...row, plan, state: 'refused', reasons: [...new Set(reasons)] };
  } catch (error) {
    return { ...row, state: 'no flow', reason: messageOf(error) };
  }
}

/**
 * @param {FlowDocument} document
 * @param {Code} code
 */
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

/** @param {Row} row */
function line({
  name,
  state = 'no flow',
  reason,
  reasons,
  missed = [],
  dependsOnInput,
  isRepeatable,
  tools,
}) {
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
