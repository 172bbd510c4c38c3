import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import type { RunFilter } from '../api/queries';
import type { Schemas } from '../api/answers';
import { Confirm } from '../ui/dialog';
import { count, plural } from '../ui/format';
import { Busy, ErrorNote } from '../ui/parts';
import { toast } from '../ui/toast';
import { bulkFilter } from './filter';

export type BulkAction = 'cancel' | 'replay';

export interface BulkDialogProps {
  readonly action: BulkAction;
  /** The chosen runs; without any, all runs of the filter. */
  readonly ids: readonly string[];
  readonly filter: RunFilter;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

const VERB = { cancel: 'Cancel', replay: 'Replay' };

/** Cancels or replays chosen runs, or those of a filter: it counts them first and asks. */
export function BulkDialog({ action, ids, filter, onClose, onDone }: BulkDialogProps) {
  const client = useQueryClient();
  const [version, setVersion] = useState<'current' | 'same'>('current');
  const [done, setDone] = useState(0);
  const body = { action, filter: bulkFilter(filter), ...(action === 'replay' ? { version } : {}) };
  const counted = useQuery({
    queryKey: ['bulk', body],
    enabled: ids.length === 0,
    gcTime: 0,
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<Schemas['CountedRuns']>('/api/v1/runs/bulk', {
        method: 'POST',
        body: { ...body, dry_run: true },
        signal,
      }),
  });
  const total = ids.length > 0 ? ids.length : counted.data?.count;
  const act = async () => {
    const reached =
      ids.length > 0
        ? await actOnChosen(action, ids, version)
        : await actOnFilter(body, counted.data?.token ?? null, setDone);
    toast(`${plural(reached, 'run')} ${action === 'cancel' ? 'cancelled' : 'replayed'}`);
    await client.invalidateQueries({ queryKey: ['runs'] });
    onDone?.();
  };
  return (
    <Confirm
      title={total === undefined ? `${VERB[action]} runs` : `${VERB[action]} ${plural(total, 'run')}?`}
      action={total === undefined ? VERB[action] : `${VERB[action]} ${plural(total, 'run')}`}
      danger={action === 'cancel'}
      disabled={total === undefined || total === 0}
      onClose={onClose}
      onConfirm={act}
    >
      {ids.length === 0 && counted.isPending && <Busy what="Counting" />}
      {counted.error !== null && <ErrorNote error={counted.error} />}
      {counted.data?.complete === false && (
        <p>There are more than {count(counted.data.count)} runs: repeat the action for the others.</p>
      )}
      <p className="muted">
        {action === 'cancel'
          ? 'Waiting runs end at once; running ones end soon after.'
          : 'A replay is a new run with the request of the old one. A run that was replayed before is not replayed again.'}
      </p>
      {action === 'replay' && (
        <div className="field">
          <label htmlFor="bulk-version">Version of the flow</label>
          <select
            id="bulk-version"
            className="input"
            value={version}
            onChange={(event) => setVersion(event.target.value as 'current' | 'same')}
          >
            <option value="current">The current version</option>
            <option value="same">The version that the run had</option>
          </select>
        </div>
      )}
      {done > 0 && <p role="status">{plural(done, 'run')} so far…</p>}
    </Confirm>
  );
}

async function actOnFilter(
  body: object,
  token: string | null,
  onProgress: (done: number) => void,
): Promise<number> {
  let reached = 0;
  for (let next = token; next !== null;) {
    const answer: Schemas['ReachedRuns'] = await call('/api/v1/runs/bulk', {
      method: 'POST',
      body: { ...body, token: next },
    });
    reached += answer.count;
    onProgress(reached);
    next = answer.token;
  }
  return reached;
}

async function actOnChosen(action: BulkAction, ids: readonly string[], version: string): Promise<number> {
  if (action === 'replay') {
    const { runs } = await call<{ runs: { replayed_as: string | null }[] }>('/api/v1/runs/replay', {
      method: 'POST',
      body: { runs: ids, version },
    });
    return runs.filter((run) => run.replayed_as !== null).length;
  }
  const answers = await Promise.allSettled(
    ids.map((id) => call(`/api/v1/runs/${id}/cancel`, { method: 'POST' })),
  );
  return answers.filter(({ status }) => status === 'fulfilled').length;
}
