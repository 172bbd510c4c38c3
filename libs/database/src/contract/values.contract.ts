import { randomUUID } from 'node:crypto';
import { DatabaseError } from '../database';
import type { Database } from '../database';
import { booleanArray, integerArray, textArray, timestampArray, uuidArray } from '../array-parameters';

/** Contract of parameters and columns. The table has the columns id and body, and is empty before each test. */
export function describeValues(database: () => Database, table: string): void {
  describe('values', () => {
    const at = new Date('2026-03-29T01:30:00.123Z');
    test.each([
      ['text', 'text', 'Mühle \'"\\ \n 水'],
      ['an empty text', 'text', ''],
      ['varchar', 'varchar', 'letter'],
      ['uuid', 'uuid', randomUUID()],
      ['int2', 'int2', -7],
      ['int4', 'int4', 2_147_483_647],
      ['int8', 'int8', 9_007_199_254_740_991],
      ['float8', 'float8', 0.1],
      ['numeric', 'numeric', '12345678901234567890.5'],
      ['true', 'bool', true],
      ['false', 'bool', false],
      ['timestamptz', 'timestamptz', at],
      ['date', 'date', '2026-03-29'],
      ['timestamp', 'timestamp', '2026-03-29 01:30:00'],
      ['bytea', 'bytea', Buffer.from([0, 1, 255])],
      ['null', 'text', null],
      ['text[]', 'text[]', ['a', null, 'b,"c"\\', '']],
      ['uuid[]', 'uuid[]', [randomUUID(), null]],
      ['int4[]', 'int4[]', [1, null, 3]],
      ['int8[]', 'int8[]', [1, null, 4_294_967_296]],
      ['bool[]', 'bool[]', [true, null, false]],
      ['float8[]', 'float8[]', [0.5, null]],
      ['timestamptz[]', 'timestamptz[]', [at, null]],
      ['an empty array', 'text[]', []],
    ])('%s is returned as it was written', async (_, type, value) => {
      const { rows } = await database().query({ text: `SELECT $1::${type} AS value`, values: [value] });
      expect(rows).toEqual([{ value }]);
    });

    test.each(['json', 'jsonb'])('%s is written as text and returned parsed', async (type) => {
      const value = { list: [1, null, 'ü'], nested: { deep: true } };
      const { rows } = await database().query({
        text: `SELECT $1::${type} AS value, ARRAY[$1::${type}, NULL] AS list`,
        values: [JSON.stringify(value)],
      });
      expect(rows).toEqual([{ value, list: [value, null] }]);
    });

    test('a batch is written as arrays with unnest', async () => {
      const bodies = Array.from({ length: 500 }, (_, index) => (index % 7 === 0 ? null : `body ${index}`));
      const inserted = await database().query({
        text: `INSERT INTO ${table} (id, body) SELECT * FROM unnest($1::integer[], $2::text[])`,
        values: [bodies.map((_, index) => index), bodies],
      });
      expect(inserted.rowCount).toBe(500);
      const { rows } = await database().query({ text: `SELECT body FROM ${table} ORDER BY id` });
      expect(rows.map(({ body }) => body)).toEqual(bodies);
    });

    test.each([
      ['texts', ['a', null, 'b,"c"\\', '', 'Mühle \'"\\ \n 水', 'NULL', '{}']],
      ['no texts', []],
      ['half a character', ['\ud800']],
    ])('%s in binary format are returned as in text format', async (_, texts) => {
      const text = 'SELECT $1::text[] AS value';
      const binary = await database().query({ text, values: [textArray(texts)] });
      const plain = await database().query({ text, values: [texts] });
      expect(binary.rows).toEqual(plain.rows);
    });

    test('texts in UTF-8 are returned as texts', async () => {
      const texts = ['a', Buffer.from('Mühle 水'), null, Buffer.alloc(0)];
      const { rows } = await database().query({
        text: 'SELECT $1::text[] AS value',
        values: [textArray(texts)],
      });
      expect(rows).toEqual([{ value: ['a', 'Mühle 水', null, ''] }]);
    });

    test.each([
      ['uuid', ['01234567-89ab-cdef-0123-456789ABCDEF', randomUUID()], uuidArray],
      ['uuid', [], uuidArray],
      ['integer', [0, -1, 2_147_483_647, -2_147_483_648], integerArray],
      ['boolean', [true, false], booleanArray],
      [
        'timestamptz',
        [at, new Date(0), new Date('1969-12-31T23:59:59.999Z'), new Date('2199-01-01')],
        timestampArray,
      ],
    ])('%s[] in binary format is returned as in text format', async (type, values, encode) => {
      const text = `SELECT $1::${type}[] AS value`;
      const binary = await database().query({
        text,
        values: [(encode as (given: unknown[]) => Buffer)(values)],
      });
      const plain = await database().query({ text, values: [values] });
      expect(binary.rows).toEqual(plain.rows);
    });

    test.each([
      '',
      'x',
      '01234567-89ab-cdef-0123-456789abcdeg',
      '0123456789abcdef-0123-456789abcdef-01',
      `${'0'.repeat(35)}é`,
    ])('%p in binary format is refused as an invalid uuid', async (id) => {
      const refusals = await Promise.all(
        [() => uuidArray([id]), () => [id]].map(async (value) => {
          try {
            await database().query({ text: 'SELECT $1::uuid[] AS value', values: [value()] });
            return 'taken';
          } catch (error) {
            return error instanceof DatabaseError ? error.sqlState : error;
          }
        }),
      );
      expect(refusals).toEqual(['22P02', '22P02']);
    });

    test.each([
      ['an integer that is too large', () => integerArray([1, 2_147_483_648])],
      ['an integer that is too small', () => integerArray([-2_147_483_649])],
      ['an integer that is no number', () => integerArray([Number.NaN])],
      ['a fraction', () => integerArray([1.5])],
      ['an invalid time', () => timestampArray([new Date(Number.NaN)])],
    ])('%s is refused as a data error of one row', (_, encode) => {
      let refusal: unknown;
      try {
        encode();
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(DatabaseError);
      expect((refusal as DatabaseError).sqlState).toMatch(/^22/u);
    });

    test('NUL in binary format is refused as in text format', async () => {
      const refusals = await Promise.all(
        [textArray(['a\u0000b']), ['a\u0000b']].map((value) =>
          database()
            .query({ text: 'SELECT $1::text[] AS value', values: [value] })
            .then(
              () => 'taken',
              (error: unknown) => (error instanceof DatabaseError ? error.sqlState : error),
            ),
        ),
      );
      expect(refusals).toEqual(['22021', '22021']);
    });

    test('a json text of five megabytes is returned unchanged', async () => {
      const value = JSON.stringify({ text: 'ß'.repeat(2_500_000) });
      const { rows, rowCount } = await database().query({
        text: 'SELECT $1::text AS value',
        values: [value],
      });
      expect(rowCount).toBe(1);
      expect(rows[0]!['value'] === value).toBe(true);
    });
  });
}
