import { createHash } from 'node:crypto';
import type { KeptResult, RunCheckpoint, VertexRecord } from '@millrace/engine';
import { RunError } from '@millrace/flow';
import type { HumanDecision } from '@millrace/flow';
import { plainValue, valueOfPlain } from '@millrace/python';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { MessageUsage, PythonObject, PythonValue } from '@millrace/python-text';
import type { RunResumption } from '@millrace/runs';

/** The version of a flow that runs as a part of a run. */
export interface SubFlowVersion {
  readonly id: string;
  readonly version: number;
}

/** The place of the flow of a part. */
const IS_FLOW = /^part [0-9a-f]{32}\/$/;

/** A run whose results are larger cannot wait. */
const MAXIMUM_CHARACTERS = 64 * 1024 * 1024;

/**
 * The results of vertices that ended before their run was suspended, as text between two attempts. An output that is more than
 * content, such as a model, is not kept: its vertex computes it again.
 */
export class StoredCheckpoint implements RunCheckpoint {
  /** By place; those of a part of the run behind the part's own name. */
  readonly #results: Map<string, PythonValue>;
  readonly #decisions: ReadonlyMap<string, HumanDecision>;
  readonly #prefix: string;
  readonly part: string;

  private constructor(
    results: Map<string, PythonValue>,
    decisions: ReadonlyMap<string, HumanDecision>,
    part: string,
  ) {
    this.#results = results;
    this.#decisions = decisions;
    this.part = part;
    this.#prefix = part === '' ? '' : `part ${part}/`;
  }

  static of({ results, decisions }: RunResumption): StoredCheckpoint {
    const members = results === null ? [] : Object.entries(parsePythonJson(results) as PythonObject);
    return new StoredCheckpoint(new Map(members), decisions, '');
  }

  /** Returns that of a flow that runs as a part of the run; `name` is the same in each attempt. */
  ofPart(name: string): StoredCheckpoint {
    const part = createHash('sha256')
      .update(JSON.stringify([this.part, name]))
      .digest('hex')
      .slice(0, 32);
    return new StoredCheckpoint(this.#results, this.#decisions, part);
  }

  /** The flow that the part ran when it was suspended. */
  get flow(): SubFlowVersion | undefined {
    return this.#results.get(this.#prefix) as SubFlowVersion | undefined;
  }

  /** The flows that parts of the run, at any depth, go on with. */
  get keptFlows(): readonly SubFlowVersion[] {
    const kept = [...this.#results].filter(([place]) => IS_FLOW.test(place));
    return kept.map(([, flow]) => flow as unknown as SubFlowVersion);
  }

  keepFlow({ id, version }: SubFlowVersion): void {
    this.#results.set(this.#prefix, { id, version });
  }

  resultAt(place: string): KeptResult | undefined {
    const stored = this.#results.get(`${this.#prefix}${place}`);
    return stored === undefined ? undefined : keptResult(valueOfPlain(stored) as unknown as PlainResult);
  }

  decisionOn(requestId: string): HumanDecision | undefined {
    return this.#decisions.get(requestId);
  }

  keep(results: ReadonlyMap<string, KeptResult>): void {
    for (const [place, result] of results) this.#results.set(`${this.#prefix}${place}`, plainResult(result));
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
  readonly missing: readonly string[];
}

function plainResult({ record, usage }: KeptResult): PythonValue {
  const { outputs, stopped, status, shown, sentName, logs, reused } = record;
  const kept = plainEntries(outputs);
  const result = {
    outputs: kept,
    stopped: [...stopped],
    status: plainValue(status) ?? null,
    shown: plainValue(shown?.all ?? null) ?? null,
    shownByOutput: shown?.byOutput ? plainEntries(shown.byOutput) : null,
    sentName: sentName ?? null,
    hasSentName: sentName !== undefined,
    logs: plainValue(Object.fromEntries(logs) as unknown as PythonValue) ?? {},
    reused,
    usage: usage as unknown as PythonValue,
    missing: [...outputs.keys()].filter((name) => !kept.some(([other]) => other === name)),
  } satisfies PlainResult;
  return result as unknown as PythonValue;
}

/** Leaves out what is more than content. */
function plainEntries(values: ReadonlyMap<string, PythonValue>): readonly (readonly [string, PythonValue])[] {
  return [...values].flatMap(([name, value]) => {
    const plain = plainValue(value);
    return plain === undefined ? [] : [[name, plain] as const];
  });
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
    missing: plain.missing,
  };
}
