import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call, query } from '../api/client';
import { hasEnded } from '../api/queries';
import { useMay } from '../api/session';
import type { Run, RunRequest, Trace } from '../api/answers';
import { Button, ErrorNote } from '../ui/parts';

export interface RunWithValuesProps {
  readonly run: Run;
  /** Null when it is not kept. */
  readonly request: RunRequest | null | undefined;
  /** Null when the run has no record. */
  readonly trace: Trace | null;
  /** The vertex to show of the new run, else the first one that calls a model. */
  readonly selected: string | undefined;
}

/** A button that runs a request again, which keeps the values of its record, as all runs of the console do; nothing where they are kept. */
export function RunWithValues({ run, request, trace, selected }: RunWithValuesProps) {
  const [, navigate] = useLocation();
  const canRun = useMay('run');
  const again = useMutation({
    mutationFn: () =>
      call<{ runs: readonly { replayed_as: string | null }[] }>(
        `/api/v1/runs/${run.id}/replay?version=same`,
        {
          method: 'POST',
          body: { session_id: request?.session_id ?? run.session_id },
        },
      ),
    onSuccess: ({ runs }) => {
      const calling = trace?.vertices.find(({ calls }) => calls.length > 0)?.id;
      const vertex = selected ?? calling;
      const first = vertex !== undefined && vertex === calling ? '1' : undefined;
      navigate(`/runs/${runs[0]?.replayed_as ?? run.id}${query({ tab: 'timeline', vertex, call: first })}`);
    },
  });
  const isKept = trace?.vertices.some(({ inputs }) => inputs !== null) ?? false;
  if (!canRun || !request || isKept || !hasEnded(run)) return null;
  return (
    <>
      <p className="row">
        <Button disabled={again.isPending} onClick={() => again.mutate()}>
          Run again with values
        </Button>
        <span className="muted small">
          The values of this run are not kept. A new run does everything again, also outside, and adds a turn
          to its session.
          {run.replay_of && ' Where records.values is off, it keeps none either.'}
        </span>
      </p>
      {again.error !== null && <ErrorNote error={again.error} />}
    </>
  );
}
