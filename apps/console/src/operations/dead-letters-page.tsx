import { useTitle } from '../shell/title';
import { Empty, PageHead } from '../ui/parts';
import { RunsList } from '../runs/runs-list';

const FILTER = { status: 'dead' };

export function DeadLettersPage() {
  useTitle('Dead letters');
  return (
    <div className="page full">
      <PageHead
        title="Dead letters"
        about="Runs each of whose attempts crashed its executor. The log of the executors says why; correct that first, then replay."
      />
      <RunsList
        filter={FILTER}
        empty={
          <Empty title="No dead letters">
            Every accepted run has ended or is under way: there is nothing to do.
          </Empty>
        }
      />
    </div>
  );
}
