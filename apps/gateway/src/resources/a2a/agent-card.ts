import type { AgentFlow } from '@millrace/runs';
import type { FlowInputField } from '../../flow-traits/input-fields';
import { isRecord } from '../../http/bodies/parse-json';

/** The protocol that the routes speak. */
const PROTOCOL_VERSION = '0.3.0';

const MAXIMUM_TEXT = 1_000;
const MAXIMUM_ITEMS = 50;
const MODES = ['application/json'];
const KEY_SCHEME = 'apiKey';

const jsonTypes: Readonly<Record<string, string>> = {
  ...named('string', 'str connect file prompt mustache code other link tab query knowledge_backend'),
  ...named('integer', 'int integer'),
  ...named('number', 'float number slider'),
  ...named('boolean', 'bool boolean'),
  ...named('object', 'dict NestedDict duration auth mcp data_display object'),
  ...named('array', 'array'),
};
const itemTypes: Readonly<Record<string, string>> = {
  ...named('object', 'sortableList table tools model'),
  ...named('string', 'actionPicker'),
};

export interface AgentCardOptions {
  readonly url: string;
  /** The version of a card whose author gives none. */
  readonly version: string;
  /** The fields of the inputs of the flow; null for a flow without data. */
  readonly fields: readonly FlowInputField[] | null;
}

/** Returns what agents of other systems read before they call a flow. */
export function agentCard(flow: AgentFlow, { url, version, fields }: AgentCardOptions) {
  const overrides = isRecord(flow.cardOverrides) ? flow.cardOverrides : {};
  const name = textOf(overrides['name']) ?? flow.name;
  const description =
    textOf(overrides['description']) || flow.description || `A2A agent for flow ${flow.name}`;
  const examples = textsOf(overrides['examples']);
  return {
    name,
    description,
    url,
    version: textOf(overrides['version']) ?? version,
    protocolVersion: PROTOCOL_VERSION,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    securitySchemes: {
      [KEY_SCHEME]: {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: 'API key passed in the x-api-key header.',
      },
    },
    security: [{ [KEY_SCHEME]: [] }],
    skills: [
      {
        id: flow.id,
        name,
        description,
        tags: textsOf(overrides['tags']) ?? ['langflow'],
        ...(examples === null ? {} : { examples }),
        inputModes: MODES,
        outputModes: MODES,
        inputSchema: inputSchema(fields),
      },
    ],
  };
}

function inputSchema(fields: readonly FlowInputField[] | null) {
  const session = {
    type: 'string',
    description: 'The conversation that the flow continues; a new one unless given.',
  };
  const entries = (fields ?? []).map((field) => [field.name, fieldSchema(field)] as const);
  return {
    type: 'object',
    properties: fields === null ? {} : { session_id: session, ...Object.fromEntries(entries) },
    required: (fields ?? []).filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function fieldSchema({ type, isList, description }: FlowInputField): object {
  const items = itemTypes[type] ?? (isList ? (jsonTypes[type] ?? 'string') : null);
  const shape =
    items === null ? { type: jsonTypes[type] ?? 'string' } : { type: 'array', items: { type: items } };
  return { ...shape, description };
}

/** Free members of a card are public, so they are short. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAXIMUM_TEXT ? value : null;
}

function textsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const isShort = (item: unknown) => typeof item === 'string' && item.length <= MAXIMUM_TEXT;
  return value.every(isShort) ? (value as string[]).slice(0, MAXIMUM_ITEMS) : null;
}

function named(type: string, words: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, type]));
}
