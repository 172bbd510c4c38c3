/** @import { ReadAfter } from '../../libs/python/src/testing/stand-in.fixture' */
/** @import { DocumentNode, FlowDocument, Plan } from './table.mjs' */

/** Fields whose value is a key that a component looks up in the records it receives. */
const keyFields = ['text_key', 'key', 'key_name', 'filter_key', 'search_key', 'column_name', 'data_key'];

/** Fields whose text names keys of records as `{key}`. */
const templateFields = ['template', 'pattern'];

/** Types of components that parse the texts they receive as JSON; their field `query` names keys as `.key`. */
const jsonTypes = /json/i;

/**
 * Returns a copy of a flow in which every vertex that is refused because its text is not in the file has a stand-in,
 * and the ids of these vertices. `standInText(node, readAfter)` returns the text of one.
 * @param {FlowDocument} document
 * @param {Plan} plan
 * @param {(node: unknown, readAfter: ReadAfter) => string} standInText
 */
export function withStandIns(document, plan, standInText) {
  const refused = new Set(plan.vertices.filter(({ problem }) => problem !== null).map(({ id }) => id));
  const copy = structuredClone(document);
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const graph of graphs(copy.data ?? copy)) {
    for (const { id, data } of graph.nodes ?? []) {
      const template = data?.node?.template;
      if (template === undefined || !refused.has(id) || !isBlank(template.code?.value)) continue;
      const text = standInText(data?.node, readAfter(graph, id));
      template.code = { type: 'code', name: 'code', show: true, ...template.code, value: text };
      texts.set(id, text);
    }
  }
  setInGroups(copy.data ?? copy, texts);
  return { document: copy, replaced: [...texts.keys()] };
}

/**
 * Sets the texts of vertices in the fields of their groups, which have precedence over the fields of the vertices.
 * @param {FlowDocument} document
 * @param {ReadonlyMap<string, string>} texts by vertex
 */
function setInGroups(document, texts) {
  const groups = graphs(document).flatMap(({ nodes = [] }) => nodes.map(({ data }) => data?.node?.template));
  for (const field of groups.flatMap((template) => Object.values(template ?? {}))) {
    const text = field?.proxy?.field === 'code' ? texts.get(field.proxy.id) : undefined;
    if (text !== undefined) Object.assign(field ?? {}, { value: text });
  }
}

/**
 * Returns a graph and those of its groups.
 * @param {FlowDocument} graph
 * @returns {FlowDocument[]}
 */
function graphs(graph) {
  const groups = (graph.nodes ?? []).flatMap(({ data }) => data?.node?.flow?.data ?? []);
  return [graph, ...groups.flatMap(graphs)];
}

/**
 * Returns what the vertices after this one read, by their types and fields.
 * @param {FlowDocument} graph
 * @param {string} id
 * @returns {ReadAfter}
 */
function readAfter({ nodes = [], edges = [] }, id) {
  const targets = new Set(edges.filter(({ source }) => source === id).map(({ target }) => target));
  const after = nodes.filter((node) => targets.has(node.id));
  return {
    keys: [...new Set(after.flatMap(keysOf))],
    parsesJson: after.some(({ data }) => jsonTypes.test(data?.type ?? '')),
  };
}

/** @param {DocumentNode} node */
function keysOf({ data }) {
  const isJson = jsonTypes.test(data?.type ?? '');
  return [
    ...textsOf(data, templateFields).flatMap((text) => found(text, /\{(\w{1,60})\}/g)),
    ...textsOf(data, isJson ? ['query'] : []).flatMap((text) => found(text, /\.(\w{1,60})/g)),
    ...textsOf(data, keyFields).filter((key) => /^\w{1,60}$/.test(key)),
  ];
}

/**
 * @param {DocumentNode['data']} data
 * @param {readonly string[]} fields
 */
function textsOf(data, fields) {
  const values = fields.map((field) => data?.node?.template?.[field]?.value);
  return values.filter((value) => typeof value === 'string');
}

/**
 * @param {string} text
 * @param {RegExp} pattern with one group
 */
function found(text, pattern) {
  return [...text.matchAll(pattern)].map(([, key]) => key);
}

/** @param {unknown} value */
function isBlank(value) {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
