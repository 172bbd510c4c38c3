import { ComponentError, defineComponent, text } from '@millrace/flow';
import type { Component, ComponentContext } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { flowData, node } from '@millrace/testing';
import type { FlowData } from '@millrace/testing';
import { currentProcess } from './simulated-process';

/** One execution of a vertex. */
export interface Execution {
  readonly runId: string;
  readonly attempt: number;
  readonly vertex: string;
  readonly process: string;
}

export interface WorkHooks {
  /** Called before the work starts. */
  onStarted(execution: Execution): void;
  /** Called when the vertex has its result. */
  onEnded(execution: Execution): void;
  /** Called for a poison run, to kill the process. */
  onPoison(): void;
}

/**
 * Returns a component that takes the milliseconds at the beginning of its input ("500 done"), and kills its process on
 * the input "poison".
 */
export function simulatedWork({ onStarted, onEnded, onPoison }: WorkHooks): Component {
  return defineComponent({
    type: 'SimulatedWork',
    displayName: 'Simulated Work',
    description: 'Waits for the given time.',
    inputs: { input_value: text({ displayName: 'Text', required: true }) },
    outputs: { output: { types: ['Message'] } },
    deterministic: false,
    run: async ({ input_value }, context) => {
      const execution = executionOf(context);
      onStarted(execution);
      if (input_value === 'poison') {
        onPoison();
        await new Promise(() => undefined);
      }
      await workFor(Number.parseInt(input_value, 10), context);
      if (/^\d+ fail$/.test(input_value)) throw new ComponentError('The work failed.');
      onEnded(execution);
      return { output: new Message({ text: `${input_value} in attempt ${context.run.attempt}` }) };
    },
  });
}

export function executionOf({ run, place }: ComponentContext): Execution {
  return { runId: run.id, attempt: run.attempt, vertex: place, process: currentProcess()?.name ?? '' };
}

/** Resolves after the time; rejects when the run ends before. */
export function workFor(milliseconds: number, { signal }: ComponentContext): Promise<void> {
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
export function attemptsIn(line: string): readonly { readonly work: string; readonly attempt: number }[] {
  return [...line.matchAll(ATTEMPT_PATTERN)].map(([, work = '', attempt]) => ({
    work,
    attempt: Number(attempt),
  }));
}

/** Webhook → its text → the work → Chat Output. */
export const workingFlow: FlowData = flowData(
  [
    node('Webhook-1', { data: '' }, 'output_data'),
    node('ParserComponent-1', { mode: 'Parser', pattern: '{work}' }, 'parsed_text'),
    node('SimulatedWork-1', { input_value: '' }, 'output'),
    node('ChatOutput-1', { input_value: '' }, 'message'),
  ],
  [
    'Webhook-1.output_data > ParserComponent-1.input_data',
    'ParserComponent-1.parsed_text > SimulatedWork-1.input_value',
    'SimulatedWork-1.output > ChatOutput-1.input_value',
  ],
);

/** Chat Input → the work → Chat Output. */
export const answeringFlow: FlowData = flowData(
  [
    node('ChatInput-1', { input_value: '' }, 'message'),
    node('SimulatedWork-1', { input_value: '' }, 'output'),
    node('ChatOutput-1', { input_value: '' }, 'message'),
  ],
  ['ChatInput-1.message > SimulatedWork-1.input_value', 'SimulatedWork-1.output > ChatOutput-1.input_value'],
);
