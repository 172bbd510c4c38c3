import { Callbacks } from '../callbacks/callbacks';
import type { Flow } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { Card, Empty } from '../ui/parts';

interface FlowCallback {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly on?: readonly string[];
  readonly result?: 'include' | 'omit';
}

/** Where the ends of the flow's runs are reported, and the last reports. */
export function CallbacksTab({ flow }: { readonly flow: Flow }) {
  const callbacks = (flow.settings['callbacks'] ?? []) as readonly FlowCallback[];
  return (
    <>
      <Card title="Receivers" flush>
        <DataTable
          isFlush
          rows={callbacks}
          rowKey={({ url }) => url}
          empty={
            <Empty
              title="The flow names no receiver"
              paste='"callbacks": [{ "url": "https://…", "secrets": ["CALLBACK_SECRET"] }]'
            >
              Add this line to the settings of the flow. A request can name a receiver for its run, too.
            </Empty>
          }
          columns={[
            { title: 'Address', cell: ({ url }) => <span className="mono">{url}</span> },
            { title: 'Reports', cell: ({ on }) => on?.join(', ') ?? 'all ends' },
            { title: 'Result', cell: ({ result }) => (result === 'omit' ? 'left out' : 'included') },
            { title: 'Secrets', cell: ({ secrets }) => <span className="mono">{secrets.join(', ')}</span> },
          ]}
        />
      </Card>
      <Card title="Last callbacks" flush>
        <Callbacks filter={{ flow_id: flow.id }} isFlush />
      </Card>
    </>
  );
}
