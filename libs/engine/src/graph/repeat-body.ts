import { RunError } from '@millrace/flow';
import type { LoopBody, PlanEdge, PlanVertex } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { OngoingRun } from '../run/ongoing-run';
import type { RunRecords, VertexRecord } from '../run/vertex-record';
import { isStreaming, completeMessage } from '../messages/send-message';

/** A running loop: its body, and the results of the vertices outside of it. */
export interface LoopExecution {
  readonly loop: PlanVertex;
  readonly body: LoopBody;
  readonly records: RunRecords;
  /** Runs the body once with these records; rejects with a RunError. */
  readonly round: (records: RunRecords) => Promise<RunRecords>;
}

/**
 * Runs a loop's body once for each value, sequentially and with fresh state. Returns the value that each round passed
 * back, null for a round that passed none.
 */
export async function repeatBody(
  run: OngoingRun,
  { loop, body, records, round }: LoopExecution,
  { output, values }: { readonly output: string; readonly values: readonly PythonValue[] },
): Promise<readonly PythonValue[]> {
  const outcomes: PythonValue[] = [];
  for (const value of values) {
    const outerRecords = [...records];
    outerRecords[loop.index] = itemRecord(output, value);
    try {
      outcomes.push(await outcome(run, body, await round(outerRecords)));
    } catch (error) {
      throw asLoopFailure(loop, error);
    }
  }
  return outcomes;
}

function itemRecord(output: string, value: PythonValue): VertexRecord {
  return {
    outputs: new Map([[output, value]]),
    stopped: new Set(),
    status: null,
    logs: new Map(),
    reused: false,
  };
}

/** Returns the value of the last edge on which the round delivered one: a branch that it did not take delivers none. */
async function outcome(run: OngoingRun, { feedback }: LoopBody, records: RunRecords): Promise<PythonValue> {
  const valueOf = ({ source, sourceOutput }: PlanEdge): PythonValue =>
    records[source]?.outputs.get(sourceOutput) ?? null;
  const edge =
    feedback.findLast(
      (other) => valueOf(other) !== null && !records[other.source]?.stopped.has(other.sourceOutput),
    ) ?? feedback.at(-1);
  const value = edge === undefined ? null : valueOf(edge);
  return isStreaming(value) ? completeMessage(run, value) : value;
}

/** Reports a component's failure inside a loop as a failure of the loop. */
function asLoopFailure(loop: PlanVertex, error: unknown): unknown {
  if (!(error instanceof RunError) || error.code !== 'component_failed') return error;
  const { message, vertex, permanent } = error;
  const where = `Error running graph: Error building Component ${loop.displayName}: \n\n`;
  return new RunError(
    'component_failed',
    message.replace(/^Error running graph: /, () => where),
    {
      vertex,
      permanent,
      cause: error,
    },
  );
}
