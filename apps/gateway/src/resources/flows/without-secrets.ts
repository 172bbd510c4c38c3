import { isRecord } from '../../http/bodies/parse-json';

/**
 * Returns a copy of a flow document without the values of its password fields, also inside groups. Names of variables
 * stay, since they are not secret. The depth of documents is limited.
 */
export function withoutSecrets(document: unknown): unknown {
  if (!isRecord(document) || !Array.isArray(document['nodes'])) return document;
  return { ...document, nodes: document['nodes'].map(nodeWithoutSecrets) };
}

/** Returns whether the value of a template's field is a secret, and not the name of a variable. */
export function isSecretField(field: unknown): boolean {
  return isRecord(field) && field['password'] === true && field['load_from_db'] !== true;
}

function nodeWithoutSecrets(node: unknown): unknown {
  const data = isRecord(node) ? node['data'] : null;
  const inner = isRecord(data) ? data['node'] : null;
  if (!isRecord(node) || !isRecord(data) || !isRecord(inner)) return node;
  return { ...node, data: { ...data, node: { ...inner, ...cleanTemplate(inner), ...cleanGroup(inner) } } };
}

function cleanTemplate({ template }: Readonly<Record<string, unknown>>): object {
  if (!isRecord(template)) return {};
  const fields = Object.entries(template).map(([name, field]) => [name, withoutSecret(field)] as const);
  return { template: Object.fromEntries(fields) };
}

function cleanGroup({ flow }: Readonly<Record<string, unknown>>): object {
  return isRecord(flow) ? { flow: { ...flow, data: withoutSecrets(flow['data']) } } : {};
}

function withoutSecret(field: unknown): unknown {
  return isRecord(field) && isSecretField(field) && field['value'] ? { ...field, value: null } : field;
}
