import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Run } from '../api/answers';
import { Button, Empty, ErrorNote } from '../ui/parts';
import { toast } from '../ui/toast';

/** Why a run has no timeline, and how its flow keeps one for each run. */
export function KeepRecords({ run, isOwn }: { readonly run: Run; readonly isOwn: boolean }) {
  const canManage = useMay('manage');
  const keep = useMutation({
    mutationFn: async () => {
      const records = { sampleRate: 1, values: 'all' };
      await call(`/api/v1/flows/${run.flow_id}`, { method: 'PATCH', body: { settings: { records } } });
    },
    onSuccess: () => toast('From the next run on, this flow keeps records of all runs'),
  });
  return (
    <>
      <Empty title="No timeline">
        {run.status === 'succeeded'
          ? 'When a flow has many runs a second, records of vertices are kept for failed runs and a sample of the others. This run was not in the sample.'
          : 'The run has no records of vertices: none ran, or its executor crashed.'}
      </Empty>
      {canManage && isOwn && run.status === 'succeeded' && (
        <p className="row center">
          <Button onClick={() => keep.mutate()} disabled={keep.isPending || keep.isSuccess}>
            Keep them for every run of this flow
          </Button>
        </p>
      )}
      {keep.error !== null && <ErrorNote error={keep.error} />}
    </>
  );
}
