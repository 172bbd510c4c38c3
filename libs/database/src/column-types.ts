import { types } from 'pg';

/** Object identifiers of the built-in types whose default parsing differs from the port's contract. */
const int8 = 20;
const int8Array = 1016;
const date = 1082;
const dateArray = 1182;
const timestamp = 1114;
const timestampArray = 1115;
const textArray = 1009;

/**
 * Converts columns to values, the same for every adapter. int8 becomes a number: counts and milliseconds, all far below
 * 2^53. A date and a timestamp without a zone stay text, because a Date would shift them by the server's zone.
 */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (format === 'binary') return types.getTypeParser(oid, 'binary') as (value: string) => unknown;
    switch (oid) {
      case int8:
        return Number;
      case int8Array:
        return parseNumbers;
      case date:
      case timestamp:
        return String;
      case dateArray:
      case timestampArray:
        return parseTexts;
      default:
        return types.getTypeParser(oid, 'text') as (value: string) => unknown;
    }
  },
};

const parseTexts = types.getTypeParser(textArray as number, 'text') as (value: string) => (string | null)[];

function parseNumbers(value: string): (number | null)[] {
  return parseTexts(value).map((element) => (element === null ? null : Number(element)));
}
