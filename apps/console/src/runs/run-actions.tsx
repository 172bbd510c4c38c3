import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, query } from '../api/client';
import { hasEnded } from '../api/queries';
import { useMay } from '../api/session';
import type { FlowSummary, Run, RunPage, RunRequest, RunStatus } from '../api/answers';
import { useShortcuts } from '../shell/keyboard';
import { Confirm } from '../ui/dialog';
import { Ban, Compare, Replay, Terminal } from '../ui/icons';
import { Menu } from '../ui/menu';
import { Button } from '../ui/parts';
import { toast } from '../ui/toast';
import { curlOf } from './curl';
import { ReplayDialog, canBeReplayed } from './replay-dialog';

export interface RunActionsProps {
  readonly run: Run;
  readonly flow: FlowSummary | undefined;
  readonly input: string;
  readonly request: RunRequest | null | undefined;
}

export function RunActions({ run, flow, input, request }: RunActionsProps) {
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'cancel' | 'replay'>();
  const canRun = useMay('run');
  const canReplay = canRun && canBeReplayed(run, request ?? null);
  const close = () => setOpen(undefined);
  useShortcuts({ r: () => canReplay && setOpen('replay') });
  const compare = async (status?: RunStatus) => {
    const filter = { flow_id: run.flow_id, before: run.id, limit: 1, status };
    const { runs } = await call<RunPage>(`/api/v1/runs${query(filter)}`).catch(() => ({ runs: [] }));
    if (runs[0] === undefined) toast('The flow has no such run before this one');
    else navigate(`/runs/compare?one=${runs[0].id}&other=${run.id}`);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(curlOf(run, flow?.endpoint_name ?? run.flow_id, input, request));
    toast('The command is on the clipboard; it reads the key from MILLRACE_API_KEY');
  };
  return (
    <>
      {!hasEnded(run) && canRun && (
        <Button kind="danger" onClick={() => setOpen('cancel')}>
          <Ban size={15} /> Cancel
        </Button>
      )}
      {canReplay && (
        <Button kind="primary" onClick={() => setOpen('replay')}>
          <Replay size={15} /> Replay
        </Button>
      )}
      <Menu
        title="More"
        actions={[
          {
            title: 'Compare with the run before',
            icon: <Compare size={14} />,
            act: () => void compare(),
          },
          {
            title: 'Compare with the last success before',
            icon: <Compare size={14} />,
            act: () => void compare('succeeded'),
          },
          { title: 'Copy as curl', icon: <Terminal size={14} />, act: () => void copy() },
        ]}
      />
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'replay' && (
        <ReplayDialog
          // The request can arrive after the dialog has opened.
          key={request ? 'kept' : 'unknown'}
          run={run}
          request={request ?? null}
          onClose={close}
        />
      )}
    </>
  );
}

interface DialogProps {
  readonly run: Run;
  readonly onClose: () => void;
}

function CancelDialog({ run, onClose }: DialogProps) {
  const client = useQueryClient();
  const cancel = async () => {
    await call(`/api/v1/runs/${run.id}/cancel`, { method: 'POST' });
    toast('The run is being cancelled');
    await client.invalidateQueries({ queryKey: ['run', run.id] });
  };
  return (
    <Confirm title="Cancel this run?" action="Cancel the run" danger onClose={onClose} onConfirm={cancel}>
      <p className="muted">A vertex that runs is stopped. What it has already done outside stays done.</p>
    </Confirm>
  );
}
