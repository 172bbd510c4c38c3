// Starts the role that the first argument names, in this process, so that signals reach it directly.
import { createRequire } from 'node:module';

const EXIT_USAGE = 64;
/** `cli` is the command `millrace`. */
const ROLES = ['gateway', 'ingest', 'executor', 'standalone', 'migrate', 'cli'];
const usage = `entrypoint [role] [options]
  role    one of ${ROLES.join(', ')}; default standalone
  --help  after a role: the options of the role`;

const [first = 'standalone'] = process.argv.slice(2);
if (first === '--help' || first === '-h') {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
if (!ROLES.includes(first)) {
  const kind = first.startsWith('-') ? 'is not an option; options follow a role' : 'is not a role';
  process.stderr.write(`"${first}" ${kind}\n\n${usage}\n`);
  process.exit(EXIT_USAGE);
}
process.argv.splice(2, 1);
// The gateway has the migrations; with this setting it applies them and exits.
if (first === 'migrate') process.env.MILLRACE_MIGRATE = 'only';
createRequire(import.meta.url)(`../dist/apps/${first === 'migrate' ? 'gateway' : first}/main.cjs`);
