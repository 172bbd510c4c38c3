/**
 * Returns a text as one word of a POSIX shell, quoted if necessary.
 * @param {string} text
 */
module.exports.shellWord = function shellWord(text) {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
};
