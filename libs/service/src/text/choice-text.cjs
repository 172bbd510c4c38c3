// Plain JavaScript: commands use it before anything is installed or built.
const { nearestName } = require('./nearest-name.cjs');

/**
 * Returns a parser for one of these names; it throws an Error that ends the sentence "--system …".
 * @template {string} Name
 * @param {readonly Name[]} names
 * @returns {(text: string) => Name}
 */
module.exports.choiceText = function choiceText(names) {
  return (text) => {
    const chosen = names.find((name) => name === text);
    if (chosen !== undefined) return chosen;
    throw new Error(`must be ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}${meant(text, names)}`);
  };
};

/**
 * As choiceText, for several comma-separated names in any letter case; returns a list.
 * @template {string} Name
 * @param {readonly Name[]} names
 * @returns {(text: string) => Name[]}
 */
module.exports.choicesText = function choicesText(names) {
  const one = module.exports.choiceText(names);
  return (text) =>
    text.split(',').map((part) => {
      const name = part.trim();
      return names.find((known) => known.toLowerCase() === name.toLowerCase()) ?? one(name);
    });
};

/**
 * @param {string} text
 * @param {readonly string[]} names
 */
function meant(text, names) {
  const nearest = nearestName(text, names);
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
}
