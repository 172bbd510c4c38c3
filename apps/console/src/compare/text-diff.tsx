import { useMemo, useState } from 'react';
import { bytes, plural } from '../ui/format';
import { LongText } from '../ui/long-text';
import { Button } from '../ui/parts';
import { commonEnds, diffLines } from './diff-lines';
import type { DiffRow } from './diff-lines';

export interface TextDiffProps {
  readonly label: string;
  readonly one: string;
  readonly other: string;
}

/** More equal lines in a row are folded. */
const SHOWN_EQUAL_LINES = 4;
const MAXIMUM_ROWS = 400;
const MAXIMUM_LINE = 2_000;

/** Two texts side by side, with what differs marked. Texts that are too long to compare are shown as they are. */
export function TextDiff({ label, one, other }: TextDiffProps) {
  const rows = useMemo(() => diffLines(one, other), [one, other]);
  const [isWhole, setWhole] = useState(false);
  if (one === other)
    return one === '' ? (
      <p className="muted">Empty in both, or not kept.</p>
    ) : (
      <>
        <p className="muted">The same in both.</p>
        <LongText text={one} label={label} />
      </>
    );
  if (rows === undefined)
    return (
      <>
        <p className="muted">
          Too long to compare line by line: {bytes(one.length)} and {bytes(other.length)}.
        </p>
        <div className="sides">
          <LongText text={one} label={`${label}, first run`} />
          <LongText text={other} label={`${label}, second run`} />
        </div>
      </>
    );
  const folded = isWhole ? rows.map((row): Line => row) : fold(rows);
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label={label}>
      <table className="text-diff">
        <thead className="visually-hidden">
          <tr>
            <th scope="col">First run</th>
            <th scope="col">Second run</th>
          </tr>
        </thead>
        <tbody>
          {folded.slice(0, MAXIMUM_ROWS).map((line, index) =>
            'equal' in line ? (
              <tr key={index}>
                <td colSpan={2} className="muted">
                  <Button kind="plain" size="small" onClick={() => setWhole(true)}>
                    {plural(line.equal, 'equal line')}
                  </Button>
                </td>
              </tr>
            ) : (
              <Sides key={index} row={line} />
            ),
          )}
        </tbody>
      </table>
      {folded.length > MAXIMUM_ROWS && (
        <p className="muted">{plural(folded.length - MAXIMUM_ROWS, 'further line')} not shown.</p>
      )}
    </div>
  );
}

type Line = DiffRow | { readonly equal: number };

/** Replaces many equal lines in a row by their number. */
function fold(rows: readonly DiffRow[]): readonly Line[] {
  const lines: Line[] = [];
  let equal: DiffRow[] = [];
  const flush = () => {
    if (equal.length <= SHOWN_EQUAL_LINES) lines.push(...equal);
    else lines.push({ equal: equal.length });
    equal = [];
  };
  for (const row of rows)
    if (row.one === row.other) equal.push(row);
    else {
      flush();
      lines.push(row);
    }
  flush();
  return lines;
}

function Sides({ row: { one, other } }: { readonly row: DiffRow }) {
  const isSame = one === other;
  const [start, end] = one === undefined || other === undefined ? [0, 0] : commonEnds(one, other);
  const side = (text: string | undefined, tone: string) => {
    if (text === undefined) return <td />;
    const shown = text.slice(0, MAXIMUM_LINE);
    const changed = shown.slice(start, Math.max(start, text.length - end));
    return (
      <td className={isSame ? '' : tone} dir="auto">
        {isSame ? (
          shown
        ) : (
          <>
            {shown.slice(0, start)}
            {changed !== '' && <mark>{changed}</mark>}
            {shown.slice(start + changed.length)}
          </>
        )}
        {text.length > MAXIMUM_LINE && '…'}
      </td>
    );
  };
  return (
    <tr className={isSame ? 'same' : ''}>
      {side(one, 'diff-removed')}
      {side(other, 'diff-added')}
    </tr>
  );
}
