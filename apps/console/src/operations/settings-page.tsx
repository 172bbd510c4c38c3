import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useTitle } from '../shell/title';
import { Busy, ErrorNote, PageHead } from '../ui/parts';
import { DataTable } from './data-table';

interface Setting {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
  readonly secret: boolean;
  readonly description?: string;
}

/** The settings in force; secret values are masked by the server. */
export function SettingsPage() {
  useTitle('Settings');
  const [search, setSearch] = useState('');
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call<{ settings: Setting[] }>('/api/v1/system/settings', { signal }),
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
                <>
                  <span className="mono">{name}</span>
                  <div className="muted small">{description}</div>
                </>
              ),
            },
            { title: 'Value', cell: (setting) => <span className="mono">{shownValue(setting)}</span> },
            { title: 'From', cell: ({ source }) => source, isFixed: true },
          ]}
        />
      )}
    </div>
  );
}

function shownValue({ value, secret }: Setting): string {
  if (value === null || value === undefined || value === '') return secret ? 'not set' : '–';
  if (secret) return '••••••';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
