import { randomUUID } from 'node:crypto';
import { jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { repr } from '@millrace/python-text';
import type { Message } from '@millrace/python-text';
import type { StartedCall, ToolStep } from '../steps/call-tool';
import { toolMessage } from './agent-steps';
import type { AgentSteps } from './agent-steps';

/** The output whose log has the lines of an agent. */
const OUTPUT = 'response';

/**
 * Shows a streaming caller what an agent does before its answer: a partial message whose contents grow with each tool call,
 * and lines of the log.
 */
export class AgentProgress {
  readonly #context: ComponentContext;
  readonly #steps: AgentSteps;
  readonly #message: Message | null;
  readonly #runIds = new Map<string, string>();

  /** `message` is the one that the agent will return; null when no chat output sends it. */
  constructor(context: ComponentContext, steps: AgentSteps, message: Message | null) {
    this.#context = context;
    this.#steps = steps;
    this.#message = message;
    this.#show();
  }

  start(call: StartedCall): void {
    const { id, name, description, input } = call;
    const runId = randomUUID();
    this.#runIds.set(id, runId);
    const inputs = jsonValue(input);
    this.#log('Tool Start', {
      type: 'tool_start',
      serialized: { name, description },
      input_str: repr(input),
      run_id: runId,
      inputs,
      name: null,
      tool_call_id: id,
    });
    this.#show();
  }

  finish(step: ToolStep): void {
    this.#log('Tool End', {
      type: 'tool_end',
      output: toolMessage(step),
      run_id: this.#runIds.get(step.id) ?? null,
      name: step.name,
    });
    this.#show();
  }

  /** Takes the partial message back after a failure. */
  remove(): void {
    if (this.#message !== null) this.#context.removePartial(this.#message);
  }

  #show(): void {
    if (this.#message === null) return;
    this.#context.emitPartial(this.#message.with({ contentBlocks: this.#steps.blocks(null) }));
  }

  #log(name: string, message: Readonly<Record<string, unknown>>): void {
    this.#context.emitLog({ name, message, output: OUTPUT });
  }
}
