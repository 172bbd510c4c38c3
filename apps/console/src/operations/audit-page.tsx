import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { call, query } from '../api/client';
import { RUN_ID } from '../api/run-id';
import { useFlowNames, useUserNames } from '../api/queries';
import type { Schemas } from '../api/answers';
import { useTitle } from '../shell/title';
import { exactTime, shortId } from '../ui/format';
import { Button, Busy, Empty, ErrorNote, PageHead, Time } from '../ui/parts';
import { DataTable } from '../ui/data-table';

type AuditEntry = Schemas['NamedAuditEntry'];

const KINDS = [
  'user',
  'key',
  'flow',
  'variable',
  'trigger',
  'run',
  'file',
  'mcp_server',
  'author_code',
  'session',
  'sign_in',
];
const PAGE = 100;

export function AuditPage() {
  useTitle('Audit log');
  const [parameters, setParameters] = useSearchParams();
  const action = parameters.get('action') ?? '';
  const [users, flows] = [useUserNames(), useFlowNames()];
  const entries = useInfiniteQuery({
    queryKey: ['audit', action],
    queryFn: ({ pageParam, signal }) =>
      call<Schemas['AuditPage']>(`/api/v1/audit${query({ action, before: pageParam, limit: PAGE })}`, {
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ entries: page }) => (page.length < PAGE ? undefined : page.at(-1)?.position),
  });
  const listed = entries.data?.pages.flatMap((page) => page.entries) ?? [];
  const keys = new Map(listed.map(({ key_id: id, key_name: name }) => [id ?? '', name ?? '']));
  const names = [users, flows, keys];
  return (
    <div className="page">
      <PageHead
        title="Audit log"
        about="Who changed what. Entries are chained by hashes and are never changed."
      >
        <select
          className="input narrow"
          aria-label="Kind of object"
          value={action}
          onChange={(event) =>
            setParameters(event.target.value === '' ? {} : { action: event.target.value }, { replace: true })
          }
        >
          <option value="">Everything</option>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kind.replace('_', ' ')}
            </option>
          ))}
        </select>
      </PageHead>
      {entries.isPending && <Busy />}
      {entries.error !== null && <ErrorNote error={entries.error} retry={() => void entries.refetch()} />}
      {entries.data !== undefined && (
        <DataTable
          rows={listed}
          rowKey={({ position }) => String(position)}
          empty={<Empty title="No entries" />}
          columns={[
            {
              title: 'Time',
              cell: ({ at }) => (
                <span title={exactTime(at)}>
                  <Time of={at} />
                </span>
              ),
              isFixed: true,
            },
            {
              title: 'Who',
              cell: (entry) => <Actor of={entry} />,
              isFixed: true,
            },
            { title: 'Action', cell: (entry) => <span className="mono">{entry.action}</span>, isFixed: true },
            {
              title: 'Object',
              cell: (entry) => (
                <span dir="auto" title={entry.object_id ?? undefined}>
                  {objectOf(entry, names)}
                </span>
              ),
            },
            {
              title: 'Detail',
              cell: ({ detail }) => (
                <span className="muted small" dir="auto">
                  {detailText(detail, names)}
                </span>
              ),
            },
            { title: 'From', cell: (entry) => entry.client_address ?? '–', isFixed: true },
            { title: 'Position', cell: ({ position }) => position, isNumber: true },
          ]}
        />
      )}
      {entries.hasNextPage && (
        <div className="row center">
          <Button disabled={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
            Older entries
          </Button>
        </div>
      )}
    </div>
  );
}

/** Who acted, and with which key: their names, or that they are deleted. */
function Actor({ of }: { readonly of: AuditEntry }) {
  const { actor, user_id: user, key_id: key } = of;
  if (user === null) return actor;
  return (
    <div>
      <span dir="auto" title={user}>
        {of.username ?? `Deleted user ${shortId(user)}`}
      </span>
      {key !== null && (
        <div className="muted small" dir="auto" title={key}>
          {of.key_name === null ? `deleted key ${shortId(key)}` : `key ${of.key_name || shortId(key)}`}
        </div>
      )}
    </div>
  );
}

type Names = readonly ReadonlyMap<string, string>[];

/** The name of a user, flow or key by its id; any other text as it is. */
const nameIn = (names: Names, text: string | null): string | null =>
  text === null ? null : (names.map((each) => each.get(text)).find(Boolean) ?? text);

/** The name of what was changed, or the end of its id. */
function objectOf({ object_name: name, object_id: id }: AuditEntry, names: Names): string {
  const found = name ?? nameIn(names, id) ?? '–';
  return found === id && RUN_ID.test(id) ? shortId(id) : found;
}

/** What has no value says nothing of a change. */
const detailText = (detail: Readonly<Record<string, unknown>>, names: Names): string =>
  Object.entries(detail)
    // A version of null is that of a trigger which follows its flow.
    .filter(([name, value]) => value !== null || name === 'version')
    .map(([name, value]) =>
      typeof value !== 'string'
        ? `${name}: ${Array.isArray(value) ? value.join(', ') : JSON.stringify(value)}`
        : // An id stands for what it is of.
          `${name.replace(/_id$/, '')}: ${nameIn(names, value) ?? ''}`,
    )
    .join(' · ')
    .slice(0, 300);
