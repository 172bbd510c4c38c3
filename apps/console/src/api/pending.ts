import { useQuery } from '@tanstack/react-query';
import { call } from './client';
import { every, timed } from './polling';
import { projectId } from './project-path';
import type { Run, Schemas } from './answers';

/** What a suspended run asks a person, in the shape of `GET /api/v1/pending`. */
export type OpenRequest = Schemas['OpenHumanRequest'];

export type ToolCallRequest = Schemas['ToolCallRequest'];

type Page = Schemas['Calls']['GET /api/v1/pending']['answer'];

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
    queryFn: async ({ signal }) => (await read(`run_id=${run.id}${ofMember(run)}`, signal)).requests,
    refetchInterval: every(5_000),
  });

/** A member names the flow. */
const ofMember = ({ flow_id: flow }: Run) => (projectId === undefined ? '' : `&flow_id=${flow}`);

const read = (parameters: string, signal: AbortSignal): Promise<Page> =>
  call(`/api/v1/pending?${parameters}`, { signal });
