import { useQuery } from '@tanstack/react-query';
import { call } from './client';
import { every, timed } from './polling';
import type { Run } from './answers';

/** What a suspended run asks a person, in the shape of `GET /api/v1/pending`. */
export interface OpenRequest {
  readonly run_id: string;
  readonly flow_id: string;
  readonly request_id: string;
  readonly kind: 'node_input' | 'tool_approval';
  readonly prompt: string;
  readonly options: readonly { readonly action_id: string; readonly label: string }[];
  readonly allowed_decisions: readonly string[];
  /** The calls that an approval is about. */
  readonly action_requests?: readonly ToolCallRequest[];
  readonly fallback_action?: string | null;
  readonly paused_at: string;
  readonly due_at: string | null;
  /** Whether the user can answer it. */
  readonly may_answer: boolean;
  /** Names of the users that the flow asks; the owner of the run without it. */
  readonly answered_by?: readonly string[];
}

export interface ToolCallRequest {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly requests: readonly OpenRequest[];
  /** Null when all are on the page, which is also bounded by their bytes. */
  readonly next_cursor: string | null;
}

/** The oldest requests that the pages show; the next ones follow when these are answered. */
const MAXIMUM_SHOWN = 100;

/** What waits for the user who is signed in, asked for again after these milliseconds. */
export const usePending = (milliseconds: number) =>
  useQuery({
    queryKey: ['pending'],
    queryFn: timed(({ signal }) => read(`limit=${MAXIMUM_SHOWN}`, signal)),
    refetchInterval: every(milliseconds),
  });

/** What a suspended run asks; nothing for another user. */
export const useRequestsOf = (run: Run, isOwn: boolean) =>
  useQuery({
    queryKey: ['pending', run.id],
    enabled: isOwn && run.status === 'suspended',
    queryFn: async ({ signal }) => (await read(`run_id=${run.id}`, signal)).requests,
    refetchInterval: every(5_000),
  });

const read = (parameters: string, signal: AbortSignal): Promise<Page> =>
  call(`/api/v1/pending?${parameters}`, { signal });
