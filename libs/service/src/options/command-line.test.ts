import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Reads a command line in a separate process, because it may exit; prints the result as JSON. */
function read(words: readonly string[], environment: Record<string, string> = {}) {
  const program = `
    const { choiceText, choicesText } = require('../text/choice-text.cjs');
    const { numberText, wholeNumber } = require('../text/number-text.cjs');
    const read = require('./command-line.cjs').readCommandLine({
      usage: 'mill [options]',
      options: {
        port: { type: 'string', default: '7860', parse: wholeNumber({ minimum: 0, maximum: 65535 }) },
        rate: { type: 'string', parse: numberText({ above: 0 }) },
        system: { type: 'string', parse: choiceText(['standalone', 'scaled']) },
        rows: { type: 'string', parse: choicesText(['S1', 'S2']) },
        host: { type: 'string' },
        demo: { type: 'boolean' },
      },
      positionals: { minimum: 0, maximum: 1 },
      words: process.argv.slice(1),
    });
    process.stdout.write(JSON.stringify(read));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program, '--', ...words], {
    cwd: join(__dirname),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  });
  return { status, stdout, stderr };
}

test('returns values, defaults and positional arguments', () => {
  const { stdout } = read(['--rate=0.5', 'file', '--demo', '--rows', 's2,S1', '--system', 'scaled']);
  expect(JSON.parse(stdout)).toEqual({
    values: { port: 7860, rate: 0.5, demo: true, rows: ['S2', 'S1'], system: 'scaled' },
    positionals: ['file'],
  });
  expect(JSON.parse(read(['--host', 'a']).stdout)).toMatchObject({ values: { host: 'a', demo: false } });
});

test.each([['--help'], ['-h'], ['--port'], ['--prot']])(
  '%s with --help prints the usage and exits with 0',
  (word) => {
    expect(read([word, '--help'])).toEqual({ status: 0, stdout: 'mill [options]\n', stderr: '' });
  },
);

test.each([
  ['an option similar to a known one', ['--prot', '1'], '--prot is not an option; did you mean --port?'],
  ['an option similar to no known one', ['--whatever'], '--whatever is not an option'],
  ['the name of a member of Object.prototype', ['--constructor'], '--constructor is not an option'],
  ['a short option', ['-p', '1'], '-p is not an option'],
  ['no value', ['--host'], '--host needs a value'],
  ['an empty value', ['--host='], '--host needs a value'],
  ['an option instead of a value', ['--host', '--demo'], '--host needs a value; --demo is an option'],
  ['an unexpected value', ['--demo=yes'], '--demo takes no value'],
  ['a word too many', ['one', 'two'], '"two" is not expected'],
])('%s prints one sentence and the usage, and exits with 64', (_, words, sentence) => {
  expect(read(words)).toEqual({ status: 64, stdout: '', stderr: `${sentence}\n\nmill [options]\n` });
});

test.each([
  [['--port', '99999'], '--port must be at most 65535, but is "99999"'],
  [['--port', 'abc'], '--port must be a whole number, but is "abc"'],
  [['--port', '-1'], '--port must be at least 0, but is "-1"'],
  [['--rate', '0'], '--rate must be above 0, but is "0"'],
  [['--rate', '1e3'], '--rate must be a number, but is "1e3"'],
  [
    ['--system', 'scalde'],
    '--system must be one of standalone, scaled (did you mean scaled?), but is "scalde"',
  ],
  [['--rows', 'S1,S9'], '--rows must be one of S1, S2 (did you mean S1?), but is "S1,S9"'],
])('%j prints one sentence and exits with 64', (words, sentence) => {
  expect(read(words)).toEqual({ status: 64, stdout: '', stderr: `${sentence}\n` });
});

test('explains an argument that npm left over from an option', () => {
  const { stderr } = read(['one', '7861'], { npm_lifecycle_event: 'start' });
  expect(stderr).toContain('"7861" is not expected; npm passes options on only after "--"\n');
});
