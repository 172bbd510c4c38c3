// The names that the time zone database abbreviates; other zones are shown by their offset.
const abbreviations: Readonly<Record<string, string>> = {
  'Alaska Daylight Time': 'AKDT',
  'Alaska Standard Time': 'AKST',
  'Atlantic Daylight Time': 'ADT',
  'Atlantic Standard Time': 'AST',
  'Australian Central Daylight Time': 'ACDT',
  'Australian Central Standard Time': 'ACST',
  'Australian Eastern Daylight Time': 'AEDT',
  'Australian Eastern Standard Time': 'AEST',
  'Australian Western Standard Time': 'AWST',
  'British Summer Time': 'BST',
  'Central Africa Time': 'CAT',
  'Central Daylight Time': 'CDT',
  'Central European Standard Time': 'CET',
  'Central European Summer Time': 'CEST',
  'Central Standard Time': 'CST',
  'China Standard Time': 'CST',
  'Coordinated Universal Time': 'UTC',
  'East Africa Time': 'EAT',
  'Eastern Daylight Time': 'EDT',
  'Eastern European Standard Time': 'EET',
  'Eastern European Summer Time': 'EEST',
  'Eastern Standard Time': 'EST',
  'Greenwich Mean Time': 'GMT',
  'Hawaii-Aleutian Daylight Time': 'HDT',
  'Hawaii-Aleutian Standard Time': 'HST',
  'Hong Kong Standard Time': 'HKT',
  'India Standard Time': 'IST',
  'Irish Standard Time': 'IST',
  'Israel Daylight Time': 'IDT',
  'Israel Standard Time': 'IST',
  'Japan Standard Time': 'JST',
  'Korean Standard Time': 'KST',
  'Moscow Standard Time': 'MSK',
  'Mountain Daylight Time': 'MDT',
  'Mountain Standard Time': 'MST',
  'New Zealand Daylight Time': 'NZDT',
  'New Zealand Standard Time': 'NZST',
  'Newfoundland Daylight Time': 'NDT',
  'Newfoundland Standard Time': 'NST',
  'Pacific Daylight Time': 'PDT',
  'Pacific Standard Time': 'PST',
  'Pakistan Standard Time': 'PKT',
  'Philippine Standard Time': 'PST',
  'South Africa Standard Time': 'SAST',
  'West Africa Time': 'WAT',
  'Western European Standard Time': 'WET',
  'Western European Summer Time': 'WEST',
  'Western Indonesia Time': 'WIB',
};

/** Formats a time in a time zone, as `2026-01-31 10:00:00 CET`; null when the zone does not exist. */
export function zonedTime(moment: Date, timeZone: string): string | null {
  try {
    const { year, month, day, hour, minute, second } = parts(moment, timeZone, {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    return `${year}-${month}-${day} ${hour}:${minute}:${second} ${zoneName(moment, timeZone)}`;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function zoneName(moment: Date, timeZone: string): string {
  const name = parts(moment, timeZone, { timeZoneName: 'long' }).timeZoneName ?? '';
  const abbreviation = abbreviations[name];
  if (abbreviation !== undefined) return abbreviation;
  const offset = parts(moment, timeZone, { timeZoneName: 'longOffset' }).timeZoneName ?? '';
  return offset.replace('GMT', '').replace(':00', '').replace(':', '');
}

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

function parts(moment: Date, timeZone: string, options: Intl.DateTimeFormatOptions): Parts {
  const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone });
  return Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
}
