import { sampleFile } from './sample-files.mjs';

/** @import { UploadedFile } from './client.mjs' */
/** @import { PlannedField, PlannedVertex } from './table.mjs' */

/** @typedef {(file: UploadedFile) => Promise<string>} Upload Resolves to the path of an uploaded file. */
/** @typedef {Record<string, Record<string, unknown>>} Tweaks Values by vertex and field. */

const astraEndpoint = 'https://table-us-east-2.apps.astra.datastax.com';

/** The key that every fake accepts. */
export const validKey = 'a-key';

/** The configuration of every MCP server that flows name. */
const mcpServer = {
  url: 'https://mcp.table.test/mcp',
  headers: { authorization: `Bearer ${validKey}` },
};

const model = { name: 'gpt-4o-mini', provider: 'OpenAI', category: 'OpenAI', icon: 'OpenAI', metadata: {} };

/**
 * Values that flow files do not contain, by field.
 * @type {Readonly<Record<string, string | readonly string[]>>}
 */
const places = {
  collection_name: 'table',
  index_name: 'table',
  knowledge_base: 'table',
  api_endpoint: astraEndpoint,
  chroma_server_host: '',
  azure_endpoint: 'https://models.table.test/v1',
  url: 'https://site.table.test/page',
  urls: ['https://site.table.test/page'],
  url_input: 'https://site.table.test/page',
  audio_file_url: 'https://site.table.test/sound.mp3',
};

/**
 * Returns the value of a variable that a field names, or of a secret that a file does not contain.
 * @param {string} field
 */
export function credentialFor(field) {
  if (/azure.*endpoint/i.test(field)) return 'https://models.table.test/v1';
  if (/endpoint/i.test(field)) return astraEndpoint;
  if (/ollama.*url/i.test(field)) return 'http://localhost:11434';
  return /url|base|host/i.test(field) ? 'https://models.table.test/v1' : validKey;
}

/**
 * Returns the variables that the fields of these vertices name, with a value for each.
 * @param {readonly PlannedVertex[]} vertices
 */
export function variablesOf(vertices) {
  const named = vertices
    .flatMap(({ fields }) => [...fields.values()])
    .flatMap(({ name, value, loadFromDatabase }) =>
      loadFromDatabase && typeof value === 'string' && value !== '' ? [{ name, variable: value }] : [],
    );
  return new Map(
    named.map(({ name, variable }) => [
      variable,
      credentialFor(/url|endpoint/i.test(variable) ? variable : name),
    ]),
  );
}

/**
 * Returns the MCP servers that these vertices name, as [name, configuration]; users store them apart from flows.
 * @param {readonly PlannedVertex[]} vertices
 * @returns {[string, typeof mcpServer][]}
 */
export function mcpServersOf(vertices) {
  const names = vertices.map(({ fields }) => {
    const value = fields.get('mcp_server')?.value;
    return typeof value === 'object' && value !== null && 'name' in value ? String(value.name ?? '') : '';
  });
  return names.filter((name) => name !== '').map((name) => [name, mcpServer]);
}

/** @param {PlannedField} field */
function namesVariable({ value, loadFromDatabase }) {
  return loadFromDatabase && typeof value === 'string' && value !== '';
}

/**
 * Resolves to tweaks by vertex, for values that an export does not contain: secrets, addresses of its author, files.
 * `upload({ name, content })` resolves to the path of an uploaded file; `variant` selects one of two contents.
 * @param {readonly PlannedVertex[]} vertices
 * @param {Upload} upload
 * @param {number} [variant]
 */
export async function tweaksFor(vertices, upload, variant = 0) {
  /** @type {Tweaks} */
  const tweaks = {};
  for (const vertex of vertices) {
    /** @type {Record<string, unknown>} */
    const values = {};
    for (const field of vertex.fields.values()) {
      const value = await valueFor(field, vertex, (path) => upload(sampleFile(path, variant)));
      if (value !== undefined) values[field.name] = value;
    }
    if (Object.keys(values).length > 0) tweaks[vertex.id] = values;
  }
  return tweaks;
}

/**
 * @param {PlannedField} field
 * @param {PlannedVertex} vertex
 * @param {(path: string) => Promise<string>} upload
 * @returns {Promise<unknown>}
 */
async function valueFor(field, vertex, upload) {
  const { name, type, show, list, password, required } = field;
  const isWired = vertex.incoming.some(({ targetField }) => targetField === name);
  if (!show || isWired || namesVariable(field)) return undefined;
  if (type === 'file') return fileFor(field, vertex, upload);
  if (!isBlank(field.value)) return undefined;
  if (type === 'model') return name === 'model' ? [model] : undefined;
  if (Object.hasOwn(places, name) && type !== 'table') {
    const place = [places[name]].flat();
    return list ? place : place[0];
  }
  const isKey =
    password && /key|token|secret|password/i.test(name) && (required || /api_?key|token$/i.test(name));
  return isKey ? credentialFor(name) : undefined;
}

/**
 * Uploads sample files of the types that were selected in the editor. Chat attachments stay empty.
 * @param {PlannedField} field
 * @param {PlannedVertex} vertex
 * @param {(path: string) => Promise<string>} upload
 */
async function fileFor({ filePath, list }, { type }, upload) {
  if (type === 'ChatInput') return undefined;
  const chosen = [filePath]
    .flat()
    .filter((path) => typeof path === 'string')
    .filter((path) => path !== '');
  const paths = await Promise.all((chosen.length > 0 ? chosen : ['sample.txt']).map((path) => upload(path)));
  return list ? paths : paths[0];
}

/** @param {unknown} value */
function isBlank(value) {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.every((one) => one === ''))
  );
}
