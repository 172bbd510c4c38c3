import { isDict } from '@millrace/flow';
import { nowWithMicroseconds, timestamp } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { memberOf, objectOf, textsOf } from '../frames/members';
import { holdsLiveObject } from '../values/tagged-values';

const maximumMessages = 1_000;

/** What a `done` frame says about the vertices of the run that come later. */
export interface ContextChange {
  /** Encoded values by key of the run's context. */
  readonly set: PythonObject;
  readonly removed: readonly string[];
}

/** Observes the computation of a vertex, in order to record it. */
export class VertexRecording {
  /** The time at which the vertex began, as the timestamp of a message. */
  readonly began = timestamp(nowWithMicroseconds());
  readonly #messages: PythonObject[] = [];
  #isRepeatable = true;

  /** Notes a call of the host before it is answered. */
  begin(method: string): void {
    // The tool can store messages and have effects of its own, which are recorded by its vertex.
    if (method === 'tool.call') this.#isRepeatable = false;
  }

  /** Notes the answer for a call of the host. */
  end(method: string, answer: PythonValue): void {
    if (method !== 'messages.store' && method !== 'messages.send') return;
    if (this.#messages.length === maximumMessages) this.#isRepeatable = false;
    else this.#messages.push({ method, message: answer });
  }

  /**
   * Returns the record of the vertex; null when its `done` frame cannot take the place of a computation: it refers to
   * live objects, or the vertex changed something that only its process has.
   */
  record(done: PythonObject, printed: string): PythonObject | null {
    const { outputs, stopped, status, logs, context } = done;
    const record = {
      began: this.began,
      done: { outputs: outputs ?? {}, stopped: stopped ?? [], status: status ?? null, logs: logs ?? {} },
      printed,
      messages: this.#messages,
      context: context ?? {},
    };
    const isRepeatable = this.#isRepeatable && memberOf(done, 'repeatable') === true;
    return isRepeatable && !holdsLiveObject(record) ? record : null;
  }
}

/** Returns the change of the context in a record. */
export function contextChangeOf(context: PythonValue): ContextChange {
  const change = isDict(context) ? context : {};
  return { set: objectOf(change, 'set'), removed: textsOf(change, 'removed') };
}
