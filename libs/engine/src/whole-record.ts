import type { OngoingRun } from './ongoing-run';
import type { VertexRecord } from './vertex-record';
import { isUnfinished, wholeMessage } from './whole-message';

/** The record with all its texts whole; a promise only when one is still being made. */
export function wholeRecord(run: OngoingRun, record: VertexRecord): VertexRecord | Promise<VertexRecord> {
  for (const value of record.outputs.values()) if (isUnfinished(value)) return finishedRecord(run, record);
  return record;
}

async function finishedRecord(run: OngoingRun, record: VertexRecord): Promise<VertexRecord> {
  const outputs = new Map(record.outputs);
  let { status } = record;
  for (const [name, value] of outputs) {
    if (!isUnfinished(value)) continue;
    const finished = await wholeMessage(run, value);
    outputs.set(name, finished);
    if (status === value) status = finished;
  }
  return { ...record, outputs, status };
}
