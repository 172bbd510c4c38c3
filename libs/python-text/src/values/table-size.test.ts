import { DataFrame } from '../index';

test('a table has at most four million cells, with those that its rows lack', () => {
  const rows = Array.from({ length: 2001 }, (_, index) => ({ [`a${index}`]: index }));
  expect(() => new DataFrame(rows)).toThrow(
    'A table of 2001 columns and 2001 rows has more than 4000000 cells.',
  );
  expect(new DataFrame(rows.slice(1)).columns).toHaveLength(2000);
});
