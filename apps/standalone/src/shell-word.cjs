/** A text as one word of a POSIX shell; quoted where it has to be. */
module.exports.shellWord = function shellWord(text) {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
};
