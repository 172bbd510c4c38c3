// Plain JavaScript, because `npm start` reads its options before anything is installed or built.
const { choiceText } = require('../../../libs/service/src/text/choice-text.cjs');
const { wholeNumber } = require('../../../libs/service/src/text/number-text.cjs');
const { shellWord } = require('./shell-word.cjs');

/**
 * @typedef {object} Advice
 * @property {string} command How the process was started: the beginning of a command line to suggest.
 * @property {string} besidesAnother The additional options to run next to another Millrace with the same data folder.
 */

/** Options of the standalone app that override a setting. */
module.exports.settingOptions = /** @type {const} */ ({
  port: 'PORT',
  host: 'HOST',
  data: 'MILLRACE_DATA_DIRECTORY',
  durability: 'MILLRACE_DURABILITY',
});

/**
 * Options without a value.
 * @type {readonly ('python' | 'demo' | 'show-key' | 'new-key')[]}
 */
const flags = ['python', 'demo', 'show-key', 'new-key'];
module.exports.flags = flags;

/** All options, for a command that has no settings. */
module.exports.commandLineOptions = /** @type {const} */ ({
  port: { type: 'string', parse: wholeNumber({ minimum: 0, maximum: 65_535 }) },
  host: { type: 'string' },
  data: { type: 'string' },
  durability: { type: 'string', parse: choiceText(['fsync', 'process']) },
  python: { type: 'boolean' },
  demo: { type: 'boolean' },
  'show-key': { type: 'boolean' },
  'new-key': { type: 'boolean' },
});

/** Options that would be without effect beside another one, with what the other one does. */
const contradictions = /** @type {const} */ ([
  ['demo', 'data', 'the demo uses a temporary folder'],
  ['demo', 'new-key', 'the demo keeps no key'],
  ['demo', 'show-key', 'the demo keeps no key'],
  ['show-key', 'new-key', 'the one prints the stored key, the other replaces it'],
]);

/**
 * Returns why options cannot be given together; null when they can.
 * @param {Readonly<Partial<Record<string, unknown>>>} values
 * @returns {string | null}
 */
module.exports.contradictionIn = (values) => {
  const isGiven = (/** @type {string} */ name) => values[name] !== undefined && values[name] !== false;
  const found = contradictions.find(([first, second]) => isGiven(first) && isGiven(second));
  return found === undefined ? null : `--${found[0]} and --${found[1]} exclude each other: ${found[2]}.`;
};

const started = process.argv[1] ?? '';
const program = /[/\\]start\.mjs$/.test(started)
  ? 'npm start --'
  : /[/\\]millrace(?:\.mjs)?$/.test(started)
    ? 'millrace up'
    : 'standalone';

/**
 * Returns what error messages suggest: `command` is how this process was started, with its data folder if one was given;
 * `besidesAnother` are the additional options to run next to another Millrace with the same data folder.
 * @param {string | undefined} data
 * @returns {Advice}
 */
module.exports.adviceFor = (data) =>
  data === undefined
    ? { command: program, besidesAnother: ' --data .millrace-2' }
    : { command: `${program} --data ${shellWord(data)}`, besidesAnother: '' };

module.exports.usage = `${program} [options]
  --port <number>   default 7860; 0 selects a free port
  --host <address>  default 127.0.0.1
  --data <folder>   default .millrace
  --durability <fsync|process>
                    with process, commits do not wait for the disk, and a power failure can lose them
  --python          run components in Python, too: MILLRACE_PYTHON=all on a loopback HOST, else approved
  --demo            run example flows with one response, streamed and by webhook, print the results, and exit;
                    uses a temporary folder
  --show-key        print the API key that is stored in the data folder, and exit; works while the server runs
  --new-key         create a new API key, store it in place of the previous one, and start
${program === 'millrace up' ? '  --scaled          start the services as processes of this machine; millrace up --scaled --help\n' : ''}  --help
Settings are environment variables: docs/operate/configuration.md`;
