// `npm run check-commit-subjects -- <base>`: refuses commits since a revision whose subjects are not conventional or not
// imperative.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { spawnSync } from 'node:child_process';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { faultOf, TYPES } from './commits/subject-pattern.mjs';

const UNREADABLE = 2;
const {
  positionals: [base],
} = readCommandLine({
  usage: `npm run check-commit-subjects -- <base>
  checks the subjects of the commits of HEAD that the revision <base> does not have; merge commits are not checked
  --help
Prints the subjects that are not conventional or do not begin with a verb in the imperative. Exits with 0 when there is none, with 1 when there is one, with 2 when git
cannot list the commits.`,
  options: {},
  positionals: { minimum: 1, maximum: 1 },
});
const words = ['log', '--no-merges', '--format=%h %s', '--end-of-options', `${base}..HEAD`, '--'];
const { status, stdout, stderr, error } = spawnSync('git', words, { encoding: 'utf8' });
if (status === 0) check(stdout.split('\n').filter((line) => line !== ''));
else {
  console.error(`git cannot list the commits: ${error?.message ?? stderr.trim()}`);
  process.exitCode = UNREADABLE;
}

/** @param {readonly string[]} commits An abbreviated hash and a subject each. */
function check(commits) {
  const refused = commits.flatMap((commit) => {
    const fault = faultOf(commit.slice(commit.indexOf(' ') + 1));
    return fault === undefined ? [] : [{ commit, fault }];
  });
  for (const { commit } of refused) console.log(commit);
  const faults = new Set(refused.map(({ fault }) => fault));
  if (faults.has('form'))
    console.log(`write "type: subject" or "type(scope): subject"; the types are ${TYPES.join(', ')}`);
  if (faults.has('verb'))
    console.log(
      'begin the text with a verb in the imperative, such as "add", of tools/commits/imperative-verbs.mjs',
    );
  if (refused.length === 0) console.log(`subjects of ${commits.length} commits checked`);
  process.exitCode = refused.length === 0 ? 0 : 1;
}
