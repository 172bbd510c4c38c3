// Plain JavaScript without dependencies: commands read their options before anything is installed or built.
const { parseArgs } = require('node:util');
const { nearestName } = require('../text/nearest-name.cjs');

/**
 * @typedef {object} CommandLineOption
 * @property {'string' | 'boolean'} type
 * @property {string} [default]
 * @property {(text: string) => unknown} [parse] Throws an Error whose message ends the sentence "--port …".
 */

/**
 * @template {Readonly<Record<string, CommandLineOption>>} Options
 * @typedef {object} CommandLineDescription
 * @property {string} usage
 * @property {Options} options
 * @property {{ readonly minimum?: number, readonly maximum?: number }} [positionals] Allowed number of positional
 *   arguments; none unless given.
 * @property {readonly string[]} [words] The words of the command line; those of this process unless given.
 */

/**
 * The value of an option: undefined when a text without a default is not given.
 * @template {CommandLineOption} Option
 * @typedef {Option['type'] extends 'boolean'
 *   ? boolean
 *   : 'boolean' extends Option['type'] ? unknown
 *   : (Option extends { readonly parse: (text: string) => infer Value } ? Value : string)
 *     | (Option extends { readonly default: string } ? never : undefined)} OptionValue
 */

/**
 * @template {Readonly<Record<string, CommandLineOption>>} Options
 * @typedef {{ readonly [Name in keyof Options]: OptionValue<Options[Name]> }} OptionValues
 */

/** Exit code for wrong usage (EX_USAGE). */
const EXIT_USAGE = 64;

/**
 * Reads the command line according to `options` and returns { values, positionals }. An option is { type: 'string' |
 * 'boolean', default, parse }; `parse` converts the text, or throws an Error whose message ends the sentence "--port
 * …". `--help` prints the usage and exits with 0. Wrong usage exits with 64 and one sentence, followed by the usage
 * when an option is unknown or incomplete.
 * @template {Readonly<Record<string, CommandLineOption>>} Options
 * @param {CommandLineDescription<Options>} description
 * @returns {{ readonly values: OptionValues<Options>, readonly positionals: readonly string[] }}
 */
module.exports.readCommandLine = function readCommandLine({
  usage,
  options,
  positionals: { minimum = 0, maximum = 0 } = {},
  words = process.argv.slice(2),
}) {
  /** @type {Readonly<Record<string, CommandLineOption>>} */
  const known = { ...options, help: { type: 'boolean' } };
  // Also where the value of an option is missing.
  if (words.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  const { tokens } = parseArgs({
    args: [...words],
    options: nodeOptions(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  /** @type {Record<string, unknown>} */
  const values = {};
  /** @type {string[]} */
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') values[token.name] = optionValue(token, known, usage);
  }
  if (positionals.length > maximum) refuse(`"${positionals[maximum]}" is not expected${npmHint()}`, usage);
  if (positionals.length < minimum) refuse('an argument is missing', usage);
  for (const [name, option] of Object.entries(options))
    values[name] ??= option.type === 'boolean' ? false : defaultValue(option);
  return { values: /** @type {OptionValues<Options>} */ (values), positionals };
};

/** Prints why the command line is wrong, then the usage if given, and exits with 64. */
module.exports.refuseCommandLine = refuse;
/**
 * @param {string} reason
 * @param {string} [usage]
 * @returns {never}
 */
function refuse(reason, usage) {
  process.stderr.write(usage === undefined ? `${reason}\n` : `${reason}\n\n${usage}\n`);
  process.exit(EXIT_USAGE);
}

/** @param {Readonly<Record<string, CommandLineOption>>} known */
function nodeOptions(known) {
  return Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }]));
}

/**
 * @param {{ readonly name: string, readonly rawName: string, readonly value?: string | undefined }} token
 * @param {Readonly<Record<string, CommandLineOption>>} known
 * @param {string} usage
 * @returns {unknown}
 */
function optionValue({ name, rawName, value }, known, usage) {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined)
    refuse(`${rawName} is not an option${suggestion(name, Object.keys(known))}`, usage);
  if (option.type === 'boolean') {
    if (value !== undefined) refuse(`${rawName} takes no value`, usage);
    return true;
  }
  if (value === undefined || value === '') refuse(`${rawName} needs a value`, usage);
  // The value is missing and the next option follows instead.
  if (/^--?[a-z]/i.test(value)) refuse(`${rawName} needs a value; ${value} is an option`, usage);
  return parseValue(name, option, value);
}

/**
 * @param {string} name
 * @param {CommandLineOption} option
 * @param {string} text
 */
function parseValue(name, { parse = (given) => given }, text) {
  try {
    return parse(text);
  } catch (error) {
    return refuse(
      `--${name} ${error instanceof Error ? error.message : error}, but is "${text.slice(0, 200)}"`,
    );
  }
}

/**
 * @param {CommandLineOption} option
 * @returns {unknown}
 */
function defaultValue({ default: text, parse = (given) => given }) {
  return text === undefined ? undefined : parse(text);
}

/**
 * @param {string} name
 * @param {readonly string[]} known
 */
function suggestion(name, known) {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean --${nearest}?`;
}

/** npm consumes options that do not come after `--`; of `--port 7861` only the number remains. */
function npmHint() {
  return process.env.npm_lifecycle_event === undefined ? '' : '; npm passes options on only after "--"';
}
