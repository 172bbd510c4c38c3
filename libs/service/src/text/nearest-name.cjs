// Plain JavaScript: commands use it before anything is installed or built.

const MAXIMUM_EDITS = 3;

/**
 * Returns the known name that a mistyped name most likely means; undefined when none is similar. Similar means at most
 * three edits, and edits of at most half of the letters: nearly all short names are within three edits of each other.
 * @param {string} name
 * @param {Iterable<string>} known
 * @returns {string | undefined}
 */
module.exports.nearestName = function nearestName(name, known) {
  /** @type {string | undefined} */
  let nearest;
  let nearestDistance = MAXIMUM_EDITS + 1;
  for (const candidate of known) {
    const longer = Math.max(name.length, candidate.length);
    const limit = Math.min(nearestDistance - 1, Math.floor(longer / 2));
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name, candidate);
    if (distance <= limit) [nearest, nearestDistance] = [candidate, distance];
  }
  return nearest;
};

/**
 * Returns the number of letters to change, insert, delete or swap with the next; one table row at a time.
 * @param {string} left
 * @param {string} right
 * @returns {number}
 */
function editDistance(left, right) {
  /** @type {number[]} */
  let beforeThat = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(previous, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwapped && row > 1 && column > 1 ? at(beforeThat, column - 2) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    [beforeThat, previous] = [previous, current];
  }
  return at(previous, right.length);
}

/**
 * @param {readonly number[]} row
 * @param {number} column
 */
function at(row, column) {
  return row[column] ?? Infinity;
}
