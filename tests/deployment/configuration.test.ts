import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executorSettings } from '@millrace/executor/settings';
import { gatewaySettings } from '@millrace/gateway/settings';
import { ingestSettings } from '@millrace/ingest/settings';
import { modelServerSettings } from '@millrace/model-server';
import { commonSettings, readSettings, removedSettings, settingsList } from '@millrace/service';
import type { SettingsDefinition } from '@millrace/service';
import { standaloneSettings } from '@millrace/standalone';

const root = join(__dirname, '..', '..');
const docs = join(root, 'docs', 'operate');
const namesFile = join(root, 'libs', 'service', 'src', 'settings', 'setting-names.generated.ts');

/** So many that an operator can read all of them, and the few that need more thought. */
const MAXIMUM_SETTINGS = 60;
const MAXIMUM_UNUSUAL_SETTINGS = 29;

const keep = (settings: SettingsDefinition, isKept: (name: string) => boolean): SettingsDefinition =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => isKept(name)));
const without = (settings: SettingsDefinition, ...others: SettingsDefinition[]): SettingsDefinition =>
  keep(settings, (name) => !others.some((other) => name in other));
const usual = (settings: SettingsDefinition) => keep(settings, (name) => settings[name]?.unusual === false);
const unusual = (settings: SettingsDefinition) => keep(settings, (name) => settings[name]?.unusual === true);

/** Returns what writes the sections of a page: a setting of several services is described in the first one. */
function sections() {
  const described = new Set<string>();
  return (title: string, text: string, settings: SettingsDefinition) => {
    const lines = settingsList(settings)
      .split('\n')
      .filter((line) => line !== '');
    const [known, others] = [true, false].map((isKnown) =>
      lines.filter((line) => described.has(line) === isKnown),
    ) as [string[], string[]];
    for (const line of lines) described.add(line);
    const names = known.map((line) => /`\w+`/.exec(line)?.[0] ?? '').join(', ');
    return `## ${title}\n\n${text}\n\n${names === '' ? '' : `As above: ${names}.\n\n`}${others.join('\n')}\n`;
  };
}
const ownSettings = [
  ['Gateway', 'Accepts HTTP requests.', without(gatewaySettings, commonSettings)],
  ['Ingest', 'Accepts webhooks.', without(ingestSettings, commonSettings)],
  ['Executor', 'Runs flows.', without(executorSettings, commonSettings)],
] as const;

/** Generates the page from the definitions of the settings. */
function configurationPage(): string {
  const section = sections();
  return [
    '# Configuration\n\nAll settings are environment variables; `NAME_FILE` names a file that contains the value of `NAME`. Invalid settings are\nreported together, and the process exits with code 78 ([exit codes](starting.md#exit-codes)). [Unusual settings](unusual-settings.md)\nare on a page of their own. Both pages are generated: `MILLRACE_UPDATE_DOCS=1 npm test -- configuration.test.ts`.\n\nA former name of a setting is still read, and so is its `_FILE`; a service logs a warning at start that names the present\nname. When both are set, the present name takes precedence. A [removed setting](upgrades.md#removed-settings) has no effect.\nA `MILLRACE_` variable that no service has is reported: as an invalid setting when it is similar to a setting of the service,\nelse in a warning.\n',
    section(
      'All services',
      'When a URL is unset, the part is embedded, which only the standalone app supports.',
      usual(commonSettings),
    ),
    ...ownSettings.map(([title, text, settings]) => section(title, text, usual(settings))),
    section(
      'Standalone',
      'The three services in one process accept all settings above (`MILLRACE_WORKERS` has no effect), and:',
      without(standaloneSettings, commonSettings, gatewaySettings, ingestSettings, executorSettings),
    ),
    '## Tracing\n\nTracing is off unless `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_TRACES_EXPORTER` is set (`otlp`, `console`, `file`; `file`\nappends JSON lines to `MILLRACE_TRACE_FILE`). `OTEL_SDK_DISABLED=true` takes precedence.\n',
  ].join('\n');
}

function unusualSettingsPage(): string {
  const section = sections();
  return [
    '# Unusual settings\n\nSettings whose default suits nearly all installations. They are read like [the others](configuration.md), and the standalone app\nreads those of all services.\n',
    section('All services', 'Of each service.', unusual(commonSettings)),
    ...ownSettings.map(([title, text, settings]) => section(title, text, unusual(settings))),
  ].join('\n');
}

function removedSettingsList(): string {
  return Object.entries(removedSettings)
    .map(([name, { defaultText, description }]) => `- \`${name}\`, \`${defaultText}\`: ${description}`)
    .join('\n');
}

/** Returns the page of upgrades with the list of removed settings between its marks. */
function upgradesPage(before: string): string {
  const marked = /(<!-- removed settings -->\n)[^]*(\n<!-- end -->)/;
  if (!marked.test(before)) throw new Error('docs/operate/upgrades.md has no marks for the list');
  return before.replace(marked, `$1\n${removedSettingsList()}\n$2`);
}

test.each<[string, (before: string) => string]>([
  ['configuration.md', configurationPage],
  ['unusual-settings.md', unusualSettingsPage],
  ['upgrades.md', upgradesPage],
])('%s is up to date', (name, generate) => {
  const page = join(docs, name);
  const before = readFileSync(page, 'utf8');
  const text = generate(before);
  if (process.env['MILLRACE_UPDATE_DOCS']) writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

test('each page has few settings, and no setting that was removed', () => {
  const settingsOf = (page: string) => page.match(/^- `[A-Z_]+` \(/gm)?.length ?? 0;
  expect(settingsOf(configurationPage())).toBeLessThanOrEqual(MAXIMUM_SETTINGS);
  expect(settingsOf(unusualSettingsPage())).toBeLessThanOrEqual(MAXIMUM_UNUSUAL_SETTINGS);
  expect(Object.keys(removedSettings).filter((name) => name in standaloneSettings)).toEqual([]);
});

test('pages name only variables that a program reads', () => {
  const namesIn = (...paths: string[]) => {
    const found = execFileSync('git', ['grep', '-ohE', '\\bMILLRACE_[A-Z0-9_]+\\b', '--', ...paths], {
      cwd: root,
      encoding: 'utf8',
    });
    return new Set(found.split('\n').map((name) => name.replace(/_FILE$/, '')));
  };
  const programs = namesIn('apps', 'libs', 'tests', 'tools', 'bench', 'chaos', 'deploy', ':!*.md');
  const pages = [...namesIn('docs', 'README.md', 'CONTRIBUTING.md')].filter((name) => !name.endsWith('_'));
  expect(pages.filter((name) => !programs.has(name))).toEqual([]);
});

test('the lists of all names, by which a service tells settings of other services from mistyped ones, are up to date', () => {
  const settings: SettingsDefinition = { ...standaloneSettings, ...modelServerSettings };
  const list = (names: readonly string[]) => {
    const own = names.filter((name) => name.startsWith('MILLRACE_')).sort();
    return `readonly string[] = [\n${own.map((name) => `  '${name}',\n`).join('')}];\n`;
  };
  const text = [
    '/** The names of the settings of all services; docs/operate/configuration.md says how this file is generated. */\n',
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
