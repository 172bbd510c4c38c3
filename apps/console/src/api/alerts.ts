import { useQuery } from '@tanstack/react-query';
import { call, query } from './client';
import { every, timed } from './polling';
import type { Schemas } from './answers';

/** An alert that has not ended, as `GET /api/v1/alerts` lists it. */
export type Alert = Schemas['Alert'];

/** Rules are evaluated once a minute. */
const POLL_MILLISECONDS = 60_000;
/** One more is asked for, to tell whether there are more. */
export const SHOWN_ALERTS = 20;

/** The alerts of the user's flows, or of one flow, that have not ended, the newest first. */
export const useAlerts = (flow?: string) =>
  useQuery({
    queryKey: ['alerts', flow],
    queryFn: timed(({ signal }) =>
      call<Alert[]>(`/api/v1/alerts${query({ flow_id: flow, limit: SHOWN_ALERTS + 1 })}`, { signal }),
    ),
    refetchInterval: every(POLL_MILLISECONDS),
  });
