import type { OngoingRun } from '../run/ongoing-run';
import type { VertexRecord } from '../run/vertex-record';
import { isStreaming, completeMessage } from '../messages/complete-message';

/** Returns the record with all texts complete; a promise only when a text is still streaming. */
export function completeRecord(run: OngoingRun, record: VertexRecord): VertexRecord | Promise<VertexRecord> {
  for (const value of record.outputs.values()) if (isStreaming(value)) return finishedRecord(run, record);
  return record;
}

async function finishedRecord(run: OngoingRun, record: VertexRecord): Promise<VertexRecord> {
  const outputs = new Map(record.outputs);
  let { status } = record;
  for (const [name, value] of outputs) {
    if (!isStreaming(value)) continue;
    const finished = await completeMessage(run, value);
    outputs.set(name, finished);
    if (status === value) status = finished;
  }
  return { ...record, outputs, status };
}
