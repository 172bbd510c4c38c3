import type { BuiltVertex } from '@millrace/engine';
import type { Component } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { textOf } from '../../frames/members';
import type { PythonPool } from '../../index';
import { give, runPythonFlow } from '../python-flow.fixture';
import type { TestVertex } from '../python-flow.fixture';
import { comparable, comparableJson } from './comparable';
import { Several } from './component-case';
import type { ComponentCase } from './component-case';
import type { SavedNode } from './saved-nodes';
import { stockClasses } from './stock-classes';

/** What a run of a case shows, ready for comparison. */
export type CaseResult = PythonObject;

/** Runs a case with the native component or with the class of lfx, on the real engine. */
export async function runCase(
  pool: PythonPool,
  tried: ComponentCase,
  node: SavedNode,
  side: 'native' | 'python',
): Promise<CaseResult> {
  const { settings, type } = tried;
  const id = `${type}-1`;
  const built: BuiltVertex[] = [];
  const sources: Component[] = [];
  const from = sourcesOf(tried, sources);
  const subject: TestVertex = {
    id,
    ...(side === 'python' ? { module: stockClasses[type] ?? '' } : {}),
    outputs: node.outputs,
    fields: node.template,
    from,
    isInput: type === 'ChatInput' || type === 'TextInput',
    isOutput: type === 'ChatOutput' || type === 'TextOutput',
  };
  const outputs = settings.outputs ?? node.outputs.map((output) => textOf(output, 'name'));
  try {
    const { shown, stored } = await runPythonFlow(
      pool,
      [
        ...sources.map((source) => ({ id: `${source.type}-1` })),
        subject,
        ...outputs.map((output) => ({ id: `Show-${output}`, from: { value: `${id}.${output}` } })),
      ],
      {
        components: sources,
        watch: { ended: (vertex) => void built.push(vertex) },
        input: settings.input,
        history: settings.history,
        variables: settings.variables,
      },
    );
    const end = built.find((vertex) => vertex.id === id);
    return {
      failed: null,
      outputs: Object.fromEntries([...shown].map(([name, value]) => [name.slice(5), comparable(value)])),
      logs: comparableJson(end?.data.logs ?? null),
      stored: stored.map((message) => comparable(message)),
    };
  } catch (error) {
    return { failed: comparableJson(error instanceof Error ? error.message : String(error)) };
  }
}

/** Adds a source for each value to `sources`, and returns the edges into the fields. */
function sourcesOf(
  { wires }: ComponentCase,
  sources: Component[],
): Readonly<Record<string, string | readonly string[]>> {
  const edgeOf = (value: PythonValue): string => {
    const type = `Source${sources.length + 1}`;
    sources.push(give(type, value));
    return `${type}-1.value`;
  };
  return Object.fromEntries(
    Object.entries(wires).map(([field, wired]) => [
      field,
      wired instanceof Several ? wired.values.map(edgeOf) : edgeOf(wired),
    ]),
  );
}
