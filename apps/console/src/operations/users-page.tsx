import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { readUsers } from '../api/read-users';
import type { User } from '../api/read-users';
import { useSession } from '../api/session';
import { useTitle } from '../shell/title';
import { Confirm, Modal } from '../ui/dialog';
import { Button, Busy, ErrorNote, Note, PageHead, Paste, State, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';

export function UsersPage() {
  useTitle('Users');
  const { user: me } = useSession();
  const [isNew, setNew] = useState(false);
  const [asked, setAsked] = useState<Asked>();
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
            {
              title: '',
              cell: (user) =>
                user.id !== me.id && (
                  <span className="row end">
                    <Button size="small" onClick={() => setAsked({ kind: 'admin', user })}>
                      {user.is_superuser ? 'Remove admin' : 'Make admin'}
                    </Button>
                    <Button size="small" onClick={() => setAsked({ kind: 'active', user })}>
                      {user.is_active ? 'Disable' : 'Enable'}
                    </Button>
                    <Button size="small" kind="danger" onClick={() => setAsked({ kind: 'delete', user })}>
                      Delete
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {isNew && <NewUser onClose={() => setNew(false)} />}
      {asked !== undefined && <Change {...asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface Asked {
  readonly kind: 'admin' | 'active' | 'delete';
  readonly user: User;
}

/** Asks before a user gets or loses rights, or is deleted. */
function Change({ kind, user, onClose }: Asked & { readonly onClose: () => void }) {
  const client = useQueryClient();
  const { action, effect, body } = changeOf(kind, user);
  const change = async () => {
    await call(
      `/api/v1/users/${user.id}`,
      body === undefined ? { method: 'DELETE' } : { method: 'PATCH', body },
    );
    await client.invalidateQueries({ queryKey: ['users'] });
  };
  return (
    <Confirm
      title={`${action} “${user.username}”?`}
      action={action}
      danger={kind === 'delete' || (kind === 'active' && user.is_active)}
      onClose={onClose}
      onConfirm={change}
    >
      <p className="muted">{effect}</p>
    </Confirm>
  );
}

function changeOf(kind: Asked['kind'], { is_active, is_superuser }: Asked['user']) {
  if (kind === 'delete')
    return {
      action: 'Delete the user',
      effect: 'Their flows, runs, files, variables and keys are deleted too. This cannot be undone.',
    };
  if (kind === 'admin')
    return {
      action: is_superuser ? 'Remove admin rights of' : 'Make an admin of',
      effect: is_superuser
        ? 'They keep what is theirs, and see of others only the projects that they are members of.'
        : 'Admins see and change what all users have.',
      body: { is_superuser: !is_superuser },
    };
  return {
    action: is_active ? 'Disable the user' : 'Enable the user',
    effect: is_active
      ? 'Their keys and signed-in browsers are refused within two seconds.'
      : 'Their keys work again.',
    body: { is_active: !is_active },
  };
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
