import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { readUsers } from '../api/read-users';
import { useTitle } from '../shell/title';
import { Modal } from '../ui/dialog';
import { Button, Busy, ErrorNote, Note, PageHead, Paste, State, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';

export function UsersPage() {
  useTitle('Users');
  const [isNew, setNew] = useState(false);
  const users = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => readUsers(signal),
  });
  return (
    <div className="page">
      <PageHead title="Users">
        <Button kind="primary" onClick={() => setNew(true)}>
          New user
        </Button>
      </PageHead>
      {users.isPending && <Busy />}
      {users.error !== null && <ErrorNote error={users.error} retry={() => void users.refetch()} />}
      {users.data !== undefined && (
        <DataTable
          rows={users.data}
          rowKey={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ username }) => <span dir="auto">{username}</span> },
            { title: 'Role', cell: (user) => (user.is_superuser ? 'admin' : 'user') },
            { title: 'State', cell: (user) => <State of={user.is_active ? 'active' : 'inactive'} /> },
            { title: 'Created', cell: (user) => <Time of={user.create_at} />, isFixed: true },
            {
              title: 'Usage',
              cell: ({ id, username }) => (
                <Link href={`/usage?user=${id}`} aria-label={`Usage of ${username}`}>
                  Usage
                </Link>
              ),
            },
            { title: 'Id', cell: ({ id }) => <span className="mono muted">{id}</span> },
          ]}
        />
      )}
      {isNew && <NewUser onClose={() => setNew(false)} />}
    </div>
  );
}

function NewUser({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [key, setKey] = useState<string>();
  const [error, setError] = useState<unknown>();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const made = await call<{ api_key: string }>('/api/v1/users', {
        method: 'POST',
        body: { username: name, is_superuser: isAdmin },
      });
      setKey(made.api_key);
      await client.invalidateQueries({ queryKey: ['users'] });
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Modal title="New user" onClose={onClose}>
      {key === undefined ? (
        <form className="stack" onSubmit={(event) => void create(event)}>
          <div className="field">
            <label htmlFor="user-name">Name</label>
            <input
              id="user-name"
              className="input"
              required
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <label className="row">
            <input type="checkbox" checked={isAdmin} onChange={(event) => setAdmin(event.target.checked)} />{' '}
            Admin
          </label>
          {error !== undefined && <ErrorNote error={error} />}
          <div className="actions">
            <Button onClick={onClose}>Close</Button>
            <Button kind="primary" type="submit">
              Create
            </Button>
          </div>
        </form>
      ) : (
        <>
          <Note tone="warn" title="The first key of the user: it is not shown again">
            <Paste text={key} label="The key" />
          </Note>
          <div className="actions">
            <Button onClick={onClose}>Done</Button>
          </div>
        </>
      )}
    </Modal>
  );
}
