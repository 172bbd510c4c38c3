import { useSearchParams } from 'wouter';
import { useMay } from '../api/session';
import { useTitle } from '../shell/title';
import { Empty, PageHead } from '../ui/parts';
import { RunsList } from '../runs/runs-list';

const FILTER = { status: 'dead' };
const FILTER_OF_ALL = { ...FILTER, all_users: true };

export function DeadLettersPage() {
  useTitle('Dead letters');
  const isAdmin = useMay('admin');
  const [parameters, setParameters] = useSearchParams();
  const isOfAllUsers = isAdmin && parameters.get('all') === '1';
  return (
    <div className="page full">
      <PageHead
        title="Dead letters"
        about="Runs each of whose attempts crashed its executor. The log of the executors says why; correct that first, then replay."
      >
        {isAdmin && (
          <label className="row check">
            <input
              type="checkbox"
              checked={isOfAllUsers}
              onChange={(event) => setParameters(event.target.checked ? { all: '1' } : {}, { replace: true })}
            />
            All users
          </label>
        )}
      </PageHead>
      <RunsList
        filter={isOfAllUsers ? FILTER_OF_ALL : FILTER}
        empty={
          <Empty title="No dead letters">
            Every accepted run has ended or is under way: there is nothing to do.
          </Empty>
        }
      />
    </div>
  );
}
