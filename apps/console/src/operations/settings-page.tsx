import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import type { Schemas } from '../api/answers';
import { useTitle } from '../shell/title';
import { Busy, ErrorNote, PageHead } from '../ui/parts';
import { DataTable } from '../ui/data-table';

/** The settings in force; secret values are masked by the server. */
export function SettingsPage() {
  useTitle('Settings');
  const [search, setSearch] = useState('');
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call<Schemas['SystemSettings']>('/api/v1/system/settings', { signal }),
  });
  const wanted = search.toLowerCase();
  const shown = (settings.data?.settings ?? []).filter(({ name, description = '' }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <div className="page">
      <PageHead
        title="Settings"
        about="What is in force in this process. Settings are environment variables; a change needs a restart."
      />
      <div className="row">
        <div className="search plain">
          <input
            className="input"
            type="search"
            data-search
            placeholder="Search"
            aria-label="Search settings"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
      </div>
      {settings.isPending && <Busy />}
      {settings.error !== null && <ErrorNote error={settings.error} retry={() => void settings.refetch()} />}
      {settings.data !== undefined && (
        <DataTable
          rows={shown}
          rowKey={({ name }) => name}
          columns={[
            {
              title: 'Setting',
              cell: ({ name, description }) => (
                <div>
                  <span className="mono">{name}</span>
                  <div className="muted small">{plainText(description)}</div>
                </div>
              ),
            },
            { title: 'Value', cell: (setting) => <span className="mono">{shownValue(setting)}</span> },
            {
              title: 'From',
              cell: ({ default: isDefault }) =>
                isDefault ? <span className="muted">default</span> : 'environment',
              isFixed: true,
            },
          ]}
        />
      )}
    </div>
  );
}

const isUnset = (value: unknown): boolean => value === null || value === undefined || value === '';

function shownValue({ value }: { readonly value: unknown }): string {
  if (isUnset(value)) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Descriptions are written for the pages of the documentation. */
const plainText = (markdown = ''): string =>
  markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
