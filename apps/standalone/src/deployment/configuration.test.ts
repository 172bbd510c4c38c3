import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executorSettings } from '@millrace/executor';
import { gatewaySettings } from '@millrace/gateway';
import { ingestSettings } from '@millrace/ingest';
import { commonSettings, readSettings, settingsTable } from '@millrace/service';
import type { SettingsDefinition } from '@millrace/service';
import { standaloneSettings } from '../settings';

const page = join(__dirname, '..', '..', '..', '..', 'docs', 'configuration.md');

const without = (settings: SettingsDefinition, ...others: SettingsDefinition[]): SettingsDefinition =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !others.some((other) => name in other)));

/** Generates the page from the definitions of the settings. */
function configurationPage(): string {
  const section = (title: string, text: string, settings: SettingsDefinition) =>
    `## ${title}\n\n${text}\n\n${settingsTable(settings)}\n`;
  return [
    '# Configuration\n\nAll settings are environment variables; `NAME_FILE` names a file that contains the value of `NAME`. Invalid settings are\nreported together, and the process exits with code 78 ([exit codes](starting.md#exit-codes)). This page is generated:\n`MILLRACE_UPDATE_DOCS=1 npm test -- --unit --only standalone`.\n',
    section(
      'All services',
      'When a URL is unset, the part is embedded, which only the standalone app supports.',
      commonSettings,
    ),
    section('Gateway', 'Accepts HTTP requests.', without(gatewaySettings, commonSettings)),
    section('Ingest', 'Accepts webhooks.', without(ingestSettings, commonSettings)),
    section('Executor', 'Runs flows.', without(executorSettings, commonSettings)),
    section(
      'Standalone',
      'The three services in one process accept all settings above (`MILLRACE_WORKERS` has no effect), and:',
      without(standaloneSettings, commonSettings, gatewaySettings, ingestSettings, executorSettings),
    ),
    '## Tracing\n\nTracing is off unless `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_TRACES_EXPORTER` is set (`otlp`, `console`, `file`; `file`\nappends JSON lines to `MILLRACE_TRACE_FILE`). `OTEL_SDK_DISABLED=true` takes precedence.\n',
  ].join('\n');
}

test('the configuration page is up to date', () => {
  if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(page, configurationPage());
  // Formatting pads tables, so compare words only.
  const words = (text: string) => text.replace(/[\s|:-]+/g, ' ').trim();
  expect(words(readFileSync(page, 'utf8'))).toBe(words(configurationPage()));
});

test.each([
  ['gateway', gatewaySettings],
  ['ingest', ingestSettings],
  ['executor', executorSettings],
  ['standalone', standaloneSettings],
] as const)(
  '%s reads each default that the page prints as that default',
  (_, settings: SettingsDefinition) => {
    const entries = Object.entries(settings);
    expect(entries.filter(([, setting]) => setting.required)).toEqual([]);
    const printed = entries.map(([name, { defaultText }]): [string, string | undefined] => [
      name,
      defaultText,
    ]);
    expect(readSettings(settings, Object.fromEntries(printed))).toEqual(readSettings(settings, {}));
  },
);
