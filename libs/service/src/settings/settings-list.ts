import type { Setting, SettingsDefinition } from './setting';

/** Returns a Markdown list with name, kind, default and meaning, in the order of the definition. */
export function settingsList(definition: SettingsDefinition): string {
  const items = Object.entries(definition).map(([name, setting]) => {
    const standard = setting.required ? '**required**' : printDefault(setting.defaultText);
    const secret = setting.secret ? ', secret' : '';
    return `- \`${name}\` (${setting.kind}, ${standard}${secret}): ${setting.description}${formerNames(setting)}`;
  });
  return [...items, ''].join('\n');
}

function printDefault(text: string | undefined): string {
  if (text === undefined) return 'unset';
  return text === '' ? 'empty' : `default \`${text}\``;
}

function formerNames({ formerly }: Setting<unknown>): string {
  return formerly.length === 0 ? '' : ` Formerly ${formerly.map((name) => `\`${name}\``).join(', ')}.`;
}
