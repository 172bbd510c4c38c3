import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executorSettings } from '@millrace/executor';
import { gatewaySettings } from '@millrace/gateway';
import { ingestSettings } from '@millrace/ingest';
import { commonSettings, settingsTable } from '@millrace/service';
import type { SettingsDefinition } from '@millrace/service';
import { standaloneSettings } from '../settings';

const page = join(__dirname, '..', '..', '..', '..', 'docs', 'configuration.md');

const without = (settings: SettingsDefinition, ...others: SettingsDefinition[]): SettingsDefinition =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !others.some((other) => name in other)));

/** The whole page, made from the settings themselves. */
function configurationPage(): string {
  const section = (title: string, text: string, settings: SettingsDefinition) =>
    `## ${title}\n\n${text}\n\n${settingsTable(settings)}\n`;
  return [
    '# Configuration\n\nEverything is set by environment variables; `NAME_FILE` names a file that holds the value of `NAME`. Wrong\nsettings are named all at once and end the process with code 78 ([exit codes](starting.md#exit-codes)). This page is generated:\n`MILLRACE_UPDATE_DOCS=1 npm test -- --unit --only standalone`.\n',
    section(
      'All services',
      'Unset URLs mean embedded parts, which only the standalone app can use.',
      commonSettings,
    ),
    section('Gateway', 'HTTP in.', without(gatewaySettings, commonSettings)),
    section('Ingest', 'Webhooks in.', without(ingestSettings, commonSettings)),
    section('Executor', 'Runs flows.', without(executorSettings, commonSettings)),
    section(
      'Standalone',
      'The three services in one process take all of the above (`MILLRACE_WORKERS` means nothing to them), and:',
      without(standaloneSettings, commonSettings, gatewaySettings, ingestSettings, executorSettings),
    ),
    '## Tracing\n\nTraces start only when asked for, by `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_TRACES_EXPORTER` (`otlp`, `console`,\n`file`; `file` appends JSON lines to `MILLRACE_TRACE_FILE`). `OTEL_SDK_DISABLED=true` wins.\n',
  ].join('\n');
}

test('the configuration page lists every setting as it is', () => {
  if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(page, configurationPage());
  // Formatting pads tables; what counts is what they say.
  const words = (text: string) => text.replace(/[\s|:-]+/g, ' ').trim();
  expect(words(readFileSync(page, 'utf8'))).toBe(words(configurationPage()));
});
