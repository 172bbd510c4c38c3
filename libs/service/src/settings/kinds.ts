import { wholeNumber } from '../text/number-text.cjs';
import { setting } from './setting';
import type { SettingOf, SettingOptions } from './setting';

interface RangeOptions extends SettingOptions<number> {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** `check` can refuse a value by throwing. */
export function text<
  const Options extends SettingOptions<string> & { readonly check?: (value: string) => void },
>(options: Options): SettingOf<string, Options> {
  const parse = (value: string): string => {
    options.check?.(value);
    return value;
  };
  return setting<string, Options>('text', options, parse, String);
}

export function integer<const Options extends RangeOptions>(options: Options): SettingOf<number, Options> {
  return setting<number, Options>('integer', options, wholeNumber(options), String);
}

/** A duration; the value is in milliseconds, the text a number of them or a number with ms, s, m or h. */
export function milliseconds<const Options extends RangeOptions>(
  options: Options,
): SettingOf<number, Options> {
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return setting<number, Options>(
    'duration',
    options,
    (value) => parseUnits(value, units, options),
    (value) => `${value}ms`,
  );
}

/** A size; the value is in bytes, the text a number of them or a number with KiB, MiB or GiB. */
export function bytes<const Options extends RangeOptions>(options: Options): SettingOf<number, Options> {
  const units = { b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };
  return setting<number, Options>('bytes', options, (value) => parseUnits(value, units, options), printBytes);
}

/** A number from 0 to 1. */
export function share<const Options extends SettingOptions<number>>(
  options: Options,
): SettingOf<number, Options> {
  const parse = (value: string): number => {
    const number = /^\s*\d*\.?\d+\s*$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= 0 && number <= 1)) throw new Error('must be a number from 0 to 1');
    return number;
  };
  return setting<number, Options>('number from 0 to 1', options, parse, String);
}

export function boolean<const Options extends SettingOptions<boolean>>(
  options: Options,
): SettingOf<boolean, Options> {
  return setting<boolean, Options>('boolean', options, parseBoolean, String);
}

export function choice<
  const Choices extends readonly string[],
  const Options extends SettingOptions<Choices[number]>,
>(choices: Choices, options: Options): SettingOf<Choices[number], Options> {
  const parse = (value: string): Choices[number] => {
    if (!choices.includes(value)) throw new Error(`must be one of ${choices.join(', ')}`);
    return value;
  };
  return setting<Choices[number], Options>(choices.join(' | '), options, parse, String);
}

/** `placeholder` is a text that the URL must contain. */
export function url<
  const Options extends SettingOptions<string> & {
    readonly protocols?: readonly string[];
    readonly placeholder?: string;
  },
>(options: Options): SettingOf<string, Options> {
  const parse = (value: string): string => {
    checkUrl(value, options.protocols);
    if (!value.includes(options.placeholder ?? '')) throw new Error(`must contain ${options.placeholder}`);
    return value;
  };
  return setting<string, Options>('URL', options, parse, String);
}

/** An address that a function of its own reads; `read` throws an Error that continues "the address …". */
export function address<
  const Options extends SettingOptions<string> & { readonly read: (value: string) => unknown },
>(options: Options): SettingOf<string, Options> {
  const parse = (value: string): string => {
    options.read(value);
    return value;
  };
  return setting<string, Options>('URL', options, parse, String);
}

/** One or several comma-separated URLs of one server's nodes; the value is the text without blanks. */
export function urls<
  const Options extends SettingOptions<string> & { readonly protocols?: readonly string[] },
>(options: Options): SettingOf<string, Options> {
  const parse = (value: string): string => {
    const entries = value.split(',').map((entry) => entry.trim());
    for (const [index, entry] of entries.entries()) {
      try {
        checkUrl(entry, options.protocols);
      } catch (error) {
        if (entries.length === 1) throw error;
        const problem = error instanceof Error ? error.message : String(error);
        throw new Error(
          `contains ${entries.length} addresses; number ${index + 1} ${problem}; write a comma in a password as %2C`,
          {
            cause: error,
          },
        );
      }
    }
    return entries.join(',');
  };
  return setting<string, Options>('URLs', options, parse, String);
}

function checkUrl(value: string, protocols: readonly string[] = ['http', 'https']): void {
  if (!URL.canParse(value)) throw new Error('is not a URL');
  const protocol = new URL(value).protocol.slice(0, -1);
  if (!protocols.includes(protocol))
    throw new Error(`must begin with ${protocols.map((name) => `${name}://`).join(' or ')}`);
}

/** Comma-separated; trims entries and drops empty ones. `check` can refuse an entry by throwing. */
export function list<
  const Options extends SettingOptions<readonly string[]> & {
    readonly check?: (entry: string, index: number) => void;
  },
>(options: Options): SettingOf<readonly string[], Options> {
  const parse = (value: string): readonly string[] => {
    const entries = value.split(',').map((entry) => entry.trim());
    const kept = entries.filter((entry) => entry !== '');
    for (const [index, entry] of kept.entries()) options.check?.(entry, index);
    return kept;
  };
  return setting<readonly string[], Options>('list', options, parse, (value) => value.join(','));
}

function parseUnits(value: string, units: Readonly<Record<string, number>>, range: RangeOptions): number {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(value.trim());
  const unit = match?.[2]?.toLowerCase() ?? '';
  const factor = unit === '' ? 1 : units[unit];
  if (match?.[1] === undefined || factor === undefined)
    throw new Error(`must be a number, alone or with ${Object.keys(units).join(', ')}`);
  return inRange(Math.round(Number(match[1]) * factor), range);
}

function inRange(value: number, { minimum, maximum }: RangeOptions): number {
  if (minimum !== undefined && value < minimum) throw new Error(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) throw new Error(`must be at most ${maximum}`);
  return value;
}

function parseBoolean(value: string): boolean {
  const lower = value.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(lower)) return true;
  if (['false', '0', 'no', 'off'].includes(lower)) return false;
  throw new Error('must be true or false');
}

function printBytes(value: number): string {
  for (const [unit, factor] of [
    ['GiB', 1024 ** 3],
    ['MiB', 1024 ** 2],
    ['KiB', 1024],
  ] as const)
    if (value >= factor && value % factor === 0) return `${value / factor}${unit}`;
  return String(value);
}
