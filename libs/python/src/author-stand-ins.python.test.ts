import { Data } from '@millrace/python-text';
import { given, giving, openAuthorSuite } from './testing/author-suite.fixture';
import { standInText } from './testing/stand-in.fixture';

const { author, valueAt } = openAuthorSuite();

/** A node whose file lacks the text runs as a component with the same inputs and outputs. */
test.each([
  [
    'filter_records',
    'FilterRecords-1.found',
    { records: ['Given-1.value'] },
    { data: { text: expect.any(String) as string } },
  ],
  ['group_table', 'GroupTable-1.groups', {}, { rows: [{ text: 'city' }] }],
  [
    'all_settings',
    'AllSettings-1.settings',
    {},
    { data: { text: expect.stringContaining('select') as string } },
  ],
])('a stand-in for %s', async (name, output, from, value) => {
  const vertex = author(name, { from });
  const code = standInText(vertex.node);
  expect(await valueAt(output, [given, { ...vertex, code }], giving([new Data({ n: 1 })]))).toEqual(value);
});

test('a stand-in gives what the vertices after it read', async () => {
  const vertex = author('filter_records', { from: { records: ['Given-1.value'] } });
  const code = standInText(vertex.node, { keys: ['city'], parsesJson: false });
  expect(
    await valueAt('FilterRecords-1.found', [given, { ...vertex, code }], giving([new Data({ n: 1 })])),
  ).toEqual({ data: { text: expect.any(String) as string, city: 'the city' } });
});
