import { useId } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { placeAfter } from './roving';
import { useCentred } from './use-centred';

export interface TabItem {
  readonly id: string;
  readonly title: ReactNode;
  readonly render: () => ReactNode;
}

export interface TabsProps {
  readonly label: string;
  readonly items: readonly TabItem[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}

/** Tabs with the panel of the selected one. Arrow keys, Home and End move the focus; Enter selects. */
export function Tabs({ label, items, selected, onSelect }: TabsProps) {
  const prefix = useId();
  const current = items.find((item) => item.id === selected) ?? items[0];
  const list = useCentred<HTMLDivElement>('[aria-selected="true"]', current?.id);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const tabs = [...event.currentTarget.querySelectorAll('button')];
    const focused = tabs.indexOf(document.activeElement as HTMLButtonElement);
    const next = placeAfter(event.key, focused, tabs.length, { before: 'ArrowLeft', after: 'ArrowRight' });
    if (next === undefined) return;
    event.preventDefault();
    tabs[next]?.focus();
  };
  return (
    <>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {items.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            id={`${prefix}${id}`}
            role="tab"
            className="tab"
            aria-selected={id === current?.id}
            aria-controls={id === current?.id ? `${prefix}panel` : undefined}
            tabIndex={id === current?.id ? 0 : -1}
            onClick={() => onSelect(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {current !== undefined && (
        <div
          key={current.id}
          id={`${prefix}panel`}
          role="tabpanel"
          className="stack"
          aria-labelledby={`${prefix}${current.id}`}
        >
          {current.render()}
        </div>
      )}
    </>
  );
}
