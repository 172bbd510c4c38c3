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
  readonly #showsTexts: boolean;
  readonly #isSpoken: boolean;
  #changedAt = performance.now();

  /**
   * With `showsTexts`, and in Langflow 1.11, the output of a tool is its text, else its message; `isSpoken` for an agent before a
   * chat output.
   */
  constructor(
    release: LangflowRelease,
    { showsTexts, isSpoken }: { readonly showsTexts: boolean; readonly isSpoken: boolean },
  ) {
    this.#release = release;
    this.#isSpoken = isSpoken;
    this.#showsTexts = showsTexts || release === '1.11';
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
    this.#changedAt = performance.now();
  }

  /** Returns the blocks with the answer; an empty list without calls. An answer of null has not begun. */
  blocks(answer: string | null): readonly unknown[] {
    if (this.#calls.size === 0) return [];
    const contents = [...this.#calls.values()].map((call) => this.#content(call, answer));
    const duration = Math.round(performance.now() - this.#changedAt);
    const texts = !answer || this.#release === '1.11' ? [] : answerContents(answer, duration, this.#isSpoken);
    return [
      { title: 'Agent Steps', contents: [...contents, ...texts], allow_markdown: true, media_url: null },
    ];
  }

  #content({ name, input, startedAt, finished, messageId }: ShownCall, answer: string | null): object {
    const verb = finished === null ? 'Accessing' : 'Executed';
    return {
      type: 'tool_use',
      duration: finished?.milliseconds ?? Math.round(performance.now() - startedAt),
      header: { title: `${verb} **${name}**`, icon: 'Hammer' },
      name,
      tool_input: jsonValue(input),
      output: finished !== null && this.#shows(finished) ? this.#output(finished, messageId, answer) : null,
      error: finished === null || this.#shows(finished) ? null : finished.output,
    };
  }

  /** Whether the answer of a tool is shown, and not an error. */
  #shows({ failed, answered }: ToolStep): boolean {
    return this.#release === '1.11' ? !failed : answered;
  }

  #output(step: ToolStep, messageId: string, answer: string | null): unknown {
    if (this.#showsTexts) return step.output;
    // Langflow leaves members out where the agent answers nothing.
    const message = answer === '' ? shortMessage(step) : toolMessage(step);
    return { ...message, id: messageId };
  }
}

/** Returns the message with which a tool answers the model, as LangChain writes it. */
export function toolMessage(step: ToolStep): Readonly<Record<string, unknown>> {
  const { content, ...others } = shortMessage(step);
  return { content, additional_kwargs: {}, response_metadata: {}, type: 'tool', ...others };
}

function shortMessage({ id, name, output, artifact, failed }: ToolStep): Readonly<Record<string, unknown>> {
  return {
    content: output,
    name,
    id: null,
    tool_call_id: id,
    artifact: jsonValue(artifact),
    status: failed ? 'error' : 'success',
  };
}

/** The text as the model gave it after `duration` milliseconds, and as the output of an agent before a chat output. */
function answerContents(text: string, duration: number, isSpoken: boolean): readonly object[] {
  const header = { title: 'Output', icon: 'MessageSquare' };
  // A component between them makes the text anew.
  const given = { type: 'text', duration: isSpoken ? duration : null, header: {}, text };
  return isSpoken ? [given, { type: 'text', duration: null, header, text }] : [given];
}
