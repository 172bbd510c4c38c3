import { isRecord } from './is-record';

/**
 * Returns a copy of a flow document without the values of its password fields, for exports. Names of variables stay,
 * since they are not secret.
 */
export function withoutSecrets(document: unknown): unknown {
  if (!isRecord(document) || !Array.isArray(document['nodes'])) return document;
  return { ...document, nodes: document['nodes'].map(nodeWithoutSecrets) };
}

function nodeWithoutSecrets(node: unknown): unknown {
  const data = isRecord(node) ? node['data'] : null;
  const inner = isRecord(data) ? data['node'] : null;
  const template = isRecord(inner) ? inner['template'] : null;
  if (!isRecord(node) || !isRecord(data) || !isRecord(inner) || !isRecord(template)) return node;
  const cleaned = Object.fromEntries(
    Object.entries(template).map(([name, field]) => [name, withoutSecret(field)]),
  );
  return { ...node, data: { ...data, node: { ...inner, template: cleaned } } };
}

function withoutSecret(field: unknown): unknown {
  if (!isRecord(field) || field['password'] !== true || field['load_from_db'] === true || !field['value'])
    return field;
  return { ...field, value: '' };
}
