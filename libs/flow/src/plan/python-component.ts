import type { PythonValue } from '@millrace/python-text';
import type { Component, ComponentOutputs, Output } from '../component/component';
import type { ComponentContext } from '../component/component-context';
import type { Input } from '../component/input';
import type { FlowNode } from '../document/flow-document';
import type { JsonObject } from '../document/json-object';
import { textListMember, textMember } from '../document/json-object';
import type { PlanField } from '../document/plan-field';
import type { PythonSource } from '../python/python-source';
import type { VertexSource } from '../python/vertex-call';

/** A node whose component runs in Python. */
export type PythonNode = Pick<
  FlowNode,
  'type' | 'displayName' | 'fields' | 'savedOutputs' | 'declaresInput' | 'declaresOutput'
>;

/** Returns a component made from a node; its `run` computes the vertex in the Python process of the run. */
export function pythonComponent(node: PythonNode, source: PythonSource): Component {
  const inputs = Object.fromEntries(
    [...node.fields.values()]
      .filter(({ name }) => name !== 'code')
      .map((field) => [field.name, inputOf(field)]),
  );
  const outputs = outputsOf(node.savedOutputs);
  return {
    type: node.type,
    displayName: node.displayName,
    description: '',
    inputs,
    outputs,
    deterministic: false,
    // Its text can send and read messages and stop branches in ways that only a run shows.
    storesMessages: true,
    readsSession: true,
    routes: true,
    run: (_inputs, context) => compute(node, source, outputs, context),
  };
}

async function compute(
  node: PythonNode,
  source: PythonSource,
  outputs: Readonly<Record<string, Output>>,
  context: ComponentContext,
): Promise<ComponentOutputs> {
  const fields = Object.fromEntries(Object.entries(context.fields).filter(([name]) => name !== 'code'));
  const outcome = await context.resources.python.compute(
    {
      source,
      id: context.vertex.id,
      type: node.type,
      displayName: node.displayName,
      isInput: node.declaresInput,
      isOutput: node.declaresOutput,
      outputs: node.savedOutputs,
      fields,
      wanted: Object.keys(outputs).filter((output) => context.wants(output)),
      sources: sourcesOf(node, context),
      feeds: ['ChatOutput'].filter((type) => context.feeds(type)),
    },
    context,
  );
  for (const output of outcome.stopped) context.stop(output);
  if (outcome.status !== null) context.status(outcome.status);
  for (const { message, name, output } of outcome.logs) context.log(message, { name, output });
  return outcome.outputs;
}

function sourcesOf(node: PythonNode, context: ComponentContext): Readonly<Record<string, VertexSource>> {
  const sources: Record<string, VertexSource> = {};
  for (const name of node.fields.keys()) {
    const source = context.source(name);
    if (source === null) continue;
    const { id, type, displayName, modelName } = source;
    sources[name] = { id, type, name: displayName, model: modelName };
  }
  return sources;
}

/** Passes values on as they are: Python's class of the input converts them. */
function inputOf(field: PlanField): Input<PythonValue> {
  return {
    kind: field.password ? 'Secret' : 'Handle',
    required: field.required,
    list: field.list,
    password: field.password,
    inputTypes: [],
    default: null,
    convert: (value) => value,
  };
}

function outputsOf(saved: readonly JsonObject[]): Readonly<Record<string, Output>> {
  return Object.fromEntries(
    saved.map((output) => [
      textMember(output, 'name'),
      { types: textListMember(output, 'types'), displayName: textMember(output, 'display_name') },
    ]),
  );
}
