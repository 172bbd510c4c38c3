import { randomBytes } from 'node:crypto';
import { filesUnderTest } from '@millrace/components/testing';
import { Data, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { component, one, saved, show } from './testing/author-component.fixture';
import { firstOwner, give, runPythonFlow } from './testing/python-flow.fixture';
import type { FlowRunOptions, TestVertex } from './testing/python-flow.fixture';
import { EffectsOfRun } from './testing/recorded-effects.fixture';
import { realPool } from './testing/real-pool.fixture';

const pool = realPool();

const large = randomBytes(2_000_001);
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const { resources } = filesUnderTest({
  'notes.txt': 'first line',
  'more.txt': 'second file',
  'large.bin': large,
  'pixel.png': onePixel,
  'flow-1/of-flow.txt': 'of the flow',
});

/** A field of the type `file`: its path is not in its value. */
const fileField = (path: string | readonly string[]): Record<string, unknown> => ({
  type: 'file',
  value: '',
  file_path: path,
  list: Array.isArray(path),
});

async function valueOf(
  code: string,
  fields: Record<string, unknown> = {},
  more: Partial<TestVertex> & FlowRunOptions = {},
): Promise<PythonValue> {
  const { components = [], effects, attempt, ...vertex } = more;
  const { shown } = await runPythonFlow(
    pool(),
    [
      ...components.map(({ type }) => ({ id: `${type}-1` })),
      { id: 'Mine-1', code, outputs: saved, fields, ...vertex },
      show('Mine-1.result'),
    ],
    { components, resources, ...(effects && { effects }), ...(attempt && { attempt }) },
  );
  return shown.get('Show-1') ?? null;
}

const withFile = (body: string, options = ''): string =>
  component(`FileInput(name="path"${options})`, one, `def run_it(self):\n    ${body}`).replace(
    'HandleInput,',
    'FileInput, HandleInput,',
  );

test('a file field has a local path with the content of the stored file', async () => {
  const code = withFile('import os\n    return [open(self.path).read(), os.path.isabs(self.path)]');
  expect(await valueOf(code, { path: fileField('user-1/notes.txt') })).toEqual(['first line', true]);
  expect(await valueOf(code, { path: fileField('notes.txt') })).toEqual(['first line', true]);
  expect(await valueOf(code, { path: fileField('flow-1/of-flow.txt') })).toEqual(['of the flow', true]);
});

test('a list of files has a list of paths', async () => {
  const code = withFile('return [open(path).read() for path in self.path]', ', is_list=True');
  const paths = ['user-1/notes.txt', 'user-1/more.txt'];
  expect(await valueOf(code, { path: fileField(paths) })).toEqual(['first line', 'second file']);
});

test('an empty file field stays empty', async () => {
  expect(await valueOf(withFile('return str(self.path)'), { path: fileField('') })).toMatch(/^(None|)$/);
});

test('a file that is larger than one part arrives as it is', async () => {
  const { createHash } = await import('node:crypto');
  const code = withFile(
    'import hashlib\n    return hashlib.sha256(open(self.path, "rb").read()).hexdigest()',
  );
  const digest = createHash('sha256').update(large).digest('hex');
  expect(await valueOf(code, { path: fileField('user-1/large.bin') })).toBe(digest);
});

test.each(['user-2/secret.txt', '/etc/passwd', '../notes.txt', 'absent.txt'])(
  'the file %s is refused in the words of a native component',
  async (path) => {
    const run = valueOf(withFile('return open(self.path).read()'), { path: fileField(path) });
    await expect(run).rejects.toMatchObject({
      code: 'component_failed',
      message: expect.stringContaining(
        `File not found: '${path}' (resolved to: '${path}'). Please upload the file again.`,
      ) as string,
    });
  },
);

test('the helpers of lfx find stored files', async () => {
  const code = component(
    '',
    one,
    `async def run_it(self):
    from lfx.services.deps import get_storage_service
    from lfx.base.data.storage_utils import read_file_bytes, read_file_text
    storage = get_storage_service()
    folder = self.user_id
    return [
        open(self.get_full_path(folder + "/notes.txt")).read(),
        open(self.resolve_path(folder + "/more.txt")).read(),
        (await storage.get_file(folder, "notes.txt")).decode(),
        await storage.get_file_size(folder, "large.bin"),
        open(storage.build_full_path(folder, "more.txt")).read(),
        (await read_file_bytes(self.get_full_path(folder + "/notes.txt"))).decode(),
        await read_file_text(self.resolve_path(folder + "/notes.txt")),
    ]`,
  );
  const key = { ...firstOwner, ownerId: 'user-1' };
  const { shown } = await runPythonFlow(
    pool(),
    [{ id: 'Mine-1', code, outputs: saved }, show('Mine-1.result')],
    { key, resources },
  );
  expect(shown.get('Show-1')).toEqual([
    'first line',
    'second file',
    'first line',
    large.length,
    'second file',
    'first line',
    'first line',
  ]);
});

test('the storage of lfx refuses files of others', async () => {
  const code = component(
    '',
    one,
    `async def run_it(self):
    from lfx.services.deps import get_storage_service
    try:
        return (await get_storage_service().get_file("user-2", "secret.txt")).decode()
    except FileNotFoundError as error:
        return str(error)`,
  );
  expect(await valueOf(code)).toContain('not found');
});

test('files of a message keep their names, and its contents are read', async () => {
  const code = component(
    'HandleInput(name="value", input_types=["Message"])',
    one,
    `def run_it(self):
    parts = self.value.get_file_content_dicts()
    names = [getattr(file, "path", file) for file in self.value.files]
    return [names, [part["type"] for part in parts], "first line" in str(parts)]`,
  );
  const message = new Message({ text: 'look', files: ['user-1/pixel.png', 'user-1/notes.txt'] });
  expect(
    await valueOf(code, {}, { from: { value: 'Given-1.value' }, components: [give('Given', message)] }),
  ).toEqual([['user-1/pixel.png', 'user-1/notes.txt'], ['image_url', 'text'], true]);
});

test('outputs name files as they are stored', async () => {
  const code = withFile('return Data(data={"file_path": self.path, "text": open(self.path).read()})');
  const value = await valueOf(code, { path: fileField('user-1/notes.txt') });
  expect(value).toBeInstanceOf(Data);
  expect((value as Data).data).toEqual({ file_path: 'user-1/notes.txt', text: 'first line' });
});

test('a file that a component wrote is a file field of the next one', async () => {
  const write = component(
    '',
    one,
    'def run_it(self):\n    import os\n    open("made.txt", "w").write("made")\n    return os.path.abspath("made.txt")',
  );
  const { shown } = await runPythonFlow(
    pool(),
    [
      { id: 'Write-1', code: write, outputs: saved },
      {
        id: 'Mine-1',
        code: withFile('return open(self.path).read()'),
        outputs: saved,
        from: { path: 'Write-1.result' },
      },
      show('Mine-1.result'),
    ],
    { resources },
  );
  expect(shown.get('Show-1')).toBe('made');
});

test('a run finds no files of the run before', async () => {
  const code = component(
    '',
    one,
    'def run_it(self):\n    import os\n    open("left.txt", "w").close()\n    return os.listdir(".")',
  );
  expect(await valueOf(code)).toEqual(['left.txt']);
  expect(
    await valueOf(component('', one, 'def run_it(self):\n    import os\n    return os.listdir(".")')),
  ).toEqual([]);
});

test('a vertex that read a file is replayed', async () => {
  const code = withFile('import uuid\n    return [open(self.path).read(), str(uuid.uuid4())]');
  const effects = new EffectsOfRun();
  const attempt = (number: number): Promise<PythonValue> =>
    valueOf(code, { path: fileField('user-1/notes.txt') }, { effects: effects.attempt(), attempt: number });
  const first = await attempt(1);
  expect(await attempt(2)).toEqual(first);
});

test('a component of the style before 1.0 opens its file', async () => {
  const code = `
from langflow import CustomComponent

class Old(CustomComponent):
    def build_config(self):
        return {"path": {"display_name": "Path", "field_type": "file"}}

    def build(self, path: str) -> str:
        return open(self.resolve_path(path)).read()
`;
  expect(await valueOf(code, { path: fileField('user-1/notes.txt') })).toBe('first line');
});
