// Plain JavaScript that needs nothing but Node: commands read their options before anything is installed or built.
const { parseArgs } = require('node:util');
const { nearestName } = require('./nearest-name.cjs');

/** Exit code of a command that was called wrongly (EX_USAGE). */
const EXIT_USAGE = 64;

/**
 * Reads the command line as `options` describe it: { values, positionals }. An option is { type: 'string' | 'boolean',
 * default, parse }; `parse` makes a value of the text, or throws an Error whose message ends the sentence "--port …".
 * `--help` prints the usage and ends the process with 0. Anything wrong ends it with 64: one sentence, and the usage
 * when an option is unknown or incomplete.
 */
module.exports.readCommandLine = function readCommandLine({
  usage,
  options,
  positionals: { minimum = 0, maximum = 0 } = {},
  words = process.argv.slice(2),
}) {
  const known = { ...options, help: { type: 'boolean' } };
  // Also in the place of a value that was forgotten.
  if (words.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  const { tokens } = parseArgs({
    args: words,
    options: nodeOptions(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = {};
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') values[token.name] = optionValue(token, known, usage);
  }
  if (positionals.length > maximum) refuse(`"${positionals[maximum]}" is not expected${npmHint()}`, usage);
  if (positionals.length < minimum) refuse('an argument is missing', usage);
  for (const [name, option] of Object.entries(options))
    values[name] ??= option.type === 'boolean' ? false : defaultValue(option);
  return { values, positionals };
};

/** Prints why a command cannot be run as it was called, then its usage if given, and ends the process with 64. */
module.exports.refuseCommandLine = refuse;
function refuse(reason, usage) {
  process.stderr.write(usage === undefined ? `${reason}\n` : `${reason}\n\n${usage}\n`);
  process.exit(EXIT_USAGE);
}

function nodeOptions(known) {
  return Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }]));
}

function optionValue({ name, rawName, value }, known, usage) {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined)
    refuse(`${rawName} is not an option${suggestion(name, Object.keys(known))}`, usage);
  if (option.type === 'boolean') {
    if (value !== undefined) refuse(`${rawName} takes no value`, usage);
    return true;
  }
  if (value === undefined || value === '') refuse(`${rawName} needs a value`, usage);
  // A forgotten value: the next option stands in its place.
  if (/^--?[a-z]/i.test(value)) refuse(`${rawName} needs a value; ${value} is an option`, usage);
  return parseValue(name, option, value);
}

function parseValue(name, { parse = (text) => text }, text) {
  try {
    return parse(text);
  } catch (error) {
    return refuse(`--${name} ${error.message}, but is "${text.slice(0, 200)}"`);
  }
}

function defaultValue({ default: text, parse = (given) => given }) {
  return text === undefined ? undefined : parse(text);
}

function suggestion(name, known) {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean --${nearest}?`;
}

/** npm keeps options for itself unless they come after `--`; what remains of `--port 7861` is the number. */
function npmHint() {
  return process.env.npm_lifecycle_event === undefined ? '' : '; npm passes options on only after "--"';
}
