import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import type { Schemas } from '../api/answers';
import { SettingsForm } from '../flows/settings-form';
import type { Values } from '../flows/settings-form';
import { useBodySchema } from '../flows/settings-schema';
import { Modal } from '../ui/dialog';
import { Button, ErrorNote } from '../ui/parts';

/** What can have limits. */
export type Limited = Pick<Schemas['ListedLimits'], 'scope' | 'id' | 'name'>;

export const LIMITS = ['limits'];

const PATHS = {
  key: '/api/v1/limits/api_key/{api_key_id}',
  user: '/api/v1/limits/users/{user_id}',
  project: '/api/v1/limits/projects/{project_id}',
  flow: '/api/v1/limits/flows/{flow_id}',
} as const;

/** The path of the limits of one object. */
export const limitsPath = (scope: Limited['scope'], id: string): string =>
  PATHS[scope].replace(/\{.*\}/, encodeURIComponent(id));

/** The members of limits, and their values of an object; none of one that is not stored yet. */
export function useLimits(scope: Limited['scope'], id: string | undefined) {
  const schema = useBodySchema('put', PATHS[scope]);
  const { data: members = {} } = schema;
  const stored = useQuery({
    queryKey: [...LIMITS, scope, id],
    enabled: id !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => call<Values>(limitsPath(scope, id ?? ''), { signal }),
  });
  // The answer also has what is spent, and null for what is not limited.
  const values = Object.fromEntries(
    Object.keys(members).flatMap((name) => {
      const value = stored.data?.[name] ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );
  // A PUT replaces all: without the members of the body, or with older values, it would end limits.
  const isRead = id === undefined || (stored.isSuccess && stored.isFetchedAfterMount);
  return { members, values, isKnown: schema.isSuccess && isRead, error: stored.error ?? schema.error };
}

/** A form for the limits and the budget of a project, user, flow or key. */
export function LimitsDialog({ of, onClose }: { readonly of: Limited; readonly onClose: () => void }) {
  const { scope, id, name } = of;
  const client = useQueryClient();
  const limits = useLimits(scope, id);
  const [changed, setChanged] = useState<Values>();
  const save = useMutation({
    mutationFn: (body: Values) => call(limitsPath(scope, id), { method: 'PUT', body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: LIMITS });
      onClose();
    },
  });
  const error = save.error ?? limits.error;
  return (
    <Modal title={`Limits of the ${scope} “${name || id}”`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(changed ?? limits.values);
        }}
      >
        <p className="muted small">
          An empty field limits nothing
          {scope === 'key' && ', but for the installation’s limit of requests a second'}.
        </p>
        <div className="settings-fields">
          {limits.isKnown && (
            <SettingsForm members={limits.members} values={changed ?? limits.values} onChange={setChanged} />
          )}
        </div>
        {error !== null && <ErrorNote error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={save.isPending || !limits.isKnown}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}
