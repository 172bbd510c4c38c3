import { Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { component, one, saved, show, valueInput } from './testing/author-component.fixture';
import { give, runPythonFlow } from './testing/python-flow.fixture';
import { realPool } from './testing/real-pool.fixture';

const pool = realPool();

async function valueOf(code: string, given?: PythonValue): Promise<PythonValue> {
  const components = given === undefined ? [] : [give('Given', given)];
  const { shown } = await runPythonFlow(
    pool(),
    [
      ...components.map(({ type }) => ({ id: `${type}-1` })),
      {
        id: 'Mine-1',
        code,
        outputs: saved,
        ...(given === undefined ? {} : { from: { value: 'Given-1.value' } }),
      },
      show('Mine-1.result'),
    ],
    { components },
  );
  return shown.get('Show-1') ?? null;
}

describe('from a module import *', () => {
  test.each(['math', 'os.path'])('imports the names of %s that a text uses', async (module) => {
    const code = component(
      '',
      one,
      'def run_it(self):\n    return [floor(2.5)] if "floor" in globals() else [join("a", "b")]',
    );
    expect(await valueOf(`from ${module} import *  # all\n${code}`)).toEqual(
      module === 'math' ? [2] : ['a/b'],
    );
  });

  test('finds the modules of Langflow', async () => {
    const code = `
from langflow.custom import *
from langflow.io import *

class Mine(Component):
    inputs = [MessageTextInput(name="value")]
    outputs = [Output(name="result", display_name="Result", method="run_it")]

    def run_it(self) -> str:
        return "found"
`;
    expect(await valueOf(code)).toBe('found');
  });

  test('names a package that is not installed', async () => {
    const code = component('', one, 'def run_it(self):\n    return 1');
    await expect(valueOf(`from nowhere_to_be_found import *\n${code}`)).rejects.toMatchObject({
      cause: { missingModule: 'nowhere_to_be_found' },
    });
  });
});

describe('half of a surrogate pair', () => {
  const half = 'a\ud83dz';
  const echo = component(valueInput, one, 'def run_it(self):\n    return self.value');

  test.each<[string, PythonValue]>([
    ['a text', half],
    ['a dict', { [half]: [half] }],
  ])('in %s arrives and returns', async (_name, value) => {
    expect(await valueOf(echo, value)).toEqual(value);
  });

  test('that Python makes arrives', async () => {
    const code = component('', one, 'def run_it(self):\n    print("\\ud800")\n    return "\\ud83d" + "z"');
    expect(await valueOf(code)).toBe('\ud83dz');
  });

  test('in a message arrives and returns', async () => {
    expect(((await valueOf(echo, new Message({ text: half }))) as Message).text).toBe(half);
  });

  test('in an exception is reported', async () => {
    const code = component('', one, 'def run_it(self):\n    raise ValueError("bad \\ud800 text")');
    await expect(valueOf(code)).rejects.toThrow('bad \ud800 text');
  });

  test('in the code is refused before it reaches a process', async () => {
    await expect(
      valueOf(component('', one, `def run_it(self):\n    return "${half}"`)),
    ).rejects.toMatchObject({
      code: 'component_failed',
      message: expect.stringMatching(/not well-formed Unicode: line \d+ /) as string,
    });
  });
});
