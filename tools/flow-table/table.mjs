import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../workspace/error-fields.mjs';
import { acceptCode } from './accept-code.mjs';
import { makeCertificate } from './certificates.mjs';
import { createClient } from './client.mjs';
import { validKey } from './fill-in.mjs';
import { hostsIn } from './flow-hosts.mjs';
import { loadFakes } from './load-fakes.mjs';
import { pythonSystem } from './python-system.mjs';
import { runFlow } from './run-flow.mjs';
import { serveFakes } from './serve-fakes.mjs';
import { withStandIns } from './stand-ins.mjs';
import { startSystem } from './start-system.mjs';
import { summarize } from './summarize.mjs';
import { modelHosts, implicitHosts } from './vendor-hosts.mjs';
import { loadWorkspaceCode } from '../workspace/load-workspace-code.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * @typedef {typeof import('@millrace/components') & typeof import('@millrace/flow') & typeof import('@millrace/model-server') & typeof import('@millrace/python') & typeof import('../../libs/python/src/testing/stand-in.fixture')} Code
 * @typedef {import('@millrace/flow').Plan} Plan
 * @typedef {Plan['vertices'][number]} PlannedVertex
 * @typedef {PlannedVertex['fields'] extends ReadonlyMap<string, infer Field> ? Field : never} PlannedField
 *
 * @typedef {import('@millrace/flow').PythonPolicy} PythonPolicy
 * @typedef {{ readonly code: Code, readonly python: PythonPolicy }} Compiler
 *
 * @typedef {object} DocumentNode
 * @property {string} id
 * @property {{ readonly type?: string, readonly node?: SavedNode }} [data]
 *
 * @typedef {object} SavedNode `flow` is the content of a group.
 * @property {Record<string, DocumentField | undefined>} [template]
 * @property {{ readonly data?: FlowDocument }} [flow]
 *
 * @typedef {{ readonly type?: string, readonly name?: string, readonly proxy?: { readonly id: string, readonly field: string }, readonly required?: boolean, readonly show?: boolean, readonly value?: unknown }} DocumentField
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
 * @typedef {Partial<Result> & { readonly name: string, readonly isAccepted?: boolean, readonly standIns?: readonly string[] }} Row
 * @typedef {Row & { readonly text: string, readonly document: FlowDocument, readonly plan?: Plan }} FlowRow
 *
 * @typedef {object} TableOptions
 * @property {string} source
 * @property {string} system
 * @property {string} [json]
 * @property {string} [only]
 * @property {boolean} accept
 * @property {boolean} keep
 * @property {string | null} pythonFolder the Python environment; null runs nothing in Python
 */

/**
 * Runs every flow file of the folder `source` and prints how each ends. `system` is standalone or scaled; `only` is a part
 * of the file names, `json` the file for the table as JSON; `accept` accepts the stock code of refused vertices, `keep`
 * keeps the scratch folder. With a Python environment, vertices whose text is not in the file run a stand-in.
 * @param {TableOptions} options
 */
export async function makeTable({ source, system, json, only = '', accept, keep, pythonFolder }) {
  /** @type {Code} */
  const code = await loadWorkspaceCode(
    `export { componentRegistry } from '@millrace/components';
    export { compile, flowReport, noPython, parseFlowDocument } from '@millrace/flow';
    export { startModelServer } from '@millrace/model-server';
    export { readPythonEnvironment } from '@millrace/python';
    export { standInText } from './libs/python/src/testing/stand-in.fixture';`,
  );
  const compiler = { code, python: await pythonPolicy(pythonFolder, code) };
  const folder = mkdtempSync(join(tmpdir(), 'flow-table-'));
  const rows = readdirSync(source)
    .filter((file) => file.endsWith('.json') && file.includes(only))
    .sort()
    .map((file) => readFlow(join(source, file), file, compiler))
    .filter((row) => row !== null);
  const hosts = [...new Set([...modelHosts, ...implicitHosts, ...rows.flatMap(({ text }) => hostsIn(text))])];
  const certificate = makeCertificate(hosts, folder);
  const model = await code.startModelServer();
  const fakes = await serveFakes({ makeFakes: await loadFakes(), modelUrl: model.url, certificate });
  const { authority } = certificate;
  const python =
    pythonFolder === null
      ? { environment: {}, mounts: [] }
      : pythonSystem(pythonFolder, { folder, authority });
  try {
    const running = await startSystem({
      system,
      hosts,
      folder,
      authority,
      environment: { ...providerKeys(), ...python.environment },
      mounts: python.mounts,
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
            compile: (changed) => compile(changed, compiler),
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
 * @param {Compiler} compiler
 * @returns {FlowRow | null}
 */
function readFlow(path, name, compiler) {
  const text = readFileSync(path, 'utf8');
  const document = JSON.parse(text);
  if (Array.isArray(document)) return null;
  const row = { name, text, document };
  try {
    const stripped = compile(document, compiler);
    if (compiler.python.environment !== null) {
      const { document: completed, replaced } = withStandIns(document, stripped, compiler.code.standInText);
      Object.assign(row, { document: completed, standIns: replaced });
    }
    const plan = compile(row.document, compiler);
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
 * @param {Compiler} compiler
 */
function compile(document, { code, python }) {
  const options = { flowId: 'table', version: 1, registry: { ...code.componentRegistry, python } };
  return code.compile(code.parseFlowDocument(document), options);
}

/**
 * Returns what the system under test runs in Python.
 * @param {string | null} folder
 * @param {Code} code
 * @returns {Promise<PythonPolicy>}
 */
async function pythonPolicy(folder, { noPython, readPythonEnvironment }) {
  if (folder === null) return noPython;
  const workerFolder = join(workspaceRoot, 'apps', 'python-worker');
  const environment = await readPythonEnvironment(folder, { workerFolder });
  if ('reason' in environment) throw new Error(environment.reason);
  return { mode: 'all', environment };
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
  standIns = [],
}) {
  const notes = [
    ...(standIns.length > 0 ? [`stand-ins: ${standIns.length}`] : []),
    ...(reasons ?? []),
    ...(reason === undefined ? [] : [reason.slice(0, 300).replaceAll('\n', ' ')]),
    ...(missed.length > 0 ? [`not executed: ${missed.join(', ')}`] : []),
    ...(dependsOnInput === false ? ['the same for another input'] : []),
    ...(tools?.failed ?? []).map(({ tool, reason: text }) => `tool ${tool}: ${text.replaceAll('\n', ' ')}`),
    ...(isRepeatable === false ? ['another answer for the same input'] : []),
  ];
  return `${name.padEnd(24)} ${state.padEnd(8)} ${notes.join('; ')}`;
}
