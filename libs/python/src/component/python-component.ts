import type { Component, ComponentContext, ComponentOutputs, Input, Output, PlanField } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { textOf, textsOf } from '../frames/members';
import type { ComponentSource } from '../process/python-process';
import type { PythonRun } from '../run/python-run';
import type { VertexSource } from '../run/vertex-call';

/** A node whose component runs in Python. */
export interface PythonNode {
  readonly type: string;
  readonly displayName: string;
  readonly description: string;
  readonly source: ComponentSource;
  readonly fields: ReadonlyMap<string, PlanField>;
  /** The outputs as the file has them, with `name`, `method`, `types` and others. */
  readonly outputs: readonly PythonObject[];
  readonly isInput: boolean;
  readonly isOutput: boolean;
  readonly flowName: string;
}

/** Returns a component made from a node; its `run` computes the vertex in the Python process of the run. */
export function pythonComponent(
  node: PythonNode,
  pythonRunOf: (context: ComponentContext) => PythonRun,
): Component {
  const inputs = Object.fromEntries(
    [...node.fields.values()]
      .filter(({ name }) => name !== 'code')
      .map((field) => [field.name, inputOf(field)]),
  );
  const outputs = outputsOf(node.outputs);
  return {
    type: node.type,
    displayName: node.displayName,
    description: node.description,
    inputs,
    outputs,
    deterministic: false,
    // Its text can send messages and stop branches in ways that only a run shows.
    storesMessages: true,
    routes: true,
    run: (_inputs, context) => compute(node, outputs, context, pythonRunOf(context)),
  };
}

async function compute(
  node: PythonNode,
  outputs: Readonly<Record<string, Output>>,
  context: ComponentContext,
  python: PythonRun,
): Promise<ComponentOutputs> {
  const fields = Object.fromEntries(Object.entries(context.fields).filter(([name]) => name !== 'code'));
  const outcome = await python.compute(
    {
      source: node.source,
      id: context.vertex.id,
      type: node.type,
      displayName: node.displayName,
      isInput: node.isInput,
      isOutput: node.isOutput,
      outputs: node.outputs,
      fields,
      wanted: Object.keys(outputs).filter((output) => context.wants(output)),
      sources: sourcesOf(node, context),
      feeds: ['ChatOutput'].filter((type) => context.feeds(type)),
      flowName: node.flowName,
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

function outputsOf(saved: readonly PythonObject[]): Readonly<Record<string, Output>> {
  return Object.fromEntries(
    saved.map((output) => [
      textOf(output, 'name'),
      { types: textsOf(output, 'types'), displayName: textOf(output, 'display_name') },
    ]),
  );
}
