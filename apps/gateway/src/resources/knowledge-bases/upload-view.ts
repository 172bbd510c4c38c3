import type { RunResponse } from '@millrace/flow';
import type { KnowledgeBase, RunRecord } from '@millrace/runs';
import { isRecord } from '../../http/bodies/parse-json';

/** What became of one file of an upload. */
interface UploadedItem {
  readonly name: string;
  readonly bytes: number;
  readonly chunks: number;
}

const states: Readonly<Record<RunRecord['status'], string>> = {
  accepted: 'pending',
  queued: 'pending',
  running: 'running',
  suspended: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'failed',
  dead: 'failed',
  cancelled: 'cancelled',
};

/** Returns the run of an upload in Langflow's shape. One that failed has written nothing. */
export function uploadView(run: RunRecord, base: KnowledgeBase) {
  const items = itemsOf(run);
  const written = items.filter(({ chunks }) => chunks > 0);
  const skipped = items.length - written.length;
  const { source, metadata } = requestOf(run);
  return {
    id: run.id,
    kb_name: base.name,
    kb_id: base.id,
    job_id: run.id,
    source_type: 'file_upload',
    source_name: source.trim() || null,
    status: run.status === 'succeeded' && skipped > 0 ? 'partial' : states[run.status],
    error_message: run.status === 'cancelled' ? null : (run.failure?.message ?? null),
    total_items: items.length,
    succeeded: written.length,
    failed: 0,
    skipped,
    total_bytes: sum(items.map(({ bytes }) => bytes)),
    chunks_created: sum(items.map(({ chunks }) => chunks)),
    started_at: timeOf(run.startedAt ?? run.acceptedAt),
    finished_at: run.finishedAt && timeOf(run.finishedAt),
    user_metadata: metadata,
  };
}

/** Returns the further members of a single upload. */
export function uploadDetails(run: RunRecord) {
  const items = itemsOf(run);
  const { source, names } = requestOf(run);
  return {
    source_config: {
      source_name: source,
      file_count: names.length,
      file_names: names,
      total_bytes: sum(items.map(({ bytes }) => bytes)),
    },
    items: items.map(({ name, chunks }, index) => ({
      item_id: `${index}:${name}`,
      display_name: name,
      status: chunks > 0 ? 'succeeded' : 'skipped',
      chunks_created: chunks,
      error_message: chunks > 0 ? null : 'no extractable text',
    })),
  };
}

/** Reads the summary that the component of uploads returns; empty before its end, and after a failure. */
function itemsOf({ result }: RunRecord): readonly UploadedItem[] {
  const response = result as RunResponse | null;
  const summary = response?.outputs[0]?.outputs[0]?.outputs['summary']?.message;
  const items = isRecord(summary) ? summary['items'] : null;
  if (!Array.isArray(items)) return [];
  return items.filter(isRecord).map(({ name, bytes, chunks }) => ({
    name: String(name),
    bytes: Number(bytes),
    chunks: Number(chunks),
  }));
}

interface UploadRequest {
  readonly source: string;
  readonly names: readonly string[];
  /** What the caller gave to all files. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reads what the caller asked for. The request of a run can have been removed, or changed for a replay. */
function requestOf({ request }: RunRecord): UploadRequest {
  const input = parsed(request?.inputs[0]?.inputValue ?? '');
  const { source_name: source, metadata, files } = input;
  return {
    source: typeof source === 'string' ? source : '',
    names: Array.isArray(files) ? files.filter(isRecord).map(({ name }) => String(name)) : [],
    metadata: isRecord(metadata) ? metadata : {},
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Langflow's times of uploads name no zone; they are UTC. */
function timeOf(time: Date): string {
  return time.toISOString().replace('Z', '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
