import type { Setting, SettingsDefinition } from './setting';

/** Returns a Markdown table (name, kind, default, meaning), in the order of the definition. */
export function settingsTable(definition: SettingsDefinition): string {
  const rows = Object.entries(definition).map(([name, setting]) => {
    const standard = setting.required ? '**required**' : printDefault(setting.defaultText);
    const meaning = `${setting.description}${formerNames(setting)}${setting.secret ? ' (secret)' : ''}`;
    return `| \`${name}\` | ${setting.kind} | ${standard} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return ['| setting | kind | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function printDefault(text: string | undefined): string {
  if (text === undefined) return 'unset';
  return text === '' ? 'empty' : `\`${text}\``;
}

function formerNames({ formerly }: Setting<unknown>): string {
  return formerly.length === 0 ? '' : ` Formerly ${formerly.map((name) => `\`${name}\``).join(', ')}.`;
}
