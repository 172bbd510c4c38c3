import { Tab, TabList, TabPanel, TabProvider } from '@ariakit/react';
import type { ReactNode } from 'react';

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

export function Tabs({ label, items, selected, onSelect }: TabsProps) {
  const current = items.find((item) => item.id === selected) ?? items[0];
  return (
    <TabProvider
      selectedId={current?.id ?? null}
      setSelectedId={(id) => id && onSelect(id)}
      selectOnMove={false}
    >
      <TabList className="tabs" aria-label={label}>
        {items.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {current !== undefined && (
        <TabPanel tabId={current.id} className="stack" focusable={false}>
          {current.render()}
        </TabPanel>
      )}
    </TabProvider>
  );
}
