import { useFlowNames } from '../api/queries';
import { useTitle } from '../shell/title';
import { count, shortId } from '../ui/format';
import { Busy, Empty, ErrorNote, PageHead } from '../ui/parts';
import { usePending } from '../api/pending';
import { Questions } from './questions';

const POLL_MILLISECONDS = 5_000;

/** What suspended runs of the user ask, the oldest question first. */
export function PendingPage() {
  useTitle('Waiting for people');
  const pending = usePending(POLL_MILLISECONDS);
  const names = useFlowNames();
  const requests = pending.data?.requests ?? [];
  return (
    <div className="page">
      <PageHead
        title="Waiting for people"
        about="What your suspended runs ask, the oldest question first. A run goes on with the first answer."
      />
      {pending.isPending && <Busy />}
      {pending.error !== null && <ErrorNote error={pending.error} retry={() => void pending.refetch()} />}
      <Questions of={requests} title={({ flow_id: id }) => names.get(id) ?? `Flow ${shortId(id)}`} />
      {pending.data !== undefined && requests.length === 0 && (
        <section className="card">
          <Empty title="Nothing waits for a person">
            Questions appear here when a flow reaches a Human Input, or an agent wants to call a tool that
            needs approval.
          </Empty>
        </section>
      )}
      {pending.data?.next_cursor && (
        <p className="muted">
          The oldest {count(requests.length)} are shown. Others follow when these are answered.
        </p>
      )}
    </div>
  );
}
