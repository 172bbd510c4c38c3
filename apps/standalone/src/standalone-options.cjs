// Plain JavaScript: `npm start` reads its options before anything is installed or built.
const { choiceText } = require('../../../libs/service/src/options/choice-text.cjs');
const { wholeNumber } = require('../../../libs/service/src/options/number-text.cjs');
const { shellWord } = require('./shell-word.cjs');

/** Options of the standalone app that stand for a setting. */
module.exports.settingOptions = {
  port: 'PORT',
  host: 'HOST',
  data: 'MILLRACE_DATA_DIRECTORY',
  durability: 'MILLRACE_DURABILITY',
};

/** Those that are on or off. */
const flags = ['demo', 'show-key', 'new-key'];
module.exports.flags = flags;

/** All of them for a command that knows no settings. */
module.exports.commandLineOptions = {
  port: { type: 'string', parse: wholeNumber({ minimum: 0, maximum: 65_535 }) },
  host: { type: 'string' },
  data: { type: 'string' },
  durability: { type: 'string', parse: choiceText(['fsync', 'process']) },
  ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }])),
};

const program = /[/\\]start\.mjs$/.test(process.argv[1] ?? '') ? 'npm start --' : 'standalone';

/**
 * What sentences suggest: `command` is how this process was started, with its data folder if one was given;
 * `besidesAnother` are the options that it needs beside another Millrace of the same data folder.
 */
module.exports.adviceFor = (data) =>
  data === undefined
    ? { command: program, besidesAnother: ' --data .millrace-2' }
    : { command: `${program} --data ${shellWord(data)}`, besidesAnother: '' };

module.exports.usage = `${program} [options]
  --port <number>   instead of 7860; 0 takes a free one
  --host <address>  instead of 127.0.0.1
  --data <folder>   instead of .millrace
  --durability <fsync|process>
                    process: commits do not wait for the disk, and a power failure can lose them
  --demo            run example flows whole, streamed and by webhook, show each result, and end
  --show-key        print the API key that the data folder keeps, and end; also while the server runs
  --new-key         make another API key, keep that one, and start
  --help
Settings are environment variables: docs/configuration.md`;
