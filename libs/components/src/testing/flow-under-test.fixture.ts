import { randomUUID } from 'node:crypto';
import { execute, noResources } from '@millrace/engine';
import type { RunCheckpoint, RunEffects, RunObserver, VertexObserver } from '@millrace/engine';
import { compile, parseFlowDocument } from '@millrace/flow';
import type {
  Component,
  LangflowRelease,
  MessageQuery,
  ResultData,
  RunEvent,
  RunMoment,
  RunRequest,
  RunResources,
  Tweaks,
} from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import { componentRegistry, registryOf } from '../component-registry';

type Values = Readonly<Record<string, unknown>>;

const fieldTypes: Readonly<Record<string, string>> = {
  Bool: 'bool',
  Int: 'int',
  Float: 'float',
  Slider: 'slider',
  Tab: 'tab',
  Model: 'model',
  Prompt: 'prompt',
  Dict: 'dict',
  NestedDict: 'NestedDict',
  Table: 'table',
  SortableList: 'sortableList',
  File: 'file',
  Handle: 'other',
  Data: 'other',
  DataFrame: 'other',
  Mcp: 'mcp',
};

/** Returns a node of a flow file: the component's inputs with their defaults, other `values` as additional fields. */
export function node(id: string, type: string, values: Values = {}): unknown {
  const component = componentRegistry.find(type);
  const template: Record<string, unknown> = {
    _type: 'Component',
    code: { type: 'code', value: '', show: true },
  };
  for (const [name, input] of Object.entries(component?.inputs ?? {})) {
    const fieldType = fieldTypes[input.kind] ?? 'str';
    const isPlain = typeof input.default === 'string' || typeof input.default === 'boolean';
    const value = name in values ? values[name] : isPlain ? input.default : '';
    const show = values[name] !== undefined || isPlain || fieldType === 'other';
    // File paths are stored in `file_path`, not in `value`.
    const file_path = fieldType === 'file' ? { file_path: value } : {};
    template[name] = { name, type: fieldType, value, show, list: input.list ?? false, ...file_path };
  }
  for (const [name, value] of Object.entries(values)) {
    template[name] ??= { name, type: typeof value === 'string' ? 'str' : 'dict', value, show: true };
  }
  const outputs = Object.entries(component?.outputs ?? {}).map(([name, { types }]) => ({ name, types }));
  const display_name = component?.displayName ?? type;
  return { id, type: 'genericNode', data: { id, type, node: { display_name, template, outputs } } };
}

/** Returns an edge from an output of one node to an input of another. */
export function edge(source: string, output: string, target: string, input: string): unknown {
  return {
    source,
    target,
    data: {
      sourceHandle: { id: source, name: output, dataType: source.split('-')[0], output_types: [] },
      targetHandle: { id: target, fieldName: input, inputTypes: [], type: 'other' },
    },
  };
}

/** Returns a flow file with the given nodes and edges. */
export function flow(nodes: readonly unknown[], edges: readonly unknown[] = []): unknown {
  return { name: 'under test', data: { nodes, edges } };
}

export interface RunOptions {
  readonly input?: string;
  readonly tweaks?: Tweaks;
  readonly stream?: boolean;
  readonly webhook?: string;
  readonly sessionId?: string;
  /** The id of the vertex whose outputs are returned; all output vertices by default. */
  readonly show?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Names of variables by the display names of the fields that they fill. */
  readonly fieldVariables?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly resources?: RunResources;
  readonly langflow?: LangflowRelease;
  /** A run of its own unless given. */
  readonly runId?: string;
  /** The number of the attempt; 1 by default. */
  readonly attempt?: number;
  /** Effects recorded by earlier attempts of the run. */
  readonly effects?: RunEffects;
  /** What the run was suspended with; a run without it cannot wait for a person. */
  readonly checkpoint?: RunCheckpoint;
  readonly observer?: RunObserver;
  readonly watch?: VertexObserver;
  /** Called with each event, also of a run that fails. */
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
  readonly timeoutMilliseconds?: number;
  /** Messages already in the session, oldest first. */
  readonly history?: readonly Message[];
  /** Components of the test, in addition to the registered ones. */
  readonly extraComponents?: readonly Component[];
}

export interface RunUnderTest {
  /** The text of the first output of the first vertex in the response. */
  readonly text: unknown;
  readonly result: ResultData | undefined;
  readonly events: readonly RunEvent[];
  readonly stored: readonly Message[];
}

/** Runs a flow file on the real engine with all registered components. */
export async function runFlow(document: unknown, options: RunOptions = {}): Promise<RunUnderTest> {
  const flowId = randomUUID();
  const registry =
    options.extraComponents === undefined
      ? componentRegistry
      : registryOf([...componentRegistry.all, ...options.extraComponents]);
  const plan = compile(parseFlowDocument(document), { flowId, version: 1, registry });
  const events: RunEvent[] = [];
  const stored: Message[] = [];
  const moments: RunMoment[] = [];
  const response = await execute(plan, requestOf(options, flowId), {
    runId: options.runId ?? randomUUID(),
    attempt: options.attempt ?? 1,
    userId: 'user-1',
    signal: options.signal ?? new AbortController().signal,
    deadline: Date.now() + (options.timeoutMilliseconds ?? 20_000),
    limits: { maximumVertices: 100, maximumOutputBytes: 1_000_000 },
    messages: {
      store: (message, at) => {
        stored.push(message);
        moments.push(at);
        return Promise.resolve();
      },
      read: (query, at) => {
        const seen = stored.filter((_, index) => at.sees(moments[index] ?? at));
        return Promise.resolve(read([...(options.history ?? []), ...seen], query));
      },
    },
    fetch: options.fetch ?? fetch,
    resources: options.resources ?? noResources,
    ...(options.langflow === undefined ? {} : { langflow: options.langflow }),
    ...(options.effects === undefined ? {} : { effects: options.effects }),
    checkpoint: options.checkpoint,
    observer: options.observer,
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    variable: (name) => Promise.resolve(options.variables?.[name]),
    fieldVariables: () => new Map(Object.entries(options.fieldVariables ?? {})),
    emit: (event) => {
      events.push(event);
      options.onEvent?.(event);
    },
  });
  const result = response.outputs[0]?.outputs[0];
  return { text: Object.values(result?.outputs ?? {})[0]?.message, result, events, stored };
}

function read(messages: readonly Message[], query: MessageQuery): readonly Message[] {
  const found = messages.filter(
    ({ fields }) =>
      (query.contextId === undefined || fields.contextId === query.contextId) &&
      (query.sender === undefined || fields.sender === query.sender) &&
      (query.senderName === undefined || fields.senderName === query.senderName),
  );
  const newest = found.slice(-query.limit);
  return query.order === 'ascending' ? newest : newest.reverse();
}

function requestOf(options: RunOptions, flowId: string): RunRequest {
  return {
    form: options.webhook === undefined ? 'simple' : 'webhook',
    inputs: options.input === undefined ? [] : [{ components: [], inputValue: options.input, type: 'chat' }],
    outputs:
      options.show === undefined ? { by: 'type', type: 'any' } : { by: 'component', component: options.show },
    tweaks: options.tweaks ?? {},
    stream: options.stream ?? false,
    sessionId: options.sessionId ?? flowId,
    globalVariables: {},
    ...(options.watch === undefined ? {} : { vertexEvents: true }),
    ...(options.webhook === undefined ? {} : { webhookPayload: options.webhook }),
  };
}

/** Returns the error message of a run that fails. Throws when the run succeeds. */
export async function failureOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('The run did not fail.');
}
