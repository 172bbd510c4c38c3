import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
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
  const [compared, setCompared] = useState<number>();
  const [restored, setRestored] = useState<number>();
  const versions = useQuery({
    queryKey: ['versions', flow.id, flow.version],
    queryFn: ({ signal }) =>
      call<{ versions: FlowVersion[] }>(`/api/v1/flows/${flow.id}/versions?limit=100`, { signal }),
  });
  const restore = async () => {
    await call(`/api/v1/flows/${flow.id}/versions/${restored}/activate`, { method: 'POST' });
    toast(`Version ${restored} is active again, as a new version`);
    setCompared(undefined);
    await client.invalidateQueries({ queryKey: ['flow', flow.id] });
  };
  const actions = ({ version }: FlowVersion) => (
    <span className="row end">
      <Button
        size="small"
        aria-expanded={compared === version}
        onClick={() => setCompared(compared === version ? undefined : version)}
      >
        Compare with active
      </Button>
      {canManage && (
        <Button size="small" onClick={() => setRestored(version)}>
          Roll back
        </Button>
      )}
    </span>
  );
  if (versions.isPending) return <Busy />;
  if (versions.error !== null) return <ErrorNote error={versions.error} />;
  return (
    <>
      <Card title="Versions" flush>
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
              cell: ({ restored_from: from }) => from !== null && `Restored from ${from}`,
            },
            { title: '', cell: (version) => !version.active && actions(version) },
          ]}
        />
      </Card>
      {compared !== undefined && <VersionDiff flow={flow.id} from={compared} to={flow.version} />}
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
