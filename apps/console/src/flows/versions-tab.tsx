import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api/client';
import { useProject } from '../api/project';
import { useMay } from '../api/session';
import type { Flow, FlowVersion } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { Confirm } from '../ui/dialog';
import { Button, Busy, Card, ErrorNote, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';
import { VersionDiff } from './version-diff';

/** The versions of a flow: what changed, and going back to one. */
export function VersionsTab({ flow }: { readonly flow: Flow }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const isOfMember = useProject() !== undefined;
  const [parameters, setParameters] = useSearchParams();
  const [restored, setRestored] = useState<number>();
  const versions = useQuery({
    queryKey: ['versions', flow.id, flow.version],
    queryFn: ({ signal }) =>
      call<{ versions: FlowVersion[] }>(`/api/v1/flows/${flow.id}/versions?limit=100`, { signal }),
  });
  const to = Number(parameters.get('to')) || flow.version;
  // What the last change did, unless the address says otherwise. Version 0 is none.
  const former = versions.data?.versions.find(({ version }) => version < flow.version)?.version ?? 0;
  const from = parameters.has('from') ? Number(parameters.get('from')) || 0 : former;
  const compare = (one: number, other: number) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        next.set('from', String(one));
        next.set('to', String(other));
        return next;
      },
      { replace: true },
    );
  const restore = async () => {
    await call(`/api/v1/flows/${flow.id}/versions/${restored}/activate`, { method: 'POST' });
    toast(`Version ${restored} is active again, as a new version`);
    compare(0, 0);
    await client.invalidateQueries({ queryKey: ['flow', flow.id] });
  };
  const actions = ({ version }: FlowVersion) => (
    <span className="row end">
      <Button
        size="small"
        aria-expanded={from === version && to === flow.version}
        onClick={() => compare(from === version ? 0 : version, flow.version)}
      >
        Compare with active
      </Button>
      {(canManage || isOfMember) && (
        <Button size="small" onClick={() => setRestored(version)}>
          Roll back
        </Button>
      )}
    </span>
  );
  const choice = (label: string, chosen: number, onChoose: (version: number) => void) => (
    <select
      className="input narrow"
      aria-label={label}
      value={chosen || ''}
      onChange={(event) => onChoose(Number(event.target.value))}
    >
      <option value="">–</option>
      {(versions.data?.versions ?? []).map(({ version }) => (
        <option key={version} value={version}>
          {version}
        </option>
      ))}
    </select>
  );
  if (versions.isPending) return <Busy />;
  if (versions.error !== null) return <ErrorNote error={versions.error} />;
  return (
    <>
      <Card
        title="Versions"
        flush
        actions={
          versions.data.versions.length > 1 && (
            <span className="row">
              Compare
              {choice('The first version', from, (chosen) => compare(chosen, to))}
              with
              {choice('The second version', to, (chosen) => compare(from, chosen))}
            </span>
          )
        }
      >
        <DataTable
          isFlush
          rows={versions.data.versions}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Version',
              cell: ({ version, active }) => (
                <span className="row">
                  {version} {active && <State of="active" />}
                </span>
              ),
              isFixed: true,
            },
            { title: 'Saved', cell: (version) => <Time of={version.created_at} />, isFixed: true },
            {
              title: 'Note',
              cell: ({ restored_from: origin }) => (origin === null ? '–' : `Restored from ${origin}`),
            },
            { title: '', cell: (version) => !version.active && actions(version) },
          ]}
        />
      </Card>
      {from > 0 && <VersionDiff flow={flow.id} from={from} to={to} />}
      {restored !== undefined && (
        <Confirm
          title={`Roll back to version ${restored}?`}
          action="Roll back"
          onClose={() => setRestored(undefined)}
          onConfirm={restore}
        >
          <p className="muted">
            The document of version {restored} becomes a new version, and new runs use it. Runs that go on
            keep theirs.
          </p>
        </Confirm>
      )}
    </>
  );
}
