import { randomUUID } from 'node:crypto';
import { jsonValue } from '@millrace/flow';
import type { LangflowRelease } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { StartedCall, ToolStep } from '../steps/call-tool';

interface ShownCall {
  readonly name: string;
  readonly input: PythonValue;
  readonly startedAt: number;
  readonly finished: ToolStep | null;
  /** Id of the tool's message. */
  readonly messageId: string;
}

/** The tool calls of an agent as content blocks for clients, in the order in which they began. */
export class AgentSteps {
  readonly #calls = new Map<string, ShownCall>();
  readonly #release: LangflowRelease;

  constructor(release: LangflowRelease) {
    this.#release = release;
  }

  start({ id, name, input }: StartedCall): void {
    const startedAt = performance.now();
    this.#calls.set(id, { name, input, startedAt, finished: null, messageId: randomUUID() });
  }

  finish(step: ToolStep): void {
    const call = this.#calls.get(step.id);
    const { name, input } = step;
    const startedAt = call?.startedAt ?? performance.now() - step.milliseconds;
    const messageId = call?.messageId ?? randomUUID();
    this.#calls.set(step.id, { name, input, startedAt, finished: step, messageId });
  }

  /** Returns the blocks with the answer; an empty list without calls. An answer of null has not begun. */
  blocks(answer: string | null): readonly unknown[] {
    if (this.#calls.size === 0) return [];
    const contents = [...this.#calls].map(([id, call]) => this.#content(id, call));
    const texts = answer === null || this.#release === '1.11' ? [] : answerContents(answer);
    return [
      { title: 'Agent Steps', contents: [...contents, ...texts], allow_markdown: true, media_url: null },
    ];
  }

  #content(id: string, { name, input, startedAt, finished, messageId }: ShownCall): object {
    const verb = finished === null ? 'Accessing' : 'Executed';
    return {
      type: 'tool_use',
      duration: finished?.milliseconds ?? Math.round(performance.now() - startedAt),
      header: { title: `${verb} **${name}**`, icon: 'Hammer' },
      name,
      tool_input: jsonValue(input),
      output: finished !== null && this.#shows(finished) ? this.#output(finished, { id, messageId }) : null,
      error: finished === null || this.#shows(finished) ? null : finished.output,
    };
  }

  /** Whether the answer of a tool is shown, and not an error. */
  #shows({ failed, answered }: ToolStep): boolean {
    return this.#release === '1.11' ? !failed : answered;
  }

  /** Langflow 1.13 shows the message of the tool, 1.11 its text. */
  #output(step: ToolStep, ids: { readonly id: string; readonly messageId: string }): unknown {
    return this.#release === '1.11' ? step.output : { ...toolMessage(step), id: ids.messageId };
  }
}

/** Returns the message with which a tool answers the model, as LangChain writes it. */
export function toolMessage({ id, name, output, failed }: ToolStep): Readonly<Record<string, unknown>> {
  return {
    content: output,
    additional_kwargs: {},
    response_metadata: {},
    type: 'tool',
    name,
    id: null,
    tool_call_id: id,
    artifact: null,
    status: failed ? 'error' : 'success',
  };
}

/** The text as the model gave it, and as the agent's output. */
function answerContents(text: string): readonly object[] {
  const header = { title: 'Output', icon: 'MessageSquare' };
  return [
    { type: 'text', duration: null, header: {}, text },
    { type: 'text', duration: null, header, text },
  ];
}
