import type { KeptResult, RunCheckpoint, VertexRecord } from '@millrace/engine';
import { RunError } from '@millrace/flow';
import type { HumanDecision } from '@millrace/flow';
import { plainValue, valueOfPlain } from '@millrace/python';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { MessageUsage, PythonObject, PythonValue } from '@millrace/python-text';
import type { RunResumption } from '@millrace/runs';

/** A run whose results are larger cannot wait. */
const MAXIMUM_CHARACTERS = 64 * 1024 * 1024;

/**
 * The results of vertices that ended before their run was suspended, as text between two attempts. A result that is more than
 * content, such as a model, is not kept: its vertex is executed again.
 */
export class StoredCheckpoint implements RunCheckpoint {
  readonly #results: Map<string, PythonValue>;
  readonly #decisions: ReadonlyMap<string, HumanDecision>;

  /** Whether an earlier attempt kept results. */
  readonly wasSuspended: boolean;

  constructor({ results, decisions }: RunResumption) {
    this.#results = new Map(results === null ? [] : Object.entries(parsePythonJson(results) as PythonObject));
    this.#decisions = decisions;
    this.wasSuspended = results !== null;
  }

  resultAt(place: string): KeptResult | undefined {
    const stored = this.#results.get(place);
    return stored === undefined ? undefined : keptResult(valueOfPlain(stored) as unknown as PlainResult);
  }

  decisionOn(requestId: string): HumanDecision | undefined {
    return this.#decisions.get(requestId);
  }

  keep(results: ReadonlyMap<string, KeptResult>): void {
    for (const [place, result] of results) {
      const plain = plainValue(plainResult(result) as unknown as PythonValue);
      if (plain === undefined) this.#results.delete(place);
      else this.#results.set(place, plain);
    }
  }

  /** Returns what the next attempt needs. Throws when that is too large. */
  text(): string {
    const text = jsonDumpsCompactAscii(Object.fromEntries(this.#results));
    if (text.length <= MAXIMUM_CHARACTERS) return text;
    throw new RunError(
      'output_too_large',
      `The results that the run must keep while it waits are larger than ${MAXIMUM_CHARACTERS} characters.`,
    );
  }
}

/** A result as lists and objects. */
interface PlainResult {
  readonly outputs: readonly (readonly [string, PythonValue])[];
  readonly stopped: readonly string[];
  readonly status: PythonValue;
  readonly shown: PythonValue;
  readonly shownByOutput: readonly (readonly [string, PythonValue])[] | null;
  readonly sentName: string | null;
  readonly hasSentName: boolean;
  readonly logs: PythonValue;
  readonly reused: boolean;
  readonly usage: PythonValue;
}

function plainResult({ record, usage }: KeptResult): PlainResult {
  const { outputs, stopped, status, shown, sentName, logs, reused } = record;
  return {
    outputs: [...outputs],
    stopped: [...stopped],
    status,
    shown: shown?.all ?? null,
    shownByOutput: shown?.byOutput ? [...shown.byOutput] : null,
    sentName: sentName ?? null,
    hasSentName: sentName !== undefined,
    logs: Object.fromEntries(logs) as unknown as PythonValue,
    reused,
    usage: usage as unknown as PythonValue,
  };
}

function keptResult(plain: PlainResult): KeptResult {
  const logs = plain.logs as unknown as Readonly<
    Record<string, VertexRecord['logs'] extends ReadonlyMap<string, infer Lines> ? Lines : never>
  >;
  return {
    record: {
      outputs: new Map(plain.outputs),
      stopped: new Set(plain.stopped),
      status: plain.status,
      shown: {
        all: plain.shown,
        byOutput: plain.shownByOutput === null ? null : new Map(plain.shownByOutput),
      },
      sentName: plain.hasSentName ? plain.sentName : undefined,
      logs: new Map(Object.entries(logs)),
      reused: plain.reused,
    },
    usage: plain.usage as unknown as MessageUsage | null,
  };
}
