import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import type { RefusedDelivery } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { count } from '../ui/format';
import { Busy, Card, Empty, ErrorNote, Time } from '../ui/parts';

/** What the webhook and the triggers of a flow did not accept, and why. */
export function RefusedDeliveries({ flow }: { readonly flow: string }) {
  const refused = useQuery({
    queryKey: ['refused', flow],
    queryFn: async ({ signal }) =>
      (await call<{ refused: RefusedDelivery[] }>(`/api/v1/flows/${flow}/refused-deliveries`, { signal }))
        .refused,
    refetchInterval: 5_000,
  });
  return (
    <Card title="Refused deliveries" flush>
      {refused.isPending && <Busy />}
      {refused.error !== null && <ErrorNote error={refused.error} />}
      {refused.data !== undefined && (
        <DataTable
          isFlush
          rows={refused.data}
          rowKey={({ id }) => id}
          empty={
            <Empty title="Nothing was refused">
              A delivery without a valid key or signature appears here.
            </Empty>
          }
          columns={[
            { title: 'Answer', cell: ({ status }) => status, isFixed: true },
            {
              title: 'Verdict',
              cell: ({ code, reason }) => (
                <div>
                  <span dir="auto">{reason}</span>
                  <div className="muted mono">{code}</div>
                </div>
              ),
            },
            { title: 'Deliveries', cell: (refusal) => count(refusal.count), isNumber: true },
            { title: 'Last', cell: (refusal) => <Time of={refusal.refused_at} />, isFixed: true },
            {
              title: 'From',
              cell: (refusal) => <span className="mono">{refusal.client_address ?? 'not known'}</span>,
            },
          ]}
        />
      )}
    </Card>
  );
}
