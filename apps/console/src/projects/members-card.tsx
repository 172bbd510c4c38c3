import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import type { Schemas } from '../api/answers';
import { SettingsForm } from '../flows/settings-form';
import type { Values } from '../flows/settings-form';
import { useBodySchema } from '../flows/settings-schema';
import { DataTable } from '../ui/data-table';
import { Confirm, Modal } from '../ui/dialog';
import { Busy, Button, Card, Empty, ErrorNote, Time } from '../ui/parts';
import { roleText } from '../shell/project-choice';

type Member = Schemas['Member'];

const keyOf = (project: string) => ['members', project];
const pathOf = (project: string, user: string) => `/api/v1/members/${project}/${encodeURIComponent(user)}`;

interface MembersCardProps {
  readonly project: { readonly id: string; readonly name: string };
}

/** The members of a project, for those who may change them. */
export function MembersCard({ project: { id, name } }: MembersCardProps) {
  const client = useQueryClient();
  const [open, setOpen] = useState<'new' | { readonly kind: 'change' | 'remove'; readonly member: Member }>();
  const members = useQuery({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) =>
      (await call<{ members: readonly Member[] }>(`/api/v1/members/${id}`, { signal })).members,
  });
  const close = () => setOpen(undefined);
  const remove = async ({ user_id: user }: Member) => {
    await call(pathOf(id, user), { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: keyOf(id) });
  };
  return (
    <Card
      flush
      title={
        <>
          Members of <bdi>{name}</bdi>
        </>
      }
      actions={
        <Button size="small" onClick={() => setOpen('new')}>
          Add a member
        </Button>
      }
    >
      {members.isPending && <Busy />}
      {members.error !== null && <ErrorNote error={members.error} retry={() => void members.refetch()} />}
      {members.data !== undefined && (
        <DataTable
          isFlush
          rows={members.data}
          rowKey={({ user_id: user }) => user}
          empty={<Empty title="No members">Other users see nothing of this project.</Empty>}
          columns={[
            { title: 'Name', cell: ({ username }) => <bdi>{username}</bdi> },
            { title: 'Role', cell: (member) => roleText(member) + sourceText(member), isFixed: true },
            { title: 'Since', cell: ({ created_at: since }) => <Time of={since} />, isFixed: true },
            {
              title: '',
              cell: (member) => (
                <span className="row end">
                  <Button size="small" onClick={() => setOpen({ kind: 'change', member })}>
                    Edit
                  </Button>
                  <Button size="small" kind="danger" onClick={() => setOpen({ kind: 'remove', member })}>
                    Remove
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {open === 'new' && <MemberForm project={id} known={members.data ?? []} onClose={close} />}
      {typeof open === 'object' && open.kind === 'change' && (
        <MemberForm project={id} of={open.member} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'remove' && (
        <Confirm
          title={`Remove “${open.member.username}” from the project?`}
          action="Remove the member"
          danger
          onClose={close}
          onConfirm={() => remove(open.member)}
        >
          <p className="muted">
            Open streams of the member end, and keys that the member made for the project are refused.
            {open.member.issuer !== null &&
              ' The next sign-in adds the member again, unless the groups changed.'}
          </p>
        </Confirm>
      )}
    </Card>
  );
}

/** Whose groups make the user a member; empty for one who was added by hand. */
const sourceText = ({ issuer }: Member) => (issuer === null ? '' : `, by groups of ${new URL(issuer).host}`);

interface MemberFormProps {
  readonly project: string;
  /** The member to change; a new one unless given. */
  readonly of?: Member;
  readonly known?: readonly Member[];
  readonly onClose: () => void;
}

/** A form for a member. Its fields are those of the body that the API takes. */
function MemberForm({ project, of, known = [], onClose }: MemberFormProps) {
  const client = useQueryClient();
  const schema = useBodySchema('put', '/api/v1/members/{project_id}/{user}');
  const [user, setUser] = useState('');
  const [values, setValues] = useState<Values>(() => valuesOf(of));
  const save = useMutation({
    mutationFn: async () => {
      if (known.some(({ user_id: id, username }) => [id, username].includes(user)))
        throw new Error('This user is a member already: edit the member in the list.');
      await call(pathOf(project, of?.user_id ?? user), { method: 'PUT', body: values });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keyOf(project) });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal
      title={of === undefined ? 'Add a member' : `Change the role of “${of.username}”`}
      onClose={onClose}
    >
      <form className="stack" onSubmit={submit}>
        {of === undefined && (
          <div className="field">
            <label htmlFor="member-user">User name or id</label>
            <input
              id="member-user"
              className="input"
              required
              autoComplete="off"
              dir="auto"
              value={user}
              onChange={({ target }) => setUser(target.value)}
            />
          </div>
        )}
        <div className="settings-fields">
          <SettingsForm members={schema.data ?? {}} values={values} onChange={setValues} />
        </div>
        <p className="muted small">
          viewer sees runs; operator starts, cancels, replays and answers them; editor changes flows; owner
          changes members. A flow uses whatever its owner has, also secrets.
        </p>
        {save.error !== null && <ErrorNote error={save.error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={save.isPending || schema.data === undefined}>
            {of === undefined ? 'Add' : 'Save'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const valuesOf = (of: Member | undefined): Values =>
  of?.role === 'viewer' ? { role: of.role, payloads: of.payloads } : { role: of?.role ?? 'viewer' };
