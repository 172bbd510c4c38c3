import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useTitle } from '../shell/title';
import { Busy, ErrorNote, PageHead } from '../ui/parts';
import { DataTable } from '../ui/data-table';

interface Setting {
  readonly name: string;
  readonly value: unknown;
  readonly default: unknown;
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
                <div>
                  <span className="mono">{name}</span>
                  <div className="muted small">{plainText(description)}</div>
                </div>
              ),
            },
            { title: 'Value', cell: (setting) => <span className="mono">{shownValue(setting)}</span> },
            {
              title: 'From',
              cell: (setting) =>
                isDefault(setting) ? <span className="muted">default</span> : 'environment',
              isFixed: true,
            },
          ]}
        />
      )}
    </div>
  );
}

const isUnset = (value: unknown): boolean => value === null || value === undefined || value === '';

const isDefault = ({ value, default: usual }: Setting): boolean =>
  isUnset(value) || JSON.stringify(value) === JSON.stringify(usual);

function shownValue({ value }: Setting): string {
  if (isUnset(value)) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Descriptions are written for the pages of the documentation. */
const plainText = (markdown = ''): string =>
  markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
