import { isDict } from '@millrace/flow';
import { realPool } from './testing/real-pool.fixture';
import { failureOf, runText } from './testing/run-text.fixture';

const pool = realPool();

/** A component that can write to the socket of its process, as any text can. */
const textOf = (body: string): string => `
import json
from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Data
from millrace_worker import current


class C(Component):
    outputs = [Output(name="result", method="result")]

    def result(self):
        run = current.require()
        connection = run.host._connection._socket

        def raw(body, length=None):
            size = len(body) if length is None else length
            connection.sendall(size.to_bytes(4, "big") + body)

        def answer(outputs, **more):
            raw(json.dumps({"done": run.number, "outputs": outputs, **more}).encode())

${body.replaceAll(/^/gm, '        ')}
        return "its own value"
`;

const run = (body: string) => runText(pool(), textOf(body));

/** The process is replaced where it cannot be trusted any more; the executor serves the next run in any case. */
afterEach(async () => expect(await run('pass')).toBe('its own value'));

test.each([
  ['a length beyond the limit', 'raw(b"", 0xFFFFFFFF)', 'exceeds the limit of 67108864 bytes'],
  ['bytes that are no JSON', 'raw(b"\\xff\\xfe\\x00")', 'A frame cannot be read'],
  ['a pickled object', 'import pickle\nraw(pickle.dumps({"done": run.number}))', 'A frame cannot be read'],
  ['a list in place of an object', 'raw(b"[]")', 'A frame is not an object'],
  ['lists in lists without end', 'raw(b"[" * 1_000_000)', 'maximum recursion depth exceeded'],
  ['a number of a million digits', 'raw(b"1" * 1_000_000)', 'Exceeds the limit (4300 digits)'],
  ['more values than the limit', 'raw(b"[" + b"0," * 2_100_000 + b"0]")', 'more than 2000000 values'],
])('%s ends the process', async (_title, body, reason) => {
  const error = await failureOf(run(`${body}\nimport time\ntime.sleep(60)`));
  expect(error.message).toContain('The Python process ended');
  expect(error.message).toContain(reason);
  expect(error.message.length).toBeLessThan(1_000);
});

test.each([
  ['an unknown tag', '{"$unknown": {}}', 'unknown tag "$unknown"'],
  ['a message that is a text', '{"$message": "x"}', 'the tag "$message" without an object'],
  ['an object without a number', '{"$object": {}}', 'has no number'],
  ['an object of the executor that it never got', '{"$host": 5}', 'There is no object 5 of this run'],
  [
    'a table with columns of different lengths',
    '{"$table": {"columns": ["a", "b"], "cells": [[1], []]}}',
    'differ in length',
  ],
  [
    'objects without end',
    '[{"$object": {"ref": number}} for number in range(100_001)]',
    'can return 100000 objects',
  ],
])('%s is an error of the component', async (_title, value, reason) => {
  const error = await failureOf(run(`answer({"result": ${value}})`));
  expect(error).toMatchObject({ code: 'component_failed' });
  expect(error.message).toContain(reason);
});

test('members that name prototypes are members', async () => {
  const value = await run('answer({"result": {"__proto__": {"polluted": True}, "constructor": 1}})');
  expect(isDict(value) && Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('frames for requests of others are ignored', async () => {
  const value = await run(
    'for number in (0, -1, run.number + 1, 2**60):\n    raw(json.dumps({"done": number, "outputs": {}}).encode())',
  );
  expect(value).toBe('its own value');
});

test('a value with more parts than a frame can have is an error, and its process goes on', async () => {
  const error = await failureOf(run('return Data(data={"numbers": [0] * 2_100_000})'));
  expect(error.message).toContain('The values of the component have more than 2000000 parts.');
});

test('a value of a million numbers, and a text of ten million commas, arrive', async () => {
  expect(await run('return [0] * 1_000_000')).toHaveLength(1_000_000);
  expect(await run('return "," * 10_000_000')).toHaveLength(10_000_000);
});

test('calls of the executor without end are refused', async () => {
  const loop = 'while True:\n    run.host.call("messages.read", {"limit": 0})';
  const error = await failureOf(run(loop));
  expect(error.message).toContain('can call the executor 100000 times');
});

test('messages without end are refused', async () => {
  const loop = `
from langflow.schema.message import Message
message = {"message": run.values.encode(Message(text="x" * 1_000_000, sender="Machine", sender_name="AI"))}
while True:
    run.host.call("messages.store", message)`;
  const error = await failureOf(run(loop));
  expect(error.message).toContain('can store 10000 messages with 67108864 bytes together');
});

test('an object is never pickled', async () => {
  const value = await run(`
class Trap:
    def __reduce__(self):
        raise RuntimeError("pickled")
    __getstate__ = __reduce_ex__ = __reduce__
return Trap()`);
  expect(value).toMatchObject({ kind: 'part', name: 'Trap' });
});

test.each([
  '${process.exit(1)}',
  '{0.__class__.__init__.__globals__}',
  '%s %n %(name)s',
  '<script>alert(1)</script>',
  '\u001b[2J\u0007',
  'one\r\nHTTP/1.1 200 OK\r\n\r\n',
])('code in the text of an exception stays a text: %j', async (text) => {
  const error = await failureOf(run(`raise ValueError(${JSON.stringify(text)})`));
  expect(error.message).toContain(text);
});

test('a text without end stops at the limit of the run', async () => {
  const error = await failureOf(
    run(`
from langflow.schema.message import Message
def parts():
    while True:
        yield "x" * 1_000_000
return Message(text=parts())`),
  );
  expect(error).toMatchObject({ code: 'output_too_large' });
});
