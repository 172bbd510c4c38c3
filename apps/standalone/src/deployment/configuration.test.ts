import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executorSettings } from '@millrace/executor/settings';
import { gatewaySettings } from '@millrace/gateway/settings';
import { ingestSettings } from '@millrace/ingest/settings';
import { modelServerSettings } from '@millrace/model-server';
import { commonSettings, readSettings, settingsTable } from '@millrace/service';
import type { SettingsDefinition } from '@millrace/service';
import { standaloneSettings } from '../settings';

const root = join(__dirname, '..', '..', '..', '..');
const page = join(root, 'docs', 'configuration.md');
const namesFile = join(root, 'libs', 'service', 'src', 'settings', 'setting-names.generated.ts');

const without = (settings: SettingsDefinition, ...others: SettingsDefinition[]): SettingsDefinition =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !others.some((other) => name in other)));

/** Generates the page from the definitions of the settings. */
function configurationPage(): string {
  const section = (title: string, text: string, settings: SettingsDefinition) =>
    `## ${title}\n\n${text}\n\n${settingsTable(settings)}\n`;
  return [
    '# Configuration\n\nAll settings are environment variables; `NAME_FILE` names a file that contains the value of `NAME`. Invalid settings are\nreported together, and the process exits with code 78 ([exit codes](starting.md#exit-codes)). This page is generated:\n`MILLRACE_UPDATE_DOCS=1 npm test -- configuration.test.ts`.\n\nA former name of a setting is still read, and so is its `_FILE`; a service logs a warning at start that names the present\nname. When both are set, the present name takes precedence. A `MILLRACE_` variable that no service has is reported: as an\ninvalid setting when it is similar to a setting of the service, else in a warning.\n',
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

test('the lists of all names, by which a service tells settings of other services from mistyped ones, are up to date', () => {
  const settings: SettingsDefinition = { ...standaloneSettings, ...modelServerSettings };
  const list = (names: readonly string[]) => {
    const own = names.filter((name) => name.startsWith('MILLRACE_')).sort();
    return `readonly string[] = [\n${own.map((name) => `  '${name}',\n`).join('')}];\n`;
  };
  const text = [
    '/** The names of the settings of all services; docs/configuration.md says how this file is generated. */\n',
    `export const settingNames: ${list(Object.keys(settings))}`,
    '\n/** Names that settings had in earlier releases. */\n',
    `export const formerSettingNames: ${list(Object.values(settings).flatMap(({ formerly }) => formerly))}`,
  ].join('');
  if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(namesFile, text);
  expect(readFileSync(namesFile, 'utf8')).toBe(text);
});

test('a former name belongs to one setting and is the name of no other', () => {
  const present = Object.keys(standaloneSettings);
  const former = Object.values<SettingsDefinition[string]>(standaloneSettings).flatMap(
    (setting) => setting.formerly,
  );
  expect(new Set([...present, ...former]).size).toBe(present.length + former.length);
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
