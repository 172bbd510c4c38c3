import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';

const contents = {
  'notes.md': 'note',
  'table.csv': 'a\n1\n',
  'picture.gif': 'x',
  '.hidden.txt': 'hidden',
  'flow/a.txt': 'of the flow',
};

const load = async (
  values: Readonly<Record<string, unknown>>,
  output = 'dataframe',
  stored: Readonly<Record<string, string>> = contents,
): Promise<unknown> => {
  const document = flow(
    [node('Directory-a', 'Directory', values), node('ChatOutput-z', 'ChatOutput')],
    [edge('Directory-a', output, 'ChatOutput-z', 'input_value')],
  );
  const { result } = await runFlow(document, {
    show: 'Directory-a',
    resources: filesUnderTest(stored).resources,
  });
  return result?.outputs[output]?.message;
};

const encoding = 'ascii';
const note = { file_path: 'user-1/notes.md', text: 'note', encoding };
const table = { file_path: 'user-1/table.csv', text: 'a\n1\n', encoding };
const hidden = { file_path: 'user-1/.hidden.txt', text: 'hidden', encoding };
const ofFlow = { file_path: 'flow/a.txt', text: 'of the flow', encoding };

test('loads all stored text files', async () => {
  expect(await load({})).toEqual([note, table, ofFlow]);
  expect(await load({ path: './', load_hidden: true })).toEqual([note, table, hidden, ofFlow]);
  expect(await load({}, 'dataframe', {})).toEqual([]);
});

test('returns data for flows of earlier versions', async () => {
  expect(await load({ types: ['md'] }, 'data')).toMatchObject([{ data: note }]);
});

test('loads a folder, and only the given types', async () => {
  expect(await load({ path: 'flow' })).toEqual([ofFlow]);
  expect(await load({ path: './user-1/', types: ['md', 'pdf'] })).toEqual([note]);
});

test('rejects other folders and other types', async () => {
  expect(await failureOf(load({ path: '/etc' }))).toContain('Path /etc must exist and be a directory.');
  expect(await failureOf(load({ types: ['exe'] }))).toContain(
    "Invalid file types specified: ['exe']. Valid types are: ['csv', 'json', 'pdf', ",
  );
});

test('a broken file is an error, or is skipped if errors are silent', async () => {
  const stored = { 'a.json': '{', 'b.txt': 'text' };
  expect(await failureOf(load({}, 'dataframe', stored))).toContain('Error loading file user-1/a.json: ');
  expect(await load({ silent_errors: true }, 'dataframe', stored)).toEqual([
    { file_path: 'user-1/b.txt', text: 'text', encoding },
  ]);
});
