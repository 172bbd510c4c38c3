import { useState } from 'react';
import { Callbacks } from '../callbacks/callbacks';
import { useTitle } from '../shell/title';
import { PageHead } from '../ui/parts';

const STATES = ['pending', 'delivered', 'dead'] as const;

/** The reports of the ends of runs, of all flows of the user. */
export function CallbacksPage() {
  useTitle('Callbacks');
  const [state, setState] = useState('');
  return (
    <div className="page">
      <PageHead
        title="Callbacks"
        about="Reports of the ends of your runs to addresses that a flow or a request names, and how their receivers answered."
      />
      <div className="chips" role="group" aria-label="State">
        {['', ...STATES].map((each) => (
          <button
            key={each}
            type="button"
            className="chip"
            aria-pressed={state === each}
            onClick={() => setState(each)}
          >
            {each || 'all'}
          </button>
        ))}
      </div>
      <Callbacks filter={{ state }} />
    </div>
  );
}
