// Starts the role that the first argument names, in this very process: signals reach it directly.
import { createRequire } from 'node:module';

const ROLES = ['gateway', 'ingest', 'executor', 'standalone', 'migrate'];
const role = process.argv[2] ?? 'standalone';
if (!ROLES.includes(role)) {
  process.stderr.write(`"${role}" is no role; choose one of ${ROLES.join(', ')}\n`);
  process.exit(78);
}
process.argv.splice(2, 1);
// The gateway owns the tables' history; as a role of its own it only brings them up to date.
if (role === 'migrate') process.env.MILLRACE_MIGRATE = 'only';
createRequire(import.meta.url)(`../dist/apps/${role === 'migrate' ? 'gateway' : role}/main.cjs`);
