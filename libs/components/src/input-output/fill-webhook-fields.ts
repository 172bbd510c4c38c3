export interface WebhookAddress {
  /** The public URL of the gateway, without a path. */
  readonly baseUrl: string;
  readonly flowId: string;
  /** The flow's name in URLs; null when it has none. */
  readonly endpointName: string | null;
  /** Whether callers need a key. */
  readonly authRequired: boolean;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns a flow in which the Endpoint and cURL fields of Webhook nodes, saved as placeholders, contain the URL of the
 * webhook. Accepts a document with or without the `data` wrapper and returns the same form. The argument is not
 * changed; unchanged parts are shared with it.
 */
export function fillWebhookFields(document: unknown, address: WebhookAddress): unknown {
  if (!isObject(document)) return document;
  if (isObject(document['data'])) {
    const data = fillWebhookFields(document['data'], address);
    return data === document['data'] ? document : { ...document, data };
  }
  const { nodes } = document;
  if (!Array.isArray(nodes)) return document;
  const filled = nodes.map((node: unknown) => filledNode(node, address));
  return filled.some((node, index) => node !== nodes[index]) ? { ...document, nodes: filled } : document;
}

function filledNode(node: unknown, address: WebhookAddress): unknown {
  if (!isObject(node) || !isObject(node['data'])) return node;
  const { data } = node;
  if (data['type'] !== 'Webhook' || !isObject(data['node']) || !isObject(data['node']['template']))
    return node;
  const { template } = data['node'];
  const filled = filledTemplate(template, address);
  if (filled === template) return node;
  return { ...node, data: { ...data, node: { ...data['node'], template: filled } } };
}

function filledTemplate(template: JsonObject, address: WebhookAddress): JsonObject {
  const { endpoint, curl } = template;
  const url = webhookUrl(address);
  const changes: Record<string, unknown> = {};
  if (isObject(endpoint) && endpoint['value'] === 'BACKEND_URL')
    changes['endpoint'] = { ...endpoint, value: url };
  if (isObject(curl) && curl['value'] === 'CURL_WEBHOOK') {
    changes['curl'] = { ...curl, value: curlCommand(url, address.authRequired) };
  }
  return Object.keys(changes).length === 0 ? template : { ...template, ...changes };
}

function webhookUrl({ baseUrl, flowId, endpointName }: WebhookAddress): string {
  return `${baseUrl.replace(/\/+$/, '')}/api/v1/webhook/${encodeURIComponent(endpointName ?? flowId)}`;
}

function curlCommand(url: string, authRequired: boolean): string {
  return [
    'curl -X POST',
    `  "${url}"`,
    "  -H 'Content-Type: application/json'",
    ...(authRequired ? ["  -H 'x-api-key: <your api key>'"] : []),
    `  -d '{"any": "data"}'`,
  ].join(' \\\n');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
