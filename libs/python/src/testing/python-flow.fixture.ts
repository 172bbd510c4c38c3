import { createHash, randomUUID } from 'node:crypto';
import { execute, noResources } from '@millrace/engine';
import type { RunEffects, VertexObserver } from '@millrace/engine';
import { componentRegistry } from '@millrace/components';
import { compile, defineComponent, handle, parseFlowDocument, pythonComponent } from '@millrace/flow';
import type {
  Component,
  ComponentContext,
  MessageQuery,
  RunEvent,
  RunResources,
  RunResponse,
  Tweaks,
} from '@millrace/flow';
import type { Message, PythonObject, PythonValue } from '@millrace/python-text';
import { PythonRun } from '../index';
import type { PythonPool } from '../index';
import type { LeaseKey } from '../pool/pool-settings';

/** A vertex whose component is an author's text, or a native vertex without one. */
export interface TestVertex {
  readonly id: string;
  /** The text of the component. */
  readonly code?: string;
  /** The node that the editor saves for the text. Without one, the template has the fields and edges below only. */
  readonly node?: PythonObject;
  /** A class of lfx in place of a text. */
  readonly module?: string;
  readonly outputs?: readonly (PythonObject | string)[];
  /** Saved values by field; an object with `password` or `value` is a template entry. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whether the vertex takes the input of the run, or its result is the answer; as the node of an author's text says. */
  readonly isInput?: boolean;
  readonly isOutput?: boolean;
  /** Edges into fields: `vertex.output`. */
  readonly from?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

export interface FlowRunOptions {
  readonly key?: LeaseKey;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly timeoutMilliseconds?: number;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly components?: readonly Component[];
  readonly fetch?: typeof fetch;
  /** Makes the run a durable one: what earlier attempts recorded, and where this one records. */
  readonly effects?: RunEffects;
  readonly resources?: RunResources;
  /** The id of the vertex in the response; all without an edge to another one by default. */
  readonly show?: string;
  /** The id of the run; each attempt of a run has the same. */
  readonly runId?: string;
  /** The chat input of the run. */
  readonly input?: string | undefined;
  readonly tweaks?: Tweaks;
  readonly watch?: VertexObserver;
  /** Called for each stored message, in a run that fails, too. */
  readonly onStored?: (message: Message) => void;
  /** Messages that are already in the session, oldest first. */
  readonly history?: readonly Message[] | undefined;
}

export interface FlowRun {
  readonly response: RunResponse;
  /** The values that the vertices of type `Show` received, by id. */
  readonly shown: ReadonlyMap<string, PythonValue>;
  readonly events: readonly RunEvent[];
  readonly stored: readonly Message[];
}

/** A native source of a value of the test. */
export function give(type: string, value: PythonValue): Component {
  return defineComponent({
    type,
    displayName: type,
    description: 'Gives a value.',
    inputs: {},
    outputs: { value: { types: [] } },
    deterministic: true,
    run: () => ({ value }),
  });
}

export const firstOwner: LeaseKey = { ownerId: 'owner-1', flowId: 'flow-1', version: 1 };

/** Runs a flow on the real engine, with the given vertices in Python. */
export async function runPythonFlow(
  pool: PythonPool,
  vertices: readonly TestVertex[],
  options: FlowRunOptions = {},
): Promise<FlowRun> {
  const key = options.key ?? firstOwner;
  const python = new PythonRun(pool, key);
  const shown = new Map<string, PythonValue>();
  const events: RunEvent[] = [];
  const stored: Message[] = [];
  const document = parseFlowDocument(documentOf(vertices));
  const own = new Map<string, Component>();
  for (const component of [show(shown), ...(options.components ?? [])]) own.set(component.type, component);
  for (const node of document.nodes) {
    const vertex = vertices.find(({ id }) => id === node.id);
    if (vertex?.code === undefined && vertex?.module === undefined) continue;
    const source =
      vertex.code === undefined
        ? { module: vertex.module ?? '' }
        : { text: vertex.code, sha256: createHash('sha256').update(vertex.code).digest('hex') };
    const savedOutputs = outputsOf(vertex);
    const { isInput = node.declaresInput, isOutput = node.declaresOutput } = vertex;
    own.set(
      node.type,
      pythonComponent({ ...node, savedOutputs, declaresInput: isInput, declaresOutput: isOutput }, source),
    );
  }
  const plan = compile(document, {
    flowId: key.flowId,
    version: key.version,
    registry: {
      all: [...componentRegistry.all, ...own.values()],
      find: (type) => own.get(type) ?? componentRegistry.find(type),
    },
  });
  try {
    const response = await execute(
      plan,
      {
        form: 'simple',
        inputs:
          options.input === undefined ? [] : [{ components: [], inputValue: options.input, type: 'chat' }],
        outputs:
          options.show === undefined ? { by: 'type', type: 'any' } : { by: 'list', outputs: [options.show] },
        tweaks: options.tweaks ?? {},
        stream: true,
        sessionId: 'session-1',
        globalVariables: {},
      },
      {
        runId: options.runId ?? randomUUID(),
        attempt: options.attempt ?? 1,
        userId: key.ownerId,
        signal: options.signal ?? new AbortController().signal,
        deadline: Date.now() + (options.timeoutMilliseconds ?? 20_000),
        limits: { maximumVertices: 100, maximumOutputBytes: 100_000_000 },
        messages: {
          store: (message) => {
            stored.push(message);
            options.onStored?.(message);
            return Promise.resolve();
          },
          read: (query) => Promise.resolve(read([...(options.history ?? []), ...stored], query)),
        },
        fetch: options.fetch ?? fetch,
        resources: Object.create(options.resources ?? noResources, {
          python: { value: python },
        }) as RunResources,
        effects: options.effects,
        watch: options.watch,
        variable: (name) => Promise.resolve(options.variables?.[name]),
        emit: (event) => void events.push(event),
      },
    );
    return { shown, events, stored, response };
  } finally {
    await python.close();
  }
}

/** Collects the value of its input, with the text of a stream complete. */
function show(shown: Map<string, PythonValue>): Component {
  return defineComponent({
    type: 'Show',
    displayName: 'Show',
    description: 'Collects a value.',
    inputs: { value: handle() },
    outputs: { shown: { types: [] } },
    deterministic: false,
    run: ({ value }, context: ComponentContext) => {
      shown.set(context.vertex.id, value);
      return { shown: null };
    },
  });
}

function documentOf(vertices: readonly TestVertex[]): unknown {
  const nodes = vertices.map((vertex) => {
    const saved = structuredClone(vertex.node?.['template'] ?? {}) as Record<string, object>;
    const template: Record<string, unknown> = { _type: 'Component', ...saved };
    for (const [name, value] of Object.entries(vertex.fields ?? {})) {
      const entry = typeof value === 'object' && value !== null && 'type' in value ? value : { value };
      const type = typeof value === 'number' ? 'int' : typeof value === 'boolean' ? 'bool' : 'str';
      template[name] = { type, show: true, ...saved[name], ...entry };
    }
    for (const [name, from] of Object.entries(vertex.from ?? {})) {
      template[name] ??= { type: 'other', value: '', show: true, list: Array.isArray(from) };
    }
    const type = vertex.id.split('-')[0];
    const outputs = outputsOf(vertex);
    const node = { ...vertex.node, template, outputs };
    return { id: vertex.id, type: 'genericNode', data: { id: vertex.id, type, node } };
  });
  const edges = vertices.flatMap((vertex) =>
    Object.entries(vertex.from ?? {}).flatMap(([field, from]) =>
      [from].flat().map((source) => {
        const [sourceId = '', output = ''] = source.split('.');
        return {
          source: sourceId,
          target: vertex.id,
          data: {
            sourceHandle: { id: sourceId, name: output, output_types: [] },
            targetHandle: { id: vertex.id, fieldName: field, inputTypes: [] },
          },
        };
      }),
    ),
  );
  return { nodes, edges };
}

function outputsOf({ outputs, code, module, node }: TestVertex): readonly PythonObject[] {
  if (outputs === undefined) {
    if (node !== undefined) return node['outputs'] as readonly PythonObject[];
    return code === undefined && module === undefined ? [{ name: 'value' }, { name: 'shown' }] : [];
  }
  return outputs.map((output) =>
    typeof output === 'string'
      ? { name: output, display_name: output, method: output, types: [], value: '__UNDEFINED__', cache: true }
      : output,
  );
}

function read(messages: readonly Message[], query: MessageQuery): readonly Message[] {
  const matches = (wanted: string | undefined, found: string | null): boolean =>
    wanted === undefined || wanted === found;
  const found = messages.filter(
    ({ fields }) =>
      matches(query.contextId, fields.contextId) &&
      matches(query.sender, fields.sender) &&
      matches(query.senderName, fields.senderName),
  );
  const newest = query.limit === 0 ? [] : found.slice(-query.limit);
  return query.order === 'ascending' ? newest : newest.reverse();
}
