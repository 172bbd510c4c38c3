import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import { useVariables } from '../api/variables';
import type { Variable } from '../api/variables';
import { useTitle } from '../shell/title';
import { Confirm, Modal } from '../ui/dialog';
import { Button, Busy, Empty, ErrorNote, PageHead } from '../ui/parts';
import { DataTable } from '../ui/data-table';

type Open = { readonly kind: 'new' } | { readonly kind: 'change' | 'delete'; readonly variable: Variable };

export function VariablesPage() {
  useTitle('Variables');
  const client = useQueryClient();
  const canManage = useMay('manage');
  const [open, setOpen] = useState<Open>();
  const variables = useVariables();
  const close = () => setOpen(undefined);
  const done = () => client.invalidateQueries({ queryKey: ['variables'] });
  return (
    <div className="page">
      <PageHead title="Variables" about="Values that flows and webhooks name. Values are never shown here.">
        {canManage && (
          <Button kind="primary" onClick={() => setOpen({ kind: 'new' })}>
            New variable
          </Button>
        )}
      </PageHead>
      {variables.isPending && <Busy />}
      {variables.error !== null && (
        <ErrorNote error={variables.error} retry={() => void variables.refetch()} />
      )}
      {variables.data !== undefined && (
        <DataTable
          rows={variables.data}
          rowKey={({ id }) => id}
          empty={
            <Empty
              title="No variables"
              paste={`curl '${location.origin}/api/v1/variables/' -H "x-api-key: $MILLRACE_API_KEY" -H 'content-type: application/json' -d '{"name":"OPENAI_API_KEY","value":"…","type":"Credential"}'`}
            >
              Fields of a flow can name a variable in place of a value.
            </Empty>
          }
          columns={[
            {
              title: 'Name',
              cell: ({ name }) => (
                <span className="mono" dir="auto">
                  {name}
                </span>
              ),
            },
            { title: 'Type', cell: ({ type }) => type ?? 'Generic' },
            { title: 'Value', cell: (variable) => (variable.has_value === false ? 'empty' : '••••••') },
            {
              title: '',
              cell: (variable) =>
                canManage && (
                  <span className="row end">
                    <Button size="small" onClick={() => setOpen({ kind: 'change', variable })}>
                      Change
                    </Button>
                    <Button size="small" kind="danger" onClick={() => setOpen({ kind: 'delete', variable })}>
                      Delete
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {open?.kind === 'new' && <Edit onClose={close} onDone={done} />}
      {open?.kind === 'change' && <Edit variable={open.variable} onClose={close} onDone={done} />}
      {open?.kind === 'delete' && (
        <Confirm
          title={`Delete the variable ${open.variable.name}?`}
          action="Delete the variable"
          danger
          onClose={close}
          onConfirm={async () => {
            await call(`/api/v1/variables/${open.variable.id}`, { method: 'DELETE' });
            await done();
          }}
        >
          <p className="muted">Flows that name it lack its value from their next run on.</p>
        </Confirm>
      )}
    </div>
  );
}

interface EditProps {
  readonly variable?: Variable;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

function Edit({ variable, onClose, onDone }: EditProps) {
  const [name, setName] = useState(variable?.name ?? '');
  const [value, setValue] = useState('');
  const [type, setType] = useState(variable?.type ?? 'Credential');
  const [error, setError] = useState<unknown>();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      if (variable === undefined)
        await call('/api/v1/variables/', { method: 'POST', body: { name, value, type, default_fields: [] } });
      else await call(`/api/v1/variables/${variable.id}`, { method: 'PATCH', body: { value } });
      await onDone();
      onClose();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Modal title={variable === undefined ? 'New variable' : `Change ${variable.name}`} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        {variable === undefined && (
          <>
            <div className="field">
              <label htmlFor="variable-name">Name</label>
              <input
                id="variable-name"
                className="input mono"
                required
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor="variable-type">Type</label>
              <select
                id="variable-type"
                className="input"
                value={type}
                onChange={(event) => setType(event.target.value)}
              >
                <option value="Credential">Credential: encrypted, never shown</option>
                <option value="Generic">Generic</option>
              </select>
            </div>
          </>
        )}
        <div className="field">
          <label htmlFor="variable-value">Value</label>
          <input
            id="variable-value"
            className="input mono"
            type="password"
            autoComplete="off"
            required
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </div>
        {error !== undefined && <ErrorNote error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit">
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}
