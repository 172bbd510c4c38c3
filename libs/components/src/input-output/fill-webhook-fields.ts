/** The HTTP endpoint that accepts the webhooks of a flow. */
export interface WebhookEndpoint {
  /** The URL at which callers reach the gateway, such as `https://millrace.example.com`. */
  readonly baseUrl: string;
  readonly flowId: string;
  /** The name that replaces the flow id in URLs; null when the flow has no endpoint name. */
  readonly endpointName: string | null;
  /** Whether a sender of webhooks needs an API key. */
  readonly requiresApiKey: boolean;
}

/** What Langflow's editor saves in a field whose value the server fills in. */
const ENDPOINT_PLACEHOLDER = 'BACKEND_URL';
const CURL_PLACEHOLDER = 'CURL_WEBHOOK';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Replaces the placeholders in the fields `endpoint` and `curl` of a flow's Webhook nodes with the webhook URL and a curl
 * command that calls it. Accepts a flow document with or without the `data` wrapper, and returns a document of the same
 * form. Does not modify its argument: the result is a copy that shares all unchanged parts with it.
 */
export function fillWebhookFields(document: unknown, endpoint: WebhookEndpoint): unknown {
  if (!isObject(document)) return document;
  if (isObject(document['data'])) {
    const data = fillWebhookFields(document['data'], endpoint);
    return data === document['data'] ? document : { ...document, data };
  }
  const { nodes } = document;
  if (!Array.isArray(nodes)) return document;
  const filled = nodes.map((node: unknown) => withFilledFields(node, endpoint));
  return filled.some((node, index) => node !== nodes[index]) ? { ...document, nodes: filled } : document;
}

function withFilledFields(node: unknown, endpoint: WebhookEndpoint): unknown {
  if (!isObject(node) || !isObject(node['data'])) return node;
  const { data } = node;
  if (data['type'] !== 'Webhook' || !isObject(data['node']) || !isObject(data['node']['template']))
    return node;
  const { template } = data['node'];
  const filled = fillTemplate(template, endpoint);
  if (filled === template) return node;
  return { ...node, data: { ...data, node: { ...data['node'], template: filled } } };
}

/** Returns the template itself when it has no placeholder. A template is the fields of a node by name. */
function fillTemplate(template: JsonObject, endpoint: WebhookEndpoint): JsonObject {
  const { endpoint: endpointField, curl: curlField } = template;
  const url = webhookUrl(endpoint);
  const changes: Record<string, unknown> = {};
  if (isObject(endpointField) && endpointField['value'] === ENDPOINT_PLACEHOLDER)
    changes['endpoint'] = { ...endpointField, value: url };
  if (isObject(curlField) && curlField['value'] === CURL_PLACEHOLDER) {
    changes['curl'] = { ...curlField, value: curlCommand(url, endpoint.requiresApiKey) };
  }
  return Object.keys(changes).length === 0 ? template : { ...template, ...changes };
}

function webhookUrl({ baseUrl, flowId, endpointName }: WebhookEndpoint): string {
  return `${baseUrl.replace(/\/+$/, '')}/api/v1/webhook/${encodeURIComponent(endpointName ?? flowId)}`;
}

function curlCommand(url: string, requiresApiKey: boolean): string {
  return [
    'curl -X POST',
    `  "${url}"`,
    "  -H 'Content-Type: application/json'",
    ...(requiresApiKey ? ["  -H 'x-api-key: <your api key>'"] : []),
    `  -d '{"any": "data"}'`,
  ].join(' \\\n');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
