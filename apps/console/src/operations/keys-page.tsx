import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Scope } from '../api/answers';
import { useTitle } from '../shell/title';
import { Confirm, Modal } from '../ui/dialog';
import { count } from '../ui/format';
import { Button, Busy, ErrorNote, Note, PageHead, Paste, State, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';

interface Key {
  readonly id: string;
  readonly name: string | null;
  readonly api_key: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly total_uses: number;
  readonly is_active: boolean;
}

const KEYS = ['keys'];

export function KeysPage() {
  useTitle('API keys');
  const client = useQueryClient();
  const canManage = useMay('manage');
  const [isNew, setNew] = useState(false);
  const [deleted, setDeleted] = useState<Key>();
  const keys = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => call<{ api_keys: Key[] }>('/api/v1/api_key/', { signal }),
  });
  const remove = async () => {
    await call(`/api/v1/api_key/${deleted?.id ?? ''}`, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: KEYS });
  };
  return (
    <div className="page">
      <PageHead title="API keys" about="Your keys. A key is shown once, when it is made.">
        {canManage && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New key
          </Button>
        )}
      </PageHead>
      {keys.isPending && <Busy />}
      {keys.error !== null && <ErrorNote error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data !== undefined && (
        <DataTable
          rows={keys.data.api_keys}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: (key) => (
                <div>
                  <span dir="auto">{key.name ?? '–'}</span>
                  <div className="muted mono">{key.api_key.slice(0, 11)}…</div>
                </div>
              ),
            },
            { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
            { title: 'Last used', cell: (key) => <Time of={key.last_used_at} />, isFixed: true },
            { title: 'Uses', cell: (key) => count(key.total_uses), isNumber: true },
            { title: 'Expires', cell: (key) => <Time of={key.expires_at} kind="expiry" />, isFixed: true },
            { title: 'State', cell: (key) => <State of={key.is_active ? 'active' : 'inactive'} /> },
            {
              title: '',
              cell: (key) =>
                canManage && (
                  <Button size="small" kind="danger" onClick={() => setDeleted(key)}>
                    Delete
                  </Button>
                ),
            },
          ]}
        />
      )}
      {isNew && <NewKey onClose={() => setNew(false)} />}
      {deleted !== undefined && (
        <Confirm
          title={`Delete the key “${deleted.name ?? deleted.id}”?`}
          action="Delete the key"
          danger
          onClose={() => setDeleted(undefined)}
          onConfirm={remove}
        >
          <p className="muted">Programs that use it are refused within seconds.</p>
        </Confirm>
      )}
    </div>
  );
}

const SCOPES: readonly (readonly [scope: Scope, meaning: string])[] = [
  ['run', 'Run flows, and read and replay runs'],
  ['manage', 'Change flows, files, variables and keys'],
  ['admin', 'See other users, the audit log and the system'],
];

function NewKey({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['run']);
  const [made, setMade] = useState<string>();
  const [error, setError] = useState<unknown>();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const key = await call<Key>('/api/v1/api_key/', { method: 'POST', body: { name, scopes } });
      setMade(key.api_key);
      await client.invalidateQueries({ queryKey: KEYS });
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Modal title="New key" onClose={onClose}>
      {made === undefined ? (
        <form className="stack" onSubmit={(event) => void create(event)}>
          <div className="field">
            <label htmlFor="key-name">Name</label>
            <input
              id="key-name"
              className="input"
              required
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <fieldset className="scopes">
            <legend>Scopes</legend>
            {SCOPES.map(([scope, meaning]) => (
              <label key={scope} className="row">
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  onChange={(event) =>
                    setScopes(
                      event.target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope),
                    )
                  }
                />
                <strong>{scope}</strong> <span className="muted">{meaning}</span>
              </label>
            ))}
          </fieldset>
          {error !== undefined && <ErrorNote error={error} />}
          <div className="actions">
            <Button onClick={onClose}>Close</Button>
            <Button kind="primary" type="submit" disabled={scopes.length === 0}>
              Create
            </Button>
          </div>
        </form>
      ) : (
        <>
          <Note tone="warn" title="Copy the key now: it is not shown again">
            <Paste text={made} label="The new key" />
          </Note>
          <div className="actions">
            <Button onClick={onClose}>Done</Button>
          </div>
        </>
      )}
    </Modal>
  );
}
