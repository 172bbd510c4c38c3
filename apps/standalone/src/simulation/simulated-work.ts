import { ComponentError, defineComponent, text } from '@millrace/flow';
import type { Component, ComponentContext } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { currentProcess } from './simulated-process';

/** One start of the work of a run. */
export interface Execution {
  readonly runId: string;
  readonly attempt: number;
  readonly process: string;
}

export interface WorkHooks {
  /** Called before the work starts. */
  onStarted(execution: Execution): void;
  /** Called for a poison run, to kill the process. */
  onPoison(): void;
}

/**
 * Returns a component that takes the milliseconds at the beginning of its input ("500 done"), and kills its process on
 * the input "poison".
 */
export function simulatedWork({ onStarted, onPoison }: WorkHooks): Component {
  return defineComponent({
    type: 'SimulatedWork',
    displayName: 'Simulated Work',
    description: 'Waits for the given time.',
    inputs: { input_value: text({ displayName: 'Text', required: true }) },
    outputs: { output: { types: ['Message'] } },
    deterministic: false,
    run: async ({ input_value }, context) => {
      onStarted({
        runId: context.run.id,
        attempt: context.run.attempt,
        process: currentProcess()?.name ?? '',
      });
      if (input_value === 'poison') {
        onPoison();
        await new Promise(() => undefined);
      }
      await workFor(Number.parseInt(input_value, 10), context);
      if (input_value.endsWith('fail')) throw new ComponentError('The work failed.');
      return { output: new Message({ text: `${input_value} in attempt ${context.run.attempt}` }) };
    },
  });
}

function workFor(milliseconds: number, { signal }: ComponentContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    });
  });
}

const ATTEMPT_PATTERN = /(\d+ done|\d+ fail|poison) in attempt (\d+)/g;

/** Returns the works and attempts that a text mentions, in order. */
export function attemptsIn(text: string): readonly { readonly work: string; readonly attempt: number }[] {
  return [...text.matchAll(ATTEMPT_PATTERN)].map(([, work = '', attempt]) => ({
    work,
    attempt: Number(attempt),
  }));
}

const template = (fields: Readonly<Record<string, string>>) => ({
  _type: 'Component',
  code: { type: 'code', value: '', show: true },
  ...Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { name, type: 'str', value, show: true }]),
  ),
});

function vertex(id: string, type: string, output: string, fields: Readonly<Record<string, string>>) {
  const outputs = [{ name: output, types: ['Message'] }];
  return {
    id,
    type: 'genericNode',
    data: { id, type, node: { display_name: type, template: template(fields), outputs } },
  };
}

function edge(source: string, output: string, target: string, input: string) {
  return {
    source,
    target,
    data: {
      sourceHandle: { id: source, name: output, dataType: source, output_types: ['Message'] },
      targetHandle: { id: target, fieldName: input, inputTypes: ['Message'], type: 'str' },
    },
  };
}

/** Webhook → its text → the work → Chat Output. */
export const workingFlow = {
  nodes: [
    vertex('Webhook-1', 'Webhook', 'output_data', { data: '' }),
    vertex('ParserComponent-1', 'ParserComponent', 'parsed_text', { mode: 'Parser', pattern: '{work}' }),
    vertex('SimulatedWork-1', 'SimulatedWork', 'output', { input_value: '' }),
    vertex('ChatOutput-1', 'ChatOutput', 'message', { input_value: '' }),
  ],
  edges: [
    edge('Webhook-1', 'output_data', 'ParserComponent-1', 'input_data'),
    edge('ParserComponent-1', 'parsed_text', 'SimulatedWork-1', 'input_value'),
    edge('SimulatedWork-1', 'output', 'ChatOutput-1', 'input_value'),
  ],
};

/** Chat Input → the work → Chat Output. */
export const answeringFlow = {
  nodes: [
    vertex('ChatInput-1', 'ChatInput', 'message', { input_value: '' }),
    vertex('SimulatedWork-1', 'SimulatedWork', 'output', { input_value: '' }),
    vertex('ChatOutput-1', 'ChatOutput', 'message', { input_value: '' }),
  ],
  edges: [
    edge('ChatInput-1', 'message', 'SimulatedWork-1', 'input_value'),
    edge('SimulatedWork-1', 'output', 'ChatOutput-1', 'input_value'),
  ],
};
