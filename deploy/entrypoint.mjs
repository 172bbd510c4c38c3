// Starts the role that the first argument names, in this process, so that signals reach it directly.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

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
// The gateway has the migrations; with this setting it applies them and exits.
if (first === 'migrate') process.env.MILLRACE_MIGRATE = 'only';
const app = first === 'migrate' ? 'gateway' : first;
const program = fileURLToPath(new URL(`../dist/apps/${app}/main.cjs`, import.meta.url));
// node:cluster starts workers from argv[1], which must be the program of the role.
process.argv.splice(1, 2, program);
createRequire(import.meta.url)(program);
