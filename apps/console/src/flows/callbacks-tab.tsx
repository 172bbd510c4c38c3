import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import { Callbacks } from '../callbacks/callbacks';
import type { Flow, FlowSettings } from '../api/answers';
import { DataTable } from '../ui/data-table';
import { Button, Card, Empty, ErrorNote } from '../ui/parts';
import { toast } from '../ui/toast';
import { SettingsForm } from './settings-form';
import type { Values } from './settings-form';
import { useSettingsSchema } from './settings-schema';
import { useVariableOptions } from './variable-options';

/** Where the ends of the flow's runs are reported, and the last reports. */
export function CallbacksTab({ flow }: { readonly flow: Flow }) {
  const canManage = useMay('manage');
  const callbacks = (flow.settings['callbacks'] ?? []) as NonNullable<FlowSettings['callbacks']>;
  return (
    <>
      <Card title="Receivers" flush>
        <DataTable
          isFlush
          rows={callbacks}
          rowKey={(callback) => JSON.stringify(callback)}
          empty={
            <Empty title="The flow names no receiver">
              Add one below. A request can name a receiver for its run, too.
            </Empty>
          }
          columns={[
            {
              title: 'Address',
              cell: ({ url, amqp }) => (
                <span className="mono">{url ?? `${amqp?.exchange} ${amqp?.routingKey}`}</span>
              ),
            },
            { title: 'Reports', cell: ({ on }) => on?.join(', ') ?? 'all ends' },
            { title: 'Result', cell: ({ result }) => (result === 'omit' ? 'left out' : 'included') },
            { title: 'Secrets', cell: ({ secrets }) => <span className="mono">{secrets?.join(', ')}</span> },
          ]}
        />
      </Card>
      {canManage && <Receivers key={JSON.stringify(callbacks)} flow={flow} />}
      <Card title="Last callbacks" flush>
        <Callbacks filter={{ flow_id: flow.id }} isFlush />
      </Card>
    </>
  );
}

/** The receivers as a form. */
function Receivers({ flow }: { readonly flow: Flow }) {
  const client = useQueryClient();
  const schema = useSettingsSchema().data?.['callbacks'];
  const options = useVariableOptions();
  const [values, setValues] = useState<Values>({ callbacks: flow.settings['callbacks'] });
  const save = useMutation({
    mutationFn: () =>
      call(`/api/v1/flows/${flow.id}`, {
        method: 'PATCH',
        body: { settings: { callbacks: values['callbacks'] ?? null } },
      }),
    onSuccess: () => {
      toast('The receivers apply from the next run on');
      return client.invalidateQueries({ queryKey: ['flow', flow.id] });
    },
  });
  if (schema === undefined) return null;
  return (
    <Card title="Change the receivers">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <SettingsForm
          members={{ callbacks: schema }}
          values={values}
          options={options}
          onChange={setValues}
        />
        {save.error !== null && <ErrorNote error={save.error} />}
        <div className="row">
          <Button kind="primary" type="submit" disabled={save.isPending}>
            Save the receivers
          </Button>
        </div>
      </form>
    </Card>
  );
}
