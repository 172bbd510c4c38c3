import { useState } from 'react';
import { Modal } from '../ui/dialog';
import { Bookmark } from '../ui/icons';
import { Menu } from '../ui/menu';
import { Button } from '../ui/parts';

interface SavedView {
  readonly name: string;
  /** The query string of the page. */
  readonly search: string;
}

const KEY = 'millrace-views';
const MAXIMUM = 50;

const BUILT_IN: readonly SavedView[] = [
  { name: 'Failed in the last 24 hours', search: 'status=failed,timed_out,dead&since=24h' },
  { name: 'Under way', search: 'status=accepted,queued,running' },
  { name: 'Waits for a person', search: 'status=suspended' },
  { name: 'Webhooks of the last hour', search: 'origin=webhook&since=1h' },
];

function readViews(): readonly SavedView[] {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '[]') as SavedView[];
    return Array.isArray(stored)
      ? stored.filter(({ name, search }) => typeof name === 'string' && typeof search === 'string')
      : [];
  } catch {
    return [];
  }
}

export interface SavedViewsProps {
  readonly search: string;
  readonly onOpen: (search: string) => void;
}

/** Views that this browser keeps: a name and a filter. */
export function SavedViews({ search, onOpen }: SavedViewsProps) {
  const [views, setViews] = useState(readViews);
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const store = (next: readonly SavedView[]) => {
    localStorage.setItem(KEY, JSON.stringify(next));
    setViews(next);
  };
  const forget = {
    title: 'Forget this view',
    act: () => store(views.filter((view) => view.search !== search)),
  };
  return (
    <>
      <Menu
        title={
          <>
            <Bookmark size={15} /> Views
          </>
        }
        actions={[
          ...[...BUILT_IN, ...views].map((view) => ({
            title: view.name,
            act: () => onOpen(view.search),
          })),
          { title: 'Save this view…', act: () => setNaming(true) },
          ...(views.some((view) => view.search === search) ? [forget] : []),
        ]}
      />
      {isNaming && (
        <Modal title="Save this view" onClose={() => setNaming(false)}>
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              store([...views.filter((view) => view.name !== name), { name, search }].slice(-MAXIMUM));
              setNaming(false);
              setName('');
            }}
          >
            <div className="field">
              <label htmlFor="view-name">Name</label>
              <input
                id="view-name"
                className="input"
                required
                maxLength={80}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <div className="actions">
              <Button kind="primary" type="submit">
                Save
              </Button>
            </div>
          </form>
        </Modal>
      )}
    </>
  );
}
