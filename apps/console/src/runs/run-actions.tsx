import { Menu, MenuButton, MenuItem, MenuProvider } from '@ariakit/react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, query } from '../api/client';
import { hasEnded } from '../api/queries';
import { useMay } from '../api/session';
import type { FlowSummary, Run, RunPage, RunRequest, RunStatus } from '../api/answers';
import { useShortcuts } from '../shell/keyboard';
import { Confirm } from '../ui/dialog';
import { Ban, ChevronDown, Compare, Replay, Terminal } from '../ui/icons';
import { Button } from '../ui/parts';
import { toast } from '../ui/toast';
import { AgainDialog } from './again-dialog';
import { curlOf } from './curl';

export interface RunActionsProps {
  readonly run: Run;
  readonly flow: FlowSummary | undefined;
  readonly input: string;
  readonly request: RunRequest | null | undefined;
}

type Open = 'cancel' | 'replay' | 'again';

const REPLAYABLE = new Set(['failed', 'timed_out', 'dead']);

export function RunActions({ run, flow, input, request }: RunActionsProps) {
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<Open>();
  const canRun = useMay('run');
  const canReplay = canRun && REPLAYABLE.has(run.status);
  // A request that is not kept cannot be changed.
  const canRunAgain = canRun && Boolean(request);
  const close = () => setOpen(undefined);
  useShortcuts({ r: () => (canReplay ? setOpen('replay') : canRunAgain && setOpen('again')) });
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
      <MenuProvider>
        <MenuButton className="button">
          More <ChevronDown size={14} />
        </MenuButton>
        <Menu className="menu" gutter={4}>
          {canRunAgain && (
            <MenuItem className="menu-item" onClick={() => setOpen('again')}>
              <Replay size={14} /> Run again with changed input…
            </MenuItem>
          )}
          <MenuItem className="menu-item" onClick={() => void compare()}>
            <Compare size={14} /> Compare with the run before
          </MenuItem>
          <MenuItem className="menu-item" onClick={() => void compare('succeeded')}>
            <Compare size={14} /> Compare with the last success before
          </MenuItem>
          <MenuItem className="menu-item" onClick={() => void copy()}>
            <Terminal size={14} /> Copy as curl
          </MenuItem>
        </Menu>
      </MenuProvider>
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'replay' && <ReplayDialog run={run} onClose={close} />}
      {open === 'again' && request && <AgainDialog run={run} request={request} onClose={close} />}
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

function ReplayDialog({ run, onClose }: DialogProps) {
  const [, navigate] = useLocation();
  const [version, setVersion] = useState('current');
  const replay = async () => {
    const { runs } = await call<{ runs: readonly { replayed_as: string | null }[] }>(
      `/api/v1/runs/${run.id}/replay?version=${version}`,
      { method: 'POST' },
    );
    const id = runs[0]?.replayed_as;
    toast('The replay has started');
    if (id) navigate(`/runs/${id}`);
  };
  return (
    <Confirm title="Replay this run?" action="Replay" onClose={onClose} onConfirm={replay}>
      <p className="muted">A new run gets the request of this one. This run stays as it is.</p>
      <div className="field">
        <label htmlFor="replay-version">Version of the flow</label>
        <select
          id="replay-version"
          className="input"
          value={version}
          onChange={(event) => setVersion(event.target.value)}
        >
          <option value="current">The current version</option>
          <option value="same">Version {run.flow_version}, as in this run</option>
        </select>
      </div>
    </Confirm>
  );
}
