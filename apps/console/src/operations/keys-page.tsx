import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useFlows } from '../api/queries';
import { useMay } from '../api/session';
import type { Schemas } from '../api/answers';
import { SettingsForm } from '../flows/settings-form';
import type { Options, Values } from '../flows/settings-form';
import { useBodySchema } from '../flows/settings-schema';
import { LIMITS, limitsPath, useLimits } from '../usage/limits';
import { useTitle } from '../shell/title';
import { Confirm, Modal } from '../ui/dialog';
import { count, plural } from '../ui/format';
import { Button, Busy, ErrorNote, Note, PageHead, Paste, State, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';

type Key = Schemas['ApiKey'];

const KEYS = ['keys'];

export function KeysPage() {
  useTitle('API keys');
  const client = useQueryClient();
  const canManage = useMay('manage');
  const [open, setOpen] = useState<Open>();
  const keys = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => call<{ api_keys: Key[] }>('/api/v1/api_key/', { signal }),
  });
  const remove = async (id: string) => {
    await call(`/api/v1/api_key/${id}`, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: KEYS });
  };
  const close = () => setOpen(undefined);
  return (
    <div className="page">
      <PageHead title="API keys" about="Your keys. A key is shown once, when it is made.">
        {canManage && (
          <Button kind="primary" onClick={() => setOpen({ kind: 'new' })}>
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
            {
              title: 'Scopes',
              cell: (key) => (
                <div>
                  {key.scopes.join(', ')}
                  <div className="muted">{boundsOf(key)}</div>
                </div>
              ),
            },
            { title: 'Last used', cell: (key) => <Time of={key.last_used_at} />, isFixed: true },
            {
              title: 'Uses',
              cell: (key) => (
                <Link
                  href={`/runs?key=${key.id}&since=7d`}
                  title="Its runs of the last 7 days that were stored before they started"
                >
                  {count(key.total_uses)}
                </Link>
              ),
              isNumber: true,
            },
            { title: 'Expires', cell: (key) => <Time of={key.expires_at} kind="expiry" />, isFixed: true },
            { title: 'State', cell: (key) => <State of={key.is_active ? 'active' : 'inactive'} /> },
            {
              title: '',
              cell: (key) =>
                canManage && (
                  <span className="row end">
                    <Button size="small" onClick={() => setOpen({ kind: 'change', key })}>
                      Edit
                    </Button>
                    <Button size="small" onClick={() => setOpen({ kind: 'rotate', key })}>
                      Rotate
                    </Button>
                    <Button size="small" kind="danger" onClick={() => setOpen({ kind: 'delete', key })}>
                      Delete
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {open?.kind === 'new' && <KeyForm onClose={close} />}
      {open?.kind === 'change' && <KeyForm of={open.key} onClose={close} />}
      {open?.kind === 'rotate' && <Rotation of={open.key} onClose={close} />}
      {open?.kind === 'delete' && (
        <Confirm
          title={`Delete the key “${open.key.name ?? open.key.id}”?`}
          action="Delete the key"
          danger
          onClose={close}
          onConfirm={() => remove(open.key.id)}
        >
          <p className="muted">Programs that use it are refused within seconds.</p>
        </Confirm>
      )}
    </div>
  );
}

type Open = { readonly kind: 'new' } | { readonly kind: 'change' | 'rotate' | 'delete'; readonly key: Key };

/** What narrows a key, in words. */
function boundsOf({ access, flows = [], projects = [], addresses = [], end_users }: Key): string {
  return [
    access?.replace('_', ' '),
    flows.length > 0 && plural(flows.length, 'flow'),
    projects.length > 0 && plural(projects.length, 'project'),
    addresses.join(', '),
    end_users !== undefined && `end users by ${end_users}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Members of a key with a field, beside its limit. */
const FIELDS = ['name', 'expires_at', 'access', 'flows', 'projects', 'addresses', 'end_users'];

/** A form for a key, new or as it is. Scopes are those of a new one; a limit is a resource of its own. */
function KeyForm({ of, onClose }: { readonly of?: Key; readonly onClose: () => void }) {
  const client = useQueryClient();
  const body = useBodySchema('post', '/api/v1/api_key/');
  const ofLimits = useLimits('key', of?.id);
  const names = [...FIELDS, ...(of === undefined ? ['scopes'] : [])];
  const members = Object.fromEntries(names.map((name) => [name, body.data?.[name] ?? {}]));
  const [values, setValues] = useState<Values>(() => (of === undefined ? { scopes: ['run'] } : valuesOf(of)));
  const options = useKeyOptions();
  const [limits, setLimits] = useState<Values>();
  const save = useMutation({
    mutationFn: async () => {
      const key = await (of === undefined
        ? call<Key>('/api/v1/api_key/', { method: 'POST', body: values })
        : call<Key>(`/api/v1/api_key/${of.id}`, {
            method: 'PATCH',
            // A member that is null is removed, an absent one stays.
            body: Object.fromEntries(FIELDS.map((name) => [name, values[name] ?? null])),
          }));
      if (limits !== undefined) await call(limitsPath('key', key.id), { method: 'PUT', body: limits });
      return key;
    },
    onSettled: () => Promise.all([KEYS, LIMITS].map((queryKey) => client.invalidateQueries({ queryKey }))),
    onSuccess: () => of !== undefined && onClose(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const title = of === undefined ? 'New key' : `Change the key “${of.name ?? of.id}”`;
  if (of === undefined && save.data !== undefined)
    return <MadeKey title={title} text={save.data.api_key} onClose={onClose} />;
  return (
    <Modal title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <div className="settings-fields">
          <SettingsForm members={members} values={values} options={options} onChange={setValues} />
          {ofLimits.isKnown && (
            <SettingsForm
              members={ofLimits.members}
              values={limits ?? ofLimits.values}
              onChange={setLimits}
            />
          )}
        </div>
        {of === undefined && (
          <p className="muted small">
            run starts and reads runs; manage changes flows, files, variables and keys; admin sees other
            users, the audit log and the system.
          </p>
        )}
        {ofLimits.error !== null && <ErrorNote error={ofLimits.error} />}
        {save.error !== null && <ErrorNote error={save.error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={save.isPending || body.data === undefined}>
            {of === undefined ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

const valuesOf = (key: Key): Values =>
  withoutNulls(Object.fromEntries(FIELDS.map((name) => [name, key[name as keyof Key]])));

/** The flows and projects that a key can be bound to, by name. */
function useKeyOptions(): Options {
  const flows = useFlows().data ?? [];
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => call<{ id: string; name: string }[]>('/api/v1/projects/', { signal }),
  });
  const optionsOf = (all: readonly { readonly id: string; readonly name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, title: name }));
  return { flows: optionsOf(flows), projects: optionsOf(projects.data ?? []) };
}

/** Replaces a key by a new one with its name and scopes. */
function Rotation({ of, onClose }: { readonly of: Key; readonly onClose: () => void }) {
  const client = useQueryClient();
  const schema = useBodySchema('post', '/api/v1/api_key/{api_key_id}/rotate');
  const [values, setValues] = useState<Values>({ overlap_seconds: 86_400 });
  const rotate = useMutation({
    mutationFn: () => call<Key>(`/api/v1/api_key/${of.id}/rotate`, { method: 'POST', body: values }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS }),
  });
  const title = `Rotate the key “${of.name ?? of.id}”`;
  if (rotate.data !== undefined)
    return <MadeKey title={title} text={rotate.data.api_key} onClose={onClose} />;
  return (
    <Modal title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate();
        }}
      >
        <p className="muted">A new key with its name and scopes. The old one ends after the overlap.</p>
        <div className="settings-fields">
          <SettingsForm members={schema.data ?? {}} values={values} onChange={setValues} />
        </div>
        {rotate.error !== null && <ErrorNote error={rotate.error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={rotate.isPending}>
            Rotate
          </Button>
        </div>
      </form>
    </Modal>
  );
}

interface MadeKeyProps {
  readonly title: string;
  readonly text: string;
  readonly onClose: () => void;
}

function MadeKey({ title, text, onClose }: MadeKeyProps) {
  return (
    <Modal title={title} onClose={onClose}>
      <Note tone="warn" title="Copy the key now: it is not shown again">
        <Paste text={text} label="The new key" />
      </Note>
      <div className="actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </Modal>
  );
}
