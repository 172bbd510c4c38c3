import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import type { Schemas } from '../api/answers';
import { useTitle } from '../shell/title';
import { Confirm } from '../ui/dialog';
import { bytes } from '../ui/format';
import { Button, Busy, Empty, ErrorNote, PageHead, State, Time } from '../ui/parts';
import { toast } from '../ui/toast';
import { DataTable } from '../ui/data-table';

type AuthorCode = Schemas['AuthorCode'];

/** Python of authors that waits for an admin, and what was decided before. */
export function CodePage() {
  useTitle('Code approval');
  const [shown, setShown] = useState<AuthorCode>();
  const codes = useQuery({
    queryKey: ['author-code'],
    queryFn: ({ signal }) => call<Schemas['AuthorCodeList']>('/api/v1/author-code?limit=200', { signal }),
    refetchInterval: 15_000,
  });
  return (
    <div className="page">
      <PageHead
        title="Code approval"
        about="Python that authors of flows wrote. It runs after an admin has approved its exact text."
      />
      {codes.isPending && <Busy />}
      {codes.error !== null && <ErrorNote error={codes.error} retry={() => void codes.refetch()} />}
      {codes.data !== undefined && (
        <DataTable
          rows={codes.data.author_code}
          rowKey={({ sha256 }) => sha256}
          empty={
            <Empty title="No code waits">Code appears here when a flow with edited Python is saved.</Empty>
          }
          columns={[
            { title: 'State', cell: ({ status }) => <State of={status} /> },
            { title: 'Component', cell: (code) => <span dir="auto">{code.component_type ?? '–'}</span> },
            { title: 'SHA-256', cell: ({ sha256 }) => <span className="mono">{sha256.slice(0, 16)}…</span> },
            { title: 'Size', cell: (code) => bytes(code.bytes), isNumber: true },
            { title: 'Submitted', cell: (code) => <Time of={code.submitted_at} />, isFixed: true },
            { title: 'Decided', cell: (code) => <Time of={code.decided_at} />, isFixed: true },
            {
              title: '',
              cell: (code) => (
                <Button size="small" onClick={() => setShown(code)}>
                  Review
                </Button>
              ),
            },
          ]}
        />
      )}
      {shown !== undefined && <Review code={shown} onClose={() => setShown(undefined)} />}
    </div>
  );
}

function Review({ code, onClose }: { readonly code: AuthorCode; readonly onClose: () => void }) {
  const client = useQueryClient();
  const text = useQuery({
    queryKey: ['author-code', code.sha256],
    queryFn: ({ signal }) =>
      call<Schemas['AuthorCodeText']>(`/api/v1/author-code/${code.sha256}`, { signal }),
  });
  const decide = async (status: 'approved' | 'refused') => {
    await call(`/api/v1/author-code/${code.sha256}`, { method: 'PUT', body: { status } });
    toast(`The code is ${status}`);
    await client.invalidateQueries({ queryKey: ['author-code'] });
  };
  return (
    <Confirm
      title={`Code of ${code.component_type ?? 'a component'}`}
      action="Approve"
      disabled={typeof text.data?.code !== 'string'}
      onClose={onClose}
      onConfirm={() => decide('approved')}
    >
      {text.isPending && <Busy />}
      {text.error !== null && <ErrorNote error={text.error} />}
      {text.data !== undefined && (
        <pre className="value-json" tabIndex={0} role="region" aria-label="Code">
          {text.data.code ?? 'The text is no longer kept.'}
        </pre>
      )}
      <p className="muted mono small">{code.sha256}</p>
      <div className="row">
        <Button kind="danger" onClick={() => void decide('refused').then(onClose)}>
          Refuse
        </Button>
      </div>
    </Confirm>
  );
}
