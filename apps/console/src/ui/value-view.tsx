import { useState } from 'react';
import { LongText } from './long-text';
import { Button } from './parts';

type Shape = 'text' | 'table' | 'picture' | 'json';

const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const MAXIMUM_ROWS = 100;

/** Shows a value as what it is: text, a table of records, a picture, or JSON. Never as markup. */
export function ValueView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const shapes = shapesOf(value);
  const [chosen, setChosen] = useState<Shape>();
  const shape = chosen !== undefined && shapes.includes(chosen) ? chosen : (shapes[0] ?? 'json');
  return (
    <div className="stack value">
      {shapes.length > 1 && (
        <div className="chips" role="group" aria-label={`${label}: shown as`}>
          {shapes.map((each) => (
            <Button
              key={each}
              size="small"
              kind="plain"
              aria-pressed={each === shape}
              onClick={() => setChosen(each)}
            >
              {each}
            </Button>
          ))}
        </div>
      )}
      <Shown shape={shape} value={value} label={label} />
    </div>
  );
}

function Shown({
  shape,
  value,
  label,
}: {
  readonly shape: Shape;
  readonly value: unknown;
  readonly label: string;
}) {
  if (shape === 'text') return <LongText text={textOf(value)} label={label} />;
  if (shape === 'picture') return <img className="value-picture" src={textOf(value)} alt={label} />;
  if (shape === 'table') return <Records rows={recordsOf(value) ?? []} label={label} />;
  return <LongText text={JSON.stringify(value, null, 2)} label={label} isCode />;
}

function Records({
  rows,
  label,
}: {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly label: string;
}) {
  const columns = [...new Set(rows.slice(0, MAXIMUM_ROWS).flatMap((row) => Object.keys(row)))].slice(0, 12);
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAXIMUM_ROWS).map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{cell(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cell = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

function shapesOf(value: unknown): readonly Shape[] {
  const text = textOf(value);
  if (PICTURE.test(text)) return ['picture', 'text'];
  if (recordsOf(value) !== undefined) return ['table', 'json'];
  if (typeof value === 'object' && value !== null) return text === '' ? ['json'] : ['text', 'json'];
  return ['text'];
}

function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const text = (value as { text?: unknown }).text;
    return typeof text === 'string' ? text : '';
  }
  return value === undefined || value === null ? '' : String(value);
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((each) => typeof each === 'object' && each !== null && !Array.isArray(each))
    ? (value as Record<string, unknown>[])
    : undefined;
}
