import { RunError } from '@millrace/flow';
import type { LoopBody, PlanVertex, PythonValue } from '@millrace/flow';
import type { OngoingRun } from './ongoing-run';
import type { RunRecords, VertexRecord } from './vertex-record';
import { isUnfinished, wholeMessage } from './whole-message';

/** A loop at work: what it repeats, and what the vertices around it gave. */
export interface LoopRounds {
  readonly loop: PlanVertex;
  readonly body: LoopBody;
  readonly records: RunRecords;
  /** Runs the body once, seeing these records; rejects with a RunError. */
  readonly round: (records: RunRecords) => Promise<RunRecords>;
}

/**
 * Runs a loop's body once for each value, one after the other, each time as if it had never run. Gives what came back
 * each time; null where nothing did.
 */
export async function repeatBody(
  run: OngoingRun,
  { loop, body, records, round }: LoopRounds,
  { output, values }: { readonly output: string; readonly values: readonly PythonValue[] },
): Promise<readonly PythonValue[]> {
  const outcomes: PythonValue[] = [];
  for (const value of values) {
    const around = [...records];
    around[loop.index] = itemRecord(output, value);
    try {
      outcomes.push(await outcome(run, body, await round(around)));
    } catch (error) {
      throw insideLoop(loop, error);
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

async function outcome(run: OngoingRun, { feedback }: LoopBody, records: RunRecords): Promise<PythonValue> {
  const value = records[feedback.source]?.outputs.get(feedback.sourceOutput) ?? null;
  return isUnfinished(value) ? wholeMessage(run, value) : value;
}

/** A component's failure inside a loop is a failure of the loop. */
function insideLoop(loop: PlanVertex, error: unknown): unknown {
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
