/** A row of two texts side by side; a side is undefined where only the other has a line. */
export interface DiffRow {
  readonly one: string | undefined;
  readonly other: string | undefined;
}

/** More lines, or more pairs of lines between the equal beginning and end, are not compared: that would stop the page. */
const MAXIMUM_LINES = 5_000;
const MAXIMUM_PAIRS = 1_000_000;

/** Compares two texts line by line: rows in order, or undefined when the texts are too long. */
export function diffLines(one: string, other: string): readonly DiffRow[] | undefined {
  const [left, right] = [one.split('\n'), other.split('\n')];
  if (left.length > MAXIMUM_LINES || right.length > MAXIMUM_LINES) return undefined;
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(left.length, right.length) - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end += 1;
  const middle: readonly [readonly string[], readonly string[]] = [
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
  ];
  if (middle[0].length * middle[1].length > MAXIMUM_PAIRS) return undefined;
  const same = (line: string): DiffRow => ({ one: line, other: line });
  return [
    ...left.slice(0, start).map(same),
    ...diffMiddle(...middle),
    ...left.slice(left.length - end).map(same),
  ];
}

/** The longest common subsequence of lines; lines between its members are beside each other. */
function diffMiddle(one: readonly string[], other: readonly string[]): readonly DiffRow[] {
  const width = other.length + 1;
  // The length of the longest common subsequence from a pair of lines to the ends.
  const lengths = new Uint32Array((one.length + 1) * width);
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        one[row] === other[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  const rows: DiffRow[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      rows.push({ one: removed[index], other: added[index] });
    [removed, added] = [[], []];
  };
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const [left, right] = [one[row], other[column]];
    if (left !== undefined && left === right) {
      flush();
      rows.push({ one: left, other: right });
      row += 1;
      column += 1;
    } else if (
      left !== undefined &&
      (right === undefined || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      removed.push(left);
      row += 1;
    } else if (right !== undefined) {
      added.push(right);
      column += 1;
    }
  }
  flush();
  return rows;
}

/** The equal beginning and the equal end of two lines, in characters. */
export function commonEnds(one: string, other: string): readonly [start: number, end: number] {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [start, end];
}
