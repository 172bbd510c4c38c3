import { messageToResult } from '@millrace/flow';
import { Data, DataFrame, Message, isHandle, str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { jsonObject, jsonRows, jsonValue } from './json-value';

/** One output of a vertex as shown to observers. */
export interface VertexArtifact {
  readonly repr: string;
  readonly raw: unknown;
  readonly type: ArtifactType;
}

type ArtifactType = 'text' | 'object' | 'array' | 'unknown';

/** Returns the artifact of an output for the status of the vertex. */
export function vertexArtifact(value: PythonValue, status: PythonValue): VertexArtifact {
  const type = artifactType(isTruthy(status) ? status : value);
  return { repr: representation(value, status), raw: type === 'unknown' ? null : raw(value), type };
}

/** One entry of a result's `outputs`. */
export interface OutputEntry {
  readonly message: unknown;
  readonly type: string;
}

/** Returns the entry of an output: its complete value, or only its content. */
export function outputEntry(value: PythonValue, whole: boolean): OutputEntry {
  if (whole && value instanceof Message) return { message: messageToResult(value).data, type: 'message' };
  if (whole && value instanceof Data) return { message: dataContent(value), type: 'data' };
  const type = artifactType(value);
  return { message: type === 'unknown' ? '' : raw(value), type };
}

/** An empty Data is shown as its fields, as clients expect. */
function dataContent(value: Data): unknown {
  if (Object.keys(value.data).length > 0) return jsonObject(value.data);
  return [
    ['text_key', value.textKey],
    ['data', {}],
    ['default_value', value.defaultValue],
  ];
}

function artifactType(value: PythonValue): ArtifactType {
  if (typeof value === 'string' || value instanceof Message) return 'text';
  if (Array.isArray(value) || value instanceof DataFrame) return 'array';
  if (value instanceof Data) return 'object';
  return isPlainObject(value) && !isHandle(value) ? 'object' : 'unknown';
}

function isPlainObject(value: PythonValue): value is PythonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function raw(value: PythonValue): unknown {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return jsonObject(value.data);
  return value instanceof DataFrame ? jsonRows(value) : jsonValue(value);
}

function representation(value: PythonValue, status: PythonValue): string {
  if (status !== null) return str(status);
  const showsItself =
    typeof value === 'string' || value instanceof Message || value instanceof Data || isPlainObject(value);
  return showsItself && !isHandle(value) ? str(value) : 'None';
}

function isTruthy(status: PythonValue): boolean {
  if (status === null || status === '' || status === false || status === 0) return false;
  if (Array.isArray(status)) return status.length > 0;
  return !(status instanceof DataFrame) || status.rows.length > 0;
}
