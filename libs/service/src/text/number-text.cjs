// Plain JavaScript: commands use it before anything is installed or built.
/** @typedef {{ readonly minimum?: number | undefined, readonly maximum?: number | undefined, readonly above?: number | undefined }} Range */

/**
 * Returns a parser for a number; it throws an Error that ends the sentence "--rate …".
 * @param {Range} [range]
 * @returns {(text: string) => number}
 */
module.exports.numberText = function numberText({ minimum = -Infinity, maximum = Infinity, above } = {}) {
  return (text) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : NaN;
    if (Number.isNaN(value)) throw new Error('must be a number');
    return inRange(value, { minimum, maximum, above });
  };
};

/**
 * As numberText, for a whole number.
 * @param {Range} [range]
 * @returns {(text: string) => number}
 */
module.exports.wholeNumber = function wholeNumber({ minimum = -Infinity, maximum = Infinity } = {}) {
  return (text) => {
    if (!/^[+-]?\d{1,15}$/.test(text.trim())) throw new Error('must be a whole number');
    return inRange(Number(text), { minimum, maximum });
  };
};

/**
 * @param {number} value
 * @param {{ readonly minimum: number, readonly maximum: number, readonly above?: number | undefined }} range
 */
function inRange(value, { minimum, maximum, above }) {
  if (above !== undefined && value <= above) throw new Error(`must be above ${above}`);
  if (value < minimum) throw new Error(`must be at least ${minimum}`);
  if (value > maximum) throw new Error(`must be at most ${maximum}`);
  return value;
}
