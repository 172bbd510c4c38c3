import { jsonDumpsCompactAscii } from '@millrace/python-text';
import { isRecord } from '../../http/bodies/parse-json';

/** An event of a streamed response: its name, which its data repeats. */
export interface ToolCallEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The numbers of the events of Langflow's results of tools begin after this one. */
const EVENTS_BEFORE = 5;

/**
 * Turns the steps of an agent into the events with which a streamed response reports its tool calls: each call once, when it
 * has ended. A call with the arguments of an earlier one is not reported again, as in Langflow.
 */
export class ToolCallEvents {
  readonly #showsResults: boolean;
  readonly #seen = new Set<string>();

  /** `showsResults` makes the last event of a call one with its inputs and its result. */
  constructor(showsResults: boolean) {
    this.#showsResults = showsResults;
  }

  /** Yields the events of the calls that have ended in a block of a message. */
  *eventsOf(block: unknown): Generator<ToolCallEvent> {
    if (!isRecord(block) || block['title'] !== 'Agent Steps' || !Array.isArray(block['contents'])) return;
    for (const step of block['contents'] as readonly unknown[])
      if (isRecord(step) && step['type'] === 'tool_use') yield* this.#eventsOfCall(step);
  }

  *#eventsOfCall(step: Readonly<Record<string, unknown>>): Generator<ToolCallEvent> {
    const { name, tool_input: input, output = null, error = null } = step;
    if (typeof name !== 'string' || name === '' || !isRecord(input) || (output === null && error === null))
      return;
    const signature = JSON.stringify([
      name,
      Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1)),
    ]);
    if (this.#seen.has(signature)) return;
    this.#seen.add(signature);
    const number = this.#seen.size;
    const [id, callId] = [`fc_${number}`, `call_${number}`];
    const text = jsonDumpsCompactAscii(input);
    const place = { item_id: id, output_index: 0 };
    const begun = { id, type: 'function_call', status: 'in_progress', name, arguments: '', call_id: callId };
    yield { type: 'response.output_item.added', item: begun };
    yield { type: 'response.function_call_arguments.delta', delta: text, ...place };
    yield { type: 'response.function_call_arguments.done', arguments: text, ...place };
    const failed = output === null;
    const outcome = {
      status: failed ? 'failed' : 'completed',
      ...(failed ? { error: toolErrorText(error) } : {}),
    };
    const type = 'response.output_item.done';
    if (!this.#showsResults) {
      yield { type, item: { id, type: 'function_call', arguments: text, call_id: callId, name, ...outcome } };
      return;
    }
    const shown = {
      id: `${name}_${id}`,
      inputs: input,
      type: 'tool_call',
      tool_name: name,
      results: output ?? [],
    };
    yield { type, item: { ...shown, ...outcome }, output_index: 0, sequence_number: number + EVENTS_BEFORE };
  }
}

/** Returns the error of a tool as a text. */
export function toolErrorText(error: unknown): string {
  return typeof error === 'string' ? error : jsonDumpsCompactAscii(error);
}
