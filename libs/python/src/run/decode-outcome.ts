import { isDict } from '@millrace/flow';
import type { VertexLogLine, VertexOutcome } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { listOf, memberOf, objectOf, textOf, textsOf } from '../frames/members';
import { decodeValue } from '../values/decode-value';
import type { LiveObjects } from '../values/live-objects';

const maximumLogLines = 1_000;

/** Returns the outcome of a vertex from a `done` frame. */
export function decodeOutcome(done: PythonObject, printed: string, objects: LiveObjects): VertexOutcome {
  const outputs = Object.fromEntries(
    Object.entries(objectOf(done, 'outputs')).map(([name, value]) => [name, decodeValue(value, objects)]),
  );
  return {
    outputs,
    stopped: textsOf(done, 'stopped'),
    status: decodeStatus(memberOf(done, 'status') ?? null, outputs, objects),
    logs: decodeLogs(objectOf(done, 'logs')),
    printed,
  };
}

/** A status that is one of the outputs is the same value. */
function decodeStatus(
  status: PythonValue,
  outputs: Readonly<Record<string, PythonValue>>,
  objects: LiveObjects,
): PythonValue {
  const output = isDict(status) ? memberOf(status, '$output') : undefined;
  return typeof output === 'string' ? (outputs[output] ?? null) : decodeValue(status, objects);
}

function decodeLogs(logs: PythonObject): readonly VertexLogLine[] {
  return Object.keys(logs)
    .flatMap((output) =>
      listOf(logs, output)
        .filter((line) => isDict(line))
        .map((line) => ({ output, name: textOf(line, 'name'), message: textOf(line, 'message') })),
    )
    .slice(0, maximumLogLines);
}
