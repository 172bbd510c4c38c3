import { executePart, noResources } from '@millrace/engine';
import { compile, parseFlowDocument } from '@millrace/flow';
import type { Plan, RunResources, SubFlow, SubFlows } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import { componentRegistry } from '../component-registry';

export interface ProvidedFlows {
  readonly resources: RunResources;
  /** The messages that the sub-flows have stored. */
  readonly stored: readonly Message[];
}

/** Provides these flows to a run, by name; the id of each is its name with "-id". */
export function provideFlows(documents: Readonly<Record<string, unknown>>): ProvidedFlows {
  const stored: Message[] = [];
  const names = Object.keys(documents);
  const planOf = ({ id, name }: SubFlow): Plan =>
    compile(parseFlowDocument(documents[name]), { flowId: id, version: 1, registry: componentRegistry });
  const list = (): readonly SubFlow[] =>
    names.map((name) => ({ id: `${name}-id`, name, description: `What ${name} does`, version: 1 }));
  const flows: SubFlows = {
    find: async (reference) => list().find(({ id, name }) => [id, name].includes(reference)) ?? null,
    list: async () => list(),
    inputs: async (flow) =>
      planOf(flow)
        .vertices.filter(({ isInput }) => isInput)
        .map(({ id, displayName }) => ({ vertexId: id, displayName, field: 'input_value' })),
    asks: async (flow) => planOf(flow).asking !== null,
    run: (flow, request, signal) =>
      executePart(
        planOf(flow),
        { ...request, form: 'simple', inputs: [], stream: false, globalVariables: {} },
        {
          runId: 'run',
          attempt: 1,
          userId: 'user',
          signal,
          fetch,
          resources,
          deadline: Date.now() + 20_000,
          limits: { maximumVertices: 100, maximumOutputBytes: 1_000_000 },
          messages: { store: async (message) => void stored.push(message), read: async () => stored },
          variable: async () => undefined,
          emit: () => undefined,
        },
      ),
  };
  const resources = Object.create(noResources, { flows: { value: flows } }) as RunResources;
  return { resources, stored };
}
